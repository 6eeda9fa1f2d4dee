#include "lib/core/names.h"

#include <stdlib.h>
#include <string.h>

bool name_index_init(struct name_index *index, struct arena *arena, uint32_t capacity)
{
    *index =
        (struct name_index){.entries = ARENA_NEW(arena, struct name_entry, capacity), .capacity = capacity};
    return index->entries != NULL;
}

void name_index_add(struct name_index *index, const char *name, uint32_t thing)
{
    if (name && index->count < index->capacity)
        index->entries[index->count++] = (struct name_entry){name, thing};
}

static int compare_entries(const void *a, const void *b)
{
    const struct name_entry *x = a, *y = b;
    int order = strcmp(x->name, y->name);
    return order ? order : x->index < y->index ? -1 : x->index > y->index;
}

void name_index_sort(struct name_index *index)
{
    if (index->count > 1)
        qsort(index->entries, index->count, sizeof *index->entries, compare_entries);
}

int64_t name_index_find(const struct name_index *index, const char *name)
{
    /* The first entry that is not less, so among equal names the smallest index. */
    uint32_t low = 0, high = index->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (strcmp(index->entries[middle].name, name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    if (low < index->count && !strcmp(index->entries[low].name, name))
        return index->entries[low].index;
    return -1;
}
