#include "server/library/catalog.h"

#include "server/library/index/describe.h"
#include "server/library/index/entry.h"

#include <stdlib.h>
#include <string.h>

/* Shared by consecutive snapshots: all arrays, and references to the archives. */
struct catalog_tables {
    atomic_uint references;
    struct region region;
    uint32_t archive_count, archive_capacity; /* of the latest snapshot */
    uint32_t capacities[ASSET_KIND_COUNT], name_capacity;
};

/* ------------------------------------------------------------------------------------------- by id -------- */

static uint32_t slot_of(const struct asset_id *id, uint32_t slot_count)
{
    uint32_t hash;
    memcpy(&hash, id->bytes, sizeof hash);
    return hash & (slot_count - 1);
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

/* The slot of that id, or the empty slot for it. Numbers beyond the count belong to a later snapshot. */
static atomic_uint *find_slot(const struct catalog_list *list, const struct asset_id *id)
{
    for (uint32_t slot = slot_of(id, list->slot_count);; slot = (slot + 1) & (list->slot_count - 1)) {
        const uint32_t number = atomic_load_explicit(&list->slots[slot], memory_order_acquire);
        if (!number || (number <= list->count && id_equal(&list->items[number - 1].asset->id, id)))
            return &list->slots[slot];
    }
}

struct catalog_item *catalog_find(const struct catalog *catalog, enum asset_kind kind,
                                  const struct asset_id *id)
{
    const struct catalog_list *list = &catalog->lists[kind];
    const uint32_t found = atomic_load_explicit(find_slot(list, id), memory_order_acquire);
    return found && found <= list->count ? &list->items[found - 1] : NULL;
}

const struct index_entry *catalog_entry(const struct catalog *catalog, struct catalog_place place)
{
    return catalog->archives[place.archive]->entries[place.entry];
}

bool catalog_is_called(const struct catalog *catalog, const struct catalog_item *item, const char *name,
                       size_t length)
{
    char id[ID_TEXT];
    const char *names[] = {item->asset->name, catalog_entry(catalog, item->place)->name, id};
    id_write(&item->asset->id, id);
    for (int i = 0; i < 3; i++) {
        if (strlen(names[i]) == length && !memcmp(names[i], name, length))
            return true;
    }
    return false;
}

bool catalog_reaches(const struct catalog *catalog, struct catalog_place from, struct catalog_place to)
{
    return to.archive == from.archive || to.archive < catalog->path_count;
}

static struct catalog_places *places_of(const struct catalog_item *item)
{
    struct catalog_item *changing = (struct catalog_item *)(uintptr_t)item;
    return atomic_load_explicit(&changing->places, memory_order_acquire);
}

struct place_list catalog_places(const struct catalog *catalog, const struct catalog_item *item)
{
    struct catalog_places *block = places_of(item);
    if (!block)
        return (struct place_list){1, &item->place};
    uint32_t count = atomic_load_explicit(&block->count, memory_order_acquire);
    while (count > 1 && block->places[count - 1].archive >= catalog->archive_count)
        count--;
    return (struct place_list){count, block->places};
}

/* The item at the i-th place of the block. */
static struct catalog_item *item_of(struct catalog_item *item, struct catalog_places *block, uint32_t i)
{
    return i ? &block->others[i - 1] : item;
}

static bool is_at(const struct catalog_item *item, struct catalog_place place)
{
    return item->place.archive == place.archive && item->place.entry == place.entry;
}

struct catalog_item *catalog_item_at(struct catalog_item *item, struct catalog_place place)
{
    struct catalog_places *block = places_of(item);
    uint32_t count = block ? atomic_load_explicit(&block->count, memory_order_acquire) : 0;
    for (uint32_t i = 0; i < count; i++) {
        if (block->places[i].archive == place.archive && block->places[i].entry == place.entry)
            return item_of(item, block, i);
    }
    return !block && is_at(item, place) ? item : NULL;
}

struct catalog_item *catalog_item_in(struct catalog_item *item, uint32_t archive)
{
    struct catalog_places *block = places_of(item);
    uint32_t count = block ? atomic_load_explicit(&block->count, memory_order_acquire) : 0;
    for (uint32_t i = 0; i < count; i++) {
        if (block->places[i].archive == archive)
            return item_of(item, block, i);
    }
    return !block && item->place.archive == archive ? item : NULL;
}

const char *catalog_morph_name(const struct catalog *catalog, struct catalog_place clip, uint32_t hash)
{
    const char *own = index_morph_name(catalog->archives + clip.archive, 1, hash);
    return own ? own : index_morph_name(catalog->archives, catalog->path_count, hash);
}

/* The slot of that archive, or the empty slot for it. */
static atomic_uint *find_archive_slot(const struct catalog *catalog, const struct asset_id *id)
{
    const uint32_t mask = catalog->archive_slot_count - 1;
    for (uint32_t slot = slot_of(id, catalog->archive_slot_count);; slot = (slot + 1) & mask) {
        const uint32_t number = atomic_load_explicit(&catalog->archive_slots[slot], memory_order_acquire);
        if (!number || (number <= catalog->archive_count && id_equal(&catalog->archives[number - 1]->id, id)))
            return &catalog->archive_slots[slot];
    }
}

const struct index_archive *catalog_find_archive(const struct catalog *catalog, const struct asset_id *id,
                                                 uint32_t *index)
{
    const uint32_t found = atomic_load_explicit(find_archive_slot(catalog, id), memory_order_acquire);
    if (!found || found > catalog->archive_count)
        return NULL;
    if (index)
        *index = found - 1;
    return catalog->archives[found - 1];
}

/* --------------------------------------------------------------------------------------------- building -- */

static void count_assets(const struct index_archive *archive, uint32_t counts[ASSET_KIND_COUNT])
{
    for (uint32_t e = 0; e < archive->entry_count; e++) {
        for (uint32_t i = 0; i < archive->entries[e]->asset_count; i++)
            counts[archive->entries[e]->assets[i].kind]++;
    }
}

/* A block with twice the capacity, or the first one with two places. Doubling keeps the total cost linear.
 * Readers may keep using the old block. */
static struct catalog_places *grow_places(struct region *region, struct catalog_item *item)
{
    struct catalog_places *old = places_of(item), *block = REGION_NEW(region, struct catalog_places, 1);
    uint32_t count = old ? atomic_load_explicit(&old->count, memory_order_relaxed) : 1;
    if (!block)
        return NULL;
    block->capacity = count * 2;
    block->places = REGION_NEW(region, struct catalog_place, block->capacity);
    block->others = REGION_NEW(region, struct catalog_item, block->capacity - 1);
    if (!block->places || !block->others)
        return NULL;
    memcpy(block->places, old ? old->places : &item->place, count * sizeof *block->places);
    for (uint32_t i = 0; i + 1 < count; i++) {
        struct catalog_item *other = &block->others[i];
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
    struct catalog_places *old = places_of(item);
    uint32_t count = old ? atomic_load_explicit(&old->count, memory_order_relaxed) : 1;
    struct catalog_places *block = old && count < old->capacity ? old : grow_places(region, item);
    if (!block)
        return;
    struct catalog_item *other = &block->others[count - 1];
    other->asset = asset;
    other->place = place;
    other->number = item->number;
    atomic_init(&other->places, block);
    atomic_init(&other->skeleton, INT64_MIN);
    block->places[count] = place;
    atomic_store_explicit(&block->count, count + 1, memory_order_release);
    atomic_store_explicit(&item->places, block, memory_order_release);
}

static void add_item(struct catalog *catalog, const struct index_asset *asset, struct catalog_place place,
                     const struct catalog *before)
{
    struct catalog_list *list = &catalog->lists[asset->kind];
    atomic_uint *slot = find_slot(list, &asset->id);
    const uint32_t number = atomic_load_explicit(slot, memory_order_relaxed);
    if (number) {
        struct catalog_item *item = &list->items[number - 1];
        const struct catalog_places *block = places_of(item);
        const uint32_t count = block ? atomic_load(&((struct catalog_places *)(uintptr_t)block)->count) : 1;
        const struct catalog_place last = block ? block->places[count - 1] : item->place;
        /* A file may contain the same asset twice. */
        if (last.archive != place.archive || last.entry != place.entry)
            add_place(&catalog->tables->region, item, asset, place);
        return;
    }
    const struct catalog_item *old = before ? catalog_find(before, asset->kind, &asset->id) : NULL;
    struct catalog_item *item = &list->items[list->count++];
    item->asset = asset;
    item->place = place;
    item->number = old ? old->number : catalog->next_number++;
    atomic_init(&item->places, NULL);
    atomic_init(&item->skeleton, INT64_MIN);
    list->is_in_order &= list->count < 2 || item[-1].number < item->number;
    atomic_store_explicit(slot, list->count, memory_order_release);
}

/* The same archive may be listed twice: it then has one number, and is found at its first place. */
static void number_archive(struct catalog *catalog, uint32_t index, const struct catalog *before)
{
    const struct asset_id *id = &catalog->archives[index]->id;
    uint32_t old;
    atomic_uint *slot = find_archive_slot(catalog, id);
    const uint32_t first = atomic_load_explicit(slot, memory_order_relaxed);
    if (first) {
        catalog->archive_numbers[index] = catalog->archive_numbers[first - 1];
        return;
    }
    const bool is_old = before && catalog_find_archive(before, id, &old);
    catalog->archive_numbers[index] = is_old ? before->archive_numbers[old] : catalog->next_number++;
    atomic_store_explicit(slot, index + 1, memory_order_release);
}

/* The digest is computed from the archives' own digests, so unchanged archives are not read again. The
 * order of the PATHs matters. */
static void add_digest(struct catalog *catalog, uint32_t index)
{
    uint64_t parts[2];
    struct asset_id digest = catalog->archives[index]->digest;
    if (index < catalog->path_count)
        digest = id_quick(&digest, &index, sizeof index);
    memcpy(parts, digest.bytes, sizeof parts);
    catalog->sums[0] += parts[0];
    catalog->sums[1] += parts[1];
    catalog->digest = id_quick(NULL, catalog->sums, sizeof catalog->sums);
}

/* Appends an archive: there is room for it and all its assets. */
static void add_archive(struct catalog *catalog, struct index_archive *archive, const struct catalog *before)
{
    const uint32_t index = catalog->archive_count;
    catalog->archives[index] = archive;
    index_archive_ref(archive);
    number_archive(catalog, index, before);
    catalog->archive_count = catalog->tables->archive_count = index + 1;
    catalog->has_morphs |= archive->morph_count > 0;
    add_digest(catalog, index);
    for (uint32_t e = 0; e < archive->entry_count; e++) {
        const struct index_entry *entry = archive->entries[e];
        for (uint32_t i = 0; i < entry->asset_count; i++) {
            add_item(catalog, &entry->assets[i], (struct catalog_place){index, e}, before);
            if (entry->assets[i].kind == ASSET_CLIP)
                catalog_names_add(&catalog->names, &entry->assets[i], index, e);
        }
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
    catalog->archive_numbers = REGION_NEW(region, uint64_t, tables->archive_capacity);
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
    catalog->tables = tables;
    catalog->generation = before ? before->generation + 1 : 0;
    catalog->next_number = before ? before->next_number : 0;
    catalog->context = before ? before->context : (struct asset_id){{0}};
    catalog->path_count = path_count;
    catalog->shipped = shipped;
    catalog->shipped_count = shipped_count;
    for (uint32_t i = 0; i < count; i++)
        count_assets(archives[i], counts);
    bool done = make_tables(catalog, count, counts, before);
    for (uint32_t i = 0; done && i < count; i++)
        add_archive(catalog, archives[i], before);
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

/* Builds new tables over all archives, with spare room. */
static struct catalog *rebuild_with(const struct catalog *catalog, struct index_archive *archive)
{
    struct index_archive **all =
        try_alloc((size_t)catalog->archive_count + 1, sizeof(struct index_archive *));
    if (!all)
        return NULL;
    memcpy(all, catalog->archives, catalog->archive_count * sizeof(struct index_archive *));
    all[catalog->archive_count] = archive;
    struct catalog *made = catalog_new(all, catalog->archive_count + 1, catalog->path_count, catalog,
                                       catalog->shipped, catalog->shipped_count);
    free(all);
    return made;
}

struct catalog *catalog_append(const struct catalog *catalog, struct index_archive *archive)
{
    uint32_t counts[ASSET_KIND_COUNT] = {0};
    count_assets(archive, counts);
    if (!has_room(catalog, counts))
        return rebuild_with(catalog, archive);
    struct catalog *next = try_alloc(1, sizeof *next);
    if (!next)
        return NULL;
    /* Everything but the reference count, which other threads change meanwhile. */
    const size_t copied = offsetof(struct catalog, generation);
    memcpy((char *)next + copied, (const char *)catalog + copied, sizeof *next - copied);
    atomic_init(&next->references, 1);
    next->generation++;
    atomic_fetch_add_explicit(&next->tables->references, 1, memory_order_relaxed);
    add_archive(next, archive, NULL);
    if (!next->tables->region.failed)
        return next;
    catalog_give_up(next);
    return NULL;
}

void catalog_give_up(struct catalog *draft)
{
    const bool is_shared =
        draft && atomic_load_explicit(&draft->tables->references, memory_order_relaxed) > 1;
    if (is_shared) {
        struct index_archive **last = &draft->archives[draft->archive_count - 1];
        index_archive_unref(*last);
        *last = NULL;
    }
    catalog_unref(draft);
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
    if (atomic_fetch_sub_explicit(&tables->references, 1, memory_order_acq_rel) == 1) {
        for (uint32_t i = 0; i < tables->archive_count; i++)
            index_archive_unref(catalog->archives[i]);
        region_release(&tables->region);
        free(tables);
    }
    free(catalog);
}

/* --------------------------------------------------------------------------------------------- skeletons -- */

struct skeleton_choice catalog_find_skeleton(const struct catalog *catalog, const struct asset_id *id)
{
    const struct catalog_item *item = catalog_find(catalog, ASSET_SKELETON, id);
    if (item)
        return (struct skeleton_choice){.asset = item->asset, .item = item};
    for (uint32_t i = 0; i < catalog->shipped_count; i++) {
        if (id_equal(&catalog->shipped[i].asset.id, id))
            return (struct skeleton_choice){.asset = &catalog->shipped[i].asset,
                                            .shipped = catalog->shipped[i].document};
    }
    return (struct skeleton_choice){0};
}

/* ---------------------------------------------------------------------------------------------- shipped -- */

/* The id of a built-in skeleton: a hash of its format and contents. */
static struct asset_id shipped_id(const struct pose_document *document)
{
    struct pose_buffer text = {0};
    struct json_writer json;
    jsonw_init(&json, &text);
    jsonw_object(&json, NULL);
    jsonw_string(&json, "name", document->skeletons[0].name);
    describe_skeleton(&json, &document->skeletons[0], document->skeletons[0].axes);
    jsonw_end(&json);
    struct id_hash *hash = id_begin();
    id_text_part(hash, document->format);
    id_part(hash, text.data, text.size);
    pose_buffer_free(&text);
    return id_end(hash);
}

const struct shipped_skeleton *shipped_skeletons(uint32_t *count)
{
    enum { MAX_SHIPPED = 16 };
    static struct shipped_skeleton shipped[MAX_SHIPPED];
    static struct region region;
    static uint32_t made;
    static bool is_made;
    for (unsigned i = 0; !is_made && made < MAX_SHIPPED && pose_stand_in_name(i); i++) {
        struct pose_error error;
        struct pose_document *document = pose_stand_in(i, NULL, &error);
        if (!document)
            continue;
        shipped[made].document = document;
        shipped[made].asset.id = shipped_id(document);
        index_summarise_skeleton(&region, &document->skeletons[0], &shipped[made].asset);
        made++;
    }
    is_made = true;
    *count = made;
    return shipped;
}
