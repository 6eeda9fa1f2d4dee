/*
 * The commands of the program: each is one constant at the end of its own file in server/commands/, listed in
 * server/main.c.
 */
#ifndef POSED_SERVER_COMMANDS_COMMANDS_H
#define POSED_SERVER_COMMANDS_COMMANDS_H

#include "pose.h"
#include "server/ops/options.h"

/* How a command ends. */
enum command_status {
    COMMAND_DONE = 0,
    COMMAND_BAD_INPUT = 1, /* the input is bad or missing */
    COMMAND_BAD_USAGE = 2, /* the command line is bad */
};

struct command {
    const char *name;
    const char *operands;    /* as the usage line has them, "FILE [ENTRY]"; "" when there are none */
    const char *summary;     /* one line, for `posed --help` */
    const char *description; /* lines for `posed COMMAND --help`, each ended by \n; NULL: the summary only */
    const struct option *options; /* NULL: it takes none */
    bool environment;             /* options are read from the environment too */
    void (*prepare)(void);        /* completes what --help says; NULL: nothing to be done */
    /* argv[0] is the command's name; --help has been dealt with. Returns the exit status. */
    int (*run)(const struct command *command, int argc, char **argv);
};

extern const struct command command_convert;
extern const struct command command_extract;
extern const struct command command_hash;
extern const struct command command_health;
extern const struct command command_info;
extern const struct command command_ls;
extern const struct command command_pack;
extern const struct command command_preview;
extern const struct command command_reindex;
extern const struct command command_resolve;
extern const struct command command_sample;
extern const struct command command_serve;

/*
 * Reads the options and checks how many operands there are (most 0: any number). False when the command line is bad;
 * that has been said then, and the command ends with COMMAND_BAD_USAGE.
 */
bool command_parse(const struct command *command, void *values, int argc, char **argv, size_t least,
                   size_t most, struct operands *operands);

/* "posed: …" on standard error. Returns COMMAND_BAD_USAGE. */
int command_misused(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* "posed: FILE: …" on standard error. Returns COMMAND_BAD_INPUT. */
int command_failed(const char *file, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* "posed: FILE: offset 0x1b: what is wrong" (or "line 12: …") on standard error. Returns COMMAND_BAD_INPUT. */
int command_broken(const char *file, const struct pose_error *error);
/* Flushes standard output; COMMAND_BAD_INPUT (and a line) when what was printed could not be written. */
int command_finish(void);

#endif
