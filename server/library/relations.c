#include "server/library/relations.h"

#include "server/text/extras.h"
#include "server/library/index/nested.h"
#include "server/library/names.h"
#include "server/library/index/prime_sets.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PARTS = 256, MOST_CLIPS = 1000 }; /* of one character; real ones have a handful of parts */

static char *copy(const char *text)
{
    return text ? strdup(text) : NULL;
}

/* ------------------------------------------------------------------------------------------- finding -------- */

typedef bool name_test(const char *entry_name, const char *wanted);

/* "name.FFFFFFFFTTTTTTTT.ext", or the key alone as archives without names have it. */
static bool has_key(const char *entry_name, const char *wanted)
{
    const char *base = name_base(entry_name);
    size_t length = strlen(wanted);
    for (const char *dot = base - 1; dot; dot = strchr(dot + 1, '.')) {
        if (!strncasecmp(dot + 1, wanted, length) && (!dot[1 + length] || dot[1 + length] == '.'))
            return true;
    }
    return false;
}

/* Whether the archive's directory gives the entry the ids of a key: file and type, as a FAR of The Sims Online does. */
static bool has_ids(const struct index_archive *archive, uint32_t entry, const char *key)
{
    uint32_t file, type;
    if (strcmp(archive->format, "far3") || entry >= nested_own_count(archive) ||
        sscanf(key, "%8" SCNx32 "%8" SCNx32, &file, &type) != 2)
        return false;
    const struct pose_entry *row = pose_archive_entry(archive->archive, entry);
    return row->has_id && row->id == file && row->type == type;
}

static bool is_wanted(const struct index_archive *archive, uint32_t entry, const char *wanted,
                      name_test *passes)
{
    return passes(archive->entries[entry]->name, wanted) ||
           (passes == has_key && has_ids(archive, entry, wanted));
}

/* The first entry of that kind (NULL: any) that is wanted, in the own archive first. */
static bool find_entry(const struct catalog *catalog, uint32_t own, const char *wanted, name_test *passes,
                       const char *kind, struct catalog_place *place)
{
    for (uint32_t round = 0; round <= catalog->path_count; round++) {
        uint32_t a = round ? round - 1 : own;
        if (round && a == own)
            continue;
        const struct index_archive *archive = catalog->archives[a];
        for (uint32_t e = 0; e < archive->entry_count; e++) {
            if (is_wanted(archive, e, wanted, passes) &&
                (!kind || !strcmp(archive->entries[e]->kind, kind))) {
                *place = (struct catalog_place){a, e};
                return true;
            }
        }
    }
    return false;
}

static struct catalog_item *mesh_at(const struct catalog *catalog, struct catalog_place place)
{
    const struct index_entry *entry = catalog->archives[place.archive]->entries[place.entry];
    for (uint32_t i = 0; i < entry->asset_count; i++) {
        if (entry->assets[i].kind == ASSET_MESH)
            return catalog_find(catalog, ASSET_MESH, &entry->assets[i].id);
    }
    return NULL;
}

/* ------------------------------------------------------------------------------------------------- parts -- */

static void add_mesh(const struct catalog *catalog, uint32_t own, const char *wanted, name_test *passes,
                     const char *bone, const char *texture, struct relations *relations)
{
    struct catalog_place place;
    if (!wanted || relations->count == MOST_PARTS)
        return;
    struct related_mesh *part = &relations->meshes[relations->count++];
    part->wanted = copy(wanted);
    part->bone = copy(bone);
    if (find_entry(catalog, own, wanted, passes, "mesh", &place))
        part->item = mesh_at(catalog, place);
    if (texture && find_entry(catalog, own, texture, has_key, NULL, &place))
        part->texture = copy(catalog->archives[place.archive]->entries[place.entry]->name);
}

static void add_binding(const struct catalog *catalog, uint32_t own, const struct pose_value *extras,
                        struct relations *relations)
{
    add_mesh(catalog, own, extra_text(pose_value_find(extras, "mesh"), "key"), has_key,
             extra_text(extras, "bone"), extra_text(pose_value_find(extras, "texture"), "key"), relations);
}

static void add_skins(const struct catalog *catalog, uint32_t own, const struct pose_value *extras,
                      struct relations *relations)
{
    for (const struct pose_value *skin = extra_items(extras, "skins"); skin; skin = skin->next)
        add_mesh(catalog, own, extra_text(skin, "mesh"), name_has_stem, extra_text(skin, "bone"), NULL,
                 relations);
}

static void add_bindings(struct service *service, const struct catalog *catalog, uint32_t own,
                         const struct pose_value *extras, struct relations *relations)
{
    unsigned count = 0;
    for (const struct pose_value *key = extra_items(extras, "bindings"); key && count < MOST_PARTS;
         key = key->next, count++) {
        struct catalog_place place;
        const char *wanted = extra_text(key, "key");
        if (!wanted || !find_entry(catalog, own, wanted, has_key, "character", &place)) {
            if (relations->count < MOST_PARTS)
                relations->meshes[relations->count++].wanted = copy(wanted ? wanted : "");
            continue;
        }
        struct fetch fetch = {.may_wait = true};
        struct decoded *binding = document_get(service, catalog, place, &fetch);
        if (binding && binding->document->character_count)
            add_binding(catalog, own, binding->document->characters[0].extras, relations);
        document_put(binding);
    }
}

/* A character of Metroid Prime names its skin by id; the model that the skin is of is not read. */
static void add_skin(const struct catalog *catalog, uint32_t own, const struct pose_value *extras,
                     struct relations *relations)
{
    uint32_t cskr = (uint32_t)extra_integer(extras, "cskr");
    char wanted[16];
    if (!cskr)
        return;
    struct related_mesh *part = &relations->meshes[relations->count++];
    int64_t entry = prime_find_resource(catalog->archives[own], "prime-cskr", cskr);
    snprintf(wanted, sizeof wanted, "%08" PRIX32, cskr);
    part->wanted = copy(wanted);
    if (entry >= 0)
        part->item = mesh_at(catalog, (struct catalog_place){own, (uint32_t)entry});
}

static void add_skeleton(const struct catalog *catalog, uint32_t own, const struct pose_value *extras,
                         struct relations *relations)
{
    uint32_t cinf = (uint32_t)extra_integer(extras, "cinf");
    int64_t entry = prime_find_resource(catalog->archives[own], "prime-cinf", cinf);
    if (entry < 0 || !catalog->archives[own]->entries[entry]->asset_count)
        return;
    relations->skeleton =
        catalog_find_skeleton(catalog, &catalog->archives[own]->entries[entry]->assets[0].id);
}

/* The clip of an ANIM, unless it is there already. taken: of all clips of the catalogue. */
static void add_clip(const struct catalog *catalog, const struct index_archive *archive, uint32_t anim,
                     bool *taken, struct relations *relations)
{
    int64_t entry = prime_find_resource(archive, "prime-anim", anim);
    if (entry < 0 || !archive->entries[entry]->asset_count || relations->clip_count == MOST_CLIPS)
        return;
    struct catalog_item *clip = catalog_find(catalog, ASSET_CLIP, &archive->entries[entry]->assets[0].id);
    if (!clip || taken[clip - catalog->lists[ASSET_CLIP].items])
        return;
    taken[clip - catalog->lists[ASSET_CLIP].items] = true;
    relations->clips[relations->clip_count++] = clip;
}

/* The clips that the character's animations play, each once. */
static void add_clips(const struct catalog *catalog, const struct catalog_item *item,
                      const struct pose_value *extras, struct relations *relations)
{
    const struct index_archive *archive = catalog->archives[item->place.archive];
    const struct prime_set *set = archive->entries[item->place.entry]->set;
    bool *taken = must_alloc(catalog->lists[ASSET_CLIP].count, sizeof *taken);
    relations->clips = must_alloc(MOST_CLIPS, sizeof *relations->clips);
    relations->has_clips = true;
    for (const struct pose_value *one = set ? extra_items(extras, "animations") : NULL; one;
         one = one->next) {
        const struct pose_value *index = pose_value_find(one, "index");
        if (!index || index->kind != POSE_INT)
            continue;
        uint32_t animation = (uint32_t)index->as.integer, leaf = prime_first_leaf(set, animation);
        for (; leaf < set->leaf_count && set->leaves[leaf].animation == animation; leaf++)
            add_clip(catalog, archive, set->leaves[leaf].anim, taken, relations);
    }
    free(taken);
}

static void add_character_set(const struct catalog *catalog, const struct catalog_item *item,
                              const struct pose_value *extras, struct relations *relations)
{
    add_skin(catalog, item->place.archive, extras, relations);
    add_skeleton(catalog, item->place.archive, extras, relations);
    add_clips(catalog, item, extras, relations);
}

void relations_find(struct service *service, const struct catalog *catalog, const struct catalog_item *item,
                    const struct pose_character *character, struct relations *relations)
{
    uint32_t own = item->place.archive;
    *relations = (struct relations){.meshes = must_alloc(MOST_PARTS, sizeof *relations->meshes)};
    if (!strcmp(character->type, "binding"))
        add_binding(catalog, own, character->extras, relations);
    else if (!strcmp(character->type, "suit"))
        add_skins(catalog, own, character->extras, relations);
    else if (!strcmp(character->type, "character_set"))
        add_character_set(catalog, item, character->extras, relations);
    else
        add_bindings(service, catalog, own, character->extras, relations);
}

void relations_release(struct relations *relations)
{
    for (uint32_t i = 0; i < relations->count; i++) {
        free(relations->meshes[i].bone);
        free(relations->meshes[i].texture);
        free(relations->meshes[i].wanted);
    }
    free(relations->meshes);
    free(relations->clips);
}

struct skeleton_choice relations_skeleton(const struct catalog *catalog, struct catalog_item *item,
                                          const struct relations *relations)
{
    if (relations->skeleton.asset || relations->has_clips)
        return relations->skeleton;
    for (uint32_t i = 0; i < relations->count; i++) {
        struct skeleton_choice choice = {0};
        if (relations->meshes[i].item)
            choice = catalog_skeleton(catalog, relations->meshes[i].item);
        if (choice.asset)
            return choice;
    }
    return catalog_skeleton(catalog, item);
}
