/*
 * Memory of one document: many small allocations, one release. Failure is sticky: after it every call returns NULL
 * and the arena's error says why, so a decoder may build a whole tree and look once.
 */
#ifndef POSE_CORE_ARENA_H
#define POSE_CORE_ARENA_H

#include "pose.h"

struct arena_chunk;

struct arena {
    const struct pose_allocator *allocator;
    struct pose_error *error; /* may be NULL; must outlive the decoding only */
    struct arena_chunk *chunks;
    size_t held;  /* bytes taken from the allocator */
    size_t limit; /* bound of held */
    bool failed;
    const struct pose_stop *stop; /* may be NULL */
    uint32_t steps;               /* since it was asked */
};

/* allocator NULL: malloc. limit 0: the default of struct pose_limits. */
void arena_init(struct arena *arena, const struct pose_allocator *allocator, size_t limit,
                struct pose_error *error);
void arena_release(struct arena *arena);

/* A step of work that uses the arena: false, and the arena has failed, when it is to stop. Cheap enough for every key. */
bool arena_step(struct arena *arena);

/* Zeroed memory for count things of that size, aligned for any type; NULL on failure. A count of 0 gives a valid
 * pointer. The product is checked. */
void *arena_alloc(struct arena *arena, size_t count, size_t size);
#define ARENA_NEW(arena, type, count) ((type *)arena_alloc((arena), (count), sizeof(type)))

/* Copies text of that length and ends it with a NUL. Of no length it may be NULL. */
char *arena_text(struct arena *arena, const char *text, size_t length);
/* A whole text; of NULL, NULL. */
char *arena_copy_text(struct arena *arena, const char *text);
char *arena_format(struct arena *arena, const char *format, ...) __attribute__((format(printf, 2, 3)));

/*
 * Makes room for one more thing in a growing array: returns items or a larger copy of it. *capacity is the room that
 * there is; count the things in it. NULL on failure.
 */
void *arena_grow(struct arena *arena, void *items, uint32_t count, uint32_t *capacity, size_t size);

/* The default allocator. */
const struct pose_allocator *allocator_default(void);

#endif
