/* `posed hash` and `posed resolve`: names of The Sims 3, both ways, with the API's answers. */
#include "api/views/sims3_json.h"
#include "server/commands/commands.h"
#include "server/commands/library.h"
#include "server/commands/progress.h"
#include "server/library/service.h"

#include <stdio.h>
#include <strings.h>

static int print(struct pose_buffer *text)
{
    fwrite(text->data, 1, text->size, stdout);
    putchar('\n');
    pose_buffer_free(text);
    return command_finish();
}

static int run_hash(const struct command *command, int argc, char **argv)
{
    struct operands operands;
    struct pose_buffer text = {0};
    struct json_writer json;
    if (!command_parse(command, NULL, argc, argv, 1, 1, &operands))
        return COMMAND_BAD_USAGE;
    jsonw_init(&json, &text);
    sims3_hashes(&json, operands.items[0]);
    return print(&text);
}

const struct command command_hash = {
    .name = "hash",
    .operands = "NAME",
    .summary = "prints the hashes of a name of The Sims 3",
    .description =
        "Prints JSON: FNV-32 (bones, slots, actors), FNV-64 (resources; its low half for morphs) and the\n"
        "instance id of a clip of that name. Names are not case-sensitive.\n",
    .run = run_hash,
};

static int resolve(const char *wanted, const struct index_result *packages)
{
    struct pose_buffer text = {0};
    struct json_writer json;
    uint64_t id = 0;
    bool is_id = sims3_parse_id(wanted, &id);
    jsonw_init(&json, &text);
    sims3_resolution(&json, is_id ? NULL : wanted, id, packages->archives, packages->count);
    return print(&text);
}

static int run_resolve(const struct command *command, int argc, char **argv)
{
    struct operands operands;
    struct config config;
    struct index_result packages = {0};
    struct pose_error error;
    if (!command_parse(command, NULL, argc, argv, 1, 0, &operands))
        return COMMAND_BAD_USAGE;
    const char *wanted = operands.items[0];
    uint64_t id;
    if (!strncasecmp(wanted, "0x", 2) && !sims3_parse_id(wanted, &id))
        return command_misused("%s is not an id: 0x and 1 to 16 hex digits", wanted);
    config_init(&config);
    struct index_options limits = service_limits(&config);
    files_init();
    progress_start("reading", 0);
    bool indexed = index_paths((const char *const *)operands.items + 1, operands.count - 1, &limits, NULL,
                               &packages, &error);
    progress_end();
    if (!indexed)
        return command_failed(NULL, "%s", error.detail);
    int status = library_report_broken(&packages);
    if (status == COMMAND_DONE)
        status = resolve(wanted, &packages);
    index_release(&packages);
    return status;
}

const struct command command_resolve = {
    .name = "resolve",
    .operands = "NAME|0xID [PACKAGE...]",
    .summary = "finds clips of The Sims 3 by name or id, with their fallbacks",
    .description =
        "Prints JSON: the clip of that name, then the one that the game falls back to for every age,\n"
        "each with its instance id and the entries of the packages that contain it.\n",
    .run = run_resolve,
};
