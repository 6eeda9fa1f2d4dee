/* What consecutive snapshots share, for those who build them. */
#ifndef POSED_SERVER_LIBRARY_SNAPSHOT_TABLES_H
#define POSED_SERVER_LIBRARY_SNAPSHOT_TABLES_H

#include "server/library/catalog.h"

/* An archive that snapshots of an earlier generation still have. */
struct catalog_retired {
    uint32_t index;
    uint64_t gone; /* the generation from which on they do not */
    struct index_archive *archive;
    struct index_archive *by; /* what replaces it; NULL: nothing */
    struct catalog_retired *next;
};

/* Which archives there are, by index: one that is replaced by another version of itself gets another block. */
struct catalog_block {
    atomic_uint references;
    struct index_archive **archives;
    struct asset_id *ids;
};

/* Shared by consecutive snapshots: all arrays, and references to the archives. */
struct catalog_tables {
    atomic_uint references;
    /* Guards the snapshots that use them, and what is to be released when the older are gone. */
    pthread_mutex_t lock;
    struct catalog *oldest, *latest;
    struct catalog_retired *first_retired, *last_retired;
    struct region region;
    struct index_archive **owned; /* [archive_capacity] those of the latest snapshot, referenced */
    bool is_spoilt;               /* a change of PATHs was given up halfway */
    uint32_t archive_count, archive_capacity; /* of the latest snapshot */
    uint32_t replaced_count;                  /* archives that took a slot, but no index of their own */
    uint32_t capacities[ASSET_KIND_COUNT], name_capacity;
    atomic_uint_fast64_t held; /* see catalog_held */
    uint32_t hand;             /* where catalog_leave goes on */
};

/* [count], those that are gone among them. */
static inline struct catalog_item *tables_items(const struct catalog_list *list)
{
    return (struct catalog_item *)(void *)list->items;
}

/* The slot of that id, or the empty slot for it. It names the newest item, which this snapshot may not have. */
atomic_uint *tables_slot(const struct catalog_list *list, const struct asset_id *id);
/* The number of the item of that id in this snapshot; 0: there is none. */
uint32_t tables_number(const struct catalog *catalog, const struct catalog_list *list,
                       const struct asset_id *id);
atomic_uint *tables_archive_slot(const struct catalog *catalog, const struct asset_id *id);
struct catalog_places *tables_places_of(const struct catalog_item *item);
/* The item as seen at its first place in this snapshot; NULL if it has none. */
struct catalog_item *tables_first_of(const struct catalog *catalog, struct catalog_item *item);

/* Walks the assets of an archive in the order of its entries. Begin with the archive only. */
struct asset_walk {
    const struct index_archive *archive;
    uint32_t next, position, entry;
    const struct index_asset *asset;
};
bool tables_next_asset(struct asset_walk *walk);

/* A block with room for so many archives and those of an earlier one (NULL: none); NULL if out of memory. */
struct catalog_block *tables_new_block(uint32_t capacity, const struct catalog *before);
void tables_unref_block(struct catalog_block *block);
/* The next snapshot, which shares everything; NULL if out of memory. */
struct catalog *tables_share(const struct catalog *catalog);
/* The item of an id as it is in the tables; false if there is none. */
bool tables_find(const struct catalog *catalog, enum asset_kind kind, const struct asset_id *id,
                 uint32_t *index);
/* A new item in front of one that it replaces; there is room. */
struct catalog_item *tables_add_item(struct catalog *catalog, const struct index_asset *asset,
                                     struct catalog_place place, const struct catalog_item *old);
/* What an archive adds to the digest, or takes away. */
void tables_count_digest(struct catalog *catalog, uint32_t index, bool is_added);
/* New tables over the archives that are there, without some of them (in ascending order) and with another one (NULL: none)
 * at the end, with spare room. */
struct catalog *tables_rebuild(const struct catalog *catalog, const uint32_t *without, uint32_t count,
                               struct index_archive *with);

#endif
