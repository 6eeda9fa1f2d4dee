/*
 * The commands of the program: each is one constant at the end of its own file in server/commands/, and is listed
 * in server/commands/help.c.
 */
#ifndef POSED_SERVER_COMMANDS_COMMANDS_H
#define POSED_SERVER_COMMANDS_COMMANDS_H

#include "pose.h"
#include "server/ops/options.h"

#include <stdio.h>

struct command {
    const char *name;
    const char *operands; /* for the usage line, "FILE [ENTRY]"; "" if there are none */
    const char *summary;  /* one line, for `posed --help` */
    const char
        *description; /* lines for `posed COMMAND --help`, each terminated by \n; NULL: the summary only */
    const struct option *options; /* NULL: none */
    bool environment;             /* options can also be set in the environment */
    bool reads_input;             /* the first operand "-" is standard input */
    void (*prepare)(void);        /* fills in text that --help prints; may be NULL */
    /* argv[0] is the command's name; --help is already handled. Returns the exit status. */
    int (*run)(const struct command *command, int argc, char **argv);
};

extern const struct command command_completion;
extern const struct command command_convert;
extern const struct command command_extract;
extern const struct command command_hash;
extern const struct command command_health;
extern const struct command command_help;
extern const struct command command_info;
extern const struct command command_ls;
extern const struct command command_migrate;
extern const struct command command_pack;
extern const struct command command_preview;
extern const struct command command_reindex;
extern const struct command command_resolve;
extern const struct command command_sample;
extern const struct command command_serve;
extern const struct command command_sign;
extern const struct command command_sweep;

/* All commands, in the order in which the help lists them; NULL-terminated. */
extern const struct command *const commands[];
/* NULL, with a message printed that names the nearest one, if there is no such command. */
const struct command *command_find(const char *name);
/* Prints what `posed --help` and `posed COMMAND --help` print. */
void command_print_usage(FILE *out);
void command_print_help(const struct command *command);

/*
 * Parses the options and checks the number of operands (most 0: no limit). An operand "-" of a command that reads
 * standard input becomes the path of a file with what was read. False, with a message printed, if the command line
 * is bad or the input cannot be read; the command then returns COMMAND_BAD_USAGE.
 */
bool command_parse(const struct command *command, void *values, int argc, char **argv, size_t least,
                   size_t most, struct operands *operands);

/* Prints "posed: …" to standard error. Returns COMMAND_BAD_USAGE. */
int command_misused(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Prints "posed: FILE: …" to standard error. Returns COMMAND_BAD_INPUT. */
int command_failed(const char *file, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Prints "posed: FILE: offset 0x1b: MESSAGE" (or "line 12: …") to standard error. Returns
 * COMMAND_BAD_INPUT. */
int command_broken(const char *file, const struct pose_error *error);
/* Prints "posed: LINE" to standard error, on the way of work that goes on. user is not used. */
void command_tell(void *user, const char *line);
/* Flushes standard output; COMMAND_BAD_INPUT, with a message, if the output could not be written. */
int command_finish(void);

/*
 * "-" as the file that a command reads. Reads standard input to its end into a file, at most what the daemon takes as
 * an upload, and sets *operand to the file's path. The file is removed at the end of the program. Once per program;
 * ends it with a message and COMMAND_BAD_INPUT when that fails.
 */
void standard_input_keep(char **operand);
/* The file's name in a message: "standard input" for that one. */
const char *standard_input_shown(const char *file);

#endif
