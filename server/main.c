/*
 * `posed`: which command, its help, and the ways to end.
 */
#include "server/commands.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* In the order in which the help lists them. */
static const struct command *const commands[] = {
    &command_serve,
    NULL,
};

/* ---------------------------------------------------------------------------------------------------- ending -- */

/* One line on standard error; file may be NULL. */
static void complain(const char *file, const char *format, va_list arguments)
{
    char line[1024];
    vsnprintf(line, sizeof line, format, arguments);
    fprintf(stderr, "posed: %s%s%s\n", file ? file : "", file ? ": " : "", line);
}

int command_misused(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    complain(NULL, format, arguments);
    va_end(arguments);
    return COMMAND_BAD_USAGE;
}

int command_failed(const char *file, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    complain(file, format, arguments);
    va_end(arguments);
    return COMMAND_BAD_INPUT;
}

/* The detail without its own " at byte N", which the line has said before it. */
static void print_detail(const struct pose_error *error)
{
    char place[40];
    snprintf(place, sizeof place, "at byte %llu: ", (unsigned long long)error->offset);
    const char *found = strstr(error->detail, place);
    if (!found) {
        fprintf(stderr, "%s\n", error->detail);
        return;
    }
    int length = (int)(found - error->detail);
    while (length && error->detail[length - 1] == ' ')
        length--;
    fprintf(stderr, "%.*s%s%s\n", length, error->detail, length ? ": " : "", found + strlen(place));
}

int command_broken(const char *file, const struct pose_error *error)
{
    fprintf(stderr, "posed: %s: ", file);
    if (error->line)
        fprintf(stderr, "line %u: ", error->line);
    else if (error->offset != POSE_NO_OFFSET)
        fprintf(stderr, "offset 0x%llx: ", (unsigned long long)error->offset);
    print_detail(error);
    return COMMAND_BAD_INPUT;
}

int command_finish(void)
{
    if (fflush(stdout) || ferror(stdout))
        return command_failed("standard output", "cannot be written");
    return COMMAND_DONE;
}

/* ----------------------------------------------------------------------------------------------------- help -- */

static void print_usage(FILE *out)
{
    fputs("usage: posed COMMAND [OPTIONS] ...\n"
          "\n"
          "Reads, serves and converts animations of games.\n"
          "\n",
          out);
    for (const struct command *const *command = commands; *command; command++)
        fprintf(out, "  %-10s %s\n", (*command)->name, (*command)->summary);
    fputs("\n"
          "posed COMMAND --help tells more about a command, posed --version which posed this is.\n",
          out);
}

static void print_help(const struct command *command)
{
    printf("usage: posed %s%s%s%s\n\n", command->name, command->options ? " [OPTIONS]" : "",
           *command->operands ? " " : "", command->operands);
    if (command->description)
        fputs(command->description, stdout);
    else
        printf("%s\n", command->summary);
    if (!command->options)
        return;
    fputs("\nOptions", stdout);
    fputs(command->environment ? " [default, environment variable]:\n" : " [default]:\n", stdout);
    options_print(command->options, command->environment, stdout);
}

/* --help among the options, before a "--" that ends them. */
static bool wants_help(int argc, char **argv)
{
    for (int i = 1; i < argc && strcmp(argv[i], "--"); i++) {
        if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h"))
            return true;
    }
    return false;
}

/* -------------------------------------------------------------------------------------------------- commands -- */

bool command_parse(const struct command *command, void *values, int argc, char **argv, size_t least,
                   size_t most, struct operands *operands)
{
    char error[OPTION_ERROR_CAPACITY];
    if (!options_parse(command->options, values, argc, argv, command->environment ? getenv : NULL, operands,
                       error)) {
        command_misused("%s", error);
        return false;
    }
    if (operands->count < least || (most && operands->count > most)) {
        command_misused("%s %s; posed %s --help tells more",
                        operands->count < least ? "too little after" : "too much after", command->name,
                        command->name);
        return false;
    }
    return true;
}

static const struct command *find_command(const char *name)
{
    for (const struct command *const *command = commands; *command; command++) {
        if (!strcmp((*command)->name, name))
            return *command;
    }
    return NULL;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        print_usage(stderr);
        return COMMAND_BAD_USAGE;
    }
    if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) {
        print_usage(stdout);
        return command_finish();
    }
    if (!strcmp(argv[1], "--version")) {
        printf("posed %s (decoders %u)\n", pose_version(), pose_revision());
        return command_finish();
    }
    const struct command *command = find_command(argv[1]);
    if (!command)
        return command_misused("%s: no such command; posed --help lists them", argv[1]);
    if (wants_help(argc - 1, argv + 1)) {
        print_help(command);
        return command_finish();
    }
    return command->run(command, argc - 1, argv + 1);
}
