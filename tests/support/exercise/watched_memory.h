/* An allocator that counts what it gives, can refuse one allocation, and knows what was not given back. */
#ifndef TESTS_SUPPORT_WATCHED_MEMORY_H
#define TESTS_SUPPORT_WATCHED_MEMORY_H

#include "pose.h"

struct watched_memory {
    struct pose_allocator allocator; /* hand this one to libpose */
    uint64_t count;                  /* allocations asked for since the last rewind */
    uint64_t refuse;                 /* the number (1 …) of the one to refuse, 0: none */
    bool refused;                    /* it came to that; the user clears it */
    uint64_t blocks;                 /* held now */
    size_t held, peak;               /* bytes */
};

/* The struct must stay where it is while libpose uses it. */
void watched_memory_init(struct watched_memory *memory);
/* Counts from 0 again and refuses the allocation of that number. */
void watched_memory_rewind(struct watched_memory *memory, uint64_t refuse);

#endif
