/* Builds snapshots, and releases them. */
#include "server/library/catalog.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Walks the assets of an archive. Begin with the archive only. */
struct asset_walk {
    const struct index_archive *archive;
    uint32_t next, entry;
    const struct index_asset *asset;
};

static bool next_asset(struct asset_walk *walk)
{
    for (; walk->entry < walk->archive->entry_count; walk->entry++, walk->next = 0) {
        const struct index_entry *entry = walk->archive->entries[walk->entry];
        if (walk->next == entry->asset_count)
            continue;
        walk->asset = &entry->assets[walk->next++];
        return true;
    }
    return false;
}

/* Half as much again, so that tables filled by uploads are rebuilt less and less often. */
static uint32_t room_for(uint32_t count, bool to_grow)
{
    enum { LEAST = 256 };
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

static void count_assets(const struct index_archive *archive, uint32_t counts[ASSET_KIND_COUNT])
{
    struct asset_walk walk = {.archive = archive};
    while (next_asset(&walk))
        counts[walk.asset->kind]++;
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

/* The index of the item of an id. */
static bool find_raw(const struct catalog *catalog, enum asset_kind kind, const struct asset_id *id,
                     uint32_t *index)
{
    const struct catalog_list *list = &catalog->lists[kind];
    const uint32_t found = atomic_load_explicit(tables_slot(catalog, list, id), memory_order_acquire);
    *index = found - 1;
    return found && found <= list->count;
}

static void add_item(struct catalog *catalog, const struct index_asset *asset, struct catalog_place place,
                     const struct catalog *before)
{
    const enum asset_kind kind = asset->kind;
    const struct asset_id *id = &asset->id;
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
    uint32_t old_index = 0;
    const bool is_old = before && find_raw(before, kind, id, &old_index);
    const struct catalog_item *old = is_old ? &before->lists[kind].items[old_index] : NULL;
    struct catalog_item *item = &list->items[list->count++];
    list->present++;
    item->id = *id;
    item->asset = asset;
    item->place = place;
    item->number = old ? old->number : catalog->next_number++;
    atomic_init(&item->whole, old && before->memo && catalog_is_whole(before, old) ? catalog->generation : 0);
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

/* Of what the list of uploads was, if that is known. */
static void refresh_digest(struct catalog *catalog)
{
    static const struct asset_id none;
    if (id_equal(&catalog->epoch, &none)) {
        catalog->digest = id_quick(NULL, catalog->sums, sizeof catalog->sums);
    } else {
        /* Daemons that never had an upload agree. */
        const struct asset_id *epoch = catalog->version ? &catalog->epoch : &none;
        catalog->digest = id_quick(&catalog->paths, epoch, sizeof *epoch);
        catalog->digest = id_quick(&catalog->digest, &catalog->version, sizeof catalog->version);
    }
    catalog->shown = catalog->digest;
}

void catalog_set_version(struct catalog *draft, const struct asset_id *epoch, uint64_t version)
{
    draft->epoch = *epoch;
    draft->version = version;
    refresh_digest(draft);
}

/* Adds what an archive contributes to the digest, or takes it away. */
static void count_digest(struct catalog *catalog, const struct asset_id *digest, bool is_added)
{
    uint64_t parts[2];
    memcpy(parts, digest->bytes, sizeof parts);
    for (int i = 0; i < 2; i++)
        catalog->sums[i] += is_added ? parts[i] : 0 - parts[i];
    refresh_digest(catalog);
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

static void set_archive(struct catalog *catalog, uint32_t index, struct index_archive *archive)
{
    struct catalog_use *use = &catalog->uses[index];
    catalog->archives[index] = archive;
    catalog->archive_ids[index] = archive->id;
    atomic_store_explicit(&use->is_used, true, memory_order_relaxed);
    use->weight = archive->weight < UINT32_MAX ? (uint32_t)archive->weight : UINT32_MAX;
    atomic_fetch_add(&catalog->tables->held, use->weight);
    index_archive_ref(archive);
}

static void discount_held(const struct catalog *catalog, uint32_t index)
{
    atomic_fetch_sub(&catalog->tables->held, catalog->uses[index].weight);
}

/* Appends an archive: there is room for it and all its assets. */
static void add_archive(struct catalog *catalog, struct index_archive *archive, const struct catalog *before)
{
    const uint32_t index = catalog->archive_count;
    struct asset_walk walk = {.archive = archive};
    set_archive(catalog, index, archive);
    number_archive(catalog, index, before);
    catalog->archive_count = catalog->tables->archive_count = index + 1;
    catalog->archives_present++;
    catalog->has_morphs |= archive->morph_count > 0;
    add_digest(catalog, index);
    while (next_asset(&walk)) {
        add_item(catalog, walk.asset, (struct catalog_place){index, walk.entry}, before);
        if (walk.asset->kind == ASSET_CLIP)
            catalog_names_add(&catalog->names, walk.asset->name, &walk.asset->id, index, walk.entry);
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
    catalog->uses = REGION_NEW(region, struct catalog_use, tables->archive_capacity);
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

/* What a snapshot is made with. */
struct making {
    const struct catalog *before; /* NULL: none */
    uint64_t generation;
    uint32_t path_count;
    const struct shipped_skeleton *shipped;
    uint32_t shipped_count;
};

static struct catalog *make(struct index_archive *const *archives, uint32_t count,
                            const struct making *making)
{
    const struct catalog *before = making->before;
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
    catalog->generation = making->generation;
    catalog->next_number = before ? before->next_number : 0;
    catalog->context = before ? before->context : (struct asset_id){{0}};
    catalog->memo = before ? before->memo : NULL;
    catalog->path_count = making->path_count;
    catalog->shipped = making->shipped;
    catalog->shipped_count = making->shipped_count;
    for (uint32_t i = 0; i < count; i++)
        count_assets(archives[i], counts);
    bool done = make_tables(catalog, count, counts, before);
    for (uint32_t i = 0; done && i < count; i++)
        add_archive(catalog, archives[i], before);
    if (done && before)
        catalog_set_version(catalog, &before->epoch, before->version);
    if (done && !tables->region.failed)
        return catalog;
    catalog_unref(catalog);
    return NULL;
}

struct catalog *catalog_new(struct index_archive *const *archives, uint32_t count, uint32_t path_count,
                            const struct catalog *before, const struct shipped_skeleton *shipped,
                            uint32_t shipped_count)
{
    const struct making making = {before, before ? before->generation + 1 : 0, path_count, shipped,
                                  shipped_count};
    return make(archives, count, &making);
}

/* The archives that are there, in their order; from malloc, with room for some more. NULL if out of memory. */
static struct index_archive **list_present(const struct catalog *catalog, uint32_t more, uint32_t *count)
{
    struct index_archive **all =
        try_alloc((size_t)catalog->archive_count + more + 1, sizeof(struct index_archive *));
    *count = 0;
    for (uint32_t i = 0; all && i < catalog->archive_count; i++) {
        if (tables_has_archive(catalog, i))
            all[(*count)++] = catalog->archives[i];
    }
    return all;
}

struct catalog *catalog_with(const struct catalog *catalog, struct index_archive *const *more, uint32_t count)
{
    const struct making making = {catalog, catalog->generation, catalog->path_count, catalog->shipped,
                                  catalog->shipped_count};
    uint32_t present;
    struct index_archive **all = list_present(catalog, count, &present);
    if (!all)
        return NULL;
    if (count)
        memcpy(all + present, more, count * sizeof(struct index_archive *));
    struct catalog *made = make(all, present + count, &making);
    free(all);
    return made;
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

/* Builds new tables over the archives that are there, without some of them (in ascending order) and with another one
 * (NULL: none) at the end, with spare room. */
static struct catalog *rebuild(const struct catalog *catalog, const uint32_t *without, uint32_t count,
                               struct index_archive *with)
{
    struct index_archive **all =
        try_alloc((size_t)catalog->archive_count + 1, sizeof(struct index_archive *));
    uint32_t kept = 0, next = 0;
    if (!all)
        return NULL;
    for (uint32_t i = 0; i < catalog->archive_count; i++) {
        const bool is_out = next < count && without[next] == i;
        next += is_out;
        if (!is_out && tables_has_archive(catalog, i))
            all[kept++] = catalog->archives[i];
    }
    if (with)
        all[kept++] = with;
    struct catalog *made =
        catalog_new(all, kept, catalog->path_count, catalog, catalog->shipped, catalog->shipped_count);
    free(all);
    return made;
}

static struct catalog *share(const struct catalog *catalog)
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
    uint32_t counts[ASSET_KIND_COUNT] = {0};
    count_assets(archive, counts);
    if (!has_room(catalog, counts))
        return rebuild(catalog, NULL, 0, archive);
    struct catalog *next = share(catalog);
    if (!next)
        return NULL;
    add_archive(next, archive, NULL);
    if (!next->tables->region.failed)
        return next;
    catalog_give_up(next);
    return NULL;
}

/* --------------------------------------------------------------------------------------------- removing -- */

/* Whether so much is gone that new tables cost little per removal. */
static bool is_sparse(const struct catalog *catalog)
{
    enum { LEAST = 64, ITEMS = 16 };
    const uint64_t gone = catalog->archive_count - catalog->archives_present;
    uint64_t items = 0;
    for (int kind = 0; kind < ASSET_KIND_COUNT; kind++)
        items += catalog->lists[kind].present;
    return gone > catalog->archives_present / 2 + LEAST && gone > items / ITEMS;
}

/* Marks what only this archive has as gone, and the rest of it as not whole. */
static void mark_gone(struct catalog *catalog, uint32_t index)
{
    struct asset_walk walk = {.archive = catalog->archives[index]};
    while (next_asset(&walk)) {
        struct catalog_list *list = &catalog->lists[walk.asset->kind];
        uint32_t found;
        if (!find_raw(catalog, walk.asset->kind, &walk.asset->id, &found))
            continue;
        struct catalog_item *item = &list->items[found];
        if (tables_first_of(catalog, item))
            continue;
        atomic_store_explicit(&item->gone, catalog->generation, memory_order_release);
        list->present--;
    }
}

void catalog_forget(const struct catalog *catalog, uint32_t index)
{
    struct asset_walk walk = {.archive = catalog->archives[index]};
    if (!catalog->memo)
        return;
    while (next_asset(&walk)) {
        uint32_t found;
        if (find_raw(catalog, walk.asset->kind, &walk.asset->id, &found))
            atomic_store_explicit(&catalog->lists[walk.asset->kind].items[found].whole, 0,
                                  memory_order_release);
        memo_left(catalog->memo, miss_of_asset(walk.asset->kind, &walk.asset->id));
    }
    memo_left_archive(catalog->memo, &catalog->archive_ids[index], catalog->archives[index]->name);
}

/* Takes one archive out of a draft; false if out of memory. */
static bool take_out(struct catalog *draft, uint32_t index)
{
    struct catalog_retired *retired = try_alloc(1, sizeof *retired);
    if (!retired)
        return false;
    const struct asset_id digest = catalog_archive_digest(draft, index);
    *retired = (struct catalog_retired){.index = index, .gone = draft->generation, .next = draft->removed};
    draft->removed = retired;
    atomic_store_explicit(&draft->archives_gone[index], draft->generation, memory_order_release);
    draft->archives_present--;
    count_digest(draft, &digest, false);
    discount_held(draft, index);
    mark_gone(draft, index);
    return true;
}

/* Takes back a removal. The items that it marked are those that have its generation. */
static void put_back(struct catalog *draft, const struct catalog_retired *removed)
{
    struct asset_walk walk = {.archive = draft->archives[removed->index]};
    atomic_store_explicit(&draft->archives_gone[removed->index], 0, memory_order_release);
    atomic_fetch_add(&draft->tables->held, draft->uses[removed->index].weight);
    while (next_asset(&walk)) {
        const struct asset_id *id = &walk.asset->id;
        const struct catalog_list *list = &draft->lists[walk.asset->kind];
        for (uint32_t slot = tables_slot_of(id, list->slot_count); list->slots[slot];
             slot = (slot + 1) & (list->slot_count - 1)) {
            struct catalog_item *item = &list->items[list->slots[slot] - 1];
            if (id_equal(&item->id, id) && item->gone == draft->generation)
                atomic_store_explicit(&item->gone, 0, memory_order_release);
        }
    }
}

static void put_all_back(struct catalog *draft)
{
    while (draft->removed) {
        struct catalog_retired *removed = draft->removed;
        put_back(draft, removed);
        draft->removed = removed->next;
        free(removed);
    }
}

struct catalog *catalog_remove_all(const struct catalog *catalog, const uint32_t *archives, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        catalog_forget(catalog, archives[i]);
    if (is_sparse(catalog) || catalog->tables->archive_count != catalog->archive_count)
        return rebuild(catalog, archives, count, NULL);
    struct catalog *next = share(catalog);
    bool done = next;
    for (uint32_t i = 0; done && i < count; i++)
        done = take_out(next, archives[i]);
    if (done || !next)
        return next;
    put_all_back(next);
    catalog_unref(next);
    return NULL;
}

struct catalog *catalog_remove(const struct catalog *catalog, uint32_t archive)
{
    return catalog_remove_all(catalog, &archive, 1);
}

/* The place of the last archive stays empty. */
static void drop_last(struct catalog *draft)
{
    struct catalog_tables *tables = draft->tables;
    const uint32_t index = draft->archive_count - 1;
    pthread_mutex_lock(&tables->lock);
    struct index_archive *archive = draft->archives[index];
    draft->archives[index] = NULL;
    discount_held(draft, index);
    pthread_mutex_unlock(&tables->lock);
    index_archive_unref(archive);
}

void catalog_give_up(struct catalog *draft)
{
    if (!draft)
        return;
    struct catalog_tables *tables = draft->tables;
    const bool is_shared = atomic_load_explicit(&tables->references, memory_order_relaxed) > 1;
    if (draft->removed) {
        put_all_back(draft);
    } else if (is_shared && draft->older && draft->archive_count > draft->older->archive_count) {
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
        for (uint32_t i = 0; i < tables->archive_count; i++)
            index_archive_unref(catalog->archives[i]);
        pthread_mutex_destroy(&tables->lock);
        region_release(&tables->region);
        free(tables);
    }
    free(catalog);
}
