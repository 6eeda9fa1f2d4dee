/*
 * Command line options as a table: name, value, default, and where the value is stored. The table also generates
 * the help text and reads the environment.
 */
#ifndef POSED_SERVER_OPS_OPTIONS_H
#define POSED_SERVER_OPS_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* The kind of an option's value, and the type of the member that it sets. */
enum option_kind {
    OPTION_FLAG, /* no value: bool. In the environment 1, true, yes, on or 0, false, no, off */
    OPTION_TEXT, /* const char *, never empty */
    OPTION_DATABASE, /* const char *: a URL that has a password only in the environment, which nobody else can see */
    OPTION_ADDRESS,  /* const char *: ADDR:PORT or [ADDR]:PORT with a numeric address and port */
    OPTION_NETWORKS, /* const char *: syntax of address_list_parse */
    OPTION_SIZE,     /* uint64_t, bytes: 512, 64K, 256M, 1G, 1T (powers of 1024) */
    OPTION_COUNT,    /* uint64_t: a decimal number */
    OPTION_DURATION, /* uint64_t, milliseconds: 500ms, 10s, 2m, 1h; default unit seconds */
    OPTION_RATE,     /* double, per second: 50/s, 0.5/s, 120/m; "off" is 0 */
    OPTION_NUMBER,   /* double, finite */
    OPTION_CHOICE,   /* int: index of a word of the metavar, "text|json" */
};

struct option {
    const char *name;     /* with its dashes, "--cache-size"; NULL ends the table */
    const char *metavar;  /* NULL for a flag */
    const char *fallback; /* the default as a user would write it; NULL: the member is 0, NULL or false */
    const char *shown;    /* the default in the help text, if different; NULL: the fallback */
    enum option_kind kind;
    size_t member;        /* offsetof in the values */
    uint64_t least, most; /* for a size, count or duration (ms); most 0: unlimited */
    const char *help;
    char letter; /* "-q" is the same as the name; 0: it has no short form */
};

/* The arguments that are not options: pointers into argv, NULL-terminated. */
struct operands {
    size_t count;
    char **items;
};

/* The function for reading the environment: getenv, or a test's. */
typedef char *option_environment(const char *name);

enum { OPTION_ERROR_CAPACITY = 256 };

/* Parses a size as OPTION_SIZE does. */
bool option_size(const char *text, uint64_t *value);

/*
 * Fills in values from the defaults, then the environment (POSED_ and the name in capitals, "POSED_CACHE_SIZE";
 * skipped if environment is NULL), then argv[1] …, where the last of several wins. "--name value" and
 * "--name=value" are the same; after "--" all arguments are operands, which are moved to the front of argv. False
 * with one line in error if something is invalid; values must not be used then.
 */
bool options_parse(const struct option *options, void *values, int argc, char **argv,
                   option_environment *environment, struct operands *operands,
                   char error[OPTION_ERROR_CAPACITY]);

/* Prints a row for each option: name, metavar, description, default and, if wanted, its environment
 * variable. */
void options_print(const struct option *options, bool with_environment, FILE *out);

/* The exit status of a command. */
enum command_status {
    COMMAND_DONE = 0,
    COMMAND_BAD_INPUT = 1, /* the input is bad or missing */
    COMMAND_BAD_USAGE = 2, /* the command line is bad */
    COMMAND_STUCK = 3,     /* the daemon was stopped while work did not end */
};

#endif
