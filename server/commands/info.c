/* `posed info`: what a file is. The text says in short what the JSON of POST /v1/inspect holds. */
#include "api/inspection.h"
#include "server/commands.h"
#include "server/commands/library.h"
#include "server/commands/progress.h"
#include "server/escape.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

struct info_options {
    bool json;
};

static const struct option options[] = {
    {.name = "--json",
     .kind = OPTION_FLAG,
     .member = offsetof(struct info_options, json),
     .help = "the JSON of POST /v1/inspect"},
    {.name = NULL},
};

/* ----------------------------------------------------------------------------------------------------- text -- */

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

/* "29 joints", with a comma before all but the first fact; nothing when it is not known. */
static void print_count(const json_t *object, const char *key, const char *one, const char *many,
                        const char **comma)
{
    const json_t *value = json_object_get(object, key);
    if (!json_is_integer(value))
        return;
    json_int_t count = json_integer_value(value);
    printf("%s%" JSON_INTEGER_FORMAT " %s", *comma, count, count == 1 ? one : many);
    *comma = ", ";
}

static void print_place(const json_t *item)
{
    const json_t *offset = json_object_get(item, "offset"), *line = json_object_get(item, "line");
    if (json_is_integer(line))
        printf("line %" JSON_INTEGER_FORMAT ": ", json_integer_value(line));
    else if (json_is_integer(offset))
        printf("offset 0x%llx: ", (unsigned long long)json_integer_value(offset));
}

static void print_warnings(const json_t *object, const char *indent)
{
    size_t index;
    const json_t *warning;
    json_array_foreach(json_object_get(object, "warnings"), index, warning)
    {
        printf("%s%s: ", indent, text_of(warning, "severity"));
        print_place(warning);
        escape_print(text_of(warning, "message"), stdout);
        putchar('\n');
    }
}

static void print_verdicts(const json_t *object, const char *indent)
{
    size_t index, number;
    const json_t *verdict, *reason;
    json_array_foreach(json_object_get(object, "verdict"), index, verdict)
    {
        bool accepted = json_is_true(json_object_get(verdict, "accepted"));
        printf("%s%s: %s\n", indent, text_of(verdict, "target"),
               accepted ? "would take it" : "would refuse it");
        json_array_foreach(json_object_get(verdict, "reasons"), number, reason)
        {
            printf("%s  ", indent);
            print_place(reason);
            escape_print(text_of(reason, "message"), stdout);
            putchar('\n');
        }
    }
}

static void print_clip(const json_t *clip)
{
    const char *comma = ", ";
    const json_t *fps = json_object_get(clip, "fps");
    printf("%.6g s", json_number_value(json_object_get(clip, "duration")));
    print_count(clip, "frame_count", "frame", "frames", &comma);
    if (json_is_number(fps))
        printf(" at %.6g fps", json_number_value(fps));
    print_count(clip, "joint_count", "joint", "joints", &comma);
    print_count(clip, "key_count", "key", "keys", &comma);
    print_count(clip, "event_count", "event", "events", &comma);
}

static void print_counts(const json_t *asset)
{
    const char *comma = "";
    print_count(asset, "joint_count", "joint", "joints", &comma);
    print_count(asset, "vertex_count", "vertex", "vertices", &comma);
    print_count(asset, "face_count", "face", "faces", &comma);
}

static void print_assets(const json_t *root, const char *key, const char *word)
{
    size_t index;
    const json_t *asset;
    json_array_foreach(json_object_get(root, key), index, asset)
    {
        printf("  %s ", word);
        escape_print(text_of(asset, "name"), stdout);
        fputs(": ", stdout);
        if (!strcmp(word, "clip"))
            print_clip(asset);
        else
            print_counts(asset);
        putchar('\n');
        print_warnings(asset, "    ");
        print_verdicts(asset, "    ");
    }
}

static void print_rejected(const json_t *root)
{
    size_t index;
    const json_t *item;
    json_array_foreach(json_object_get(root, "rejected"), index, item)
    {
        const json_t *error = json_object_get(item, "error");
        fputs("  broken ", stdout);
        escape_print(text_of(item, "entry"), stdout);
        fputs(": ", stdout);
        print_place(error);
        escape_print(text_of(error, "detail"), stdout);
        putchar('\n');
    }
}

static void print_text(const char *path, const json_t *root)
{
    const char *id = text_of(root, "format"), *comma = ", ";
    const struct pose_format *format = pose_format_find(id);
    bool is_archive = !strcmp(text_of(root, "kind"), "archive");
    escape_print(path, stdout);
    printf(": %s", id);
    if (format)
        printf(" (%s)", format->title);
    print_count(root, "bytes", "byte", "bytes", &comma);
    if (is_archive)
        print_count(root, "entry_count", "entry", "entries", &comma);
    putchar('\n');
    /* Those of a file are also those of its clips. */
    if (is_archive || !json_array_size(json_object_get(root, "clips")))
        print_warnings(root, "  ");
    print_verdicts(root, "  ");
    print_assets(root, "clips", "clip");
    print_assets(root, "skeletons", "skeleton");
    print_assets(root, "meshes", "mesh");
    print_assets(root, "characters", "character");
    print_rejected(root);
}

/* -------------------------------------------------------------------------------------------------- inspecting -- */

/* What is inspected: bytes with a name, and where their companions may be. */
struct subject {
    const char *path; /* as in error messages */
    const char *name;
    struct pose_bytes bytes;
    const char *format, *game; /* NULL: found out */
    struct index_neighbours neighbours;
};

static int print_inspection(const struct subject *subject, const struct index_options *limits, bool as_json)
{
    struct pose_buffer json = {0};
    struct pose_error error;
    const char *found;
    if (!inspect_bytes(subject->name, subject->bytes, subject->format, subject->game, &subject->neighbours,
                       limits, &json, &found, &error))
        return command_broken(subject->path, &error);
    if (as_json) {
        fwrite(json.data, 1, json.size, stdout);
        putchar('\n');
    } else {
        json_t *root = json_loadb((const char *)json.data, json.size, 0, NULL);
        print_text(subject->path, root);
        json_decref(root);
    }
    pose_buffer_free(&json);
    return command_finish();
}

/* A file, with its companions in the same folder. */
static int inspect_file(const char *path, const struct index_options *limits, bool as_json)
{
    struct companions companions;
    struct index_result beside;
    struct file_bytes file;
    struct pose_error error;
    if (!file_map(path, &file, &error))
        return command_broken(path, &error);
    companions_find(path, NULL, &companions);
    int status = COMMAND_BAD_INPUT;
    if (!index_paths((const char *const *)companions.paths, companions.count, limits, NULL, &beside,
                     &error)) {
        command_broken(path, &error);
    } else {
        char *name = path_base_name(path);
        struct subject subject = {
            .path = path, .name = name, .bytes = file.bytes, .neighbours = {beside.archives, beside.count}};
        status = print_inspection(&subject, limits, as_json);
        index_release(&beside);
        free(name);
    }
    companions_release(&companions);
    file_release(&file);
    return status;
}

/* The entry of that name, else the one of that index; -1 when there is none. */
static int64_t find_entry(const struct index_archive *archive, const char *text)
{
    for (uint32_t i = 0; i < archive->entry_count; i++) {
        if (!strcmp(archive->entries[i]->name, text))
            return i;
    }
    char *end;
    errno = 0;
    unsigned long long index = strtoull(text, &end, 10);
    bool is_index = *text >= '0' && *text <= '9' && !*end && !errno;
    return is_index && index < archive->entry_count ? (int64_t)index : -1;
}

/* An entry, with its companions in the same archive. */
static int inspect_entry(struct index_archive *archive, uint32_t index, const struct index_options *limits,
                         bool as_json)
{
    const struct index_entry *entry = archive->entries[index];
    const struct pose_entry *row = archive->archive ? pose_archive_entry(archive->archive, index) : NULL;
    struct pose_buffer bytes = {0};
    struct pose_error error;
    char *path = NULL;
    if (asprintf(&path, "%s: %s", archive->path, entry->name) < 0)
        abort();
    int status;
    if (!index_read(archive, index, &bytes, &error)) {
        status = command_broken(path, &error);
    } else {
        struct subject subject = {.path = path,
                                  .name = entry->name,
                                  .bytes = {bytes.data, bytes.size},
                                  .format = row ? row->format : NULL,
                                  .game = row ? row->game : NULL,
                                  .neighbours = {&archive, 1}};
        status = print_inspection(&subject, limits, as_json);
    }
    pose_buffer_free(&bytes);
    free(path);
    return status;
}

static int inspect_in(const char *path, const char *text, const struct index_options *limits, bool as_json)
{
    struct index_result result;
    struct pose_error error;
    progress_start("reading", 0);
    bool indexed = index_paths(&path, 1, limits, NULL, &result, &error);
    progress_end();
    if (!indexed)
        return command_broken(path, &error);
    struct index_archive *archive = result.archives[0];
    int64_t entry = find_entry(archive, text);
    int status;
    if (archive->error)
        status = command_broken(path, archive->error);
    else if (entry < 0)
        status = command_failed(path, "has no entry %s", text);
    else
        status = inspect_entry(archive, (uint32_t)entry, limits, as_json);
    index_release(&result);
    return status;
}

static int run_info(const struct command *command, int argc, char **argv)
{
    struct info_options values;
    struct operands operands;
    struct config config;
    if (!command_parse(command, &values, argc, argv, 1, 2, &operands))
        return COMMAND_BAD_USAGE;
    config_init(&config);
    struct index_options limits = {.threads = (unsigned)config.threads,
                                   .max_entries = (uint32_t)config.max_entries};
    files_init();
    return operands.count == 2 ? inspect_in(operands.items[0], operands.items[1], &limits, values.json)
                               : inspect_file(operands.items[0], &limits, values.json);
}

const struct command command_info = {
    .name = "info",
    .operands = "FILE [ENTRY]",
    .summary = "what a file is, or an entry of an archive",
    .description =
        "Format, duration, joints and warnings. ENTRY is a name in the archive, or an index as `posed ls`\n"
        "shows it.\n",
    .options = options,
    .run = run_info,
};
