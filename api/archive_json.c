#include "api/archive_json.h"

#include "api/asset_json.h"

#include <stdio.h>

void archive_head(struct json *json, const struct index_archive *archive)
{
    json_id(json, "id", &archive->id);
    json_string(json, "name", archive->name);
    json_string(json, "format", archive->format);
    uint64_t bytes = archive->bytes;
    for (uint32_t i = 0; !archive->bytes && i < archive->entry_count; i++)
        bytes += archive->entries[i]->size;
    json_integer(json, "bytes", (int64_t)bytes);
    json_integer(json, "entry_count", archive->entry_count);
    json_string(json, "source", archive->source);
    if (archive->error) {
        json_object(json, "error");
        problem_members(json, archive->error, archive->format, NULL);
        json_end(json);
    }
}

static void assets(struct json *json, const struct index_archive *archive, enum asset_kind kind,
                   const char *key)
{
    json_array(json, key);
    for (uint32_t e = 0; e < archive->entry_count; e++) {
        const struct index_entry *entry = archive->entries[e];
        for (uint32_t i = 0; i < entry->asset_count; i++) {
            if (entry->assets[i].kind != kind)
                continue;
            json_object(json, NULL);
            json_id(json, "id", &entry->assets[i].id);
            json_string(json, "name", entry->assets[i].name);
            json_end(json);
        }
    }
    json_end(json);
}

void archive_rejected(struct json *json, const struct index_archive *archive)
{
    json_array(json, "rejected");
    for (uint32_t e = 0; e < archive->entry_count; e++) {
        const struct index_entry *entry = archive->entries[e];
        if (!entry->error)
            continue;
        json_object(json, NULL);
        json_string(json, "entry", entry->name);
        json_integer(json, "index", e);
        json_object(json, "error");
        problem_members(json, entry->error, entry->format, entry->name);
        json_end(json);
        json_end(json);
    }
    json_end(json);
}

void archive_links(struct json *json, const struct index_archive *archive)
{
    char id[ID_TEXT], target[96];
    id_write(&archive->id, id);
    json_object(json, "links");
    snprintf(target, sizeof target, "/v1/archives/%s", id);
    json_string(json, "self", target);
    snprintf(target, sizeof target, "/v1/archives/%s/entries", id);
    json_string(json, "entries", target);
    snprintf(target, sizeof target, "/v1/clips?archive=%s", id);
    json_string(json, "clips", target);
    json_end(json);
}

void archive_whole(struct json *json, const struct index_archive *archive)
{
    json_object(json, NULL);
    archive_head(json, archive);
    assets(json, archive, ASSET_CLIP, "clips");
    assets(json, archive, ASSET_SKELETON, "skeletons");
    assets(json, archive, ASSET_MESH, "meshes");
    assets(json, archive, ASSET_CHARACTER, "characters");
    archive_rejected(json, archive);
    archive_links(json, archive);
    json_end(json);
}

void entry_item(struct json *json, const struct index_archive *archive, uint32_t index)
{
    const struct index_entry *entry = archive->entries[index];
    json_object(json, NULL);
    json_integer(json, "index", index);
    json_string(json, "name", entry->name);
    json_integer(json, "size", (int64_t)entry->size);
    json_string(json, "kind", entry->kind);
    json_string(json, "format", entry->format);
    if (entry->error) {
        json_object(json, "error");
        problem_members(json, entry->error, entry->format, entry->name);
        json_end(json);
    }
    json_end(json);
}
