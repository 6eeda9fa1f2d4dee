/* `posed migrate` moves a site from a folder to an object store; `posed sweep` removes from that what no upload names. */
#include "server/commands/commands.h"
#include "server/ops/files.h"
#include "server/store/upkeep/migrate.h"
#include "server/store/upkeep/sweep.h"

#include <stddef.h>
#include <stdio.h>

struct migrate_options {
    const char *from;
    struct catalog_options catalog;
    struct object_options objects;
};

static const struct option migrate_rows[] = {
    {.name = "--from",
     .metavar = "DIR",
     .shown = "required",
     .kind = OPTION_TEXT,
     .member = offsetof(struct migrate_options, from),
     .help = "folder of uploads; no daemon may be using it"},
    CATALOG_OPTION_ROWS(struct migrate_options, catalog, "--to-catalog"),
    OBJECT_OPTION_ROWS(struct migrate_options, objects, "--to-blobs"),
    {.name = NULL},
};

static int run_migrate(const struct command *command, int argc, char **argv)
{
    struct migrate_options values = {0};
    struct operands operands;
    struct migrated found;
    struct store_error error;
    if (!command_parse(command, &values, argc, argv, 0, 0, &operands))
        return COMMAND_BAD_USAGE;
    if (operands.count || !values.from || !values.objects.blobs)
        return command_misused("migrate takes --from DIR and --to-blobs s3://BUCKET[/PREFIX]");
    files_init();
    if (!store_migrate(values.from, &values.objects, &values.catalog, &found, command_tell, &error))
        return command_failed(NULL, "%s; what is there stays, call it again", error.detail);
    printf("%llu uploads copied, %llu were there", (unsigned long long)found.copied,
           (unsigned long long)found.there);
    if (found.damaged || found.missing)
        printf(", %llu damaged and %llu missing ones left out", (unsigned long long)found.damaged,
               (unsigned long long)found.missing);
    putchar('\n');
    int status = command_finish();
    return found.damaged || found.missing ? COMMAND_BAD_INPUT : status;
}

const struct command command_migrate = {
    .name = "migrate",
    .operands = "",
    .summary = "copies uploads from a folder into an object store",
    .description =
        "Verifies the bytes of every upload in DIR and copies them and its note. Call it again if it was\n"
        "interrupted: what is there is not copied twice. Afterwards start the daemon with --data DIR and "
        "--blobs;\n"
        "DIR keeps the catalogue, and its blobs/ and notes/ are not needed any more. With --to-catalog the "
        "list\n"
        "goes there, and DIR is not needed any more. If uploads are damaged, "
        "the\n"
        "exit status is 1 and one line per upload says which.\n",
    .options = migrate_rows,
    .environment = false,
    .run = run_migrate,
};

struct sweep_options {
    const char *data;
    struct catalog_options catalog;
    struct object_options objects;
};

static const struct option sweep_rows[] = {
    {.name = "--data",
     .metavar = "DIR",
     .shown = "required",
     .kind = OPTION_TEXT,
     .member = offsetof(struct sweep_options, data),
     .help = "folder of the catalogue; no daemon may be using it"},
    CATALOG_OPTION_ROWS(struct sweep_options, catalog, "--catalog"),
    OBJECT_OPTION_ROWS(struct sweep_options, objects, "--blobs"),
    {.name = NULL},
};

static int run_sweep(const struct command *command, int argc, char **argv)
{
    struct sweep_options values = {0};
    struct operands operands;
    struct swept found;
    struct store_error error;
    if (!command_parse(command, &values, argc, argv, 0, 0, &operands))
        return COMMAND_BAD_USAGE;
    if (operands.count || !values.data || !values.objects.blobs)
        return command_misused("sweep takes --data DIR and --blobs s3://BUCKET[/PREFIX]");
    files_init();
    if (!store_sweep(values.data, &values.objects, &values.catalog, &found, &error))
        return command_failed(NULL, "%s", error.detail);
    printf("%llu blobs removed, %llu bytes", (unsigned long long)found.removed,
           (unsigned long long)found.bytes);
    if (found.young)
        printf("; %llu are not an hour old", (unsigned long long)found.young);
    putchar('\n');
    return command_finish();
}

const struct command command_sweep = {
    .name = "sweep",
    .operands = "",
    .summary = "removes bytes that no upload needs from an object store",
    .description =
        "Removes the blobs of the prefix that neither the catalogue in DIR nor a note names, and that are an "
        "hour\n"
        "old. With --catalog the list is that one, daemons may go on, and DIR is a folder for temporary "
        "files.\n"
        "The daemon does this for its own deletions; after it was killed something may be left.\n",
    .options = sweep_rows,
    .environment = false,
    .run = run_sweep,
};
