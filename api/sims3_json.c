#include "api/sims3_json.h"

#include "api/asset_json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void put_hex(struct json_writer *json, const char *key, uint64_t value, int digits)
{
    char text[24];
    snprintf(text, sizeof text, "0x%0*llX", digits, (unsigned long long)value);
    jsonw_string(json, key, text);
}

void sims3_hashes(struct json_writer *json, const char *name)
{
    struct pose_sims3_name hashes;
    pose_sims3_hash(name, &hashes);
    jsonw_object(json, NULL);
    jsonw_string(json, "name", name);
    put_hex(json, "fnv32", hashes.fnv32, 8);
    put_hex(json, "fnv64", hashes.fnv64, 16);
    put_hex(json, "clip_id", hashes.clip_id, 16);
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

/* The entry's name holds "TTTTTTTT-GGGGGGGG-IIIIIIIIIIIIIIII" of a clip with that instance. */
static bool is_clip_of(const char *entry_name, uint64_t id, const char **mapped)
{
    char key[24];
    snprintf(key, sizeof key, "-%016llX", (unsigned long long)id);
    const char *at = strcasestr(entry_name, "6B20C4F3-");
    if (!at || strlen(at) < 34 || strncasecmp(at + 17, key, 17) != 0)
        return false;
    *mapped = at[34] ? at + 35 : "";
    return true;
}

/* The entries with that id; the name that one of them has, when none is known yet. */
static void put_loaded(struct json_writer *json, uint64_t id, struct index_archive *const *archives,
                       uint32_t count, char *name, size_t name_size)
{
    enum { MOST_ENTRIES = 100 };
    unsigned found = 0;
    jsonw_array(json, "loaded");
    for (uint32_t a = 0; a < count; a++) {
        for (uint32_t e = 0; e < archives[a]->entry_count && found < MOST_ENTRIES; e++) {
            const struct index_entry *entry = archives[a]->entries[e];
            const char *mapped;
            if (!is_clip_of(entry->name, id, &mapped))
                continue;
            if (!*name && entry->asset_count)
                snprintf(name, name_size, "%s", entry->assets[0].name);
            if (!*name)
                snprintf(name, name_size, "%s", mapped);
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
    char known[POSE_SIMS3_NAME] = "";
    if (name)
        snprintf(known, sizeof known, "%s", name);
    jsonw_object(json, NULL);
    put_hex(json, "clip_id", id, 16);
    put_loaded(json, id, archives, count, known, sizeof known);
    jsonw_string(json, "name", *known ? known : NULL);
    jsonw_end(json);
}

void sims3_resolution(struct json_writer *json, const char *name, uint64_t id,
                      struct index_archive *const *archives, uint32_t count)
{
    struct pose_sims3_name hashes, generic;
    jsonw_object(json, NULL);
    jsonw_string(json, "name", name);
    jsonw_array(json, "chain");
    if (name) {
        pose_sims3_hash(name, &hashes);
        put_link(json, name, hashes.clip_id, archives, count);
        pose_sims3_hash(hashes.generic, &generic);
        if (generic.clip_id != hashes.clip_id)
            put_link(json, hashes.generic, generic.clip_id, archives, count);
    } else {
        put_link(json, NULL, id, archives, count);
    }
    jsonw_end(json);
    jsonw_end(json);
}
