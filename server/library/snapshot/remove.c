/* Snapshots with less than the one before, and the end of snapshots: what none has any more is released. */
#include "server/library/snapshot/tables.h"

#include <stdlib.h>
#include <string.h>

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

static void discount_held(const struct catalog *catalog, uint32_t index)
{
    atomic_fetch_sub(&catalog->tables->held, catalog->uses[index].weight);
}

/* Marks what only this archive has as gone, and the rest of it as not whole. */
static void mark_gone(struct catalog *catalog, uint32_t index)
{
    struct asset_walk walk = {.archive = catalog->archives[index]};
    while (tables_next_asset(&walk)) {
        struct catalog_list *list = &catalog->lists[walk.asset->kind];
        uint32_t found;
        if (!tables_find(catalog, walk.asset->kind, &walk.asset->id, &found))
            continue;
        struct catalog_item *item = &tables_items(list)[found];
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
    while (tables_next_asset(&walk)) {
        uint32_t found;
        if (tables_find(catalog, walk.asset->kind, &walk.asset->id, &found))
            atomic_store_explicit(&tables_items(&catalog->lists[walk.asset->kind])[found].whole, 0,
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
    *retired = (struct catalog_retired){
        .index = index, .gone = draft->generation, .archive = draft->archives[index], .next = draft->removed};
    draft->removed = retired;
    draft->tables->owned[index] = NULL;
    atomic_store_explicit(&draft->archives_gone[index], draft->generation, memory_order_release);
    draft->archives_present--;
    tables_count_digest(draft, index, false);
    discount_held(draft, index);
    mark_gone(draft, index);
    return true;
}

/* Takes back a removal. The items that it marked are those that have its generation. */
static void put_back(struct catalog *draft, const struct catalog_retired *removed)
{
    struct asset_walk walk = {.archive = removed->archive};
    draft->tables->owned[removed->index] = removed->archive;
    atomic_store_explicit(&draft->archives_gone[removed->index], 0, memory_order_release);
    atomic_fetch_add(&draft->tables->held, draft->uses[removed->index].weight);
    while (tables_next_asset(&walk)) {
        const struct catalog_list *list = &draft->lists[walk.asset->kind];
        uint32_t number = atomic_load(tables_slot(list, &walk.asset->id));
        for (; number; number = tables_items(list)[number - 1].older) {
            struct catalog_item *item = &tables_items(list)[number - 1];
            if (atomic_load(&item->gone) == draft->generation)
                atomic_store_explicit(&item->gone, 0, memory_order_release);
        }
    }
}

/* Takes back a change of PATHs. What was added stays in the tables, which are not used any further. */
static void put_items_back(struct catalog *draft)
{
    for (int kind = 0; kind < ASSET_KIND_COUNT; kind++) {
        const struct catalog_list *list = &draft->lists[kind];
        for (uint32_t i = 0; i < list->count; i++) {
            if (atomic_load(&tables_items(list)[i].gone) == draft->generation)
                atomic_store_explicit(&tables_items(list)[i].gone, 0, memory_order_release);
        }
    }
    catalog_names_put_back(&draft->names, draft->generation);
    draft->tables->is_spoilt = true;
}

/* What only a draft has gone is there again. */
static void put_all_back(struct catalog *draft)
{
    if (draft->older && draft->older->block != draft->block)
        put_items_back(draft);
    while (draft->removed) {
        struct catalog_retired *removed = draft->removed;
        put_back(draft, removed);
        index_archive_unref(removed->by);
        draft->removed = removed->next;
        free(removed);
    }
}

struct catalog *catalog_remove_all(const struct catalog *catalog, const uint32_t *archives, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        catalog_forget(catalog, archives[i]);
    if (is_sparse(catalog) || catalog->tables->archive_count != catalog->archive_count)
        return tables_rebuild(catalog, archives, count, NULL);
    struct catalog *next = tables_share(catalog);
    bool done = next;
    for (uint32_t i = 0; done && i < count; i++)
        done = take_out(next, archives[i]);
    if (done || !next)
        return next;
    put_all_back(next);
    catalog_unref(next);
    return NULL;
}

/* The place of the last archive stays empty. */
static void drop_last(struct catalog *draft)
{
    struct catalog_tables *tables = draft->tables;
    const uint32_t index = draft->archive_count - 1;
    pthread_mutex_lock(&tables->lock);
    struct index_archive *archive = draft->archives[index];
    draft->archives[index] = tables->owned[index] = NULL;
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
            index_archive_unref(tables->owned[i]);
        pthread_mutex_destroy(&tables->lock);
        region_release(&tables->region);
        free(tables);
    }
    tables_unref_block(catalog->block);
    free(catalog);
}
