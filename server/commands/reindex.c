/* `posed reindex`: the catalogue of a store anew, from what lies in it. */
#include "server/commands/commands.h"
#include "server/text/escape.h"
#include "server/ops/files.h"
#include "server/store/store.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

struct reindex_options {
    const char *data;
};

static const struct option options[] = {
    {.name = "--data",
     .metavar = "DIR",
     .shown = "must be given",
     .kind = OPTION_TEXT,
     .member = offsetof(struct reindex_options, data),
     .help = "the folder where uploads are kept; no daemon may be using it"},
    {.name = NULL},
};

static void report(const char *line)
{
    fputs("posed: ", stderr);
    escape_print(line, stderr);
    fputc('\n', stderr);
}

static int run_reindex(const struct command *command, int argc, char **argv)
{
    struct reindex_options values = {0};
    struct operands operands;
    struct reindexed found;
    struct store_error error;
    if (!command_parse(command, &values, argc, argv, 0, 0, &operands))
        return COMMAND_BAD_USAGE;
    if (operands.count || !values.data)
        return command_misused("reindex takes --data DIR and nothing else");
    files_init();
    struct file_stamp stamp;
    bool is_directory;
    if (!file_stat(values.data, &stamp, &is_directory))
        return command_failed(values.data, "%s", strerror(errno));
    if (!is_directory)
        return command_failed(values.data, "not a folder");
    if (!store_reindex(values.data, &found, report, &error))
        return command_failed(NULL, "%s", error.detail);
    printf("%llu uploads", (unsigned long long)found.kept);
    if (found.damaged || found.missing)
        printf(", %llu damaged and %llu missing ones left out", (unsigned long long)found.damaged,
               (unsigned long long)found.missing);
    putchar('\n');
    int status = command_finish();
    return found.damaged || found.missing ? COMMAND_BAD_INPUT : status;
}

const struct command command_reindex = {
    .name = "reindex",
    .operands = "",
    .summary = "rebuilds the catalogue of a store from its blobs",
    .description =
        "Looks at every upload in DIR and lists anew those whose bytes are sound. Exit status 1 when some\n"
        "are not: a line each says which; their bytes are left alone.\n",
    .options = options,
    .environment = false,
    .run = run_reindex,
};
