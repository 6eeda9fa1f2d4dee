/*
 * `posed`: from the command line to a command, and the ways to end.
 */
#include "server/commands/commands.h"
#include "lib/core/escape.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------------------------------------------- ending -- */

/* One line on standard error; file may be NULL. Names out of files may hold anything. */
static void complain(const char *file, const char *format, va_list arguments)
{
    char text[1024];
    vsnprintf(text, sizeof text, format, arguments);
    fputs("posed: ", stderr);
    if (file) {
        escape_print(standard_input_shown(file), stderr);
        fputs(": ", stderr);
    }
    escape_print(text, stderr);
    fputc('\n', stderr);
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

void command_tell(void *user, const char *line)
{
    (void)user;
    command_failed(NULL, "%s", line);
}

/* The detail without what the line has said before it: the file, and " at byte N" or " at line N". */
static void short_detail(const char *file, const struct pose_error *error, char text[sizeof error->detail])
{
    char place[40];
    const char *detail = error->detail;
    size_t length = strlen(file);
    if (!strncmp(detail, file, length) && !strncmp(detail + length, ": ", 2))
        detail += length + 2;
    if (error->line)
        snprintf(place, sizeof place, "at line %u: ", error->line);
    else
        snprintf(place, sizeof place, "at byte %llu: ", (unsigned long long)error->offset);
    const char *found = strstr(detail, place);
    if (!found) {
        strcpy(text, detail);
        return;
    }
    length = (size_t)(found - detail);
    while (length && detail[length - 1] == ' ')
        length--;
    sprintf(text, "%.*s%s%s", (int)length, detail, length ? ": " : "", found + strlen(place));
}

int command_broken(const char *file, const struct pose_error *error)
{
    char detail[sizeof error->detail];
    short_detail(file, error, detail);
    if (error->line)
        return command_failed(file, "line %u: %s", error->line, detail);
    if (error->offset != POSE_NO_OFFSET)
        return command_failed(file, "offset 0x%llx: %s", (unsigned long long)error->offset, detail);
    return command_failed(file, "%s", detail);
}

int command_finish(void)
{
    if (fflush(stdout) || ferror(stdout))
        return command_failed("standard output", "cannot be written");
    return COMMAND_DONE;
}

/* -------------------------------------------------------------------------------------------------- commands -- */

/* --help among the options, before a "--" that ends them. */
static bool wants_help(int argc, char **argv)
{
    for (int i = 1; i < argc && strcmp(argv[i], "--"); i++) {
        if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h"))
            return true;
    }
    return false;
}

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
        command_misused("%s takes %s; see posed %s --help", command->name,
                        *command->operands ? command->operands : "no operands", command->name);
        return false;
    }
    if (command->reads_input && operands->count && !strcmp(operands->items[0], "-"))
        standard_input_keep(&operands->items[0]);
    return true;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        command_print_usage(stderr);
        return COMMAND_BAD_USAGE;
    }
    if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) {
        command_print_usage(stdout);
        return command_finish();
    }
    if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "version")) {
        printf("posed %s (decoders %u)\n", pose_version(), pose_revision());
        return command_finish();
    }
    const struct command *command = command_find(argv[1]);
    if (!command)
        return COMMAND_BAD_USAGE;
    if (command->prepare)
        command->prepare();
    if (wants_help(argc - 1, argv + 1)) {
        command_print_help(command);
        return command_finish();
    }
    return command->run(command, argc - 1, argv + 1);
}
