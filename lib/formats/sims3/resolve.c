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

/* The name in a key as text of its own; cut. */
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

static void put_text(struct writer *writer, const char *text)
{
    if (text)
        writer_json_string(writer, text);
    else
        writer_text(writer, "null");
}

static void put_actors(struct writer *writer, const struct pose_sims3_actor *actors, unsigned count)
{
    static const char letters[] = {'x', 'y'};
    writer_text(writer, ",\"actors\":[");
    for (unsigned i = 0; i < count; i++) {
        writer_format(writer, "%s{\"actor\":\"%c\",\"code\":", i ? "," : "", letters[i]);
        put_text(writer, actors[i].code);
        writer_text(writer, ",\"age\":");
        put_text(writer, actors[i].age);
        writer_text(writer, ",\"species\":");
        put_text(writer, actors[i].species);
        writer_u8(writer, '}');
    }
    writer_u8(writer, ']');
}

void sims3_describe(const char *name, const char *file, struct writer *writer)
{
    struct pose_sims3_actor actors[2];
    struct pose_sims3_key key;
    char label[POSE_SIMS3_NAME] = "", variant[POSE_SIMS3_NAME];
    bool filed = file && pose_sims3_key(file, &key);
    if (filed)
        copy_label(&key, label);
    /* The map of names is right where the inner name is not. */
    if (*label && (clip_id_of(label) == key.instance || clip_id_of(name) != key.instance))
        name = label;
    uint64_t id = clip_id_of(name);
    unsigned count = pose_sims3_actors(name, filed ? key.instance : id, actors, variant);
    writer_text(writer, "\"sims3\":{\"name\":");
    writer_json_string(writer, name);
    writer_format(writer, ",\"clip_id\":\"0x%016llX\"", (unsigned long long)id);
    if (filed)
        writer_format(writer, ",\"group\":\"0x%08X\",\"instance\":\"0x%016llX\",\"fits\":%s", key.group,
                      (unsigned long long)key.instance, key.instance == id ? "true" : "false");
    else
        writer_text(writer, ",\"group\":null,\"instance\":null,\"fits\":null");
    put_actors(writer, actors, count);
    writer_u8(writer, '}');
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
