/* Builds snapshots: anew, and by appending to the one before. */
#include "server/library/snapshot/tables.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

bool tables_next_asset(struct asset_walk *walk)
{
    for (; walk->position < index_present(walk->archive); walk->position++, walk->next = 0) {
        walk->entry = index_slot(walk->archive, walk->position);
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

/* A power of two, so that at most three quarters of the slots are used: an id that comes again has one slot. */
static uint32_t slots_for(uint32_t most)
{
    uint32_t count = 16;
    while (count < most + most / 3 + 1 && count < UINT32_MAX / 4)
        count *= 2;
    return count;
}

/* Counts the assets of an archive by their kinds. */
static void count_assets(const struct index_archive *archive, uint32_t counts[ASSET_KIND_COUNT])
{
    struct asset_walk walk = {.archive = archive};
    while (tables_next_asset(&walk))
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

bool tables_find(const struct catalog *catalog, enum asset_kind kind, const struct asset_id *id,
                 uint32_t *index)
{
    const uint32_t found = tables_number(catalog, &catalog->lists[kind], id);
    *index = found - 1;
    return found;
}

struct catalog_item *tables_add_item(struct catalog *catalog, const struct index_asset *asset,
                                     struct catalog_place place, const struct catalog_item *old)
{
    const enum asset_kind kind = asset->kind;
    struct catalog_list *list = &catalog->lists[kind];
    atomic_uint *slot = tables_slot(list, &asset->id);
    struct catalog_item *item = &tables_items(list)[list->count++];
    list->present++;
    item->id = asset->id;
    item->asset = asset;
    item->place = place;
    item->number = old ? old->number : catalog->next_number++;
    item->older = atomic_load_explicit(slot, memory_order_relaxed);
    atomic_init(&item->gone, 0);
    atomic_init(&item->whole, 0);
    atomic_init(&item->places, NULL);
    atomic_init(&item->skeleton, INT64_MIN);
    list->is_in_order &= list->count < 2 || item[-1].number < item->number;
    if (kind != ASSET_CLIP && place.archive < catalog->path_count)
        list->of_paths[list->of_paths_count++] = list->count - 1;
    atomic_store_explicit(slot, list->count, memory_order_release);
    return item;
}

static void add_item(struct catalog *catalog, const struct index_asset *asset, struct catalog_place place,
                     const struct catalog *before)
{
    const enum asset_kind kind = asset->kind;
    const struct asset_id *id = &asset->id;
    struct catalog_list *list = &catalog->lists[kind];
    const uint32_t number = tables_number(catalog, list, id);
    if (number) {
        struct catalog_item *item = &tables_items(list)[number - 1];
        const struct catalog_places *block = tables_places_of(item);
        const uint32_t count = block ? atomic_load(&((struct catalog_places *)(uintptr_t)block)->count) : 1;
        const struct catalog_place last = block ? block->places[count - 1] : item->place;
        /* A file may contain the same asset twice. */
        if (last.archive != place.archive || last.entry != place.entry)
            add_place(&catalog->tables->region, item, asset, place);
        return;
    }
    uint32_t old_index = 0;
    const bool is_old = before && tables_find(before, kind, id, &old_index);
    const struct catalog_item *old = is_old ? &tables_items(&before->lists[kind])[old_index] : NULL;
    struct catalog_item *item = tables_add_item(catalog, asset, place, old);
    atomic_init(&item->whole, old && before->memo && catalog_is_whole(before, old) ? catalog->generation : 0);
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
    const bool has_paths = catalog->path_sums[0] || catalog->path_sums[1];
    catalog->paths = has_paths ? id_quick(NULL, catalog->path_sums, sizeof catalog->path_sums) : none;
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

/* The digest is the sum of what archives add to it, so the others are not read. */
void tables_count_digest(struct catalog *catalog, uint32_t index, bool is_added)
{
    const struct asset_id digest = catalog_archive_digest(catalog, index);
    uint64_t parts[2];
    memcpy(parts, digest.bytes, sizeof parts);
    for (int i = 0; i < 2; i++) {
        const uint64_t part = is_added ? parts[i] : 0 - parts[i];
        catalog->sums[i] += part;
        if (index < catalog->path_count)
            catalog->path_sums[i] += part;
    }
    refresh_digest(catalog);
}

static void set_archive(struct catalog *catalog, uint32_t index, struct index_archive *archive)
{
    struct catalog_use *use = &catalog->uses[index];
    catalog->archives[index] = catalog->tables->owned[index] = archive;
    catalog->archive_ids[index] = archive->id;
    atomic_store_explicit(&use->is_used, true, memory_order_relaxed);
    use->weight = archive->weight < UINT32_MAX ? (uint32_t)archive->weight : UINT32_MAX;
    atomic_fetch_add(&catalog->tables->held, use->weight);
    index_archive_ref(archive);
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
    tables_count_digest(catalog, index, true);
    while (tables_next_asset(&walk)) {
        add_item(catalog, walk.asset, (struct catalog_place){index, walk.entry}, before);
        if (walk.asset->kind == ASSET_CLIP)
            catalog_names_add(&catalog->names, walk.asset->name, &walk.asset->id, index, walk.entry);
    }
}

struct catalog_block *tables_new_block(uint32_t capacity, const struct catalog *before)
{
    struct catalog_block *block = try_alloc(1, sizeof *block);
    if (!block)
        return NULL;
    atomic_init(&block->references, 1);
    block->archives = try_alloc(capacity, sizeof(struct index_archive *));
    block->ids = try_alloc(capacity, sizeof *block->ids);
    if (!block->archives || !block->ids) {
        tables_unref_block(block);
        return NULL;
    }
    const size_t count = before ? before->archive_count : 0;
    if (count) {
        memcpy(block->archives, before->archives, count * sizeof(struct index_archive *));
        memcpy(block->ids, before->archive_ids, count * sizeof *block->ids);
    }
    return block;
}

void tables_unref_block(struct catalog_block *block)
{
    if (!block || atomic_fetch_sub_explicit(&block->references, 1, memory_order_acq_rel) != 1)
        return;
    free(block->archives);
    free(block->ids);
    free(block);
}

/* What grows with the assets, and of which little is looked at. */
static void make_lists(struct catalog *catalog, const uint32_t counts[ASSET_KIND_COUNT], bool to_grow)
{
    struct catalog_tables *tables = catalog->tables;
    struct region *region = &tables->region;
    for (int kind = 0; kind < ASSET_KIND_COUNT; kind++) {
        struct catalog_list *list = &catalog->lists[kind];
        tables->capacities[kind] = room_for(counts[kind], to_grow);
        list->is_in_order = true;
        list->items =
            (struct catalog_items *)(void *)REGION_NEW(region, struct catalog_item, tables->capacities[kind]);
        if (kind != ASSET_CLIP)
            list->of_paths = REGION_NEW(region, uint32_t, tables->capacities[kind]);
    }
}

/* Empty tables; false if out of memory. */
static bool make_tables(struct catalog *catalog, uint32_t archive_count,
                        const uint32_t counts[ASSET_KIND_COUNT], bool to_grow, bool spills)
{
    struct catalog_tables *tables = catalog->tables;
    struct region *region = &tables->region;
    tables->archive_capacity = room_for(archive_count, to_grow);
    tables->owned = REGION_NEW(region, struct index_archive *, tables->archive_capacity);
    catalog->block = tables_new_block(tables->archive_capacity, NULL);
    if (!catalog->block)
        return false;
    catalog->archives = catalog->block->archives;
    catalog->archive_ids = catalog->block->ids;
    catalog->uses = REGION_NEW(region, struct catalog_use, tables->archive_capacity);
    catalog->archive_numbers = REGION_NEW(region, uint64_t, tables->archive_capacity);
    catalog->archives_gone = REGION_NEW(region, _Atomic uint64_t, tables->archive_capacity);
    catalog->archive_slot_count = slots_for(tables->archive_capacity);
    catalog->archive_slots = REGION_NEW(region, atomic_uint, catalog->archive_slot_count);
    for (int kind = 0; kind < ASSET_KIND_COUNT; kind++) {
        struct catalog_list *list = &catalog->lists[kind];
        list->slot_count = slots_for(room_for(counts[kind], to_grow));
        list->slots = REGION_NEW(region, atomic_uint, list->slot_count);
    }
    region->spills = spills; /* from here on */
    make_lists(catalog, counts, to_grow);
    tables->name_capacity = tables->capacities[ASSET_CLIP];
    catalog_names_init(&catalog->names, region, tables->name_capacity);
    return !region->failed;
}

/* Whether so much is of PATHs that it need not stay in memory. */
static bool is_worth_spilling(const uint32_t counts[ASSET_KIND_COUNT])
{
    enum { MANY = 1000 };
    uint64_t sum = 0;
    for (int kind = 0; kind < ASSET_KIND_COUNT; kind++)
        sum += counts[kind];
    return sum > MANY;
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
    bool spills = false;
    for (uint32_t i = 0; i < count; i++) {
        count_assets(archives[i], counts);
        spills |= i < making->path_count && is_worth_spilling(counts);
    }
    bool done = make_tables(catalog, count, counts, before, spills);
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
                !tables->is_spoilt && catalog->archive_count < tables->archive_capacity &&
                counts[ASSET_CLIP] <= tables->name_capacity - catalog->names.count;
    for (int kind = 0; kind < ASSET_KIND_COUNT; kind++)
        fits = fits && counts[kind] <= tables->capacities[kind] - catalog->lists[kind].count;
    return fits;
}

/* Builds new tables over the archives that are there, without some of them (in ascending order) and with another one
 * (NULL: none) at the end, with spare room. */
struct catalog *tables_rebuild(const struct catalog *catalog, const uint32_t *without, uint32_t count,
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
    atomic_fetch_add_explicit(&next->block->references, 1, memory_order_relaxed);
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
        return tables_rebuild(catalog, NULL, 0, archive);
    struct catalog *next = tables_share(catalog);
    if (!next)
        return NULL;
    add_archive(next, archive, NULL);
    if (!next->tables->region.failed)
        return next;
    catalog_give_up(next);
    return NULL;
}
