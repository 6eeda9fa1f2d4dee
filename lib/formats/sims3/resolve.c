#include "lib/formats/sims3/resolve.h"

#include "lib/formats/archive.h"
#include "lib/formats/sims3/clip/layout.h"

#include <stdio.h>
#include <string.h>

static uint64_t clip_id_of(const char *name)
{
    struct pose_sims3_name hashes;
    pose_sims3_hash(name, &hashes);
    return hashes.clip_id;
}

/* Copies the name in a key, truncated. */
static void copy_label(const struct pose_sims3_key *key, char name[POSE_SIMS3_NAME])
{
    snprintf(name, POSE_SIMS3_NAME, "%.*s", (int)key->name_length, key->name ? key->name : "");
}

/* ------------------------------------------------------------------------------------------ what a clip is -- */

bool sims3_is_filed(const char *file)
{
    struct pose_sims3_key key;
    return pose_sims3_key(file, &key) && key.type == SIMS3_CLIP_TYPE;
}

static void put_actors(struct json_writer *json, const struct pose_sims3_actor *actors, unsigned count)
{
    static const char *const letters[] = {"x", "y"};
    jsonw_array(json, "actors");
    for (unsigned i = 0; i < count; i++) {
        jsonw_object(json, NULL);
        jsonw_string(json, "actor", letters[i]);
        jsonw_string(json, "code", actors[i].code);
        jsonw_string(json, "age", actors[i].age);
        jsonw_string(json, "species", actors[i].species);
        jsonw_end(json);
    }
    jsonw_end(json);
}

bool pose_json_sims3_actors(struct pose_buffer *buffer, const char *name, uint64_t id)
{
    struct pose_sims3_actor actors[2];
    char variant[POSE_SIMS3_NAME];
    struct json_writer json;
    const size_t before = buffer->size;
    jsonw_init_members(&json, buffer);
    put_actors(&json, actors, name ? pose_sims3_actors(name, id, actors, variant) : 0);
    if (json.to.failed)
        buffer->size = before;
    return !json.to.failed;
}

void sims3_describe(const char *name, const char *file, struct json_writer *json)
{
    struct pose_sims3_actor actors[2];
    struct pose_sims3_key key;
    char label[POSE_SIMS3_NAME] = "", variant[POSE_SIMS3_NAME];
    bool filed = file && pose_sims3_key(file, &key);
    if (filed)
        copy_label(&key, label);
    /* The name map is right where the inner name is wrong. */
    if (*label && (clip_id_of(label) == key.instance || clip_id_of(name) != key.instance))
        name = label;
    uint64_t id = clip_id_of(name);
    unsigned count = pose_sims3_actors(name, filed ? key.instance : id, actors, variant);
    jsonw_object(json, "sims3");
    jsonw_string(json, "name", name);
    jsonw_hex(json, "clip_id", id, 16);
    if (filed) {
        jsonw_hex(json, "group", key.group, 8);
        jsonw_hex(json, "instance", key.instance, 16);
        jsonw_bool(json, "fits", key.instance == id);
    } else {
        jsonw_null(json, "group");
        jsonw_null(json, "instance");
        jsonw_null(json, "fits");
    }
    put_actors(json, actors, count);
    jsonw_end(json);
}

/* ----------------------------------------------------------------------------------------- who has an id -- */

bool pose_sims3_try(struct pose_sims3_search *search, const char *name)
{
    struct pose_sims3_actor actors[2];
    struct pose_sims3_name hashes;
    pose_sims3_hash(name, &hashes);
    if (hashes.clip_id == search->id || hashes.fnv64 == search->id ||
        (search->id <= UINT32_MAX && hashes.fnv32 == search->id)) {
        snprintf(search->name, sizeof search->name, "%s", name);
        return true;
    }
    if (!*search->derived)
        pose_sims3_actors(name, search->id, actors, search->derived);
    return false;
}

bool pose_sims3_try_file(struct pose_sims3_search *search, const char *file)
{
    struct pose_sims3_key key;
    char label[POSE_SIMS3_NAME] = "";
    if (pose_sims3_key(file, &key))
        copy_label(&key, label);
    return *label && pose_sims3_try(search, label);
}

bool pose_sims3_try_asset(struct pose_sims3_search *search, const char *format, const char *name)
{
    return format && !strncmp(format, "sims3-", 6) && pose_sims3_try(search, name);
}

bool pose_sims3_try_names(struct pose_sims3_search *search, const struct pose_archive *archive)
{
    const char *given = NULL;
    if (strcmp(archive->format, "dbpf") != 0)
        return false;
    for (uint32_t i = 0; i < archive->name_count; i++) {
        if (pose_sims3_try(search, archive->names[i].text))
            return true;
        given = archive->names[i].id == search->id ? archive->names[i].text : given;
    }
    if (given)
        snprintf(search->name, sizeof search->name, "%s", given);
    return given;
}

bool pose_sims3_is_clip(const char *format, const char *file, const char *name, uint64_t id)
{
    struct pose_sims3_key key;
    if (pose_sims3_key(file, &key))
        return key.type == SIMS3_CLIP_TYPE && key.instance == id;
    return format && name && !strcmp(format, "sims3-clip") && clip_id_of(name) == id;
}
