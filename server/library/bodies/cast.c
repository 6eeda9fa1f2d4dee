#include "server/library/bodies/cast.h"

#include "lib/core/error.h"

#include <string.h>

enum { MAX_LOOKED_AT = 64, MAX_OWN_MESHES = 64 };

/* How well a character suits a clip; the first of the best is chosen. */
enum suits { SUITS_NOT, SUITS_ON_ITS_OWN, SUITS_SOMEHOW, SUITS_AS_PART, SUITS_AS_BODY, SUITS_BY_NAME };

void cast_release(struct cast *cast)
{
    relations_release(&cast->relations);
    *cast = (struct cast){0};
}

/* ------------------------------------------------------------------------------------------------ one character -- */

bool cast_character(struct service *service, const struct catalog *catalog, struct catalog_item *character,
                    const struct worn_parts *worn, struct cast *cast, struct pose_error *error)
{
    struct relations *relations = &cast->relations;
    *cast = (struct cast){.catalog = catalog, .character = character};
    if (!relations_load(service, catalog, character, relations, error))
        return false;
    cast->is_inside = !relations->needs_others;
    if (!worn) {
        const struct index_asset *skeleton = relations_skeleton(catalog, character, relations).asset;
        cast->is_inside &= parts_complete(catalog, character, relations, skeleton);
        return true;
    }
    for (unsigned i = 0; i < worn->count; i++)
        cast->is_inside &= worn->meshes[i]->place.archive == character->place.archive;
    return parts_wear(catalog, character, relations, worn, error);
}

/* ------------------------------------------------------------------------------------------- the clip's own file -- */

static bool relations_begin(struct relations *relations, struct pose_error *error)
{
    *relations = (struct relations){.meshes = try_alloc(MAX_OWN_MESHES, sizeof *relations->meshes)};
    return relations->meshes || error_no_memory(error);
}

/* The meshes beside the clip in its own file. */
static bool take_own_meshes(const struct scene_setting *setting, struct cast *cast, struct pose_error *error)
{
    const struct catalog_item *clip = setting->clip;
    if (!clip || clip->place.archive != setting->archive)
        return true;
    const struct index_entry *entry = catalog_entry(setting->catalog, clip->place);
    for (uint32_t i = 0; i < entry->asset_count; i++) {
        struct catalog_item *mesh = entry->assets[i].kind == ASSET_MESH
                                        ? catalog_find(setting->catalog, ASSET_MESH, &entry->assets[i].id)
                                        : NULL;
        mesh = mesh ? catalog_item_at(mesh, clip->place) : NULL;
        if (!mesh || catalog_skeleton(setting->catalog, mesh).asset != setting->skeleton)
            continue;
        if (!cast->relations.meshes && !relations_begin(&cast->relations, error))
            return false;
        if (cast->relations.count < MAX_OWN_MESHES)
            cast->relations.meshes[cast->relations.count++] = (struct related_mesh){.item = mesh};
    }
    cast->is_inside = true;
    return true;
}

/* --------------------------------------------------------------------------------------------- among characters -- */

struct audition {
    struct service *service;
    const struct scene_setting *setting;
    uint32_t looked_at;
    enum suits best;
    struct catalog_item *chosen;
};

static bool names_clip(const struct relations *relations, const struct catalog_item *clip)
{
    for (uint32_t i = 0; i < relations->clip_count; i++) {
        if (clip && relations->clips[i]->asset == clip->asset)
            return true;
    }
    return false;
}

static bool has_same_joints(const struct index_asset *a, const struct index_asset *b)
{
    return a->known_count && a->known_count == b->known_count &&
           !memcmp(a->known, b->known, a->known_count * sizeof *a->known);
}

/* A character that brings its own shape of a skeleton, is fit for the other shapes of it. */
static enum suits judge_skeleton(const struct scene_setting *setting, const struct catalog_item *character,
                                 const struct skeleton_choice *skeleton)
{
    if (!skeleton->asset)
        return SUITS_NOT;
    if (!id_compare(&skeleton->asset->id, &setting->skeleton->id))
        return SUITS_BY_NAME;
    bool is_its_own = skeleton->item && skeleton->item->place.archive == character->place.archive &&
                      skeleton->item->place.entry == character->place.entry;
    return is_its_own && has_same_joints(skeleton->asset, setting->skeleton) ? SUITS_ON_ITS_OWN : SUITS_NOT;
}

/* By its place, where the family's naming says it. */
static enum suits judge_mesh(const struct scene_setting *setting, const struct catalog_item *mesh)
{
    const struct pose_naming naming = catalog_naming(setting->catalog, mesh);
    struct pose_wear part;
    if (!pose_wear_of(&naming, &part) || !part.has_place)
        return parts_covers_much(setting->skeleton, mesh->asset) ? SUITS_SOMEHOW : SUITS_NOT;
    return part.place == POSE_PLACE_BODY ? SUITS_AS_BODY : SUITS_AS_PART;
}

static enum suits judge(const struct scene_setting *setting, struct catalog_item *character,
                        const struct relations *relations)
{
    const struct skeleton_choice skeleton = relations_skeleton(setting->catalog, character, relations);
    enum suits found = judge_skeleton(setting, character, &skeleton);
    if (found != SUITS_BY_NAME)
        return found;
    found = SUITS_NOT;
    for (uint32_t i = 0; i < relations->count; i++) {
        const struct catalog_item *mesh = relations->meshes[i].item;
        const enum suits one = mesh ? judge_mesh(setting, mesh) : SUITS_NOT;
        found = one > found ? one : found;
    }
    return found && names_clip(relations, setting->clip) ? SUITS_BY_NAME : found;
}

/* Whether the search is over. One that cannot be read is passed over. */
static bool audition(struct audition *audition, struct catalog_item *character)
{
    struct relations relations;
    struct pose_error ignored;
    if (audition->looked_at++ == MAX_LOOKED_AT)
        return true;
    if (relations_load(audition->service, audition->setting->catalog, character, &relations, &ignored)) {
        enum suits suits = judge(audition->setting, character, &relations);
        if (suits > audition->best) {
            audition->best = suits;
            audition->chosen = character;
        }
    }
    relations_release(&relations);
    return audition->best == SUITS_BY_NAME;
}

static void look_in_archive(struct audition *work)
{
    const struct catalog *catalog = work->setting->catalog;
    const uint32_t own = work->setting->archive;
    const struct index_archive *archive = own < catalog->archive_count ? catalog->archives[own] : NULL;
    bool is_over = false;
    for (uint32_t e = 0; archive && e < archive->entry_count && !is_over; e++) {
        const struct index_entry *entry = archive->entries[e];
        for (uint32_t i = 0; i < entry->asset_count && !is_over; i++) {
            struct catalog_item *item = entry->assets[i].kind == ASSET_CHARACTER
                                            ? catalog_find(catalog, ASSET_CHARACTER, &entry->assets[i].id)
                                            : NULL;
            item = item ? catalog_item_at(item, (struct catalog_place){own, e}) : NULL;
            is_over = item && audition(work, item);
        }
    }
}

static void look_in_paths(struct audition *work)
{
    const struct catalog *catalog = work->setting->catalog;
    struct catalog_item *item;
    uint32_t next = 0;
    work->looked_at = 0;
    while ((item = catalog_next_of_paths(catalog, ASSET_CHARACTER, &next))) {
        if (item->place.archive != work->setting->archive && audition(work, item))
            return;
    }
}

bool cast_find(struct service *service, const struct scene_setting *setting, const struct worn_parts *worn,
               struct cast *cast, struct pose_error *error)
{
    struct audition work = {.service = service, .setting = setting};
    *cast = (struct cast){.catalog = setting->catalog};
    pose_error_init(error);
    if (!setting->skeleton)
        return true;
    if (!take_own_meshes(setting, cast, error))
        return false;
    if (cast->relations.count)
        return true;
    look_in_archive(&work);
    const bool is_own = work.chosen;
    if (!is_own)
        look_in_paths(&work);
    if (!work.chosen)
        return true;
    if (!cast_character(service, setting->catalog, work.chosen, worn, cast, error))
        return false;
    cast->is_inside &= is_own;
    return true;
}
