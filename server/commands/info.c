/* `posed info`: describes a file. The text is a summary of the JSON of POST /v1/inspect. */
#include "api/views/inspection.h"
#include "lib/core/nearest.h"
#include "server/commands/asking.h"
#include "server/commands/commands.h"
#include "server/commands/library.h"
#include "server/commands/progress.h"
#include "lib/core/escape.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

struct info_options {
    bool json, humanoid;
    const char *skeleton;
};

static const struct option options[] = {
    {.name = "--json",
     .kind = OPTION_FLAG,
     .member = offsetof(struct info_options, json),
     .help = "print the JSON of POST /v1/inspect"},
    {.name = "--skeleton",
     .metavar = "FILE",
     .shown = "one in FILE with at least half of the joints",
     .kind = OPTION_TEXT,
     .member = offsetof(struct info_options, skeleton),
     .help = "file with the skeleton to check clips on"},
    {.name = "--humanoid",
     .kind = OPTION_FLAG,
     .member = offsetof(struct info_options, humanoid),
     .help = "map the joints of the file's skeletons to human bones"},
    {.name = NULL},
};

/* ----------------------------------------------------------------------------------------------------- text -- */

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

/* Prints "29 joints", with a comma before all but the first item; nothing if unknown. */
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

/* Whether a verdict already gives the same reason for the same place. */
static bool said_by(const json_t *verdicts, const json_t *warning)
{
    size_t index, number;
    const json_t *verdict, *reason;
    json_array_foreach(verdicts, index, verdict)
    {
        json_array_foreach(json_object_get(verdict, "reasons"), number, reason)
        {
            if (json_equal(json_object_get(reason, "message"), json_object_get(warning, "message")) &&
                json_equal(json_object_get(reason, "offset"), json_object_get(warning, "offset")))
                return true;
        }
    }
    return false;
}

/* Prints the warnings that are not in the verdicts. lints: only those that name an entry. */
static void print_warnings(const json_t *object, const json_t *verdicts, const char *indent, bool lints)
{
    size_t index;
    const json_t *warning;
    json_array_foreach(json_object_get(object, "warnings"), index, warning)
    {
        if ((lints && !json_object_get(warning, "entry")) || said_by(verdicts, warning))
            continue;
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

/* "    for adult cat and child human, id 0x… of ac2c_hug_x" */
static void print_sims3(const json_t *clip)
{
    const json_t *key = json_object_get(clip, "sims3"), *actors = json_object_get(key, "actors"), *actor;
    const json_t *instance = json_object_get(key, "instance");
    size_t index;
    if (!key)
        return;
    fputs("    ", stdout);
    json_array_foreach(actors, index, actor)
    {
        const char *age = text_of(actor, "age"), *species = text_of(actor, "species");
        printf("%s%s: %s%s%s", index ? ", " : "", text_of(actor, "actor"), age, *age ? " " : "", species);
        if (!*age && !*species)
            fputs("unknown", stdout);
        printf(" (");
        escape_print(text_of(actor, "code"), stdout);
        putchar(')');
    }
    fputs(json_array_size(actors) ? "; " : "", stdout);
    if (!json_is_string(instance))
        printf("its id would be %s", text_of(key, "clip_id"));
    else if (json_is_true(json_object_get(key, "fits")))
        printf("id %s fits ", text_of(key, "instance"));
    else
        printf("id %s does not fit ", text_of(key, "instance"));
    if (json_is_string(instance))
        escape_print(text_of(key, "name"), stdout);
    putchar('\n');
}

static void print_counts(const json_t *asset)
{
    const char *comma = "";
    print_count(asset, "joint_count", "joint", "joints", &comma);
    print_count(asset, "vertex_count", "vertex", "vertices", &comma);
    print_count(asset, "face_count", "face", "faces", &comma);
}

/* "character_set" as words. */
static void print_type(const json_t *character)
{
    for (const char *at = text_of(character, "type"); *at; at++)
        putchar(*at == '_' ? ' ' : *at);
}

static void print_assets(const json_t *root, const char *key, const char *word)
{
    size_t index;
    const json_t *asset;
    json_array_foreach(json_object_get(root, key), index, asset)
    {
        const json_t *own = json_object_get(asset, "verdict");
        printf("  %s ", word);
        escape_print(text_of(asset, "name"), stdout);
        fputs(": ", stdout);
        if (!strcmp(word, "clip"))
            print_clip(asset);
        else if (!strcmp(word, "character"))
            print_type(asset);
        else
            print_counts(asset);
        putchar('\n');
        print_sims3(asset);
        print_warnings(asset, own ? own : json_object_get(root, "verdict"), "    ", false);
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
    escape_print(standard_input_shown(path), stdout);
    printf(": %s", id);
    if (format)
        printf(" (%s)", format->title);
    print_count(root, "bytes", "byte", "bytes", &comma);
    if (is_archive)
        print_count(root, "entry_count", "entry", "entries", &comma);
    putchar('\n');
    /* Warnings from decoding a file are repeated for its clips. */
    print_warnings(root, json_object_get(root, "verdict"), "  ",
                   !is_archive && json_array_size(json_object_get(root, "clips")));
    print_verdicts(root, "  ");
    print_assets(root, "clips", "clip");
    print_assets(root, "skeletons", "skeleton");
    print_assets(root, "meshes", "mesh");
    print_assets(root, "characters", "character");
    print_rejected(root);
}

/* -------------------------------------------------------------------------------------------------- inspecting -- */

/* Options: limits, and the skeleton for clips (NULL: one beside them). */
struct setting {
    struct index_options index;
    const struct pose_skeleton *skeleton;
};

/* The bytes to inspect, their name, and where their companions may be. */
struct subject {
    const char *path; /* as in error messages */
    const char *name;
    struct pose_bytes bytes;
    const char *format, *game; /* NULL: detected */
    struct index_neighbours neighbours;
};

static int print_inspection(const struct subject *subject, const struct setting *setting, bool as_json)
{
    struct pose_buffer json = {0};
    struct pose_error error;
    const char *found;
    struct inspected what = {subject->name, subject->bytes,       subject->format,
                             subject->game, &subject->neighbours, setting->skeleton};
    if (!inspect_bytes(&what, &setting->index, &json, &found, &error))
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

/* Inspects a file, with companions from the same folder. */
static int inspect_file(const char *path, const struct setting *setting, bool as_json)
{
    struct companions companions;
    struct index_result beside;
    struct file_bytes file;
    struct pose_error error;
    if (!file_map(path, &file, &error))
        return command_broken(path, &error);
    companions_find(path, NULL, &companions);
    int status = COMMAND_BAD_INPUT;
    if (!index_paths((const char *const *)companions.paths, companions.count, &setting->index, NULL, &beside,
                     &error)) {
        command_broken(path, &error);
    } else {
        char *name = path_base_name(path);
        struct subject subject = {
            .path = path, .name = name, .bytes = file.bytes, .neighbours = {beside.archives, beside.count}};
        status = print_inspection(&subject, setting, as_json);
        index_release(&beside);
        free(name);
    }
    companions_release(&companions);
    file_release(&file);
    return status;
}

/* The entry of that name, else the one of that index; -1 if there is none. */
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

static int tell_unknown(const struct index_archive *archive, const char *path, const char *name)
{
    struct nearest nearest;
    char hint[NEAREST_HINT];
    nearest_begin(&nearest, name, strlen(name));
    for (uint32_t i = 0; i < archive->entry_count; i++)
        nearest_offer(&nearest, archive->entries[i]->name);
    nearest_hint(&nearest, hint);
    return command_failed(path, "has no entry %s%s", name, hint);
}

/* Inspects an entry, with companions from the same archive. */
static int inspect_entry(struct index_archive *archive, uint32_t index, const struct setting *setting,
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
        status = print_inspection(&subject, setting, as_json);
    }
    pose_buffer_free(&bytes);
    free(path);
    return status;
}

static int inspect_in(const char *path, const char *text, const struct setting *setting, bool as_json)
{
    struct index_result result;
    struct pose_error error;
    progress_start("reading", 0);
    bool indexed = index_paths(&path, 1, &setting->index, NULL, &result, &error);
    progress_end();
    if (!indexed)
        return command_broken(path, &error);
    struct index_archive *archive = result.archives[0];
    int64_t entry = find_entry(archive, text);
    int status;
    if (archive->error)
        status = command_broken(path, archive->error);
    else if (entry < 0)
        status = tell_unknown(archive, path, text);
    else
        status = inspect_entry(archive, (uint32_t)entry, setting, as_json);
    index_release(&result);
    return status;
}

/* The first skeleton of that file. False, with a message printed, if it has none. */
static bool open_skeleton(const char *path, struct setting *setting, struct index_result *result,
                          struct pose_document **owner)
{
    struct pose_error error;
    if (!index_paths(&path, 1, &setting->index, NULL, result, &error)) {
        command_broken(path, &error);
        return false;
    }
    for (uint32_t a = 0; a < result->count && !*owner; a++) {
        const struct index_archive *archive = result->archives[a];
        const struct pose_error *why = archive->error;
        for (uint32_t e = 0; e < archive->entry_count && !*owner; e++) {
            if (!strcmp(archive->entries[e]->kind, "skeleton") && !archive->entries[e]->error)
                *owner = index_decode(archive, e, NULL, 0, &setting->index.pose, &error);
            else if (archive->entry_count == 1)
                why = archive->entries[e]->error;
        }
        if (!*owner && why) {
            command_broken(path, why);
            return false;
        }
    }
    if (!*owner || !(*owner)->skeleton_count) {
        command_failed(path, "holds no skeleton");
        return false;
    }
    setting->skeleton = &(*owner)->skeletons[0];
    return true;
}

/* ------------------------------------------------------------------------------------------------------ people -- */

static void print_person(const char *path, const char *name, const json_t *person)
{
    const char *family = json_string_value(json_object_get(person, "family")), *bone;
    const json_t *value, *arms = json_object_get(person, "arm_alignment");
    json_t *missing = json_object_get(person, "missing");
    size_t index;
    escape_print(standard_input_shown(path), stdout);
    printf(": ");
    escape_print(name, stdout);
    printf(
        ": a person, names of %s, quality %.3g; hips %.3f m over the ground, arms %.0f and %.0f degrees off "
        "a T-pose\n",
        family ? family : "no family", json_number_value(json_object_get(person, "quality")),
        json_number_value(json_object_get(person, "hip_height")),
        json_number_value(json_object_get(arms, "left")), json_number_value(json_object_get(arms, "right")));
    json_object_foreach(json_object_get(person, "mapped"), bone, value)
    {
        const char *how = text_of(value, "how");
        printf("  %-24s ", bone);
        escape_print(text_of(value, "joint"), stdout);
        printf(strcmp(how, "table") ? " (by the %s)\n" : "\n", how);
    }
    json_array_foreach(missing, index, value)
    {
        printf("  %-24s missing\n", json_string_value(value));
    }
}

static int ask_person(struct service *service, const char *path, const struct catalog_item *item,
                      bool as_json)
{
    char id[ID_TEXT], target[96];
    struct api_response response;
    id_write(&item->asset->id, id);
    snprintf(target, sizeof target, "/v1/skeletons/%s/humanoid", id);
    int status = asking_get(service, path, target, "", &response);
    if (status != COMMAND_DONE)
        return status;
    if (as_json) {
        printf("%.*s\n", (int)response.size, (const char *)response.data);
    } else {
        json_t *person = json_loadb((const char *)response.data, response.size, 0, NULL);
        print_person(path, item->asset->name ? item->asset->name : "", person);
        json_decref(person);
    }
    response_release(&response);
    return command_finish();
}

/* Queries every skeleton of the file; returns the worst status. */
static int ask_people(struct service *service, const char *path, void *user)
{
    const struct info_options *values = user;
    struct catalog *catalog = service_enter(service, false, 0);
    struct catalog_item *skeleton;
    char none[ID_TEXT];
    int status = COMMAND_DONE;
    uint32_t found = 0, next = 0;
    while ((skeleton = catalog_next(catalog, ASSET_SKELETON, &next))) {
        if (!asking_is_from(catalog, skeleton, path))
            continue;
        int one = ask_person(service, path, skeleton, values->json);
        status = one == COMMAND_DONE ? status : one;
        found++;
    }
    if (!found) {
        asking_skeleton(catalog, path, none);
        status = COMMAND_BAD_INPUT;
    }
    service_leave(service, catalog, false);
    return status;
}

static int run_info(const struct command *command, int argc, char **argv)
{
    struct info_options values;
    struct operands operands;
    struct config config;
    struct file_stamp stamp;
    bool is_directory;
    if (!command_parse(command, &values, argc, argv, 1, 2, &operands))
        return COMMAND_BAD_USAGE;
    if (values.humanoid && (operands.count == 2 || values.skeleton))
        return command_misused("--humanoid describes a whole FILE, and excludes ENTRY and --skeleton");
    if (values.humanoid)
        return asking_of_file(operands.items[0], (const char *const[2]){NULL}, ask_people, &values);
    if (file_stat(operands.items[0], &stamp, &is_directory) && is_directory)
        return command_failed(operands.items[0], "is a folder; posed ls lists what is in it");
    config_init(&config);
    struct setting setting = {.index = service_limits(&config)};
    struct index_result skeleton = {0};
    struct pose_document *owner = NULL;
    files_init();
    int status = COMMAND_BAD_INPUT;
    if (!values.skeleton || open_skeleton(values.skeleton, &setting, &skeleton, &owner))
        status = operands.count == 2 ? inspect_in(operands.items[0], operands.items[1], &setting, values.json)
                                     : inspect_file(operands.items[0], &setting, values.json);
    pose_document_free(owner);
    index_release(&skeleton);
    return status;
}

const struct command command_info = {
    .name = "info",
    .operands = "FILE [ENTRY]",
    .summary = "describes a file, or an entry of an archive",
    .description =
        "Format, duration, joints and warnings; for clips of The Sims 3 also the actors, and whether the\n"
        "id matches the name. ENTRY is a name in the archive, or an index as `posed ls` shows it.\n",
    .options = options,
    .reads_input = true,
    .run = run_info,
};
