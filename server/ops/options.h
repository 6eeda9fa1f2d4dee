/*
 * Options of a command line as a table: how they are called, what they take, what they mean when absent, and where
 * the value goes. The same table makes the help text and reads the environment.
 */
#ifndef POSED_SERVER_OPS_OPTIONS_H
#define POSED_SERVER_OPS_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* What an option takes, and the type of the member of the values that it fills in. */
enum option_kind {
    OPTION_FLAG,     /* nothing: bool. In the environment 1, true, yes, on or 0, false, no, off */
    OPTION_TEXT,     /* const char *, never empty */
    OPTION_ADDRESS,  /* const char *: ADDR:PORT or [ADDR]:PORT with a numeric address and port */
    OPTION_NETWORKS, /* const char *: what address_list_parse takes */
    OPTION_SIZE,     /* uint64_t, bytes: 512, 64K, 256M, 1G, 1T (powers of 1024) */
    OPTION_COUNT,    /* uint64_t: a decimal number */
    OPTION_DURATION, /* uint64_t, milliseconds: 500ms, 10s, 2m, 1h; without a unit seconds */
    OPTION_RATE,     /* double, a second: 50/s, 0.5/s, 120/m; "off" is 0 */
    OPTION_NUMBER,   /* double, finite */
    OPTION_CHOICE,   /* int: which word of the metavar, "text|json" */
};

struct option {
    const char *name;     /* with its dashes, "--cache-size"; NULL ends the table */
    const char *metavar;  /* NULL for a flag */
    const char *fallback; /* the default as one would write it; NULL: the member is 0, NULL or false */
    const char *shown;    /* the default in the help text where it is not the fallback; NULL: the fallback */
    enum option_kind kind;
    size_t member;        /* offsetof in the values */
    uint64_t least, most; /* of a size, count (bounds) or duration (ms); most 0: no bound */
    const char *help;
};

/* What is left of the command line when the options are out: pointers into argv, ended by NULL. */
struct operands {
    size_t count;
    char **items;
};

/* How to look up the environment: getenv, or a test's own. */
typedef char *option_environment(const char *name);

enum { OPTION_ERROR_CAPACITY = 256 };

/*
 * Fills in values: the defaults, then the environment (POSED_ and the name in capitals, "POSED_CACHE_SIZE"; not at all
 * when environment is NULL), then argv[1] …, the last one of several winning. "--name value" and "--name=value" are
 * the same; after "--" all are operands, which are moved to the front of argv. False and one line in error when
 * something is not right; nothing of values is to be used then.
 */
bool options_parse(const struct option *options, void *values, int argc, char **argv,
                   option_environment *environment, struct operands *operands,
                   char error[OPTION_ERROR_CAPACITY]);

/* A row for each option: name, metavar, what it means, its default and, if wanted, its environment variable. */
void options_print(const struct option *options, bool with_environment, FILE *out);

#endif
