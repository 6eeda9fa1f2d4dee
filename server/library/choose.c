#include "server/library/choose.h"

#include "server/library/names.h"

#include <string.h>

/* How an item's choice is stored: an index in the list of skeletons, or from FIRST_SHIPPED downwards a
 * built-in one. */
enum { NO_SKELETON = -1, FIRST_SHIPPED = -2 };
/* Added to an index if other skeletons would have done as well. */
static const int64_t ELSEWHERE = (int64_t)1 << 40;

struct candidate {
    const struct index_asset *asset;
    uint32_t matches;
    bool named;  /* the name of the clip refers to it */
    bool beside; /* in the same folder */
    unsigned adulthood;
    int64_t place;
};

struct choosing {
    const struct catalog *catalog;
    const struct catalog_item *item;
    const struct index_archive *archive; /* the item's archive; NULL if it is in another catalogue */
    struct pose_naming naming;
    struct candidate best; /* asset NULL: none yet */
    bool elsewhere;        /* another one with an equally good (or no) name has a different rest pose */
};

/* Whether a is the better choice. */
static bool is_better(const struct candidate *a, const struct candidate *b)
{
    if (a->named != b->named)
        return a->named;
    if (a->matches != b->matches)
        return a->matches > b->matches;
    if (a->beside != b->beside)
        return a->beside;
    if (a->adulthood != b->adulthood)
        return a->adulthood > b->adulthood;
    if (a->asset->joint_count != b->asset->joint_count)
        return a->asset->joint_count < b->asset->joint_count;
    return id_compare(&a->asset->id, &b->asset->id) < 0;
}

static void consider(struct choosing *choosing, const struct candidate *candidate)
{
    const struct candidate *best = &choosing->best;
    if (!best->asset || (candidate->named && !best->named))
        choosing->elsewhere = false;
    else if (candidate->named == best->named)
        choosing->elsewhere |= candidate->asset->rest != best->asset->rest;
    if (!best->asset || is_better(candidate, best))
        choosing->best = *candidate;
}

/* Considers a skeleton that has at least half of the tracks. */
static void consider_half(struct choosing *choosing, const struct index_asset *skeleton, bool beside,
                          int64_t place)
{
    uint32_t matches = known_matches(skeleton, choosing->item->asset);
    if (!matches || matches < choosing->item->asset->moving_count - matches)
        return;
    consider(choosing, &(struct candidate){.asset = skeleton,
                                           .matches = matches,
                                           .named = pose_made_for(&choosing->naming, skeleton->name),
                                           .beside = beside,
                                           .adulthood = pose_adulthood(skeleton->name),
                                           .place = place});
}

static int64_t place_of(const struct catalog *catalog, const struct index_asset *skeleton)
{
    uint32_t index;
    return catalog_find_index(catalog, ASSET_SKELETON, &skeleton->id, &index) ? (int64_t)index : NO_SKELETON;
}

/* ------------------------------------------------------------------------------------------- where from -- */

/* Nodes of a glTF may be unnamed, so the tracks may have no names. */
static bool names_tracks(const struct index_asset *asset)
{
    for (uint32_t i = 0; i < asset->moving_count; i++) {
        if (asset->known[i])
            return true;
    }
    return false;
}

static void consider_own_file(struct choosing *choosing)
{
    const struct index_asset *asset = choosing->item->asset;
    const struct index_entry *entry = choosing->archive->entries[choosing->item->place.entry];
    bool any = !names_tracks(asset);
    for (uint32_t i = 0; i < entry->asset_count; i++) {
        const struct index_asset *skeleton = &entry->assets[i];
        if (skeleton->kind != ASSET_SKELETON)
            continue;
        struct candidate candidate = {.asset = skeleton,
                                      .matches = known_matches(skeleton, asset),
                                      .named = pose_made_for(&choosing->naming, skeleton->name),
                                      .adulthood = pose_adulthood(skeleton->name),
                                      .place = place_of(choosing->catalog, skeleton)};
        if (candidate.matches || any)
            consider(choosing, &candidate);
    }
    choosing->elsewhere = false;
}

static bool in_one_folder(const char *a, const char *b)
{
    size_t length = (size_t)(name_base(a) - a);
    return length == (size_t)(name_base(b) - b) && !strncmp(a, b, length);
}

/* Of an archive of a PATH, which may have very many entries and few skeletons. */
static void consider_own_path(struct choosing *choosing, const char *name)
{
    const struct catalog *catalog = choosing->catalog;
    const struct catalog_item *item;
    uint32_t next = 0;
    while ((item = catalog_next_of_paths(catalog, ASSET_SKELETON, &next))) {
        struct place_walk walk = {0};
        while (catalog_next_place(catalog, item, &walk)) {
            if (walk.place.archive == choosing->item->place.archive)
                consider_half(choosing, walk.item->asset,
                              in_one_folder(name, catalog_entry(catalog, walk.place)->name),
                              catalog_skeleton_index(catalog, item));
        }
    }
}

static void consider_own_archive(struct choosing *choosing)
{
    const struct index_archive *archive = choosing->archive;
    const char *name = archive->entries[choosing->item->place.entry]->name;
    if (choosing->item->place.archive < choosing->catalog->path_count) {
        consider_own_path(choosing, name);
        return;
    }
    for (uint32_t e = 0; e < archive->entry_count; e++) {
        const struct index_entry *entry = archive->entries[e];
        for (uint32_t i = 0; i < entry->asset_count; i++) {
            if (entry->assets[i].kind == ASSET_SKELETON)
                consider_half(choosing, &entry->assets[i], in_one_folder(name, entry->name),
                              place_of(choosing->catalog, &entry->assets[i]));
        }
    }
}

/* Archives of the command line come first, so an asset in one of them has its first place there. */
static void consider_command_line(struct choosing *choosing)
{
    const struct catalog *catalog = choosing->catalog;
    const struct catalog_item *item;
    uint32_t next = 0;
    while ((item = catalog_next_of_paths(catalog, ASSET_SKELETON, &next)))
        consider_half(choosing, item->asset, false, catalog_skeleton_index(catalog, item));
}

static void consider_shipped(struct choosing *choosing)
{
    for (uint32_t i = 0; i < choosing->catalog->shipped_count; i++)
        consider_half(choosing, &choosing->catalog->shipped[i].asset, false, FIRST_SHIPPED - (int64_t)i);
    choosing->elsewhere = false;
}

struct pose_naming catalog_naming(const struct catalog *catalog, const struct catalog_item *item)
{
    static const char *const kinds[] = {[ASSET_CLIP] = "clip",
                                        [ASSET_SKELETON] = "skeleton",
                                        [ASSET_MESH] = "mesh",
                                        [ASSET_CHARACTER] = "character",
                                        [ASSET_IMAGE] = "image"};
    bool is_here = item->place.archive < catalog->archive_count;
    const struct index_entry *entry = is_here ? catalog_entry(catalog, item->place) : NULL;
    return (struct pose_naming){.format = entry ? entry->format : NULL,
                                .file = entry ? entry->name : NULL,
                                .kind = kinds[item->asset->kind],
                                .name = item->asset->name,
                                .actor = item->asset->actor};
}

static int64_t choose(const struct catalog *catalog, const struct catalog_item *item)
{
    struct choosing choosing = {.catalog = catalog, .item = item, .naming = catalog_naming(catalog, item)};
    choosing.best.place = NO_SKELETON;
    if (item->place.archive < catalog->archive_count) {
        choosing.archive = catalog->archives[item->place.archive];
        consider_own_file(&choosing);
    }
    uint32_t named;
    if (!choosing.best.asset && item->asset->skeleton &&
        catalog_find_index(catalog, ASSET_SKELETON, item->asset->skeleton, &named))
        return named;
    if (!choosing.best.asset && choosing.archive)
        consider_own_archive(&choosing);
    if (!choosing.best.asset)
        consider_command_line(&choosing);
    if (!choosing.best.asset)
        consider_shipped(&choosing);
    return choosing.best.place + (choosing.elsewhere ? ELSEWHERE : 0);
}

static const struct catalog_item *skeleton_at(const struct catalog *catalog, int64_t place)
{
    const int64_t index = place & (ELSEWHERE - 1);
    return place >= 0 && index < catalog->lists[ASSET_SKELETON].count
               ? catalog_listed(catalog, ASSET_SKELETON, (uint32_t)index)
               : NULL;
}

/* A choice as an item keeps it: it holds until skeletons of PATHs change. */
enum { CHOICE_BITS = 42, CHOICE_OFFSET = 1 << 16 };

static int64_t keep_choice(const struct catalog *catalog, int64_t place)
{
    const uint64_t changes = catalog->path_changes & ((1u << (63 - CHOICE_BITS)) - 1);
    return (int64_t)(changes << CHOICE_BITS | (uint64_t)(place + CHOICE_OFFSET));
}

/* INT64_MIN: there is none that holds. */
static int64_t kept_choice(const struct catalog *catalog, int64_t kept)
{
    const int64_t place = (kept & (((int64_t)1 << CHOICE_BITS) - 1)) - CHOICE_OFFSET;
    return kept >= 0 && keep_choice(catalog, place) == kept ? place : INT64_MIN;
}

struct skeleton_choice catalog_skeleton(const struct catalog *catalog, struct catalog_item *item)
{
    int64_t place = kept_choice(catalog, atomic_load_explicit(&item->skeleton, memory_order_relaxed));
    const struct catalog_item *found = skeleton_at(catalog, place);
    /* It may be gone meanwhile. */
    if (place == INT64_MIN || (place >= 0 && !found)) {
        place = choose(catalog, item);
        found = skeleton_at(catalog, place);
        if (!catalog_turn_missed())
            atomic_store_explicit(&item->skeleton, keep_choice(catalog, place), memory_order_relaxed);
    }
    if (found) {
        return (struct skeleton_choice){
            .asset = found->asset, .item = found, .elsewhere = place >= ELSEWHERE};
    }
    if (place <= FIRST_SHIPPED) {
        const struct shipped_skeleton *shipped = &catalog->shipped[FIRST_SHIPPED - place];
        return (struct skeleton_choice){.asset = &shipped->asset, .shipped = shipped->document};
    }
    return (struct skeleton_choice){0};
}

/* ------------------------------------------------------------------------------------------------ remarks -- */

bool skeleton_warning(const struct skeleton_choice *choice, struct pose_warning *warning)
{
    *warning = (struct pose_warning){.severity = POSE_NOTE, .offset = POSE_NO_OFFSET};
    if (choice->shipped) {
        warning->code = "stand_in_skeleton";
        warning->message = "shown on a built-in skeleton: its proportions are not the game's";
    } else if (choice->elsewhere) {
        warning->code = "skeleton_elsewhere";
        warning->severity = POSE_WARNING;
        warning->message =
            "several skeletons with other proportions know its joints as well; skeleton= names one";
    }
    return warning->code;
}

const char *skeleton_remark(const struct skeleton_choice *choice)
{
    struct pose_warning warning;
    return skeleton_warning(choice, &warning) ? warning.code : NULL;
}
