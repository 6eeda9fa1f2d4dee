#include "api/views/inspection.h"

#include "lib/core/error.h"
#include "api/views/archive_json.h"
#include "api/views/asset_json.h"
#include "api/views/clip_json.h"
#include "api/views/lints.h"
#include "server/library/entry/describe.h"

#include <string.h>

/* The assets of one kind, in full detail. */
struct inspection {
    struct json_writer json;
    struct index_archive *archive;
    struct catalog *catalog; /* of this archive only */
    struct index_neighbours neighbours;
    const struct pose_skeleton *skeleton; /* for clips; NULL: chosen automatically */
    const struct index_options *options;
};

static struct pose_document *decode(const struct inspection *work, uint32_t entry)
{
    struct pose_error error;
    return index_decode(work->archive, entry, work->neighbours.archives, work->neighbours.count,
                        &work->options->pose, &error);
}

static void other_item(struct inspection *work, const struct catalog_item *item)
{
    jsonw_object(&work->json, NULL);
    clip_head(&work->json, work->catalog, item);
    jsonw_raw_members(&work->json, item->asset->summary);
    jsonw_end(&work->json);
}

/* Identical bytes under several names are one clip, found in several places and decoded once. */
static void list_clips(struct inspection *work)
{
    struct catalog_item *item;
    struct pose_document *document = NULL;
    uint32_t decoded = 0, next = 0;
    jsonw_array(&work->json, "clips");
    while ((item = catalog_next(work->catalog, ASSET_CLIP, &next))) {
        if (!document || item->place.entry != decoded) {
            index_document_free(work->archive, decoded, document);
            decoded = item->place.entry;
            document = decode(work, decoded);
        }
        if (document)
            clip_metadata(&work->json, work->catalog, item, document, NULL, false, NULL);
    }
    index_document_free(work->archive, decoded, document);
    jsonw_end(&work->json);
}

static void list_assets(struct inspection *work, enum asset_kind kind, const char *key)
{
    struct catalog_item *item;
    uint32_t next = 0;
    jsonw_array(&work->json, key);
    while ((item = catalog_next(work->catalog, kind, &next)))
        other_item(work, item);
    jsonw_end(&work->json);
}

/* Warnings about one file. Clips carry their own; skeletons and other kinds have no other place for them. */
static void file_warnings(struct inspection *work)
{
    struct json_writer *json = &work->json;
    struct pose_document *document = decode(work, 0);
    if (!document)
        return;
    jsonw_warnings(json, document->warnings, document->warning_count);
    for (uint32_t i = 0; i < document->skeleton_count; i++)
        jsonw_warnings(json, document->skeletons[i].warnings, document->skeletons[i].warning_count);
    for (uint32_t i = 0; i < document->mesh_count; i++)
        jsonw_warnings(json, document->meshes[i].warnings, document->meshes[i].warning_count);
    for (uint32_t i = 0; i < document->character_count; i++)
        jsonw_warnings(json, document->characters[i].warnings, document->characters[i].warning_count);
    index_document_free(work->archive, 0, document);
}

struct stored_entry {
    struct json_writer *json;
    const char *name;
};

static void put_warning(void *user, const struct pose_warning *warning)
{
    const struct stored_entry *entry = user;
    struct json_writer *json = entry->json;
    jsonw_object(json, NULL);
    jsonw_string(json, "code", warning->code);
    jsonw_string(json, "severity", warning->severity == POSE_WARNING ? "warning" : "note");
    jsonw_string(json, "message", warning->message);
    if (warning->offset != POSE_NO_OFFSET)
        jsonw_integer(json, "offset", (int64_t)warning->offset);
    jsonw_string(json, "entry", entry->name);
    jsonw_end(json);
}

/* Warnings about how entries are packed: in some archives only unpacking reveals these. */
static void packing_warnings(struct inspection *work, const struct pose_archive *archive)
{
    const struct pose_format *format = pose_format_find(work->archive->format);
    if (!format || !format->warns_late)
        return;
    const struct pose_stop *stop = work->options->pose.stop;
    for (uint32_t i = 0; i < pose_archive_count(archive) && !(stop && stop->ask(stop->user)); i++) {
        const struct pose_entry *row = pose_archive_entry(archive, i);
        struct stored_entry entry = {.json = &work->json, .name = row->name};
        struct pose_buffer bytes = {0};
        struct pose_error error;
        if (!row->error && !row->skipped)
            pose_archive_read_warn(archive, i, put_warning, &entry, &bytes, &error);
        pose_buffer_free(&bytes);
    }
}

static void archive_warnings(struct inspection *work, const struct pose_archive *archive)
{
    for (uint32_t i = 0; i < pose_archive_warning_count(archive); i++)
        jsonw_warnings(&work->json, pose_archive_warning(archive, i), 1);
    packing_warnings(work, archive);
}

static void list_warnings(struct inspection *work)
{
    struct json_writer *json = &work->json;
    jsonw_array(json, "warnings");
    if (work->archive->archive)
        archive_warnings(work, work->archive->archive);
    else
        file_warnings(work);
    lint_archive(json, work->catalog, work->skeleton, &work->options->pose);
    jsonw_end(json);
}

struct verdict_list {
    struct json_writer *json;
    bool any;
};

static void put_verdict(void *user, const struct pose_verdict *verdict)
{
    struct verdict_list *list = user;
    struct json_writer *json = list->json;
    const struct pose_value *reason = verdict->reasons ? verdict->reasons->first : NULL;
    if (!list->any)
        jsonw_array(json, "verdict");
    list->any = true;
    jsonw_object(json, NULL);
    jsonw_string(json, "target", verdict->target);
    jsonw_bool(json, "accepted", verdict->accepted);
    jsonw_array(json, "reasons");
    for (; reason; reason = reason->next)
        jsonw_value(json, NULL, reason);
    jsonw_end(json);
    jsonw_end(json);
}

/* How each game would treat the file as an upload. */
static void list_verdicts(struct inspection *work)
{
    struct pose_document *document = work->archive->archive ? NULL : decode(work, 0);
    struct verdict_list list = {.json = &work->json};
    if (document)
        pose_verdicts(document, put_verdict, &list);
    if (list.any)
        jsonw_end(&work->json);
    index_document_free(work->archive, 0, document);
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
    list_clips(work);
    list_assets(work, ASSET_SKELETON, "skeletons");
    list_assets(work, ASSET_MESH, "meshes");
    list_assets(work, ASSET_CHARACTER, "characters");
    list_assets(work, ASSET_IMAGE, "images");
    archive_rejected(json, work->archive);
    list_warnings(work);
    list_verdicts(work);
    jsonw_raw(json, "links", "{}");
    jsonw_end(json);
}

void inspect_archive(struct index_archive *archive, const struct inspected *what,
                     const struct index_options *options, struct pose_buffer *out)
{
    struct inspection work = {.archive = archive, .options = options, .skeleton = what->skeleton};
    if (what->neighbours)
        work.neighbours = *what->neighbours;
    work.catalog = catalog_new(&archive, 1, 0, NULL, NULL, 0);
    if (!work.catalog)
        return;
    jsonw_init(&work.json, out);
    describe_archive(&work);
    catalog_unref(work.catalog);
}

bool inspect_bytes(const struct inspected *what, const struct index_options *options, struct pose_buffer *out,
                   const char **found, struct pose_error *error)
{
    struct upload_source source = {
        .name = what->name, .bytes = what->bytes, .format = what->format, .game = what->game};
    struct index_archive *archive = index_upload_kept(&source, what->neighbours, options);
    struct index_refusal refusal;
    bool sound = index_verdict(archive, &refusal);
    if (sound)
        inspect_archive(archive, what, options, out);
    if (sound && !out->size) {
        pose_error_init(&refusal.error);
        sound = error_no_memory(&refusal.error);
    }
    *found = refusal.format;
    *error = refusal.error;
    index_archive_unref(archive);
    return sound;
}
