/* Deduplicates lists of times by a hash of their contents: equal key times are written once. */
#ifndef POSE_FORMATS_GLTF_WRITE_TIMES_H
#define POSE_FORMATS_GLTF_WRITE_TIMES_H

#include "lib/core/arena.h"

struct gltf_times {
    uint32_t mask;
    struct gltf_time_list {
        const float *times; /* NULL: empty slot */
        uint32_t count, number;
        uint64_t hash;
    } * lists, *last; /* the one found last: clips often have the same times throughout */
};

/* Allocates room for that many lists. */
bool gltf_times_init(struct gltf_times *table, struct arena *arena, uint32_t capacity);
/* The slot of the list with these times; its times are NULL if it is new. times must stay valid. */
struct gltf_time_list *gltf_times_find(struct gltf_times *table, const float *times, uint32_t count);

#endif
