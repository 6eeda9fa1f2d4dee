/* `posed ls`: the entries of archives, one per line. */
#include "api/views/archive_json.h"
#include "server/commands/commands.h"
#include "server/commands/library.h"
#include "server/commands/progress.h"
#include "lib/core/escape.h"
#include "server/library/service.h"

#include <inttypes.h>
#include <string.h>

struct ls_options {
    bool json;
};

static const struct option options[] = {
    {.name = "--json",
     .kind = OPTION_FLAG,
     .member = offsetof(struct ls_options, json),
     .help = "print one JSON list of all entries, as the API does"},
    {.name = NULL},
};

/* ----------------------------------------------------------------------------------------------------- text -- */

static const char *or_dash(const char *text)
{
    return text ? text : "-";
}

static int wider(int width, size_t length)
{
    return (int)length > width ? (int)length : width;
}

static int digits(uint64_t number)
{
    return snprintf(NULL, 0, "%" PRIu64, number);
}

static void print_entry_error(const struct pose_error *error)
{
    fputs("  (", stdout);
    escape_print(error->detail, stdout);
    fputc(')', stdout);
}

static void print_entries(const struct index_archive *archive)
{
    int index = digits(archive->entry_count ? archive->entry_count - 1 : 0), size = 1, kind = 1, format = 1;
    for (uint32_t i = 0; i < archive->entry_count; i++) {
        const struct index_entry *entry = archive->entries[i];
        size = wider(size, (size_t)digits(entry->size));
        kind = wider(kind, strlen(or_dash(entry->kind)));
        format = wider(format, strlen(or_dash(entry->format)));
    }
    for (uint32_t i = 0; i < archive->entry_count; i++) {
        const struct index_entry *entry = archive->entries[i];
        printf("%*" PRIu32 "  %*" PRIu64 "  %-*s  %-*s  ", index, i, size, entry->size, kind,
               or_dash(entry->kind), format, or_dash(entry->format));
        escape_print(entry->name, stdout);
        if (entry->error)
            print_entry_error(entry->error);
        putchar('\n');
    }
}

/* With a header line for each archive if there are several. */
static void print_archives(const struct index_result *result)
{
    for (uint32_t i = 0; i < result->count; i++) {
        const struct index_archive *archive = result->archives[i];
        if (result->count > 1) {
            fputs(i ? "\n" : "", stdout);
            escape_print(archive->path, stdout);
            printf(" (%s, %" PRIu32 " %s)\n", archive->format, archive->entry_count,
                   archive->entry_count == 1 ? "entry" : "entries");
        }
        print_entries(archive);
    }
}

/* ----------------------------------------------------------------------------------------------------- JSON -- */

/* Writes an entry, preceded by its archive's name if there are several. */
static void put_entry(struct json_writer *json, const struct index_archive *archive, uint32_t index,
                      bool named)
{
    if (!named) {
        entry_item(json, archive, index);
        return;
    }
    struct pose_buffer text = {0};
    struct json_writer item;
    jsonw_init(&item, &text);
    entry_item(&item, archive, index);
    pose_buffer_append(&text, "", 1);
    jsonw_object(json, NULL);
    jsonw_string(json, "archive", archive->name);
    text.data[text.size - 2] = '\0'; /* without its braces */
    jsonw_raw_members(json, (const char *)text.data + 1);
    jsonw_end(json);
    pose_buffer_free(&text);
}

static void print_json(const struct index_result *result)
{
    struct pose_buffer text = {0};
    struct json_writer json;
    int64_t total = 0;
    jsonw_init(&json, &text);
    jsonw_object(&json, NULL);
    jsonw_array(&json, "items");
    for (uint32_t a = 0; a < result->count; a++) {
        for (uint32_t i = 0; i < result->archives[a]->entry_count; i++)
            put_entry(&json, result->archives[a], i, result->count > 1);
        total += result->archives[a]->entry_count;
    }
    jsonw_end(&json);
    jsonw_null(&json, "next");
    jsonw_integer(&json, "total", total);
    jsonw_end(&json);
    fwrite(text.data, 1, text.size, stdout);
    putchar('\n');
    pose_buffer_free(&text);
}

/* -------------------------------------------------------------------------------------------------- command -- */

static int run_ls(const struct command *command, int argc, char **argv)
{
    struct ls_options values;
    struct operands paths;
    struct config config;
    struct index_result result;
    struct pose_error error;
    if (!command_parse(command, &values, argc, argv, 1, 0, &paths))
        return COMMAND_BAD_USAGE;
    config_init(&config);
    struct index_options limits = service_limits(&config);
    files_init();
    progress_start("reading", 0);
    bool indexed = index_paths((const char *const *)paths.items, paths.count, &limits, NULL, &result, &error);
    progress_end();
    if (!indexed)
        return command_failed(NULL, "%s", error.detail);
    if (values.json)
        print_json(&result);
    else
        print_archives(&result);
    int status = library_report_broken(&result);
    index_release(&result);
    return status == COMMAND_DONE ? command_finish() : status;
}

const struct command command_ls = {
    .name = "ls",
    .operands = "PATH...",
    .summary = "lists the entries of archives, one per line",
    .description =
        "Each line has the index, size in bytes, kind, format and name of an entry, and the error if it\n"
        "cannot be read. A PATH is an archive, a folder (walked) or a loose file.\n",
    .options = options,
    .reads_input = true,
    .run = run_ls,
};
