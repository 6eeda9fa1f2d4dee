/* Which of many things has a name: an index sorted by name, so that files of thousands of names stay cheap. */
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

/* Room for that many names; false when memory is out. */
bool name_index_init(struct name_index *index, struct arena *arena, uint32_t capacity);
/* name is kept as a pointer; NULL is left out. At most capacity names. */
void name_index_add(struct name_index *index, const char *name, uint32_t thing);
/* To be called once, after the last name and before the first question. */
void name_index_sort(struct name_index *index);
/* The thing of that name (compared byte by byte) that has the smallest number, -1 when there is none. */
int64_t name_index_find(const struct name_index *index, const char *name);

#endif
