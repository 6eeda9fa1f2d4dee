/* `posed reindex`: rebuilds the catalogue of a store from its contents. */
#include "server/commands/commands.h"
#include "server/ops/files.h"
#include "server/store/shared/reindex.h"
#include "server/store/store.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

struct reindex_options {
    const char *data;
    struct catalog_options catalog;
    struct object_options objects;
};

static const struct option options[] = {
    {.name = "--data",
     .metavar = "DIR",
     .shown = "required",
     .kind = OPTION_TEXT,
     .member = offsetof(struct reindex_options, data),
     .help = "folder of uploads; no daemon may be using it"},
    CATALOG_OPTION_ROWS(struct reindex_options, catalog, "--catalog"),
    OBJECT_OPTION_ROWS(struct reindex_options, objects, "--blobs"),
    {.name = NULL},
};

static int look_at_shared(const struct reindex_options *values)
{
    struct reindexed found;
    struct store_error error;
    if (!reindex_shared(values->data, &values->objects, &values->catalog, &found, command_tell, NULL, &error))
        return command_failed(NULL, "%s; call it again", error.detail);
    printf("%llu uploads", (unsigned long long)found.sound);
    if (found.damaged || found.missing)
        printf(", %llu damaged and %llu missing ones", (unsigned long long)found.damaged,
               (unsigned long long)found.missing);
    putchar('\n');
    const int status = command_finish();
    return found.damaged || found.missing ? COMMAND_BAD_INPUT : status;
}

static int run_reindex(const struct command *command, int argc, char **argv)
{
    struct reindex_options values = {0};
    struct operands operands;
    struct recovered found;
    struct store_error error;
    if (!command_parse(command, &values, argc, argv, 0, 0, &operands))
        return COMMAND_BAD_USAGE;
    if (operands.count || !values.data)
        return command_misused(
            "reindex takes --data DIR, and --blobs s3://BUCKET[/PREFIX] if the store is there");
    if (values.catalog.url && !values.objects.blobs)
        return command_misused("reindex --catalog takes --blobs s3://BUCKET[/PREFIX] too");
    files_init();
    if (values.catalog.url)
        return look_at_shared(&values);
    struct file_stamp stamp;
    bool is_directory;
    if (!file_stat(values.data, &stamp, &is_directory))
        return command_failed(values.data, "%s", strerror(errno));
    if (!is_directory)
        return command_failed(values.data, "not a folder");
    if (!store_reindex(values.data, &values.objects, &found, command_tell, &error))
        return command_failed(NULL, "%s", error.detail);
    bool is_whole = !found.damaged && !found.missing && !found.unread;
    printf("%llu uploads", (unsigned long long)found.adopted);
    if (!is_whole)
        printf(", %llu damaged and %llu missing ones left out", (unsigned long long)found.damaged,
               (unsigned long long)found.missing);
    if (found.unread)
        printf(", %llu that cannot be read", (unsigned long long)found.unread);
    putchar('\n');
    int status = command_finish();
    return is_whole ? status : COMMAND_BAD_INPUT;
}

const struct command command_reindex = {
    .name = "reindex",
    .operands = "",
    .summary = "rebuilds the catalogue of uploads from their bytes",
    .description =
        "Checks every upload in DIR and lists those whose bytes are sound, whatever state the catalogue is\n"
        "in. The old catalogue is kept in DIR/lost for a day. If uploads are damaged, the exit status is 1\n"
        "and one line per upload says which; their bytes are left alone.\n"
        "With --catalog it checks every upload of that list while daemons go on: DIR is a folder for "
        "temporary\n"
        "files, index records are rebuilt as uploads are asked for, and totals are recounted.\n",
    .options = options,
    .environment = false,
    .run = run_reindex,
};
