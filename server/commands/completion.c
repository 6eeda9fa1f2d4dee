/*
 * `posed completion`: what a shell needs to complete a command line, made from the tables of commands and options.
 */
#include "server/commands/commands.h"

#include <string.h>

/* --------------------------------------------------------------------------------------------------- the words -- */

static bool can_be_packed(const struct pose_format *format)
{
    return format->can_write && !strcmp(format->kinds, "archive");
}

static void print_formats(bool (*fits)(const struct pose_format *format), const char *gap, FILE *out)
{
    const char *before = "";
    for (const struct pose_format *format = pose_formats(); format->id; format++) {
        if (fits && !fits(format))
            continue;
        fprintf(out, "%s%s", before, format->id);
        before = gap;
    }
}

static void print_targets(const char *gap, FILE *out)
{
    for (const struct pose_target *target = pose_targets(); target->word; target++)
        fprintf(out, "%s%s", target == pose_targets() ? "" : gap, target->word);
    for (const struct pose_target *target = pose_mesh_targets(); target->word; target++)
        fprintf(out, "%s%s", gap, target->word);
}

/* Whether the words that the option takes are known. */
static bool has_words(const struct option *option)
{
    return option->metavar && (strchr(option->metavar, '|') || !strcmp(option->metavar, "F") ||
                               !strcmp(option->metavar, "FORMAT") || !strcmp(option->metavar, "TARGET"));
}

/* Prints these words, separated by blanks. */
static void print_words(const struct option *option, FILE *out)
{
    if (!strcmp(option->metavar, "TARGET")) {
        print_targets(" ", out);
    } else if (!strcmp(option->metavar, "F")) {
        print_formats(NULL, " ", out);
    } else if (!strcmp(option->metavar, "FORMAT")) {
        print_formats(can_be_packed, " ", out);
    } else {
        for (const char *at = option->metavar; *at; at++)
            fputc(*at == '|' ? ' ' : *at, out);
    }
}

/* Prints a text that the shell's quotes enclose; a byte that is one of the special ones gets a backslash. */
static void print_quoted(const char *text, const char *special, FILE *out)
{
    for (; *text; text++) {
        if (*text == '\'')
            fputs("'\\'", out); /* ends the quotes, and begins them again with the quote itself */
        else if (strchr(special, *text))
            fputc('\\', out);
        fputc(*text, out);
    }
}

/* ------------------------------------------------------------------------------------------------------ bash -- */

static void print_bash_options(const struct command *command, FILE *out)
{
    fprintf(out, "    %s:-*) words='--help", command->name);
    for (const struct option *option = command->options; option && option->name; option++)
        fprintf(out, " %s", option->name);
    fputs("' ;;\n", out);
}

static void print_bash_values(const struct command *command, FILE *out)
{
    for (const struct option *option = command->options; option && option->name; option++) {
        if (!has_words(option))
            continue;
        fprintf(out, "    %s:%s) words='", command->name, option->name);
        print_words(option, out);
        fputs("' ;;\n", out);
    }
}

static void print_bash(FILE *out)
{
    fputs("# bash completion for posed\n"
          "_posed() {\n"
          "    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} words=\n"
          "    COMPREPLY=()\n"
          "    if [ \"$COMP_CWORD\" = 1 ] || [ \"$COMP_CWORD:$previous\" = 2:help ]; then\n"
          "        words='",
          out);
    for (const struct command *const *command = commands; *command; command++)
        fprintf(out, "%s ", (*command)->name);
    fputs("--help --version'\n"
          "    else\n"
          "    case ${COMP_WORDS[1]}:$previous in\n"
          "    completion:completion) words='bash zsh fish' ;;\n",
          out);
    for (const struct command *const *command = commands; *command; command++)
        print_bash_values(*command, out);
    fputs("    *)\n    case ${COMP_WORDS[1]}:$current in\n", out);
    for (const struct command *const *command = commands; *command; command++)
        print_bash_options(*command, out);
    fputs("    esac ;;\n    esac\n    fi\n"
          "    # Without words readline completes the names of files.\n"
          "    [ -z \"$words\" ] || mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$current\")\n"
          "}\n"
          "complete -o default -F _posed posed\n",
          out);
}

/* ------------------------------------------------------------------------------------------------------- zsh -- */

static const char zsh_special[] = "[]:\\";

static void print_zsh_option(const struct option *option, FILE *out)
{
    fprintf(out, " \\\n            '%s[", option->name);
    print_quoted(option->help, zsh_special, out);
    fputc(']', out);
    if (option->metavar) {
        fputc(':', out);
        print_quoted(option->metavar, zsh_special, out);
        if (has_words(option)) {
            fputs(":(", out);
            print_words(option, out);
            fputc(')', out);
        } else {
            fputs(":_files", out);
        }
    }
    fputc('\'', out);
}

static void print_zsh(FILE *out)
{
    fputs("#compdef posed\n"
          "_posed() {\n"
          "    local context state line\n"
          "    local -a commands=(\n",
          out);
    for (const struct command *const *command = commands; *command; command++) {
        fprintf(out, "        '%s:", (*command)->name);
        print_quoted((*command)->summary, ":\\", out);
        fputs("'\n", out);
    }
    fputs("    )\n"
          "    _arguments -C '1:command:->command' '*::argument:->argument'\n"
          "    if [[ $state = command ]]; then\n"
          "        _describe command commands\n"
          "        return\n"
          "    fi\n"
          "    case $line[1] in\n"
          "    help) _describe command commands ;;\n"
          "    completion) _arguments '1:shell:(bash zsh fish)' ;;\n",
          out);
    for (const struct command *const *command = commands; *command; command++) {
        if (*command == &command_help || *command == &command_completion)
            continue;
        fprintf(out, "    %s)\n        _arguments '--help[describes the command]'", (*command)->name);
        for (const struct option *option = (*command)->options; option && option->name; option++)
            print_zsh_option(option, out);
        fputs(" \\\n            '*:file:_files' ;;\n", out);
    }
    fputs("    esac\n"
          "}\n"
          "if [[ $funcstack[1] = _posed ]]; then _posed \"$@\"; else compdef _posed posed; fi\n",
          out);
}

/* ------------------------------------------------------------------------------------------------------ fish -- */

static void print_fish_option(const struct command *command, const struct option *option, FILE *out)
{
    fprintf(out, "complete -c posed -n '__fish_seen_subcommand_from %s' -l %s", command->name,
            option->name + strlen("--"));
    if (option->letter)
        fprintf(out, " -s %c", option->letter);
    if (option->metavar)
        fputs(has_words(option) ? " -x -a '" : " -r", out);
    if (has_words(option)) {
        print_words(option, out);
        fputc('\'', out);
    }
    fputs(" -d '", out);
    print_quoted(option->help, "\\", out);
    fputs("'\n", out);
}

static void print_fish(FILE *out)
{
    fputs("# fish completion for posed\n", out);
    for (const struct command *const *command = commands; *command; command++) {
        fprintf(out, "complete -c posed -n __fish_use_subcommand -f -a %s -d '", (*command)->name);
        print_quoted((*command)->summary, "\\", out);
        fputs("'\n", out);
        for (const struct option *option = (*command)->options; option && option->name; option++)
            print_fish_option(*command, option, out);
    }
    fputs("complete -c posed -n '__fish_seen_subcommand_from completion' -f -a 'bash zsh fish'\n", out);
}

/* ---------------------------------------------------------------------------------------------------- command -- */

static int run_completion(const struct command *command, int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*print)(FILE *out);
    } shells[] = {{"bash", print_bash}, {"zsh", print_zsh}, {"fish", print_fish}};
    struct operands operands;
    if (!command_parse(command, NULL, argc, argv, 1, 1, &operands))
        return COMMAND_BAD_USAGE;
    for (const struct command *const *other = commands; *other; other++) {
        if ((*other)->prepare)
            (*other)->prepare();
    }
    for (size_t i = 0; i < sizeof shells / sizeof *shells; i++) {
        if (!strcmp(shells[i].name, operands.items[0])) {
            shells[i].print(stdout);
            return command_finish();
        }
    }
    return command_misused("completion: %s is not one of bash, zsh, fish", operands.items[0]);
}

const struct command command_completion = {
    .name = "completion",
    .operands = "bash|zsh|fish",
    .summary = "prints a completion script for a shell",
    .description = "To complete command lines in the current shell:\n"
                   "  bash: source <(posed completion bash)\n"
                   "  zsh:  source <(posed completion zsh)\n"
                   "  fish: posed completion fish | source\n"
                   "The Debian package installs it for all shells.\n",
    .run = run_completion,
};
