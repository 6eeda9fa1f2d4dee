/*
 * Relations in The Sims 3: a worn part names lists of meshes, a list names the meshes of each level of detail or
 * an object's model and rig, meshes name their images; all by keys, of which only the instance matters here.
 * Facts: sims3-geom.md, 3 to 5.
 */
#include "lib/formats/sims3/body/relations.h"

#include "lib/core/hex.h"
#include "lib/core/hash.h"
#include "lib/core/text.h"
#include "lib/formats/sims3/body/casp.h"

#include <string.h>

/* -------------------------------------------------------------------------------------------- from names to ids -- */

/* The hex digits at the end of "name_0x00000000D9DBB6AB" and "736884F1_00000001_00000000008C9DFC". */
static bool read_tail(const char *stem, size_t length, uint64_t *id)
{
    enum { DIGITS = 16 };
    *id = 0;
    if (length < DIGITS + 1 || !strchr("_-xX", stem[length - DIGITS - 1]))
        return false;
    for (size_t i = length - DIGITS; i < length; i++) {
        int digit = hex_digit(stem[i]);
        if (digit < 0)
            return false;
        *id = *id << 4 | (uint64_t)digit;
    }
    return true;
}

bool sims3_resource_id(const char *entry_name, uint64_t *id)
{
    struct pose_sims3_key key;
    const char *base = text_base_name(entry_name);
    size_t length = text_stem_length(base);
    if (pose_sims3_key(entry_name, &key)) {
        *id = key.instance;
        return true;
    }
    if (!length || read_tail(base, length, id))
        return length;
    bool is_mesh = text_has_extension(base, ".simgeom .geom");
    *id = is_mesh ? hash_fnv32(base, length) : hash_fnv64(base, length);
    return true;
}

/* ------------------------------------------------------------------------------------------------------- rigs -- */

enum { AGE_BABY = 1, AGE_TODDLER = 2, AGE_CHILD = 4, SPECIES_HUMAN = 1, SPECIES = 6 };

/* The rigs of a species: young, adult. */
static const char *const rigs[SPECIES][2] = {{"cuRig", "auRig"}, {"cuRig", "auRig"}, {"chRig", "ahRig"},
                                             {"ccRig", "acRig"}, {"cdRig", "adRig"}, {"cdRig", "alRig"}};

/* The rig of the age and sex in the bits. */
static const char *rig_of(uint32_t bits)
{
    uint32_t species = bits >> 8 & 15, ages = bits & 0x7f;
    bool is_older = !ages || ages > (AGE_BABY | AGE_TODDLER | AGE_CHILD);
    if (species >= SPECIES)
        return NULL;
    if (!is_older && species <= SPECIES_HUMAN && !(ages & AGE_CHILD))
        return ages & AGE_TODDLER ? "puRig" : "buRig";
    return rigs[species][is_older];
}

/* --------------------------------------------------------------------------------------------------- relations -- */

struct telling {
    pose_relate *relate;
    void *user;
};

static bool tell(const struct telling *telling, const char *kind, const char *format, const char *key)
{
    struct sims3_resource resource;
    if (!sims3_key_from_text(key, &resource))
        return true;
    return telling->relate(telling->user, &(struct pose_relation){.way = POSE_BY_RESOURCE,
                                                                  .kind = kind,
                                                                  .wanted = key,
                                                                  .format = format,
                                                                  .id = resource.instance,
                                                                  .axes = POSE_AXES_GLTF});
}

/* Reports the rig by its file name and by its key. */
static void tell_rig(const struct telling *telling, const char *name)
{
    struct pose_relation relation = {
        .way = POSE_BY_STEM, .kind = "skeleton", .wanted = name, .axes = POSE_AXES_GLTF};
    if (!name || !telling->relate(telling->user, &relation))
        return;
    relation.way = POSE_BY_RESOURCE;
    relation.format = "sims3-rig";
    relation.id = hash_fnv64(name, strlen(name));
    telling->relate(telling->user, &relation);
}

/* The key if it refers to a resource of that type; otherwise NULL. */
static const char *key_of_type(const struct pose_value *value, uint32_t type)
{
    struct sims3_resource key;
    bool is_key = value->kind == POSE_STRING && sims3_key_from_text(value->as.string, &key);
    return is_key && key.type == type ? value->as.string : NULL;
}

static const char *find_key(const struct pose_value *extras, uint32_t type)
{
    const char *key = NULL;
    for (const struct pose_value *item = value_items(extras, "keys"); item && !key; item = item->next)
        key = key_of_type(item, type);
    return key;
}

/* The meshes of the lowest existing level; all entries of that level. */
static void tell_meshes(const struct telling *telling, const struct pose_value *extras)
{
    int64_t least = INT64_MAX;
    for (const struct pose_value *entry = value_items(extras, "entries"); entry; entry = entry->next) {
        int64_t level = value_get_int(entry, "level", INT64_MAX);
        least = value_items(entry, "meshes") && level < least ? level : least;
    }
    for (const struct pose_value *entry = value_items(extras, "entries"); entry; entry = entry->next) {
        if (value_get_int(entry, "level", INT64_MAX) != least)
            continue;
        for (const struct pose_value *mesh = value_items(entry, "meshes"); mesh; mesh = mesh->next) {
            const char *key = key_of_type(mesh, SIMS3_GEOM);
            if (key && !tell(telling, "mesh", "sims3-geom", key))
                return;
        }
    }
}

/* For an object its model, otherwise one of its levels; for a part its meshes. */
static void tell_parts(const struct telling *telling, const struct pose_value *extras)
{
    const char *model = find_key(extras, SIMS3_MODL), *level = find_key(extras, SIMS3_MLOD);
    const char *rig = find_key(extras, SIMS3_RIG);
    if (model)
        tell(telling, "mesh", "sims3-modl", model);
    else if (level)
        tell(telling, "mesh", "sims3-mlod", level);
    else
        tell_meshes(telling, extras);
    if (rig)
        tell(telling, "skeleton", "sims3-rig", rig);
}

static void tell_worn(const struct telling *telling, const struct pose_value *extras)
{
    for (const struct pose_value *item = value_items(extras, "vpxy"); item; item = item->next) {
        const struct pose_value *key = value_items(extras, "keys");
        for (int64_t i = 0; key && item->kind == POSE_INT && i < item->as.integer; i++)
            key = key->next;
        const char *list = key ? key_of_type(key, SIMS3_VPXY) : NULL;
        if (list && !tell(telling, "character", "sims3-vpxy", list))
            return;
    }
    tell_rig(telling, rig_of((uint32_t)value_get_int(extras, casp_number_name(CASP_AGE), 0)));
}

bool sims3_relations(const struct pose_character *character, struct pose_bytes facts, pose_relate *relate,
                     void *user)
{
    const struct telling telling = {relate, user};
    (void)facts;
    if (character->type && !strcmp(character->type, "part"))
        tell_worn(&telling, character->extras);
    else
        tell_parts(&telling, character->extras);
    return false;
}
