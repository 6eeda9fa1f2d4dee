/*
 * Contents of uploads that leave memory and come back.
 *
 * They leave with a new snapshot: from its generation on they are at rest, and they are freed when no older snapshot is
 * left. They come back without one: whoever saw them at rest may see them now. Contents that are at rest but not freed yet
 * come back as they are, so that nobody ever sees two copies; and others are only made when no reader of the freed ones is
 * left.
 */
#include "server/library/catalog.h"

#include <stdlib.h>

/* ----------------------------------------------------------------------------------------------- turns -- */

static _Thread_local bool must_not_wait, has_missed;

void catalog_turn_begin(bool may_wait)
{
    must_not_wait = !may_wait;
    has_missed = false;
}

bool catalog_turn_end(void)
{
    const bool missed = has_missed;
    must_not_wait = has_missed = false;
    return missed;
}

bool catalog_turn_missed(void)
{
    return has_missed;
}

/* ------------------------------------------------------------------------------------------- coming back -- */

void catalog_loader_init(struct catalog_loader *loader,
                         struct index_archive *(*load)(void *user, struct index_sketch *sketch), void *user)
{
    pthread_mutex_init(&loader->lock, NULL);
    loader->load = load;
    loader->user = user;
}

bool tables_is_at_rest(const struct catalog *catalog, uint32_t index)
{
    const uint64_t since = atomic_load_explicit(&catalog->rests[index].since, memory_order_acquire);
    return since && since <= catalog->generation;
}

/* Sets what items have of the contents at that place, in all blocks that readers may use. */
static void point(struct catalog_item *item, const struct index_asset *asset, struct catalog_place place)
{
    if (item->place.archive == place.archive && item->place.entry == place.entry)
        item->asset = asset;
    for (struct catalog_places *block = tables_places_of(item); block; block = block->older) {
        /* In the order of archives. */
        uint32_t low = 1, high = atomic_load_explicit(&block->count, memory_order_acquire);
        while (low < high) {
            const uint32_t middle = low + (high - low) / 2;
            if (block->places[middle].archive < place.archive)
                low = middle + 1;
            else
                high = middle;
        }
        for (; low < block->count && block->places[low].archive == place.archive; low++) {
            if (block->places[low].entry == place.entry)
                block->others[low - 1].asset = asset;
        }
    }
}

/* Every item of that id: what was gone may have come again behind it. */
static void point_all(const struct catalog *catalog, const struct index_asset *asset,
                      struct catalog_place place)
{
    const struct catalog_list *list = &catalog->lists[asset->kind];
    const uint32_t mask = list->slot_count - 1;
    for (uint32_t slot = tables_slot_of(&asset->id, list->slot_count);; slot = (slot + 1) & mask) {
        const uint32_t number = atomic_load_explicit(&list->slots[slot], memory_order_acquire);
        if (!number)
            return;
        if (id_equal(&list->items[number - 1].id, &asset->id))
            point(&list->items[number - 1], asset, place);
    }
}

/* With the lock of the tables held. */
static void install(const struct catalog *catalog, uint32_t index, struct index_archive *archive)
{
    for (uint32_t e = 0; e < archive->entry_count; e++) {
        /* Of an asset that is twice in an entry the first one counts. */
        for (uint32_t i = archive->entries[e]->asset_count; i-- > 0;)
            point_all(catalog, &archive->entries[e]->assets[i], (struct catalog_place){index, e});
    }
    catalog->archives[index] = archive;
}

/* They are not to be freed any more. */
static void take_from_retired(struct catalog_tables *tables, uint32_t index)
{
    struct catalog_retired **at = &tables->first_retired, *before = NULL;
    while (*at && !((*at)->index == index && (*at)->is_at_rest)) {
        before = *at;
        at = &(*at)->next;
    }
    struct catalog_retired *found = *at;
    if (!found)
        return;
    *at = found->next;
    if (tables->last_retired == found)
        tables->last_retired = before;
    free(found);
}

/* With the loader's lock held. */
static bool bring_back(const struct catalog *catalog, uint32_t index)
{
    struct catalog_tables *tables = catalog->tables;
    struct catalog_rest *rest = &catalog->rests[index];
    struct catalog_loader *loader = catalog->loader;
    struct index_archive *loaded = NULL;
    pthread_mutex_lock(&tables->lock);
    bool is_there = catalog->archives[index];
    if (!is_there) {
        pthread_mutex_unlock(&tables->lock);
        loaded = atomic_load(&rest->sketch->is_lost) ? NULL : loader->load(loader->user, rest->sketch);
        if (!loaded)
            return false;
        pthread_mutex_lock(&tables->lock);
        install(catalog, index, loaded);
    } else {
        take_from_retired(tables, index);
    }
    tables_count_held(catalog, index);
    atomic_store_explicit(&rest->is_used, true, memory_order_relaxed);
    atomic_store_explicit(&rest->since, 0, memory_order_release);
    pthread_mutex_unlock(&tables->lock);
    atomic_fetch_add_explicit(&loader->loaded, 1, memory_order_relaxed);
    return true;
}

bool tables_fetch(const struct catalog *catalog, uint32_t index)
{
    struct catalog_rest *rest = &catalog->rests[index];
    if (!tables_is_at_rest(catalog, index)) {
        if (rest->sketch && !atomic_load_explicit(&rest->is_used, memory_order_relaxed))
            atomic_store_explicit(&rest->is_used, true, memory_order_relaxed);
        return true;
    }
    bool done = false;
    if (!must_not_wait && catalog->loader) {
        pthread_mutex_lock(&catalog->loader->lock);
        done = !tables_is_at_rest(catalog, index) || bring_back(catalog, index);
        pthread_mutex_unlock(&catalog->loader->lock);
    }
    has_missed |= !done && (must_not_wait || !atomic_load(&rest->sketch->is_lost));
    return done;
}

/* ------------------------------------------------------------------------------------------------ leaving -- */

uint64_t catalog_held(const struct catalog *catalog)
{
    return atomic_load_explicit(&catalog->tables->held, memory_order_relaxed);
}

/* Whether the contents of that archive may go now: they were not used since the hand was here last, and do not go
 * already. */
static bool may_rest(const struct catalog *catalog, uint32_t index)
{
    struct catalog_rest *rest = &catalog->rests[index];
    return rest->sketch && tables_has_archive(catalog, index) && !atomic_load(&rest->since) &&
           !atomic_exchange_explicit(&rest->is_used, false, memory_order_relaxed);
}

struct catalog *catalog_put_to_rest(const struct catalog *catalog, uint64_t most)
{
    struct catalog_tables *tables = catalog->tables;
    const uint32_t count = catalog->archive_count, uploads = count - catalog->path_count;
    if (!catalog->loader || !uploads || catalog_held(catalog) <= most)
        return NULL;
    struct catalog *next = tables_share(catalog);
    struct catalog_retired **last = next ? &next->removed : NULL;
    pthread_mutex_lock(&tables->lock);
    /* The second time round nothing counts as used. */
    for (uint64_t i = 0; next && i < 2 * (uint64_t)uploads && catalog_held(catalog) > most; i++) {
        const uint32_t index = catalog->path_count + tables->hand % uploads;
        tables->hand = (tables->hand + 1) % uploads;
        if (!may_rest(catalog, index))
            continue;
        struct catalog_retired *retired = try_alloc(1, sizeof *retired);
        if (!retired)
            break;
        *retired = (struct catalog_retired){.index = index, .gone = next->generation, .is_at_rest = true};
        atomic_store_explicit(&catalog->rests[index].since, next->generation, memory_order_release);
        tables_discount_held(catalog, index);
        atomic_fetch_add_explicit(&catalog->loader->rested, 1, memory_order_relaxed);
        *last = retired;
        last = &retired->next;
    }
    pthread_mutex_unlock(&tables->lock);
    return next;
}
