#include "server/store/set.h"

#include "server/ops/region.h"
#include "server/store/draft.h"

#include <stdlib.h>
#include <string.h>

void *set_add(struct set *set, const void *item)
{
    if (set->count == set->capacity) {
        set->capacity = set->capacity ? set->capacity * 2 : 64;
        set->items = must_grow(set->items, set->capacity, set->size);
    }
    return memcpy(set->items + set->count++ * set->size, item, set->size);
}

const void *set_at(const struct set *set, size_t index)
{
    return set->items + index * set->size;
}

void set_sort(struct set *set, int (*compare)(const void *, const void *))
{
    if (set->count)
        qsort(set->items, set->count, set->size, compare);
}

const void *set_find(const struct set *set, const void *item, int (*compare)(const void *, const void *))
{
    return set->count ? bsearch(item, set->items, set->count, set->size, compare) : NULL;
}

bool set_has(const struct set *set, const void *item, int (*compare)(const void *, const void *))
{
    return set_find(set, item, compare) != NULL;
}

int set_compare_hashes(const void *a, const void *b)
{
    return memcmp(a, b, sizeof(struct blob_hash));
}
