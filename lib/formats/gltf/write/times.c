#include "lib/formats/gltf/write/times.h"

#include "lib/core/hash.h"

#include <string.h>

bool gltf_times_init(struct gltf_times *table, struct arena *arena, uint32_t capacity)
{
    size_t size = 16;
    while (size < 2 * (size_t)capacity)
        size *= 2;
    table->lists = ARENA_NEW(arena, struct gltf_time_list, size);
    table->mask = (uint32_t)(size - 1);
    return table->lists != NULL;
}

struct gltf_time_list *gltf_times_find(struct gltf_times *table, const float *times, uint32_t count)
{
    if (table->last && table->last->times == times && table->last->count == count)
        return table->last;
    uint64_t hash = hash_floats(times, count);
    uint32_t slot = (uint32_t)hash & table->mask;
    for (;; slot = (slot + 1) & table->mask) {
        struct gltf_time_list *list = &table->lists[slot];
        if (!list->times) {
            *list = (struct gltf_time_list){.count = count, .hash = hash};
            return table->last = list;
        }
        if (list->hash == hash && list->count == count && !memcmp(list->times, times, count * sizeof *times))
            return table->last = list;
    }
}
