/* The entries of an archive by the hash of their base names: what companions are found by. */
#ifndef POSED_SERVER_LIBRARY_INDEX_NAME_SLOTS_H
#define POSED_SERVER_LIBRARY_INDEX_NAME_SLOTS_H

#include "server/library/index/index.h"

struct name_slot {
    uint64_t hash; /* of the base name in lower case */
    uint32_t entry;
};

/* By hash, then by entry; for qsort. */
int name_slots_compare(const void *a, const void *b);
struct name_slot name_slot_of(const struct index_archive *archive, uint32_t entry);
void name_slots_sort(struct name_slot *names, uint32_t count);
/* Those of all entries, sorted. */
void name_slots_fill(const struct index_archive *archive, struct name_slot *names);
/* The entry of that base name, preferably in the folder of the requesting entry (by its name beside and its index asking),
 * or at that path below its folder; -1 if there is none. */
int64_t name_slots_find(const struct index_archive *archive, const char *name, const char *beside,
                        int64_t asking);

#endif
