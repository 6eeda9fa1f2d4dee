/* The list of commands, `posed help`, and what --help prints. */
#include "server/commands/commands.h"
#include "lib/core/nearest.h"

#include <string.h>

const struct command *const commands[] = {
    &command_serve,      &command_ls,      &command_info,
    &command_sample,     &command_convert, &command_preview,
    &command_extract,    &command_pack,    &command_hash,
    &command_resolve,    &command_health,  &command_sign,
    &command_reindex,    &command_sweep,   &command_migrate,
    &command_completion, &command_help,    NULL,
};

const struct command *command_find(const char *name)
{
    struct nearest nearest;
    char hint[NEAREST_HINT];
    nearest_begin(&nearest, name, strlen(name));
    for (const struct command *const *command = commands; *command; command++) {
        if (!strcmp((*command)->name, name))
            return *command;
        nearest_offer(&nearest, (*command)->name);
    }
    if (*name == '-')
        nearest_offer_all(&nearest, (const char *const[]){"--help", "--version", NULL});
    nearest_hint(&nearest, hint);
    command_misused("%s: no such %s%s", name, *name == '-' ? "option" : "command",
                    *hint ? hint : "; see posed --help");
    return NULL;
}

void command_print_usage(FILE *out)
{
    fputs("usage: posed COMMAND [OPTIONS] ...\n"
          "\n"
          "Serves, converts and draws animations of games.\n"
          "\n",
          out);
    for (const struct command *const *command = commands; *command; command++)
        fprintf(out, "  %-10s %s\n", (*command)->name, (*command)->summary);
    fputs("\n"
          "posed help COMMAND describes a command, posed --version prints the version.\n",
          out);
}

void command_print_help(const struct command *command)
{
    printf("usage: posed %s%s%s%s\n\n", command->name, command->options ? " [OPTIONS]" : "",
           *command->operands ? " " : "", command->operands);
    if (command->description)
        fputs(command->description, stdout);
    else
        printf("%s\n", command->summary);
    if (command->reads_input)
        printf("%.*s may be -, standard input.\n", (int)strcspn(command->operands, " ."), command->operands);
    if (!command->options)
        return;
    fputs("\nOptions", stdout);
    fputs(command->environment ? " [default, environment variable]:\n" : " [default]:\n", stdout);
    options_print(command->options, command->environment, stdout);
}

static int run_help(const struct command *command, int argc, char **argv)
{
    struct operands operands;
    if (!command_parse(command, NULL, argc, argv, 0, 1, &operands))
        return COMMAND_BAD_USAGE;
    if (!operands.count) {
        command_print_usage(stdout);
        return command_finish();
    }
    const struct command *described = command_find(operands.items[0]);
    if (!described)
        return COMMAND_BAD_USAGE;
    if (described->prepare)
        described->prepare();
    command_print_help(described);
    return command_finish();
}

const struct command command_help = {
    .name = "help",
    .operands = "[COMMAND]",
    .summary = "describes a command and its options",
    .run = run_help,
};
