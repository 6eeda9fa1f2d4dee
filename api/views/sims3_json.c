#include "api/views/sims3_json.h"

#include "api/views/asset_json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void sims3_hashes(struct json_writer *json, const char *name)
{
    struct pose_sims3_name hashes;
    pose_sims3_hash(name, &hashes);
    jsonw_object(json, NULL);
    jsonw_string(json, "name", name);
    jsonw_hex(json, "fnv32", hashes.fnv32, 8);
    jsonw_hex(json, "fnv64", hashes.fnv64, 16);
    jsonw_hex(json, "clip_id", hashes.clip_id, 16);
    jsonw_end(json);
}

bool sims3_parse_id(const char *text, uint64_t *id)
{
    size_t digits = strlen(text) > 2 ? strspn(text + 2, "0123456789abcdefABCDEF") : 0;
    if (text[0] != '0' || (text[1] | 0x20) != 'x' || !digits || digits > 16 || text[2 + digits])
        return false;
    *id = strtoull(text + 2, NULL, 16);
    return true;
}

/* -------------------------------------------------------------------------------------------------- names -- */

static uint64_t clip_id_of(const char *name)
{
    struct pose_sims3_name hashes;
    pose_sims3_hash(name, &hashes);
    return hashes.clip_id;
}

/* The name of the first place that says where the clip is filed; other people's uploads say nothing about this one. */
static const char *find_file(const struct catalog *catalog, const struct catalog_item *item,
                             const char *format)
{
    struct place_walk walk = {0};
    while (catalog_next_place(catalog, item, &walk)) {
        const char *name = catalog_entry(catalog, walk.place)->name;
        if (catalog_reaches(catalog, item->place, walk.place) && pose_is_filed(format, name))
            return name;
    }
    return NULL;
}

/* Copies what the library has written. */
static void put_members(struct json_writer *json, struct pose_buffer *members, bool is_written)
{
    if (is_written && members->size && pose_buffer_append(members, "", 1))
        jsonw_raw_members(json, (const char *)members->data);
    pose_buffer_free(members);
}

void clip_names(struct json_writer *json, const struct catalog *catalog, const struct catalog_item *item)
{
    const char *format = catalog_entry(catalog, item->place)->format;
    struct pose_buffer members = {0};
    put_members(json, &members,
                format &&
                    pose_json_names(&members, format, item->asset->name, find_file(catalog, item, format)));
}

/* -------------------------------------------------------------------------------------------- the name of an id -- */

static bool search_clips(struct pose_sims3_search *search, const struct index_archive *archive)
{
    for (uint32_t e = 0; e < archive->entry_count; e++) {
        const struct index_entry *entry = archive->entries[e];
        if (pose_sims3_try_file(search, entry->name))
            return true;
        for (uint32_t i = 0; i < entry->asset_count; i++) {
            if (pose_sims3_try_asset(search, entry->format, entry->assets[i].name))
                return true;
        }
    }
    return false;
}

static const char *search_morphs(uint64_t id, struct index_archive *const *archives, uint32_t count)
{
    const char *morph = pose_sims3_morph((uint32_t)id);
    return morph ? morph : index_morph_name(archives, count, (uint32_t)id);
}

/* A morph is also known by all of its hash, of which tracks have the low half. */
static const char *search_tables(uint64_t id, struct index_archive *const *archives, uint32_t count)
{
    struct pose_sims3_name hashes;
    const char *bone = id <= UINT32_MAX ? pose_sims3_bone((uint32_t)id) : NULL;
    const char *morph = bone ? NULL : search_morphs(id, archives, count);
    if (!morph || id <= UINT32_MAX)
        return bone ? bone : morph;
    pose_sims3_hash(morph, &hashes);
    return hashes.fnv64 == id ? morph : NULL;
}

static void find_name(struct pose_sims3_search *search, struct index_archive *const *archives, uint32_t count)
{
    const char *known = search_tables(search->id, archives, count);
    if (known) {
        snprintf(search->name, sizeof search->name, "%s", known);
        return;
    }
    bool found = false;
    for (uint32_t a = 0; a < count && !found; a++)
        found = archives[a]->archive && pose_sims3_try_names(search, archives[a]->archive);
    for (uint32_t a = 0; a < count && !found; a++)
        found = search_clips(search, archives[a]);
    if (!found)
        memcpy(search->name, search->derived, sizeof search->name);
}

/* ---------------------------------------------------------------------------------------------- resolution -- */

/* The entries with that id. */
static void put_loaded(struct json_writer *json, uint64_t id, struct index_archive *const *archives,
                       uint32_t count)
{
    enum { MAX_ENTRIES = 100 };
    unsigned found = 0;
    jsonw_array(json, "loaded");
    for (uint32_t a = 0; a < count; a++) {
        for (uint32_t e = 0; e < archives[a]->entry_count && found < MAX_ENTRIES; e++) {
            const struct index_entry *entry = archives[a]->entries[e];
            if (!pose_sims3_is_clip(entry->format, entry->name,
                                    entry->asset_count ? entry->assets[0].name : NULL, id))
                continue;
            jsonw_object(json, NULL);
            jsonw_id(json, "archive", &archives[a]->id);
            jsonw_integer(json, "index", e);
            jsonw_string(json, "entry", entry->name);
            if (entry->asset_count)
                jsonw_id(json, "clip", &entry->assets[0].id);
            else
                jsonw_null(json, "clip");
            jsonw_end(json);
            found++;
        }
    }
    jsonw_end(json);
}

static void put_link(struct json_writer *json, const char *name, uint64_t id,
                     struct index_archive *const *archives, uint32_t count)
{
    struct pose_buffer actors = {0};
    jsonw_object(json, NULL);
    jsonw_hex(json, "clip_id", id, 16);
    jsonw_string(json, "name", name);
    put_members(json, &actors, pose_json_sims3_actors(&actors, name, id));
    put_loaded(json, id, archives, count);
    jsonw_end(json);
}

void sims3_resolution(struct json_writer *json, const char *name, uint64_t id,
                      struct index_archive *const *archives, uint32_t count)
{
    struct pose_sims3_name hashes, generic;
    struct pose_sims3_search search = {.id = id};
    if (!name) {
        find_name(&search, archives, count);
        name = *search.name ? search.name : NULL;
    } else {
        id = clip_id_of(name);
    }
    jsonw_object(json, NULL);
    jsonw_string(json, "name", name);
    jsonw_array(json, "chain");
    put_link(json, name, id, archives, count);
    if (name) {
        pose_sims3_hash(name, &hashes);
        pose_sims3_hash(hashes.generic, &generic);
        if (hashes.clip_id == id && generic.clip_id != id)
            put_link(json, hashes.generic, generic.clip_id, archives, count);
    }
    jsonw_end(json);
    jsonw_end(json);
}
