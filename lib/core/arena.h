/*
 * The memory of one document: many small allocations, freed at once. Failure is sticky: after it every call returns
 * NULL and the arena's error has the reason, so a decoder can build a whole tree and check once.
 */
#ifndef POSE_CORE_ARENA_H
#define POSE_CORE_ARENA_H

#include "pose.h"

struct arena_chunk;

struct arena {
    const struct pose_allocator *allocator;
    struct pose_error *error; /* may be NULL; must stay valid while decoding */
    struct arena_chunk *chunks;
    size_t held;  /* bytes taken from the allocator */
    size_t limit; /* maximum of held */
    bool failed;
    const struct pose_stop *stop;         /* may be NULL */
    const struct pose_refusals *refusals; /* may be NULL */
    uint32_t steps;                       /* since stop->ask was last called */
};

/* allocator NULL: malloc. limit 0: the default of struct pose_limits. */
void arena_init(struct arena *arena, const struct pose_allocator *allocator, size_t limit,
                struct pose_error *error);
void arena_release(struct arena *arena);

/* Counts a step of work. Returns false, and fails the arena, if the work must stop. Cheap enough to call per
 * key. */
bool arena_step(struct arena *arena);
/* The same, and asks now: before work of milliseconds. */
bool arena_look(struct arena *arena);
/* Fails the arena: the work was stopped by something else that asked. Always returns false. */
bool arena_stopped(struct arena *arena);

/* Allocates zeroed memory for count items of that size, aligned for any type. Returns NULL on failure. A count
 * of 0 gives a valid pointer. The product is checked for overflow. */
void *arena_alloc(struct arena *arena, size_t count, size_t size);
#define ARENA_NEW(arena, type, count) ((type *)arena_alloc((arena), (count), sizeof(type)))

/* Copies text of that length and NUL-terminates it. text may be NULL if length is 0. */
char *arena_text(struct arena *arena, const char *text, size_t length);
/* Copies a NUL-terminated text; returns NULL for NULL. */
char *arena_copy_text(struct arena *arena, const char *text);
char *arena_format(struct arena *arena, const char *format, ...) __attribute__((format(printf, 2, 3)));

/*
 * Makes room for one more item in a growing array of count items: returns items, or a larger copy with *capacity
 * updated. Returns NULL on failure.
 */
void *arena_grow(struct arena *arena, void *items, uint32_t count, uint32_t *capacity, size_t size);

/* The default allocator. */
const struct pose_allocator *allocator_default(void);

#endif
