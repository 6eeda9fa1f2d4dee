#include "server/library/bodies/relations.h"

#include "lib/core/error.h"
#include "server/library/index/nested.h"
#include "server/library/names.h"
#include "server/library/index/link.h"

#include <stdlib.h>
#include <string.h>

/* For one character; real ones have a handful of parts. */
enum { MAX_PARTS = 256, MAX_CLIPS = 1000, MAX_ADDED = RELATIONS_ADDED_MOST };
/* How far the characters that a character names are followed: an outfit's appearance, its bindings. */
enum { MAX_DEPTH = 2 };

static char *copy(struct relations *relations, const char *text)
{
    char *copied = text ? strdup(text) : NULL;
    relations->no_memory |= text && !copied;
    return copied;
}

/* ------------------------------------------------------------------------------------------- finding -------- */

/* The search target and who requests it. */
struct wanted {
    enum pose_relation_way way;
    const char *format; /* of the requesting asset */
    const char *text;
    const char *kind; /* NULL: any */
};

static bool is_wanted(const struct index_archive *archive, uint32_t e, const struct wanted *wanted)
{
    const struct index_entry *entry = archive->entries[e];
    if (wanted->kind && strcmp(entry->kind, wanted->kind) != 0)
        return false;
    if (wanted->way == POSE_BY_STEM)
        return name_has_stem(entry->name, wanted->text);
    bool has_row = archive->archive && e < nested_own_count(archive);
    return pose_has_key(wanted->format, wanted->text, entry->name, archive->format,
                        has_row ? pose_archive_entry(archive->archive, e) : NULL);
}

/* The first matching entry, searching its own archive first. */
static bool find_entry(const struct catalog *catalog, uint32_t own, const struct wanted *wanted,
                       struct catalog_place *place)
{
    for (uint32_t round = 0; round <= catalog->path_count; round++) {
        uint32_t a = round ? round - 1 : own;
        if (round && a == own)
            continue;
        const struct index_archive *archive = catalog->archives[a];
        for (uint32_t e = 0; e < archive->entry_count; e++) {
            if (is_wanted(archive, e, wanted)) {
                *place = (struct catalog_place){a, e};
                return true;
            }
        }
    }
    return false;
}

/* The asset of that kind and number in the file. */
static struct catalog_item *asset_at(const struct catalog *catalog, struct catalog_place place,
                                     enum asset_kind kind, uint64_t inner)
{
    const struct index_entry *entry = catalog->archives[place.archive]->entries[place.entry];
    for (uint32_t i = 0; i < entry->asset_count; i++) {
        if (entry->assets[i].kind == kind && entry->assets[i].inner == inner)
            return catalog_find_at(catalog, kind, &entry->assets[i].id, place);
    }
    return NULL;
}

/* ------------------------------------------------------------------------------------------------- parts -- */

struct finding {
    struct service *service;
    const struct catalog *catalog;
    uint32_t own;   /* archive */
    uint32_t entry; /* of the character */
    const char *format;
    struct relations *relations;
    bool *taken;         /* [clips of the catalogue]; NULL: not allocated yet */
    unsigned depth;      /* 1 or more: of a character that another one names */
    unsigned characters; /* number of characters found by name, at any depth */
};

static bool find_place(const struct finding *work, const struct pose_relation *relation,
                       struct catalog_place *place)
{
    *place = (struct catalog_place){work->own, work->entry};
    if (relation->way == POSE_BY_PLACE)
        return true;
    if (relation->way == POSE_BY_RESOURCE) {
        int64_t entry =
            index_find_resource(work->catalog->archives[work->own], relation->format, relation->id);
        *place = (struct catalog_place){work->own, (uint32_t)entry};
        return entry >= 0;
    }
    const struct wanted wanted = {relation->way, work->format, relation->wanted, relation->kind};
    return find_entry(work->catalog, work->own, &wanted, place);
}

static bool find_named(const struct finding *work, const struct pose_relation *relation,
                       struct catalog_place *place)
{
    bool found = find_place(work, relation, place);
    if (strcmp(relation->kind, "clip") != 0)
        work->relations->needs_others |= !found || place->archive != work->own;
    return found;
}

static void add_texture(const struct finding *work, const struct pose_relation *relation,
                        struct related_mesh *part)
{
    const struct wanted texture = {POSE_BY_KEY, work->format, relation->texture, NULL};
    struct catalog_place place;
    if (!relation->texture)
        return;
    bool found = find_entry(work->catalog, work->own, &texture, &place);
    if (found)
        part->texture = copy(work->relations, catalog_entry(work->catalog, place)->name);
    work->relations->needs_others |= !found || place.archive != work->own;
}

static void add_mesh(const struct finding *work, const struct pose_relation *relation)
{
    struct relations *relations = work->relations;
    const struct catalog *catalog = work->catalog;
    struct catalog_place place;
    if (!relation->wanted || relations->count == MAX_PARTS)
        return;
    struct related_mesh *part = &relations->meshes[relations->count++];
    part->wanted = copy(relations, relation->wanted);
    part->bone = copy(relations, relation->bone);
    if (find_named(work, relation, &place))
        part->item = asset_at(catalog, place, ASSET_MESH, relation->way == POSE_BY_PLACE ? relation->id : 0);
    add_texture(work, relation, part);
}

static void add_skeleton(const struct finding *work, const struct pose_relation *relation)
{
    struct catalog_place place;
    if (!find_named(work, relation, &place) || !catalog_entry(work->catalog, place)->asset_count)
        return;
    const struct index_entry *entry = catalog_entry(work->catalog, place);
    for (uint32_t i = 0; i < entry->asset_count; i++) {
        if (entry->assets[i].kind == ASSET_SKELETON)
            work->relations->skeleton = catalog_find_skeleton(work->catalog, &entry->assets[i].id);
    }
}

/* Adds a clip unless it is already present. */
static void add_clip_at(struct finding *work, struct catalog_place place)
{
    struct relations *relations = work->relations;
    const struct catalog_list *clips = &work->catalog->lists[ASSET_CLIP];
    if (relations->clip_count == MAX_CLIPS || !catalog_entry(work->catalog, place)->asset_count)
        return;
    uint32_t index = 0;
    struct catalog_item *clip = catalog_find_index(
        work->catalog, ASSET_CLIP, &catalog_entry(work->catalog, place)->assets[0].id, &index);
    if (!work->taken)
        work->taken = try_alloc(clips->count, sizeof *work->taken);
    if (!relations->clips)
        relations->clips = try_alloc(MAX_CLIPS, sizeof *relations->clips);
    if (!work->taken || !relations->clips) {
        relations->no_memory = true;
        return;
    }
    if (!clip || work->taken[index])
        return;
    work->taken[index] = true;
    relations->clips[relations->clip_count++] = clip;
}

static void add_clips(struct finding *work, const struct pose_relation *relation)
{
    const struct index_archive *archive = work->catalog->archives[work->own];
    struct catalog_place place;
    if (relation->way != POSE_BY_FORMAT) {
        if (find_named(work, relation, &place))
            add_clip_at(work, place);
        return;
    }
    for (uint32_t e = 0; e < archive->entry_count; e++) {
        if (archive->entries[e]->format && !strcmp(archive->entries[e]->format, relation->format))
            add_clip_at(work, (struct catalog_place){work->own, e});
    }
}

static bool take_relation(void *user, const struct pose_relation *relation);

/* Lists a variant; false if another one is worn already. */
static bool add_variant(const struct finding *work, const struct pose_relation *relation,
                        struct catalog_place place)
{
    struct relations *relations = work->relations;
    struct catalog_item *item = asset_at(work->catalog, place, ASSET_CHARACTER, 0);
    if (!item || relations->variant_count == MAX_VARIANTS)
        return false;
    relations->variants[relations->variant_count++] =
        (struct related_variant){copy(relations, relation->variant), item};
    return relations->variant_count == 1;
}

/* Adds what the character at that place refers to. */
static void follow_character(struct finding *work, struct catalog_place place)
{
    struct fetch fetch = {.may_wait = true};
    struct decoded *character = document_get(work->service, work->catalog, place, &fetch);
    if (character && character->document->character_count) {
        struct finding inner = *work;
        inner.depth++;
        pose_relations(character->document->format, character->document->characters,
                       catalog_entry(work->catalog, place)->facts, take_relation, &inner);
        work->taken = inner.taken;
        work->characters = inner.characters;
    }
    work->relations->no_memory |= !character && fetch.error.status == POSE_NO_MEMORY;
    document_put(character);
}

/* Adds a character named by another one, and what it names itself, but no further. */
static void add_character(struct finding *work, const struct pose_relation *relation)
{
    struct relations *relations = work->relations;
    struct catalog_place place;
    if (work->depth >= MAX_DEPTH || work->characters++ >= MAX_PARTS)
        return;
    if (!find_named(work, relation, &place)) {
        if (relations->count < MAX_PARTS)
            relations->meshes[relations->count++].wanted = copy(relations, relation->wanted);
        return;
    }
    if (!relation->variant || add_variant(work, relation, place))
        follow_character(work, place);
}

static bool take_relation(void *user, const struct pose_relation *relation)
{
    struct finding *work = user;
    if (!strcmp(relation->kind, "mesh"))
        add_mesh(work, relation);
    else if (!strcmp(relation->kind, "skeleton"))
        add_skeleton(work, relation);
    else if (!strcmp(relation->kind, "clip"))
        add_clips(work, relation);
    else if (relation->wanted)
        add_character(work, relation);
    return true;
}

bool relations_find(struct service *service, const struct catalog *catalog, const struct catalog_item *item,
                    const struct pose_character *character, struct relations *relations)
{
    const struct index_entry *entry = catalog_entry(catalog, item->place);
    struct finding work = {.service = service,
                           .catalog = catalog,
                           .own = item->place.archive,
                           .entry = item->place.entry,
                           .format = entry->format,
                           .relations = relations};
    *relations = (struct relations){.meshes = try_alloc(MAX_PARTS + MAX_ADDED, sizeof *relations->meshes)};
    if (!relations->meshes)
        return false;
    relations->has_clips = pose_relations(entry->format, character, entry->facts, take_relation, &work);
    free(work.taken);
    return !relations->no_memory;
}

bool relations_load(struct service *service, const struct catalog *catalog,
                    const struct catalog_item *character, struct relations *relations,
                    struct pose_error *error)
{
    struct fetch fetch = {.may_wait = true};
    struct decoded *decoded = document_get(service, catalog, character->place, &fetch);
    *relations = (struct relations){0};
    if (!decoded) {
        *error = fetch.error;
        return false;
    }
    pose_error_init(error);
    bool found = relations_find(service, catalog, character,
                                &decoded->document->characters[character->asset->inner], relations);
    document_put(decoded);
    return found || error_no_memory(error);
}

void relations_add(struct relations *relations, struct catalog_item *mesh)
{
    for (uint32_t i = 0; i < relations->count; i++) {
        if (relations->meshes[i].item && relations->meshes[i].item->asset == mesh->asset)
            return;
    }
    if (relations->count < MAX_PARTS + MAX_ADDED)
        relations->meshes[relations->count++] = (struct related_mesh){.item = mesh};
}

void relations_release(struct relations *relations)
{
    for (uint32_t i = 0; i < relations->count; i++) {
        free(relations->meshes[i].bone);
        free(relations->meshes[i].texture);
        free(relations->meshes[i].wanted);
    }
    for (uint32_t i = 0; i < relations->variant_count; i++)
        free(relations->variants[i].name);
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
