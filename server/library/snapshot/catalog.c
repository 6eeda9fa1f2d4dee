#include "server/library/catalog.h"

#include "server/library/entry/describe.h"
#include "server/library/entry/summary.h"
#include "server/library/snapshot/tables.h"

#include <string.h>

/* ------------------------------------------------------------------------------------------- by id -------- */

static uint32_t slot_of(const struct asset_id *id, uint32_t slot_count)
{
    uint32_t hash;
    memcpy(&hash, id->bytes, sizeof hash);
    return hash & (slot_count - 1);
}

static bool is_gone(const _Atomic uint64_t *gone, uint64_t generation)
{
    const uint64_t since = atomic_load_explicit(gone, memory_order_acquire);
    return since && since <= generation;
}

bool tables_has_archive(const struct catalog *catalog, uint32_t index)
{
    return index < catalog->archive_count && !is_gone(&catalog->archives_gone[index], catalog->generation);
}

const struct index_archive *catalog_archive(const struct catalog *catalog, uint32_t index)
{
    return tables_has_archive(catalog, index) ? catalog->archives[index] : NULL;
}

struct index_archive **catalog_list_archives(const struct catalog *catalog, uint32_t *count)
{
    struct index_archive **all =
        try_alloc((size_t)catalog->archive_count + 1, sizeof(struct index_archive *));
    *count = 0;
    for (uint32_t i = 0; all && i < catalog->archive_count; i++) {
        if (tables_has_archive(catalog, i))
            all[(*count)++] = catalog->archives[i];
    }
    return all;
}

atomic_uint *tables_slot(const struct catalog_list *list, const struct asset_id *id)
{
    for (uint32_t slot = slot_of(id, list->slot_count);; slot = (slot + 1) & (list->slot_count - 1)) {
        const uint32_t number = atomic_load_explicit(&list->slots[slot], memory_order_acquire);
        if (!number || id_equal(&tables_items(list)[number - 1].id, id))
            return &list->slots[slot];
    }
}

/* Numbers beyond the count belong to a later snapshot. */
uint32_t tables_number(const struct catalog *catalog, const struct catalog_list *list,
                       const struct asset_id *id)
{
    uint32_t number = atomic_load_explicit(tables_slot(list, id), memory_order_acquire);
    while (number &&
           (number > list->count || is_gone(&tables_items(list)[number - 1].gone, catalog->generation)))
        number = tables_items(list)[number - 1].older;
    return number;
}

struct catalog_item *catalog_next_of_paths(const struct catalog *catalog, enum asset_kind kind,
                                           uint32_t *next)
{
    const struct catalog_list *list = &catalog->lists[kind];
    while (*next < list->of_paths_count) {
        struct catalog_item *item = &tables_items(list)[list->of_paths[(*next)++]];
        if (!is_gone(&item->gone, catalog->generation))
            return item;
    }
    return NULL;
}

const struct index_entry *catalog_entry(const struct catalog *catalog, struct catalog_place place)
{
    return catalog->archives[place.archive]->entries[place.entry];
}

struct asset_id catalog_archive_digest(const struct catalog *catalog, uint32_t index)
{
    const struct index_archive *archive = catalog->archives[index];
    if (index >= catalog->path_count)
        return archive->digest;
    /* Its place is that of its PATH, and of its path below that. */
    const struct asset_id digest = id_quick(&archive->digest, archive->path, strlen(archive->path));
    return id_quick(&digest, &archive->ordinal, sizeof archive->ordinal);
}

int64_t catalog_created(const struct catalog *catalog, const struct catalog_item *item)
{
    const struct index_archive *archive = catalog->archives[item->place.archive];
    const struct file_stamp *stamp = &catalog_entry(catalog, item->place)->stamp;
    return stamp->modified_ns && item->place.archive < catalog->path_count ? stamp->modified_ns / 1000000
                                                                           : archive->created_ms;
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

struct catalog_places *tables_places_of(const struct catalog_item *item)
{
    struct catalog_item *changing = (struct catalog_item *)(uintptr_t)item;
    return atomic_load_explicit(&changing->places, memory_order_acquire);
}

/* The item at the i-th place of the block. */
static struct catalog_item *item_of(const struct catalog_places *block, uint32_t i)
{
    return i ? &block->others[i - 1] : block->first;
}

bool catalog_next_place(const struct catalog *catalog, const struct catalog_item *item,
                        struct place_walk *walk)
{
    struct catalog_places *block = tables_places_of(item);
    const uint32_t count = block ? atomic_load_explicit(&block->count, memory_order_acquire) : 1;
    while (walk->next < count) {
        walk->place = block ? block->places[walk->next] : item->place;
        walk->item = block ? item_of(block, walk->next) : item;
        walk->next++;
        if (tables_has_archive(catalog, walk->place.archive))
            return true;
    }
    return false;
}

static bool is_at(const struct catalog_item *item, struct catalog_place place)
{
    return item->place.archive == place.archive && item->place.entry == place.entry;
}

struct catalog_item *catalog_item_at(struct catalog_item *item, struct catalog_place place)
{
    struct catalog_places *block = tables_places_of(item);
    uint32_t count = block ? atomic_load_explicit(&block->count, memory_order_acquire) : 0;
    for (uint32_t i = 0; i < count; i++) {
        if (block->places[i].archive == place.archive && block->places[i].entry == place.entry)
            return item_of(block, i);
    }
    return !block && is_at(item, place) ? item : NULL;
}

struct catalog_item *catalog_item_in(struct catalog_item *item, uint32_t archive)
{
    struct catalog_places *block = tables_places_of(item);
    uint32_t count = block ? atomic_load_explicit(&block->count, memory_order_acquire) : 0;
    for (uint32_t i = 0; i < count; i++) {
        if (block->places[i].archive == archive)
            return item_of(block, i);
    }
    return !block && item->place.archive == archive ? item : NULL;
}

struct catalog_item *tables_first_of(const struct catalog *catalog, struct catalog_item *item)
{
    struct catalog_places *block = tables_places_of(item);
    const uint32_t count = block ? atomic_load_explicit(&block->count, memory_order_acquire) : 0;
    if (tables_has_archive(catalog, item->place.archive))
        return item;
    for (uint32_t i = 1; i < count; i++) {
        if (tables_has_archive(catalog, block->places[i].archive))
            return item_of(block, i);
    }
    return NULL;
}

/* ------------------------------------------------------------------------------------------------ misses -- */

bool catalog_is_whole(const struct catalog *catalog, const struct catalog_item *item)
{
    const uint64_t since = atomic_load_explicit(&item->whole, memory_order_acquire);
    return !catalog->memo || (since && since <= catalog->generation);
}

void catalog_use(const struct catalog *catalog, uint32_t archive)
{
    struct catalog_use *used = &catalog->uses[archive];
    if (archive >= catalog->path_count && !atomic_load_explicit(&used->is_used, memory_order_relaxed))
        atomic_store_explicit(&used->is_used, true, memory_order_relaxed);
}

/* Whether all of an asset that is not whole is there nevertheless; otherwise it is missed. */
static bool is_settled(const struct catalog *catalog, enum asset_kind kind, const struct asset_id *id)
{
    return !catalog->memo || miss(catalog->memo, miss_of_asset(kind, id), catalog->generation);
}

/* The item as it is seen; NULL if it is missed. */
static struct catalog_item *seen(const struct catalog *catalog, enum asset_kind kind,
                                 struct catalog_item *item)
{
    if (!catalog_is_whole(catalog, item) && !is_settled(catalog, kind, &item->id))
        return NULL;
    struct catalog_item *first = tables_first_of(catalog, item);
    if (first)
        catalog_use(catalog, first->place.archive);
    return first;
}

struct catalog_item *catalog_listed(const struct catalog *catalog, enum asset_kind kind, uint32_t index)
{
    struct catalog_item *item = &tables_items(&catalog->lists[kind])[index];
    return is_gone(&item->gone, catalog->generation) ? NULL : seen(catalog, kind, item);
}

struct catalog_item *catalog_next(const struct catalog *catalog, enum asset_kind kind, uint32_t *next)
{
    while (*next < catalog->lists[kind].count) {
        struct catalog_item *item = catalog_listed(catalog, kind, (*next)++);
        if (item)
            return item;
    }
    return NULL;
}

struct catalog_item *catalog_first(const struct catalog *catalog, enum asset_kind kind)
{
    uint32_t next = 0;
    return catalog_next(catalog, kind, &next);
}

uint32_t catalog_skeleton_index(const struct catalog *catalog, const struct catalog_item *item)
{
    return (uint32_t)(item - tables_items(&catalog->lists[ASSET_SKELETON]));
}

/* The item of an id as it is in the tables; NULL if there is none. */
static struct catalog_item *item_of_id(const struct catalog *catalog, enum asset_kind kind,
                                       const struct asset_id *id)
{
    const struct catalog_list *list = &catalog->lists[kind];
    const uint32_t found = tables_number(catalog, list, id);
    return found ? &tables_items(list)[found - 1] : NULL;
}

struct catalog_item *catalog_find_index(const struct catalog *catalog, enum asset_kind kind,
                                        const struct asset_id *id, uint32_t *index)
{
    struct catalog_item *item = item_of_id(catalog, kind, id);
    if (!item) {
        is_settled(catalog, kind, id);
        return NULL;
    }
    if (index)
        *index = (uint32_t)(item - tables_items(&catalog->lists[kind]));
    return seen(catalog, kind, item);
}

struct catalog_item *catalog_at_hand(const struct catalog *catalog, enum asset_kind kind,
                                     const struct asset_id *id)
{
    struct catalog_item *item = item_of_id(catalog, kind, id);
    return item ? tables_first_of(catalog, item) : NULL;
}

struct catalog_item *catalog_find_at(const struct catalog *catalog, enum asset_kind kind,
                                     const struct asset_id *id, struct catalog_place place)
{
    struct catalog_item *item = item_of_id(catalog, kind, id);
    return item && catalog_archive(catalog, place.archive) ? catalog_item_at(item, place) : NULL;
}

struct catalog_item *catalog_find(const struct catalog *catalog, enum asset_kind kind,
                                  const struct asset_id *id)
{
    return catalog_find_index(catalog, kind, id, NULL);
}

const struct catalog_named *catalog_next_named(const struct catalog *catalog, const char *name,
                                               const struct catalog_named *before)
{
    const struct catalog_named *named =
        before ? catalog_names_next(&catalog->names, before) : catalog_names_first(&catalog->names, name);
    while (named && (!tables_has_archive(catalog, named->archive) ||
                     is_gone(&named->gone, catalog->generation) || strcmp(named->name, name) != 0))
        named = catalog_names_next(&catalog->names, named);
    return named;
}

const char *catalog_morph_name(const struct catalog *catalog, struct catalog_place clip, uint32_t hash)
{
    const char *own = index_morph_name(catalog->archives + clip.archive, 1, hash);
    return own ? own : index_morph_name(catalog->archives, catalog->path_count, hash);
}

/* The slot of that archive, or the empty slot for it. */
atomic_uint *tables_archive_slot(const struct catalog *catalog, const struct asset_id *id)
{
    const uint32_t mask = catalog->archive_slot_count - 1;
    for (uint32_t slot = slot_of(id, catalog->archive_slot_count);; slot = (slot + 1) & mask) {
        const uint32_t number = atomic_load_explicit(&catalog->archive_slots[slot], memory_order_acquire);
        /* What is beyond the count is of a later snapshot, or of one that was given up. */
        if (!number || (number <= catalog->archive_count && id_equal(&catalog->archive_ids[number - 1], id) &&
                        tables_has_archive(catalog, number - 1)))
            return &catalog->archive_slots[slot];
    }
}

bool catalog_has_archive(const struct catalog *catalog, const struct asset_id *id, uint32_t *index)
{
    const uint32_t found = atomic_load_explicit(tables_archive_slot(catalog, id), memory_order_acquire);
    if (!found || found > catalog->archive_count)
        return false;
    *index = found - 1;
    return true;
}

const struct index_archive *catalog_find_archive(const struct catalog *catalog, const struct asset_id *id,
                                                 uint32_t *index)
{
    uint32_t found;
    if (!catalog_has_archive(catalog, id, &found)) {
        if (catalog->memo)
            miss(catalog->memo, miss_of_archive(id), catalog->generation);
        return NULL;
    }
    catalog_use(catalog, found);
    if (index)
        *index = found;
    return catalog->archives[found];
}

struct asset_id catalog_reach(const struct catalog *catalog, uint32_t archive)
{
    if (archive >= catalog->archive_count)
        return catalog->paths;
    return id_quick(&catalog->paths, &catalog->archives[archive]->digest, sizeof catalog->paths);
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
