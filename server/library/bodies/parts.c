#include "server/library/bodies/parts.h"

#include "lib/core/error.h"

#include <string.h>

enum { MAX_LOOKED_AT = 10000 };

struct fitting {
    const struct catalog *catalog;
    const struct relations *relations; /* what it wears */
    const struct index_asset *skeleton;
    const char *age; /* of the character; NULL: unknown */
    char sex;        /* 0: unknown */
    bool is_known;   /* where one of its meshes belongs */
    bool taken[POSE_PLACES];
    bool hands[2]; /* taken: left, right */
};

/* ------------------------------------------------------------------------------------------- what a mesh is -- */

bool parts_covers_much(const struct index_asset *skeleton, const struct index_asset *mesh)
{
    enum { MANY = 8, SHARE = 4 };
    return !mesh->known_count || mesh->known_count >= MANY ||
           mesh->known_count >= skeleton->joint_count / SHARE;
}

/* By its name, else by the bones that it hangs on. */
static bool part_of(const struct fitting *fitting, const struct catalog_item *mesh, struct pose_wear *part)
{
    const struct pose_naming naming = catalog_naming(fitting->catalog, mesh);
    if (!pose_wear_of(&naming, part))
        return false;
    if (!part->by_bones)
        return true;
    part->has_place = fitting->skeleton && mesh->asset->known_count;
    part->place = part->has_place && parts_covers_much(fitting->skeleton, mesh->asset) ? POSE_PLACE_BODY
                                                                                       : POSE_PLACE_ACCESSORY;
    return part->has_place;
}

/* -------------------------------------------------------------------------------------------- the character -- */

static void take_age_and_sex(struct fitting *fitting, const struct pose_wear *part)
{
    if (!fitting->age)
        fitting->age = part->age;
    if (!fitting->sex)
        fitting->sex = part->sex;
}

static bool has_bone(const struct index_asset *mesh, const char *bone)
{
    const uint64_t wanted = bone ? known_name(mesh->axes, bone) : 0;
    for (uint32_t i = 0; bone && i < mesh->known_count; i++) {
        if (mesh->known[i] == wanted)
            return true;
    }
    return false;
}

static void take_place(struct fitting *fitting, const struct index_asset *mesh, const struct pose_wear *part)
{
    fitting->is_known = true;
    if (part->by_bones && part->place == POSE_PLACE_BODY) {
        fitting->taken[POSE_PLACE_HEAD] |= has_bone(mesh, part->head);
        for (int i = 0; i < 2; i++)
            fitting->hands[i] |= has_bone(mesh, part->hands[i]);
    }
    if (part->place == POSE_PLACE_HANDS && part->side)
        fitting->hands[part->side == 'r'] = true;
    else
        fitting->taken[part->place] |= part->place != POSE_PLACE_ACCESSORY;
}

static struct fitting measure(const struct catalog *catalog, const struct catalog_item *character,
                              const struct relations *relations, const struct index_asset *skeleton)
{
    struct fitting fitting = {.catalog = catalog, .relations = relations, .skeleton = skeleton};
    struct pose_naming naming = catalog_naming(catalog, character);
    struct pose_wear part;
    if (pose_wear_of(&naming, &part))
        take_age_and_sex(&fitting, &part);
    for (uint32_t i = 0; i < relations->count; i++) {
        if (!relations->meshes[i].item || !part_of(&fitting, relations->meshes[i].item, &part))
            continue;
        take_age_and_sex(&fitting, &part);
        take_place(&fitting, relations->meshes[i].item->asset, &part);
    }
    return fitting;
}

/* ------------------------------------------------------------------------------------------------- a mesh -- */

static bool has_all_bones(const struct index_asset *skeleton, const struct index_asset *mesh)
{
    return mesh->moving_count && known_matches(skeleton, mesh) == mesh->moving_count;
}

/* By its name for somebody of the character's age; where names say nothing, with the character's skeleton as its own. */
static bool is_of_age(const struct fitting *fitting, struct catalog_item *mesh, const struct pose_wear *part)
{
    if (part->by_bones)
        return catalog_skeleton(fitting->catalog, mesh).asset == fitting->skeleton;
    if (!part->age)
        return true;
    const struct pose_naming naming = catalog_naming(fitting->catalog, mesh);
    return fitting->age ? !strcmp(part->age, fitting->age) : pose_made_for(&naming, fitting->skeleton->name);
}

static bool is_on_skeleton(const struct fitting *fitting, struct catalog_item *mesh)
{
    struct pose_wear part;
    if (part_of(fitting, mesh, &part) && is_of_age(fitting, mesh, &part) &&
        has_all_bones(fitting->skeleton, mesh->asset))
        return true;
    return catalog_skeleton(fitting->catalog, mesh).asset == fitting->skeleton;
}

bool parts_wear(const struct catalog *catalog, struct catalog_item *character, struct relations *relations,
                const struct worn_parts *worn, struct pose_error *error)
{
    if (!worn->count)
        return true;
    const struct index_asset *skeleton = relations_skeleton(catalog, character, relations).asset;
    const struct fitting fitting = measure(catalog, character, relations, skeleton);
    for (unsigned i = 0; i < worn->count; i++) {
        struct catalog_item *mesh = worn->meshes[i];
        if (!skeleton || !is_on_skeleton(&fitting, mesh))
            return error_set(error, POSE_BAD_DATA, "other_skeleton",
                             "mesh %.80s is on another skeleton than %.80s",
                             mesh->asset->name ? mesh->asset->name : "with no name",
                             character->asset->name ? character->asset->name : "the character");
        relations_add(relations, mesh);
    }
    return true;
}

/* -------------------------------------------------------------------------------------------- suggestions -- */

static bool is_worn(const struct fitting *fitting, const struct catalog_item *mesh)
{
    for (uint32_t i = 0; i < fitting->relations->count; i++) {
        const struct catalog_item *own = fitting->relations->meshes[i].item;
        if (own && own->asset == mesh->asset)
            return true;
    }
    return false;
}

static bool is_free(const struct fitting *fitting, const struct pose_wear *part)
{
    if (part->place == POSE_PLACE_HANDS && part->side)
        return !fitting->hands[part->side == 'r'];
    return !fitting->taken[part->place];
}

/* What a body needs comes first, then what says whom it is for, then what is near. */
static double score_of(const struct fitting *fitting, const struct pose_wear *part, bool is_near)
{
    static const double of_place[] = {
        [POSE_PLACE_BODY] = 1, [POSE_PLACE_HEAD] = 1, [POSE_PLACE_HANDS] = 0.6, [POSE_PLACE_ACCESSORY] = 0.5};
    double score = of_place[part->place];
    score *= part->age && fitting->age ? 1 : 0.8;
    score *= part->sex && fitting->sex ? 1 : 0.9;
    return score * (is_near ? 1 : 0.9);
}

/* The best of one place, best first; of equally good ones those found first. */
struct shelf {
    uint32_t count;
    struct suggestion items[SUGGESTIONS_PER_PLACE];
};

static void put_on_shelf(struct shelf *shelf, const struct suggestion *found)
{
    for (uint32_t i = 0; i < shelf->count; i++) {
        if (shelf->items[i].mesh->asset == found->mesh->asset)
            return;
    }
    uint32_t at = shelf->count;
    if (at < SUGGESTIONS_PER_PLACE)
        shelf->count++;
    else if (shelf->items[--at].score >= found->score)
        return;
    for (; at && shelf->items[at - 1].score < found->score; at--)
        shelf->items[at] = shelf->items[at - 1];
    shelf->items[at] = *found;
}

static void look_at(const struct fitting *fitting, struct shelf *shelves, struct catalog_item *mesh,
                    bool is_near)
{
    struct pose_wear part;
    if (!part_of(fitting, mesh, &part) || !part.has_place || part.is_coarse || !is_free(fitting, &part) ||
        !is_of_age(fitting, mesh, &part) || (part.sex && fitting->sex && part.sex != fitting->sex) ||
        !has_all_bones(fitting->skeleton, mesh->asset) || is_worn(fitting, mesh))
        return;
    put_on_shelf(
        &shelves[part.place],
        &(struct suggestion){.mesh = mesh, .place = part.place, .score = score_of(fitting, &part, is_near)});
}

static void look_in_archive(const struct fitting *fitting, struct shelf *shelves, uint32_t own)
{
    const struct catalog *catalog = fitting->catalog;
    const struct index_archive *archive = catalog->archives[own];
    uint32_t looked_at = 0;
    for (uint32_t e = 0; e < archive->entry_count && looked_at < MAX_LOOKED_AT; e++) {
        const struct index_entry *entry = archive->entries[e];
        for (uint32_t i = 0; i < entry->asset_count && looked_at < MAX_LOOKED_AT; i++) {
            if (entry->assets[i].kind != ASSET_MESH)
                continue;
            struct catalog_item *mesh = catalog_find(catalog, ASSET_MESH, &entry->assets[i].id);
            looked_at++;
            mesh = mesh ? catalog_item_at(mesh, (struct catalog_place){own, e}) : NULL;
            if (mesh)
                look_at(fitting, shelves, mesh, true);
        }
    }
}

static void look_in_paths(const struct fitting *fitting, struct shelf *shelves, uint32_t own)
{
    uint32_t next = 0, looked_at = 0;
    struct catalog_item *mesh;
    while (looked_at++ < MAX_LOOKED_AT &&
           (mesh = catalog_next_of_paths(fitting->catalog, ASSET_MESH, &next))) {
        if (mesh->place.archive != own)
            look_at(fitting, shelves, mesh, false);
    }
}

/* Merges the places, best first. */
static uint32_t merge(const struct shelf *shelves, struct suggestion *suggestions)
{
    uint32_t at[POSE_PLACES] = {0}, count = 0;
    for (;;) {
        int best = -1;
        for (int place = 0; place < POSE_PLACES; place++) {
            if (at[place] < shelves[place].count &&
                (best < 0 || shelves[place].items[at[place]].score > shelves[best].items[at[best]].score))
                best = place;
        }
        if (best < 0)
            return count;
        suggestions[count++] = shelves[best].items[at[best]++];
    }
}

uint32_t parts_suggest(const struct catalog *catalog, struct catalog_item *character,
                       const struct relations *relations, const struct index_asset *skeleton,
                       struct suggestion suggestions[MAX_SUGGESTED_PARTS])
{
    struct shelf shelves[POSE_PLACES] = {{0}};
    const struct fitting fitting = measure(catalog, character, relations, skeleton);
    if (!skeleton || !fitting.is_known)
        return 0;
    look_in_archive(&fitting, shelves, character->place.archive);
    look_in_paths(&fitting, shelves, character->place.archive);
    return merge(shelves, suggestions);
}

/* --------------------------------------------------------------------------------------------- completing -- */

/* The best suggestion for a place (of a hand: a side), near if there is one. */
static struct catalog_item *best_for(const struct fitting *fitting, const struct suggestion *suggestions,
                                     uint32_t count, enum pose_place place, char side, uint32_t own)
{
    struct catalog_item *best = NULL;
    for (uint32_t i = 0; i < count; i++) {
        struct catalog_item *mesh = suggestions[i].mesh;
        struct pose_wear part;
        if (suggestions[i].place != place || !part_of(fitting, mesh, &part) || part.side != side)
            continue;
        if (mesh->place.archive == own)
            return mesh;
        best = best ? best : mesh;
    }
    return best;
}

bool parts_complete(const struct catalog *catalog, struct catalog_item *character,
                    struct relations *relations, const struct index_asset *skeleton)
{
    static const struct {
        enum pose_place place;
        char side;
    } wanted[] = {
        {POSE_PLACE_BODY, 0}, {POSE_PLACE_HEAD, 0}, {POSE_PLACE_HANDS, 'l'}, {POSE_PLACE_HANDS, 'r'}};
    struct suggestion suggestions[MAX_SUGGESTED_PARTS];
    const uint32_t own = character->place.archive;
    const struct fitting fitting = measure(catalog, character, relations, skeleton);
    if (!skeleton || !fitting.is_known)
        return true;
    uint32_t count = parts_suggest(catalog, character, relations, skeleton, suggestions);
    bool is_inside = true;
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        const struct pose_wear place = {.place = wanted[i].place, .side = wanted[i].side};
        struct catalog_item *mesh =
            best_for(&fitting, suggestions, count, wanted[i].place, wanted[i].side, own);
        is_inside &= mesh ? mesh->place.archive == own : !is_free(&fitting, &place);
        if (mesh)
            relations_add(relations, mesh);
    }
    return is_inside;
}
