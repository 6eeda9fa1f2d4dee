/* Finds items by name: a sorted index, so that files with thousands of names stay cheap. */
#ifndef POSE_CORE_NAMES_H
#define POSE_CORE_NAMES_H

#include "lib/core/arena.h"

struct name_entry {
    const char *name;
    uint32_t index;
};

struct name_index {
    struct name_entry *entries; /* sorted by name, then by index */
    uint32_t count;
    uint32_t capacity;
};

/* Reserves room for that many names. Returns false if out of memory. */
bool name_index_init(struct name_index *index, struct arena *arena, uint32_t capacity);
/* Adds a name, which is borrowed; NULL is ignored. At most capacity names. */
void name_index_add(struct name_index *index, const char *name, uint32_t thing);
/* Must be called once, after the last name and before the first look-up. */
void name_index_sort(struct name_index *index);
/* The smallest index with that name (compared byte by byte), -1 when there is none. */
int64_t name_index_find(const struct name_index *index, const char *name);

#endif
