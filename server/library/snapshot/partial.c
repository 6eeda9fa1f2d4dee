/* Snapshots that have only some of the uploads. */
#include "server/library/snapshot/tables.h"

#include <stdlib.h>

void catalog_be_partial(struct catalog *draft, struct catalog_memo *memo)
{
    draft->memo = memo;
}

/* The item of the list. */
static struct catalog_item *base_of(struct catalog_item *item)
{
    const struct catalog_places *block = tables_places_of(item);
    return block ? block->first : item;
}

void catalog_set_whole(const struct catalog *catalog, struct catalog_item *item)
{
    atomic_store_explicit(&base_of(item)->whole, catalog->generation, memory_order_release);
}

void catalog_set_paths_whole(struct catalog *draft, const struct catalog *before,
                             const struct catalog_key *held, size_t count)
{
    for (int kind = 0; kind < ASSET_KIND_COUNT; kind++) {
        const struct catalog_list *list = &draft->lists[kind];
        for (uint32_t i = 0; i < list->count; i++) {
            if (tables_items(list)[i].place.archive < draft->path_count)
                catalog_set_whole(draft, &tables_items(list)[i]);
        }
    }
    for (size_t i = 0; i < count; i++) {
        struct catalog_item *was =
            before && before != draft ? catalog_at_hand(before, held[i].kind, &held[i].id) : NULL;
        struct catalog_item *item = catalog_at_hand(draft, held[i].kind, &held[i].id);
        if (item && !(was && before->memo && catalog_is_whole(before, base_of(was))))
            atomic_store_explicit(&base_of(item)->whole, 0, memory_order_release);
    }
}

void catalog_set_new_whole(struct catalog *draft, const struct catalog *before,
                           bool (*is_held)(void *user, const struct catalog_key *key), void *user)
{
    for (int kind = 0; kind < ASSET_KIND_COUNT; kind++) {
        const struct catalog_list *list = &draft->lists[kind];
        for (uint32_t i = before->lists[kind].count; i < list->count; i++) {
            const struct catalog_key key = {(enum asset_kind)kind, tables_items(list)[i].id};
            if (!is_held(user, &key))
                catalog_set_whole(draft, &tables_items(list)[i]);
        }
    }
}

uint64_t catalog_held(const struct catalog *catalog)
{
    return atomic_load_explicit(&catalog->tables->held, memory_order_relaxed);
}

/* Whether that upload is there, and was not used since the hand was here last. */
static bool may_leave(const struct catalog *catalog, uint32_t index)
{
    return tables_has_archive(catalog, index) &&
           !atomic_exchange_explicit(&catalog->uses[index].is_used, false, memory_order_relaxed);
}

static int compare(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

uint32_t *catalog_leave(const struct catalog *catalog, uint64_t most, uint32_t *count)
{
    struct catalog_tables *tables = catalog->tables;
    const uint32_t uploads = catalog->archive_count - catalog->path_count;
    uint64_t held = catalog_held(catalog);
    *count = 0;
    if (!uploads || held <= most)
        return NULL;
    uint32_t *leaving = try_alloc(uploads, sizeof *leaving);
    bool *leaves = try_alloc(uploads, sizeof *leaves);
    /* The second time round nothing counts as used. */
    for (uint64_t i = 0; leaving && leaves && i < 2 * (uint64_t)uploads && held > most; i++) {
        const uint32_t at = tables->hand % uploads, index = catalog->path_count + at;
        tables->hand = (tables->hand + 1) % uploads;
        if (leaves[at] || !may_leave(catalog, index))
            continue;
        leaves[at] = true;
        leaving[(*count)++] = index;
        held -= catalog->uses[index].weight < held ? catalog->uses[index].weight : held;
    }
    free(leaves);
    if (leaving && *count)
        qsort(leaving, *count, sizeof *leaving, compare);
    if (leaving && *count)
        return leaving;
    free(leaving);
    return NULL;
}
