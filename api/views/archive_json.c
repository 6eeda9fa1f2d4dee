#include "api/views/archive_json.h"

#include "api/views/asset_json.h"
#include "server/ops/base_path.h"

#include <stdio.h>
#include <string.h>

/* Why nothing in an archive is usable: it cannot be opened, or it is a broken loose file. */
static const struct pose_error *error_of(const struct index_archive *archive)
{
    if (archive->error || archive->entry_count != 1 || strcmp(archive->format, "file") != 0)
        return archive->error;
    return archive->entries[0]->error;
}

void archive_head(struct json_writer *json, const struct index_archive *archive)
{
    jsonw_id(json, "id", &archive->id);
    jsonw_string(json, "name", archive->name);
    jsonw_string(json, "format", archive->format);
    jsonw_integer(json, "bytes", (int64_t)index_bytes_of(archive));
    jsonw_integer(json, "entry_count", index_present(archive));
    jsonw_string(json, "source", archive->source);
    jsonw_time(json, "created", archive->created_ms);
    if (!strcmp(archive->source, "upload"))
        jsonw_string(json, "state", atomic_load(&archive->is_waiting) ? "waiting" : "published");
    if (archive->uploader)
        jsonw_string(json, "uploader", archive->uploader);
    if (archive->expires_ms)
        jsonw_time(json, "expires", archive->expires_ms);
    const struct pose_error *error = error_of(archive);
    if (error) {
        jsonw_object(json, "error");
        problem_members(json, error, archive->error ? archive->format : archive->entries[0]->format, NULL);
        jsonw_end(json);
    }
}

static void assets(struct json_writer *json, const struct index_archive *archive, enum asset_kind kind,
                   const char *key)
{
    jsonw_array(json, key);
    for (uint32_t at = 0; at < index_present(archive); at++) {
        const struct index_entry *entry = archive->entries[index_slot(archive, at)];
        for (uint32_t i = 0; i < entry->asset_count; i++) {
            if (entry->assets[i].kind != kind)
                continue;
            jsonw_object(json, NULL);
            jsonw_id(json, "id", &entry->assets[i].id);
            jsonw_string(json, "name", entry->assets[i].name);
            jsonw_id(json, "archive", &archive->id);
            jsonw_end(json);
        }
    }
    jsonw_end(json);
}

void archive_rejected(struct json_writer *json, const struct index_archive *archive)
{
    jsonw_array(json, "rejected");
    for (uint32_t at = 0; at < index_present(archive); at++) {
        const struct index_entry *entry = archive->entries[index_slot(archive, at)];
        if (!entry->error)
            continue;
        jsonw_object(json, NULL);
        jsonw_string(json, "entry", entry->name);
        jsonw_integer(json, "index", at);
        jsonw_object(json, "error");
        problem_members(json, entry->error, entry->format, entry->name);
        jsonw_end(json);
        jsonw_end(json);
    }
    jsonw_end(json);
}

void archive_links(struct json_writer *json, const struct index_archive *archive)
{
    char id[ID_TEXT], target[96 + BASE_PATH_CAPACITY];
    id_write(&archive->id, id);
    jsonw_object(json, "links");
    snprintf(target, sizeof target, "%s/v1/archives/%s", base_path(), id);
    jsonw_string(json, "self", target);
    snprintf(target, sizeof target, "%s/v1/archives/%s/entries", base_path(), id);
    jsonw_string(json, "entries", target);
    snprintf(target, sizeof target, "%s/v1/clips?archive=%s", base_path(), id);
    jsonw_string(json, "clips", target);
    jsonw_end(json);
}

void archive_whole(struct json_writer *json, const struct index_archive *archive)
{
    jsonw_object(json, NULL);
    archive_head(json, archive);
    assets(json, archive, ASSET_CLIP, "clips");
    assets(json, archive, ASSET_SKELETON, "skeletons");
    assets(json, archive, ASSET_MESH, "meshes");
    assets(json, archive, ASSET_CHARACTER, "characters");
    assets(json, archive, ASSET_IMAGE, "images");
    archive_rejected(json, archive);
    archive_links(json, archive);
    jsonw_end(json);
}

void entry_item(struct json_writer *json, const struct index_archive *archive, uint32_t index)
{
    const struct index_entry *entry = archive->entries[index_slot(archive, index)];
    jsonw_object(json, NULL);
    jsonw_integer(json, "index", index);
    jsonw_string(json, "name", entry->name);
    jsonw_integer(json, "size", (int64_t)entry->size);
    jsonw_string(json, "kind", entry->kind);
    jsonw_string(json, "format", entry->format);
    if (entry->error) {
        jsonw_object(json, "error");
        problem_members(json, entry->error, entry->format, entry->name);
        jsonw_end(json);
    }
    jsonw_end(json);
}
