/* Finds the clips of a name without scanning, however many clips there are and however many share a name. */
#ifndef POSED_SERVER_LIBRARY_CATALOG_NAMES_H
#define POSED_SERVER_LIBRARY_CATALOG_NAMES_H

#include "server/library/index/index.h"

/* A clip at one place. */
struct catalog_named {
    const char *name; /* borrowed, as is the id: as long as the archive is there */
    const struct asset_id *id;
    uint32_t archive, entry;
    atomic_uint next;      /* number of the next one of the same name, 0: none */
    _Atomic uint64_t gone; /* the generation from which on it is gone; 0: it is there */
};

/* One name: the first and the last of its chain. */
struct catalog_name_slot {
    atomic_uint first; /* number, from 1; 0: the slot is empty */
    uint32_t last;     /* used by the writer only */
    uint64_t hash;     /* of the name, which may be gone with its archive */
};

/* One thread adds, many read. A copy with a smaller count does not see later additions. */
struct catalog_names {
    uint32_t count;
    struct catalog_named *items; /* number n is items[n - 1] */
    uint32_t slot_count;         /* a power of two */
    struct catalog_name_slot *slots;
};

/* Reserves room for that many clips; check the region for failure. */
void catalog_names_init(struct catalog_names *names, struct region *region, uint32_t most);
/* Marks the clips of that name in an entry as gone. */
void catalog_names_remove(const struct catalog_names *names, const char *name, uint32_t archive,
                          uint32_t entry, uint64_t generation);
/* Takes that back. */
void catalog_names_put_back(const struct catalog_names *names, uint64_t generation);
void catalog_names_add(struct catalog_names *names, const char *name, const struct asset_id *id,
                       uint32_t archive, uint32_t entry);

/* Iterates over the clips of a name in the order in which they were added; NULL at the end. Others whose names have the
 * same hash may be among them. */
const struct catalog_named *catalog_names_first(const struct catalog_names *names, const char *name);
const struct catalog_named *catalog_names_next(const struct catalog_names *names,
                                               const struct catalog_named *item);

#endif
