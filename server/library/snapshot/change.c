/*
 * Snapshots in which PATHs have changed. An archive that differs keeps its index, where earlier snapshots, which have a block
 * of their own, still see what was there. Of all assets that it held in what differs, or holds now, a new item is made in
 * front of the old one; everything else stays as it is.
 */
#include "server/library/index/folder.h"
#include "server/library/snapshot/tables.h"

#include <stdlib.h>
#include <string.h>

/* An asset of something that differs, as it is now or (asset NULL) as it was. */
struct touched {
    enum asset_kind kind;
    struct asset_id id;
    struct catalog_place place;
    uint32_t position; /* of the place's entry, by name */
    const struct index_asset *asset;
};

struct changing {
    const struct catalog *before;
    struct catalog *draft;
    struct index_archive **now; /* [path_count] what is there from now on; NULL: nothing */
    struct touched *touched;
    size_t count, capacity;
    uint32_t counts[ASSET_KIND_COUNT]; /* of new items at most */
    uint32_t clips;                    /* names to add */
    uint32_t replaced;                 /* archives whose ids differ */
    struct touched *places;            /* of one asset */
    size_t place_count, place_capacity;
    bool failed;
};

/* What is left where an archive was. */
static struct index_archive nothing = {
    .name = "", .format = "folder", .path = "", .root = "", .source = "path"};

/* -------------------------------------------------------------------------------------------------- matching -- */

static bool is_same_place(const struct index_archive *a, const struct index_archive *b)
{
    return a->ordinal == b->ordinal && !strcmp(a->path, b->path);
}

/* Whether another archive than that of this index has the id. */
static bool is_elsewhere(const struct catalog *catalog, uint32_t index, const struct asset_id *id)
{
    for (uint32_t i = 0; i < catalog->archive_count; i++) {
        if (i != index && tables_has_archive(catalog, i) && id_equal(&catalog->archive_ids[i], id))
            return true;
    }
    return false;
}

/* Finds where the archives are; false if there are new ones among them, or it is not clear. */
static bool match(struct changing *work, struct index_archive *const *paths, uint32_t count)
{
    const struct catalog *before = work->before;
    uint32_t next = 0;
    work->now = try_alloc(before->path_count, sizeof(struct index_archive *));
    for (uint32_t i = 0; work->now && i < before->path_count; i++) {
        if (!tables_has_archive(before, i))
            continue;
        const struct index_archive *old = before->archives[i];
        if (next < count && is_same_place(old, paths[next]))
            work->now[i] = paths[next++];
        const bool is_other = !work->now[i] || !id_equal(&work->now[i]->id, &old->id);
        work->replaced += is_other;
        if (is_other && (is_elsewhere(before, i, &old->id) ||
                         (work->now[i] && is_elsewhere(before, i, &work->now[i]->id))))
            return false;
    }
    return work->now && next == count;
}

/* ------------------------------------------------------------------------------------------- what differs -- */

static void touch(struct changing *work, const struct touched *touched)
{
    if (work->count == work->capacity) {
        const size_t capacity = work->capacity ? 2 * work->capacity : 64;
        struct touched *larger = reallocarray(work->touched, capacity, sizeof *larger);
        if (!larger) {
            work->failed = true;
            return;
        }
        work->touched = larger;
        work->capacity = capacity;
    }
    work->touched[work->count++] = *touched;
    work->counts[touched->kind]++;
    work->clips += touched->asset && touched->kind == ASSET_CLIP;
}

static void touch_slot(struct changing *work, const struct index_archive *archive, uint32_t index,
                       uint32_t slot, bool is_now)
{
    const struct index_entry *entry = archive->entries[slot];
    for (uint32_t i = 0; i < entry->asset_count && !work->failed; i++) {
        const struct index_asset *asset = &entry->assets[i];
        touch(work, &(struct touched){.kind = (enum asset_kind)asset->kind,
                                      .id = asset->id,
                                      .place = {index, slot},
                                      .position = is_now ? index_position(archive, slot) : 0,
                                      .asset = is_now ? asset : NULL});
    }
}

/* Whether a slot holds the same in both versions of an archive; either may be NULL. */
static bool is_kept(const struct index_archive *old, const struct index_archive *new, uint32_t slot)
{
    return old == new || (old && new &&folder_same_line(old, new) && folder_same_slot(old, new, slot));
}

static void touch_archive(struct changing *work, uint32_t index)
{
    const struct index_archive *old = work->before->archives[index], *new = work->now[index];
    for (uint32_t slot = 0; slot < old->entry_count; slot++) {
        if (!is_kept(old, new, slot))
            touch_slot(work, old, index, slot, false);
    }
    for (uint32_t slot = 0; new &&slot < new->entry_count; slot++) {
        if (!is_kept(old, new, slot))
            touch_slot(work, new, index, slot, true);
    }
}

static bool is_changed(const struct changing *work, uint32_t index)
{
    return tables_has_archive(work->before, index) && work->before->archives[index] != work->now[index];
}

static bool has_room(const struct changing *work)
{
    const struct catalog *before = work->before;
    const struct catalog_tables *tables = before->tables;
    bool fits = tables->archive_count == before->archive_count && !tables->region.failed &&
                !tables->is_spoilt &&
                tables->replaced_count + work->replaced <= before->archive_slot_count / 8 &&
                work->clips <= tables->name_capacity - before->names.count;
    for (int kind = 0; kind < ASSET_KIND_COUNT; kind++)
        fits = fits && work->counts[kind] <= tables->capacities[kind] - before->lists[kind].count;
    return fits;
}

/* -------------------------------------------------------------------------------------------------- archives -- */

static void remove_names(const struct changing *work, uint32_t index)
{
    const struct index_archive *old = work->before->archives[index];
    for (uint32_t slot = 0; slot < old->entry_count; slot++) {
        const struct index_entry *entry = old->entries[slot];
        if (is_kept(old, work->now[index], slot))
            continue;
        for (uint32_t i = 0; i < entry->asset_count; i++) {
            if (entry->assets[i].kind == ASSET_CLIP)
                catalog_names_remove(&work->before->names, entry->assets[i].name, index, slot,
                                     work->draft->generation);
        }
    }
}

/* The archive is found by its id; that of another snapshot stays in its slot. */
static void set_slot(struct catalog *draft, uint32_t index)
{
    atomic_uint *slot = tables_archive_slot(draft, &draft->archive_ids[index]);
    if (!atomic_load_explicit(slot, memory_order_relaxed)) {
        draft->archive_numbers[index] = draft->next_number++;
        draft->tables->replaced_count++;
        atomic_store_explicit(slot, index + 1, memory_order_release);
    }
}

static bool replace(struct changing *work, uint32_t index)
{
    struct catalog *draft = work->draft;
    struct index_archive *new = work->now[index];
    struct catalog_retired *retired = try_alloc(1, sizeof *retired);
    if (!retired)
        return false;
    *retired = (struct catalog_retired){.index = index,
                                        .gone = draft->generation,
                                        .archive = draft->archives[index],
                                        .by = new,
                                        .next = draft->removed};
    draft->removed = retired;
    tables_count_digest(draft, index, false);
    remove_names(work, index);
    draft->tables->owned[index] = new;
    draft->archives[index] = new ? new : &nothing;
    if (!new) {
        atomic_store_explicit(&draft->archives_gone[index], draft->generation, memory_order_release);
        draft->archives_present--;
        return true;
    }
    index_archive_ref(new);
    draft->archive_ids[index] = new->id;
    draft->has_morphs |= new->morph_count > 0;
    tables_count_digest(draft, index, true);
    set_slot(draft, index);
    return true;
}

/* ----------------------------------------------------------------------------------------------------- items -- */

static int compare_places(const void *a, const void *b)
{
    const struct touched *x = a, *y = b;
    if (x->place.archive != y->place.archive)
        return x->place.archive < y->place.archive ? -1 : 1;
    return x->position < y->position ? -1 : x->position > y->position;
}

static int compare_touched(const void *a, const void *b)
{
    const struct touched *x = a, *y = b;
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    const int order = id_compare(&x->id, &y->id);
    return order ? order : compare_places(a, b);
}

static bool add_place(struct changing *work, const struct touched *place)
{
    if (work->place_count == work->place_capacity) {
        const size_t capacity = work->place_capacity ? 2 * work->place_capacity : 16;
        struct touched *larger = reallocarray(work->places, capacity, sizeof *larger);
        if (!larger)
            return false;
        work->places = larger;
        work->place_capacity = capacity;
    }
    work->places[work->place_count++] = *place;
    return true;
}

/* The places of an item that are there as before. */
static bool list_kept(struct changing *work, struct catalog_item *item)
{
    const struct catalog *draft = work->draft;
    struct place_walk walk = {0};
    while (catalog_next_place(work->before, item, &walk)) {
        const uint32_t archive = walk.place.archive;
        const struct catalog_item *there = catalog_item_at(item, walk.place);
        if (!there || !tables_has_archive(draft, archive) ||
            !is_kept(work->before->archives[archive], draft->archives[archive], walk.place.entry))
            continue;
        const struct touched place = {.place = walk.place,
                                      .position = index_position(draft->archives[archive], walk.place.entry),
                                      .asset = there->asset};
        if (!add_place(work, &place))
            return false;
    }
    return true;
}

/* All places of a new item that is at several. */
static bool set_places(const struct changing *work, struct catalog_item *item)
{
    struct region *region = &work->draft->tables->region;
    const uint32_t count = (uint32_t)work->place_count;
    struct catalog_places *block = REGION_NEW(region, struct catalog_places, 1);
    struct catalog_place *places = REGION_NEW(region, struct catalog_place, count);
    struct catalog_item *others = REGION_NEW(region, struct catalog_item, count - 1);
    if (!block || !places || !others)
        return false;
    *block = (struct catalog_places){.capacity = count, .places = places, .first = item, .others = others};
    atomic_init(&block->count, count);
    for (uint32_t i = 0; i < count; i++) {
        places[i] = work->places[i].place;
        if (!i)
            continue;
        struct catalog_item *other = &others[i - 1];
        other->id = item->id;
        other->asset = work->places[i].asset;
        other->place = places[i];
        other->number = item->number;
        atomic_init(&other->places, block);
        atomic_init(&other->skeleton, INT64_MIN);
    }
    atomic_store_explicit(&item->places, block, memory_order_release);
    return true;
}

/* The item of an asset is made anew, at the places that are left and those that came, which are so many touched ones. */
static bool remake(struct changing *work, const struct touched *touched, size_t count)
{
    struct catalog *draft = work->draft;
    struct catalog_item *old = NULL;
    uint32_t found;
    work->place_count = 0;
    if (tables_find(work->before, touched->kind, &touched->id, &found)) {
        old = &tables_items(&draft->lists[touched->kind])[found];
        if (!list_kept(work, old))
            return false;
    }
    for (size_t i = 0; i < count; i++) {
        const bool is_again = i && touched[i - 1].asset && !compare_places(&touched[i], &touched[i - 1]);
        if (touched[i].asset && !is_again && !add_place(work, &touched[i]))
            return false;
    }
    if (work->place_count > 1)
        qsort(work->places, work->place_count, sizeof *work->places, compare_places);
    if (old) {
        atomic_store_explicit(&old->gone, draft->generation, memory_order_release);
        draft->lists[touched->kind].present--;
    }
    if (draft->memo)
        memo_left(draft->memo, miss_of_asset(touched->kind, &touched->id));
    if (!work->place_count)
        return true;
    struct catalog_item *item = tables_add_item(draft, work->places[0].asset, work->places[0].place, old);
    return work->place_count == 1 || set_places(work, item);
}

static bool remake_all(struct changing *work)
{
    if (work->count)
        qsort(work->touched, work->count, sizeof *work->touched, compare_touched);
    for (size_t first = 0, last; first < work->count; first = last) {
        const struct touched *one = &work->touched[first];
        last = first + 1;
        while (last < work->count && work->touched[last].kind == one->kind &&
               id_equal(&work->touched[last].id, &one->id))
            last++;
        if (!remake(work, one, last - first))
            return false;
        work->draft->path_changes += one->kind == ASSET_SKELETON;
    }
    for (size_t i = 0; i < work->count; i++) {
        const struct touched *one = &work->touched[i];
        if (one->asset && one->kind == ASSET_CLIP)
            catalog_names_add(&work->draft->names, one->asset->name, &one->asset->id, one->place.archive,
                              one->place.entry);
    }
    return true;
}

/* --------------------------------------------------------------------------------------------------- drafting -- */

static struct catalog *draft_of(struct changing *work)
{
    const struct catalog *before = work->before;
    struct catalog_block *block = tables_new_block(before->tables->archive_capacity, before);
    work->draft = block ? tables_share(before) : NULL;
    if (!work->draft) {
        tables_unref_block(block);
        return NULL;
    }
    tables_unref_block(work->draft->block);
    work->draft->block = block;
    work->draft->archives = block->archives;
    work->draft->archive_ids = block->ids;
    bool done = true;
    for (uint32_t i = 0; done && i < before->path_count; i++)
        done = !is_changed(work, i) || replace(work, i);
    done = done && remake_all(work) && !before->tables->region.failed;
    if (done)
        return work->draft;
    catalog_give_up(work->draft);
    return NULL;
}

bool catalog_has_paths(const struct catalog *catalog, struct index_archive *const *paths, uint32_t count)
{
    uint32_t next = 0;
    for (uint32_t i = 0; i < catalog->path_count; i++) {
        if (!tables_has_archive(catalog, i))
            continue;
        if (next == count || catalog->archives[i] != paths[next++])
            return false;
    }
    return next == count;
}

struct catalog *catalog_change_paths(const struct catalog *catalog, struct index_archive *const *paths,
                                     uint32_t count)
{
    struct changing work = {.before = catalog};
    struct catalog *draft = NULL;
    if (match(&work, paths, count)) {
        for (uint32_t i = 0; i < catalog->path_count && !work.failed; i++) {
            if (is_changed(&work, i))
                touch_archive(&work, i);
        }
        if (!work.failed && has_room(&work))
            draft = draft_of(&work);
    }
    free(work.now);
    free(work.touched);
    free(work.places);
    return draft;
}
