#include "api/inspection.h"

#include "api/archive_json.h"
#include "api/asset_json.h"
#include "api/clip_json.h"
#include "api/lints.h"
#include "server/describe.h"

#include <string.h>

/* The assets of one kind, each with all that is known of it. */
struct inspection {
    struct json_writer json;
    const struct index_archive *archive;
    struct index_neighbours neighbours;
    const struct index_options *options;
};

static struct pose_document *decode(const struct inspection *work, uint32_t entry)
{
    struct pose_error error;
    return index_decode(work->archive, entry, work->neighbours.archives, work->neighbours.count,
                        &work->options->pose, &error);
}

static void inspected_head(struct inspection *work, const struct index_asset *asset, uint32_t entry_index)
{
    const struct index_entry *entry = work->archive->entries[entry_index];
    struct json_writer *json = &work->json;
    jsonw_id(json, "id", &asset->id);
    jsonw_string(json, "name", asset->name);
    jsonw_string(json, "format", entry->format);
    jsonw_integer(json, "bytes", (int64_t)entry->size);
    jsonw_array(json, "found_in");
    jsonw_object(json, NULL);
    jsonw_id(json, "archive", &work->archive->id);
    jsonw_integer(json, "index", entry_index);
    jsonw_string(json, "entry", entry->name);
    jsonw_end(json);
    jsonw_end(json);
    jsonw_id(json, "archive", &work->archive->id);
    jsonw_string(json, "entry", entry->name);
}

static void clip_item(struct inspection *work, const struct index_asset *asset, uint32_t entry_index,
                      const struct pose_document *document)
{
    struct json_writer *json = &work->json;
    jsonw_object(json, NULL);
    inspected_head(work, asset, entry_index);
    jsonw_raw_members(json, asset->summary);
    describe_clip_joints(json, &document->clips[asset->inner]);
    jsonw_integer(json, "event_count", asset->event_count);
    jsonw_null(json, "skeleton");
    jsonw_raw_members(json, asset->notes);
    jsonw_raw(json, "links", "{}");
    jsonw_end(json);
}

static void other_item(struct inspection *work, const struct index_asset *asset, uint32_t entry_index)
{
    struct json_writer *json = &work->json;
    jsonw_object(json, NULL);
    inspected_head(work, asset, entry_index);
    jsonw_raw_members(json, asset->summary);
    jsonw_end(json);
}

static bool has_kind(const struct index_entry *entry, enum asset_kind kind)
{
    for (uint32_t i = 0; i < entry->asset_count; i++) {
        if (entry->assets[i].kind == kind)
            return true;
    }
    return false;
}

static void list_assets(struct inspection *work, enum asset_kind kind, const char *key)
{
    jsonw_array(&work->json, key);
    for (uint32_t e = 0; e < work->archive->entry_count; e++) {
        const struct index_entry *entry = work->archive->entries[e];
        if (!has_kind(entry, kind))
            continue;
        struct pose_document *document = kind == ASSET_CLIP ? decode(work, e) : NULL;
        for (uint32_t i = 0; i < entry->asset_count; i++) {
            if (entry->assets[i].kind != kind)
                continue;
            if (document)
                clip_item(work, &entry->assets[i], e, document);
            else
                other_item(work, &entry->assets[i], e);
        }
        pose_document_free(document);
    }
    jsonw_end(&work->json);
}

static void list_warnings(struct inspection *work)
{
    struct json_writer *json = &work->json;
    jsonw_array(json, "warnings");
    const struct pose_archive *archive = work->archive->archive;
    for (uint32_t i = 0; archive && i < pose_archive_warning_count(archive); i++)
        jsonw_warnings(json, pose_archive_warning(archive, i), 1);
    struct pose_document *document = archive ? NULL : decode(work, 0);
    if (document)
        jsonw_warnings(json, document->warnings, document->warning_count);
    pose_document_free(document);
    lint_archive(json, work->archive, &work->options->pose);
    jsonw_end(json);
}

/*
 * Whether the viewer of Second Life would take an upload: what its reader refuses has already failed to decode, these
 * it refuses besides (sl-anim, validation with a skeleton at hand).
 */
static bool viewer_refuses(const struct pose_warning *warning)
{
    static const char *const codes[] = {"unknown_joint", "unknown_source_volume", "unknown_target_volume",
                                        "undriven_chain"};
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
        if (!strcmp(warning->code, codes[i]))
            return true;
    }
    return false;
}

static void list_verdict(struct inspection *work)
{
    struct json_writer *json = &work->json;
    const char *format = work->archive->archive ? NULL : work->archive->entries[0]->format;
    if (!format || strcmp(format, "sl-anim"))
        return;
    struct pose_document *document = decode(work, 0);
    uint32_t count = document ? document->warning_count : 0;
    bool accepted = true;
    for (uint32_t i = 0; i < count; i++)
        accepted &= !viewer_refuses(&document->warnings[i]);
    jsonw_array(json, "verdict");
    jsonw_object(json, NULL);
    jsonw_string(json, "target", "sl-viewer");
    jsonw_bool(json, "accepted", accepted);
    jsonw_array(json, "reasons");
    for (uint32_t i = 0; i < count; i++) {
        const struct pose_warning *warning = &document->warnings[i];
        if (!viewer_refuses(warning))
            continue;
        jsonw_object(json, NULL);
        jsonw_string(json, "code", warning->code);
        jsonw_string(json, "message", warning->message);
        if (warning->offset != POSE_NO_OFFSET)
            jsonw_integer(json, "offset", (int64_t)warning->offset);
        jsonw_end(json);
    }
    jsonw_end(json);
    jsonw_end(json);
    jsonw_end(json);
    pose_document_free(document);
}

static void describe_archive(struct inspection *work)
{
    struct json_writer *json = &work->json;
    bool is_file = !work->archive->archive;
    jsonw_object(json, NULL);
    jsonw_id(json, "id", &work->archive->id);
    jsonw_string(json, "name", work->archive->name);
    jsonw_string(json, "format", is_file ? work->archive->entries[0]->format : work->archive->format);
    jsonw_string(json, "kind", is_file ? work->archive->entries[0]->kind : "archive");
    jsonw_integer(json, "bytes", (int64_t)work->archive->bytes);
    jsonw_integer(json, "entry_count", work->archive->entry_count);
    jsonw_string(json, "source", work->archive->source);
    list_assets(work, ASSET_CLIP, "clips");
    list_assets(work, ASSET_SKELETON, "skeletons");
    list_assets(work, ASSET_MESH, "meshes");
    list_assets(work, ASSET_CHARACTER, "characters");
    archive_rejected(json, work->archive);
    list_warnings(work);
    list_verdict(work);
    jsonw_raw(json, "links", "{}");
    jsonw_end(json);
}

bool inspect_bytes(const char *name, struct pose_bytes bytes, const char *format, const char *game,
                   const struct index_neighbours *neighbours, const struct index_options *options,
                   struct pose_buffer *out, const char **found, struct pose_error *error)
{
    struct index_archive *archive = index_bytes(name, bytes, format, game, neighbours, options);
    const struct index_entry *only = archive->entry_count == 1 ? archive->entries[0] : NULL;
    bool is_file = !archive->archive;
    pose_error_init(error);
    *found = is_file ? (only ? only->format : NULL) : archive->format;
    if (archive->error) {
        *error = *archive->error;
    } else if (is_file && only && only->error) {
        *error = *only->error;
    } else if (is_file && (!only || !only->format)) {
        error->status = POSE_UNKNOWN_FORMAT;
        strcpy(error->code, "unknown_format");
        strcpy(error->detail,
               "the bytes are of no known format; a damaged file may need name= or format= to be told");
    }
    if (error->status == POSE_OK) {
        struct inspection work = {.archive = archive, .options = options};
        if (neighbours)
            work.neighbours = *neighbours;
        jsonw_init(&work.json, out);
        describe_archive(&work);
    }
    index_archive_unref(archive);
    return error->status == POSE_OK;
}
