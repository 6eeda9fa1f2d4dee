/* Builds snapshots, and releases them. */
#include "server/library/catalog.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Walks the assets of an archive, by its sketch if it has one. Begin with the two pointers; one may be NULL. */
struct asset_walk {
    const struct index_archive *archive;
    const struct index_sketch *sketch;
    uint32_t next, next_entry;
    /* The asset. */
    const struct asset_id *id;
    enum asset_kind kind;
    const char *name;
    uint32_t entry;
    const struct index_asset *asset; /* NULL: of a sketch */
};

static bool next_sketched(struct asset_walk *walk)
{
    if (walk->next == walk->sketch->asset_count)
        return false;
    const struct index_sketch_asset *asset = &walk->sketch->assets[walk->next++];
    walk->id = &asset->id;
    walk->kind = asset->kind;
    walk->name = asset->name;
    walk->entry = asset->entry;
    return true;
}

static bool next_asset(struct asset_walk *walk)
{
    if (walk->sketch)
        return next_sketched(walk);
    for (; walk->next_entry < walk->archive->entry_count; walk->next_entry++, walk->next = 0) {
        const struct index_entry *entry = walk->archive->entries[walk->next_entry];
        if (walk->next == entry->asset_count)
            continue;
        walk->asset = &entry->assets[walk->next++];
        walk->id = &walk->asset->id;
        walk->kind = walk->asset->kind;
        walk->name = walk->asset->name;
        walk->entry = walk->next_entry;
        return true;
    }
    return false;
}

static struct asset_walk walk_over(const struct catalog *catalog, uint32_t index)
{
    const struct index_sketch *sketch = catalog->rests[index].sketch;
    return (struct asset_walk){.archive = sketch ? NULL : catalog->archives[index], .sketch = sketch};
}

/* Half as much again, so that tables filled by uploads are rebuilt less and less often. */
static uint32_t room_for(uint32_t count, bool to_grow)
{
    enum { LEAST = 64 };
    const uint64_t room = to_grow ? (uint64_t)count + count / 2 + LEAST : count;
    return room < UINT32_MAX / 4 ? (uint32_t)room : UINT32_MAX / 4;
}

/* A power of two, so that at most half of the slots are used. */
static uint32_t slots_for(uint32_t most)
{
    uint32_t count = 16;
    while (count < most * 2 && count < UINT32_MAX / 4)
        count *= 2;
    return count;
}

static void count_assets(const struct catalog_part *part, uint32_t counts[ASSET_KIND_COUNT])
{
    struct asset_walk walk = {.archive = part->archive, .sketch = part->sketch};
    while (next_asset(&walk))
        counts[walk.kind]++;
}

/* A block with twice the capacity, or the first one with two places. Doubling keeps the total cost linear.
 * Readers may keep using the old block. */
static struct catalog_places *grow_places(struct region *region, struct catalog_item *item)
{
    struct catalog_places *old = tables_places_of(item),
                          *block = REGION_NEW(region, struct catalog_places, 1);
    uint32_t count = old ? atomic_load_explicit(&old->count, memory_order_relaxed) : 1;
    if (!block)
        return NULL;
    block->capacity = count * 2;
    block->first = item;
    block->older = old;
    block->places = REGION_NEW(region, struct catalog_place, block->capacity);
    block->others = REGION_NEW(region, struct catalog_item, block->capacity - 1);
    if (!block->places || !block->others)
        return NULL;
    memcpy(block->places, old ? old->places : &item->place, count * sizeof *block->places);
    for (uint32_t i = 0; i + 1 < count; i++) {
        struct catalog_item *other = &block->others[i];
        other->id = item->id;
        other->asset = old->others[i].asset;
        other->place = old->others[i].place;
        other->number = item->number;
        atomic_init(&other->places, block);
        atomic_init(&other->skeleton, atomic_load_explicit(&old->others[i].skeleton, memory_order_relaxed));
    }
    atomic_init(&block->count, count);
    return block;
}

/* An asset at several places has an item for each: in Metroid Prime its name, skeleton and events depend
 * on the archive. */
static void add_place(struct region *region, struct catalog_item *item, const struct index_asset *asset,
                      struct catalog_place place)
{
    struct catalog_places *old = tables_places_of(item);
    uint32_t count = old ? atomic_load_explicit(&old->count, memory_order_relaxed) : 1;
    struct catalog_places *block = old && count < old->capacity ? old : grow_places(region, item);
    if (!block)
        return;
    struct catalog_item *other = &block->others[count - 1];
    other->id = item->id;
    other->asset = asset;
    other->place = place;
    other->number = item->number;
    atomic_init(&other->places, block);
    atomic_init(&other->skeleton, INT64_MIN);
    block->places[count] = place;
    atomic_store_explicit(&block->count, count + 1, memory_order_release);
    atomic_store_explicit(&item->places, block, memory_order_release);
}

/* The item of an id, which is not fetched. */
static bool find_raw(const struct catalog *catalog, enum asset_kind kind, const struct asset_id *id,
                     uint32_t *index)
{
    const struct catalog_list *list = &catalog->lists[kind];
    const uint32_t found = atomic_load_explicit(tables_slot(catalog, list, id), memory_order_acquire);
    *index = found - 1;
    return found && found <= list->count;
}

/* asset: NULL if it is at rest. */
static void add_item(struct catalog *catalog, enum asset_kind kind, const struct asset_id *id,
                     const struct index_asset *asset, struct catalog_place place,
                     const struct catalog *before)
{
    struct catalog_list *list = &catalog->lists[kind];
    atomic_uint *slot = tables_slot(catalog, list, id);
    const uint32_t number = atomic_load_explicit(slot, memory_order_relaxed);
    if (number) {
        struct catalog_item *item = &list->items[number - 1];
        const struct catalog_places *block = tables_places_of(item);
        const uint32_t count = block ? atomic_load(&((struct catalog_places *)(uintptr_t)block)->count) : 1;
        const struct catalog_place last = block ? block->places[count - 1] : item->place;
        /* A file may contain the same asset twice. */
        if (last.archive != place.archive || last.entry != place.entry)
            add_place(&catalog->tables->region, item, asset, place);
        return;
    }
    uint32_t old_index;
    const bool is_old = before && find_raw(before, kind, id, &old_index);
    struct catalog_item *item = &list->items[list->count++];
    list->present++;
    item->id = *id;
    item->asset = asset;
    item->place = place;
    item->number = is_old ? before->lists[kind].items[old_index].number : catalog->next_number++;
    atomic_init(&item->places, NULL);
    atomic_init(&item->skeleton, INT64_MIN);
    list->is_in_order &= list->count < 2 || item[-1].number < item->number;
    atomic_store_explicit(slot, list->count, memory_order_release);
}

/* The same archive may be listed twice: it then has one number, and is found at its first place. */
static void number_archive(struct catalog *catalog, uint32_t index, const struct catalog *before)
{
    const struct asset_id *id = &catalog->archive_ids[index];
    uint32_t old;
    atomic_uint *slot = tables_archive_slot(catalog, id);
    const uint32_t first = atomic_load_explicit(slot, memory_order_relaxed);
    if (first) {
        catalog->archive_numbers[index] = catalog->archive_numbers[first - 1];
        return;
    }
    const bool is_old = before && catalog_has_archive(before, id, &old);
    catalog->archive_numbers[index] = is_old ? before->archive_numbers[old] : catalog->next_number++;
    atomic_store_explicit(slot, index + 1, memory_order_release);
}

/* Adds what an archive contributes to the digest, or takes it away. */
static void count_digest(struct catalog *catalog, const struct asset_id *digest, bool is_added)
{
    uint64_t parts[2];
    memcpy(parts, digest->bytes, sizeof parts);
    for (int i = 0; i < 2; i++)
        catalog->sums[i] += is_added ? parts[i] : 0 - parts[i];
    catalog->digest = id_quick(NULL, catalog->sums, sizeof catalog->sums);
}

/* The digest is computed from the archives' own digests, so unchanged archives are not read again. The
 * order of the PATHs matters. */
static void add_digest(struct catalog *catalog, uint32_t index)
{
    const struct asset_id digest = catalog_archive_digest(catalog, index);
    if (index < catalog->path_count)
        catalog->paths = id_quick(&catalog->paths, &digest, sizeof digest);
    count_digest(catalog, &digest, true);
}

/* Sets the archive of an index and whether it is at rest. */
static void set_archive(struct catalog *catalog, uint32_t index, const struct catalog_part *part)
{
    struct catalog_rest *rest = &catalog->rests[index];
    catalog->archives[index] = part->archive;
    catalog->archive_ids[index] = part->sketch ? part->sketch->id : part->archive->id;
    rest->sketch = part->sketch;
    atomic_store_explicit(&rest->since, part->archive ? 0 : catalog->generation, memory_order_release);
    atomic_store_explicit(&rest->is_used, true, memory_order_relaxed);
    if (part->sketch)
        index_sketch_ref(part->sketch);
    if (part->archive)
        index_archive_ref(part->archive);
    if (part->archive && part->sketch)
        tables_count_held(catalog, index);
}

void tables_count_held(const struct catalog *catalog, uint32_t index)
{
    struct catalog_rest *rest = &catalog->rests[index];
    const struct index_sketch *sketch = catalog->archives[index]->sketch;
    rest->weight = sketch && sketch->weight < UINT32_MAX ? (uint32_t)sketch->weight : UINT32_MAX;
    atomic_fetch_add(&catalog->tables->held, rest->weight);
}

void tables_discount_held(const struct catalog *catalog, uint32_t index)
{
    struct catalog_rest *rest = &catalog->rests[index];
    atomic_fetch_sub(&catalog->tables->held, rest->weight);
    rest->weight = 0;
}

/* Appends an archive: there is room for it and all its assets. */
static void add_archive(struct catalog *catalog, const struct catalog_part *part,
                        const struct catalog *before)
{
    const uint32_t index = catalog->archive_count;
    struct asset_walk walk = {.archive = part->archive, .sketch = part->sketch};
    uint32_t ordinal = 0, entry = UINT32_MAX;
    set_archive(catalog, index, part);
    number_archive(catalog, index, before);
    catalog->archive_count = catalog->tables->archive_count = index + 1;
    catalog->archives_present++;
    catalog->has_morphs |= part->archive && part->archive->morph_count > 0;
    add_digest(catalog, index);
    while (next_asset(&walk)) {
        ordinal = walk.entry == entry ? ordinal + 1 : 0;
        entry = walk.entry;
        const struct index_asset *asset =
            part->archive ? &part->archive->entries[entry]->assets[ordinal] : NULL;
        add_item(catalog, walk.kind, walk.id, asset, (struct catalog_place){index, walk.entry}, before);
        if (walk.kind == ASSET_CLIP)
            catalog_names_add(&catalog->names, walk.name, walk.id, index, walk.entry);
    }
}

/* Empty tables; false if out of memory. */
static bool make_tables(struct catalog *catalog, uint32_t archive_count,
                        const uint32_t counts[ASSET_KIND_COUNT], bool to_grow)
{
    struct catalog_tables *tables = catalog->tables;
    struct region *region = &tables->region;
    tables->archive_capacity = room_for(archive_count, to_grow);
    catalog->archives = REGION_NEW(region, struct index_archive *, tables->archive_capacity);
    catalog->rests = REGION_NEW(region, struct catalog_rest, tables->archive_capacity);
    catalog->archive_numbers = REGION_NEW(region, uint64_t, tables->archive_capacity);
    catalog->archive_ids = REGION_NEW(region, struct asset_id, tables->archive_capacity);
    catalog->archives_gone = REGION_NEW(region, _Atomic uint64_t, tables->archive_capacity);
    catalog->archive_slot_count = slots_for(tables->archive_capacity);
    catalog->archive_slots = REGION_NEW(region, atomic_uint, catalog->archive_slot_count);
    for (int kind = 0; kind < ASSET_KIND_COUNT; kind++) {
        struct catalog_list *list = &catalog->lists[kind];
        tables->capacities[kind] = room_for(counts[kind], to_grow);
        list->is_in_order = true;
        list->items = REGION_NEW(region, struct catalog_item, tables->capacities[kind]);
        list->slot_count = slots_for(tables->capacities[kind]);
        list->slots = REGION_NEW(region, atomic_uint, list->slot_count);
    }
    tables->name_capacity = tables->capacities[ASSET_CLIP];
    catalog_names_init(&catalog->names, region, tables->name_capacity);
    return !region->failed;
}

struct catalog *catalog_new(struct index_archive *const *archives, uint32_t count, uint32_t path_count,
                            const struct catalog *before, const struct shipped_skeleton *shipped,
                            uint32_t shipped_count)
{
    struct catalog_part *parts = try_alloc(count, sizeof *parts);
    for (uint32_t i = 0; parts && i < count; i++)
        parts[i] = (struct catalog_part){archives[i], archives[i]->sketch};
    struct catalog *catalog =
        parts ? catalog_of_parts(parts, count, path_count, before, shipped, shipped_count) : NULL;
    free(parts);
    return catalog;
}

struct catalog *catalog_of_parts(const struct catalog_part *parts, uint32_t count, uint32_t path_count,
                                 const struct catalog *before, const struct shipped_skeleton *shipped,
                                 uint32_t shipped_count)
{
    struct catalog *catalog = try_alloc(1, sizeof *catalog);
    struct catalog_tables *tables = try_alloc(1, sizeof *tables);
    uint32_t counts[ASSET_KIND_COUNT] = {0};
    if (!catalog || !tables) {
        free(catalog);
        free(tables);
        return NULL;
    }
    atomic_init(&catalog->references, 1);
    atomic_init(&tables->references, 1);
    tables->region.may_fail = true;
    pthread_mutex_init(&tables->lock, NULL);
    tables->oldest = tables->latest = catalog;
    catalog->tables = tables;
    catalog->generation = before ? before->generation + 1 : 0;
    catalog->next_number = before ? before->next_number : 0;
    catalog->context = before ? before->context : (struct asset_id){{0}};
    catalog->loader = before ? before->loader : NULL;
    catalog->path_count = path_count;
    catalog->shipped = shipped;
    catalog->shipped_count = shipped_count;
    for (uint32_t i = 0; i < count; i++)
        count_assets(&parts[i], counts);
    bool done = make_tables(catalog, count, counts, before);
    for (uint32_t i = 0; done && i < count; i++)
        add_archive(catalog, &parts[i], before);
    if (done && !tables->region.failed)
        return catalog;
    catalog_unref(catalog);
    return NULL;
}

/* Whether the tables have room for the archive and end with this snapshot; after a discarded draft they do
 * not. */
static bool has_room(const struct catalog *catalog, const uint32_t counts[ASSET_KIND_COUNT])
{
    const struct catalog_tables *tables = catalog->tables;
    bool fits = tables->archive_count == catalog->archive_count && !tables->region.failed &&
                catalog->archive_count < tables->archive_capacity &&
                counts[ASSET_CLIP] <= tables->name_capacity - catalog->names.count;
    for (int kind = 0; kind < ASSET_KIND_COUNT; kind++)
        fits = fits && counts[kind] <= tables->capacities[kind] - catalog->lists[kind].count;
    return fits;
}

struct catalog_part *catalog_parts(const struct catalog *catalog, uint32_t *count)
{
    struct catalog_part *parts = try_alloc((size_t)catalog->archive_count + 1, sizeof *parts);
    *count = 0;
    pthread_mutex_lock(&catalog->tables->lock);
    for (uint32_t i = 0; parts && i < catalog->archive_count; i++) {
        if (tables_has_archive(catalog, i))
            parts[(*count)++] = (struct catalog_part){
                tables_is_at_rest(catalog, i) ? NULL : catalog->archives[i], catalog->rests[i].sketch};
    }
    pthread_mutex_unlock(&catalog->tables->lock);
    return parts;
}

/* Builds new tables over the archives that are there, without one of them (NULL: all) and with another one (NULL:
 * none) at the end, with spare room. */
static struct catalog *rebuild(const struct catalog *catalog, const struct asset_id *without,
                               struct index_archive *with)
{
    uint32_t listed, count = 0;
    struct catalog_part *all = catalog_parts(catalog, &listed);
    if (!all)
        return NULL;
    for (uint32_t i = 0; i < listed; i++) {
        const struct asset_id *id = all[i].sketch ? &all[i].sketch->id : &all[i].archive->id;
        if (!without || i < catalog->path_count || !id_equal(id, without))
            all[count++] = all[i];
    }
    if (with)
        all[count++] = (struct catalog_part){with, with->sketch};
    struct catalog *made =
        catalog_of_parts(all, count, catalog->path_count, catalog, catalog->shipped, catalog->shipped_count);
    free(all);
    return made;
}

struct catalog *tables_share(const struct catalog *catalog)
{
    struct catalog *next = try_alloc(1, sizeof *next);
    struct catalog_tables *tables = catalog->tables;
    if (!next)
        return NULL;
    /* Everything but the reference count, which other threads change meanwhile. */
    const size_t copied = offsetof(struct catalog, generation);
    memcpy((char *)next + copied, (const char *)catalog + copied, sizeof *next - copied);
    atomic_init(&next->references, 1);
    next->generation++;
    next->removed = NULL;
    atomic_fetch_add_explicit(&tables->references, 1, memory_order_relaxed);
    pthread_mutex_lock(&tables->lock);
    next->newer = NULL;
    next->older = tables->latest;
    tables->latest->newer = next;
    tables->latest = next;
    pthread_mutex_unlock(&tables->lock);
    return next;
}

struct catalog *catalog_append(const struct catalog *catalog, struct index_archive *archive)
{
    const struct catalog_part part = {archive, archive->sketch};
    uint32_t counts[ASSET_KIND_COUNT] = {0};
    count_assets(&part, counts);
    if (!has_room(catalog, counts))
        return rebuild(catalog, NULL, archive);
    struct catalog *next = tables_share(catalog);
    if (!next)
        return NULL;
    /* Contents that come back meanwhile set pointers that are copied here. */
    pthread_mutex_lock(&next->tables->lock);
    add_archive(next, &part, NULL);
    pthread_mutex_unlock(&next->tables->lock);
    if (!next->tables->region.failed)
        return next;
    catalog_give_up(next);
    return NULL;
}

/* --------------------------------------------------------------------------------------------- removing -- */

/* Calls for each item of an archive of which this is the only place, once or more. */
static void each_own_item(const struct catalog *catalog, uint32_t index,
                          void (*visit)(struct catalog *catalog, enum asset_kind kind,
                                        struct catalog_item *item))
{
    struct asset_walk walk = walk_over(catalog, index);
    while (next_asset(&walk)) {
        const struct catalog_list *list = &catalog->lists[walk.kind];
        uint32_t found;
        if (find_raw(catalog, walk.kind, walk.id, &found) &&
            !tables_raw_first_of(catalog, &list->items[found]))
            visit((struct catalog *)(uintptr_t)catalog, walk.kind, &list->items[found]);
    }
}

static void mark_gone(struct catalog *catalog, enum asset_kind kind, struct catalog_item *item)
{
    atomic_store_explicit(&item->gone, catalog->generation, memory_order_release);
    catalog->lists[kind].present--;
}

/* Whether so much is gone that new tables cost little per removal. */
static bool is_sparse(const struct catalog *catalog)
{
    enum { LEAST = 64 };
    return catalog->archive_count - catalog->archives_present > catalog->archives_present / 2 + LEAST;
}

struct catalog *catalog_remove(const struct catalog *catalog, uint32_t archive)
{
    if (is_sparse(catalog) || catalog->tables->archive_count != catalog->archive_count)
        return rebuild(catalog, &catalog->archive_ids[archive], NULL);
    struct catalog_retired *retired = try_alloc(1, sizeof *retired);
    struct catalog *next = retired ? tables_share(catalog) : NULL;
    if (!next) {
        free(retired);
        return NULL;
    }
    const struct asset_id digest = catalog_archive_digest(catalog, archive);
    *retired = (struct catalog_retired){.index = archive, .gone = next->generation};
    next->removed = retired;
    atomic_store_explicit(&next->archives_gone[archive], next->generation, memory_order_release);
    next->archives_present--;
    count_digest(next, &digest, false);
    each_own_item(next, archive, mark_gone);
    return next;
}

/* Takes back a removal. The items that it marked are those that have its generation. */
static void put_back(struct catalog *draft)
{
    struct asset_walk walk = walk_over(draft, draft->removed->index);
    atomic_store_explicit(&draft->archives_gone[draft->removed->index], 0, memory_order_release);
    while (next_asset(&walk)) {
        const struct catalog_list *list = &draft->lists[walk.kind];
        for (uint32_t slot = tables_slot_of(walk.id, list->slot_count); list->slots[slot];
             slot = (slot + 1) & (list->slot_count - 1)) {
            struct catalog_item *item = &list->items[list->slots[slot] - 1];
            if (id_equal(&item->id, walk.id) && item->gone == draft->generation)
                atomic_store_explicit(&item->gone, 0, memory_order_release);
        }
    }
    free(draft->removed);
    draft->removed = NULL;
}

/* The place of the last archive stays empty. */
static void drop_last(struct catalog *draft)
{
    struct catalog_tables *tables = draft->tables;
    const uint32_t index = draft->archive_count - 1;
    struct catalog_rest *rest = &draft->rests[index];
    pthread_mutex_lock(&tables->lock);
    struct index_archive *archive = draft->archives[index];
    struct index_sketch *sketch = rest->sketch;
    draft->archives[index] = NULL;
    rest->sketch = NULL;
    tables_discount_held(draft, index);
    pthread_mutex_unlock(&tables->lock);
    index_archive_unref(archive);
    index_sketch_unref(sketch);
}

void catalog_give_up(struct catalog *draft)
{
    if (!draft)
        return;
    struct catalog_tables *tables = draft->tables;
    const bool is_shared = atomic_load_explicit(&tables->references, memory_order_relaxed) > 1;
    if (draft->removed) {
        put_back(draft);
    } else if (is_shared) {
        drop_last(draft);
    }
    catalog_unref(draft);
}

void catalog_publish(struct catalog *draft)
{
    struct catalog_tables *tables = draft->tables;
    struct catalog_retired *removed = draft->removed;
    draft->removed = NULL;
    if (!removed)
        return;
    pthread_mutex_lock(&tables->lock);
    if (tables->last_retired)
        tables->last_retired->next = removed;
    else
        tables->first_retired = removed;
    while (removed->next)
        removed = removed->next;
    tables->last_retired = removed;
    pthread_mutex_unlock(&tables->lock);
}

/* Takes the archive of one that is no longer needed out of the tables; NULL: it is not there. */
static struct index_archive *take_retired(struct catalog *catalog, const struct catalog_retired *retired)
{
    struct index_archive *archive = catalog->archives[retired->index];
    catalog->archives[retired->index] = NULL;
    tables_discount_held(catalog, retired->index);
    return archive;
}

/* Takes a snapshot out of those that use the tables. Returns those whose archives no remaining one has, in reverse. */
static struct catalog_retired *leave_tables(struct catalog *catalog)
{
    struct catalog_tables *tables = catalog->tables;
    struct catalog_retired *first = NULL;
    pthread_mutex_lock(&tables->lock);
    *(catalog->older ? &catalog->older->newer : &tables->oldest) = catalog->newer;
    *(catalog->newer ? &catalog->newer->older : &tables->latest) = catalog->older;
    while (tables->first_retired &&
           (!tables->oldest || tables->oldest->generation >= tables->first_retired->gone)) {
        struct catalog_retired *retired = tables->first_retired;
        tables->first_retired = retired->next;
        retired->archive = take_retired(catalog, retired);
        retired->next = first;
        first = retired;
    }
    if (!tables->first_retired)
        tables->last_retired = NULL;
    pthread_mutex_unlock(&tables->lock);
    return first;
}

void catalog_ref(struct catalog *catalog)
{
    atomic_fetch_add_explicit(&catalog->references, 1, memory_order_relaxed);
}

void catalog_unref(struct catalog *catalog)
{
    if (!catalog || atomic_fetch_sub_explicit(&catalog->references, 1, memory_order_acq_rel) != 1)
        return;
    struct catalog_tables *tables = catalog->tables;
    struct catalog_retired *retired = leave_tables(catalog);
    while (retired) {
        struct catalog_retired *next = retired->next;
        index_archive_unref(retired->archive);
        free(retired);
        retired = next;
    }
    if (atomic_fetch_sub_explicit(&tables->references, 1, memory_order_acq_rel) == 1) {
        for (uint32_t i = 0; i < tables->archive_count; i++) {
            index_archive_unref(catalog->archives[i]);
            index_sketch_unref(catalog->rests[i].sketch);
        }
        pthread_mutex_destroy(&tables->lock);
        region_release(&tables->region);
        free(tables);
    }
    free(catalog);
}
