#include "lib/core/arena.h"

#include "lib/core/error.h"

#include <stdalign.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_CHUNK = 2048, MAX_CHUNK = 1 << 20 };

struct arena_chunk {
    struct arena_chunk *next;
    size_t size; /* of data */
    size_t used;
    alignas(max_align_t) unsigned char data[];
};

static void *malloc_plain(void *user, size_t size)
{
    (void)user;
    return malloc(size);
}

static void free_plain(void *user, void *memory)
{
    (void)user;
    free(memory);
}

const struct pose_allocator *allocator_default(void)
{
    static const struct pose_allocator plain = {malloc_plain, free_plain, NULL};
    return &plain;
}

void arena_init(struct arena *arena, const struct pose_allocator *allocator, size_t limit,
                struct pose_error *error)
{
    *arena = (struct arena){
        .allocator = allocator ? allocator : allocator_default(),
        .error = error,
        .limit = limit ? limit : (size_t)1 << 30,
    };
}

void arena_release(struct arena *arena)
{
    struct arena_chunk *chunk = arena->chunks;
    while (chunk) {
        struct arena_chunk *next = chunk->next;
        arena->allocator->free(arena->allocator->user, chunk);
        chunk = next;
    }
    arena->chunks = NULL;
    arena->held = 0;
}

static void *arena_fail(struct arena *arena)
{
    arena->failed = true;
    return NULL;
}

bool arena_stopped(struct arena *arena)
{
    error_stopped(arena->error);
    arena->failed = true;
    return false;
}

bool arena_look(struct arena *arena)
{
    arena->steps = 0;
    if (!arena->failed && arena->stop && arena->stop->ask(arena->stop->user))
        return arena_stopped(arena);
    return !arena->failed;
}

bool arena_step(struct arena *arena)
{
    enum { STEPS = 256 };
    return ++arena->steps < STEPS ? !arena->failed : arena_look(arena);
}

/*
 * A chunk with room for size bytes. Chunks grow with the size of the arena, so that small documents stay small and
 * large ones need few chunks; a large allocation gets a chunk of its own, behind the current one, which stays in
 * use.
 */
static struct arena_chunk *add_chunk(struct arena *arena, size_t size)
{
    size_t capacity = arena->held / 2;
    if (capacity < FIRST_CHUNK)
        capacity = FIRST_CHUNK;
    if (capacity > MAX_CHUNK)
        capacity = MAX_CHUNK;
    bool alone = size > capacity / 4;
    if (alone && (arena->chunks || size > capacity))
        capacity = size;
    size_t whole = sizeof(struct arena_chunk) + capacity;
    if (whole > arena->limit - arena->held) {
        error_limit(arena->error, "memory", "more than %zu bytes of memory would be needed", arena->limit);
        return NULL;
    }
    struct arena_chunk *chunk = arena->allocator->alloc(arena->allocator->user, whole);
    if (!chunk) {
        error_no_memory(arena->error);
        return NULL;
    }
    chunk->size = capacity;
    chunk->used = 0;
    arena->held += whole;
    struct arena_chunk **link = alone && arena->chunks ? &arena->chunks->next : &arena->chunks;
    chunk->next = *link;
    *link = chunk;
    return chunk;
}

void *arena_alloc(struct arena *arena, size_t count, size_t size)
{
    if (arena->failed)
        return NULL;
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes) || bytes > arena->limit) {
        error_limit(arena->error, "memory", "more than %zu bytes of memory would be needed", arena->limit);
        return arena_fail(arena);
    }
    bytes = (bytes + alignof(max_align_t) - 1) & ~(alignof(max_align_t) - 1);
    struct arena_chunk *chunk = arena->chunks;
    if (!chunk || chunk->size - chunk->used < bytes)
        chunk = !arena_look(arena) ? NULL : add_chunk(arena, bytes);
    if (!chunk)
        return arena_fail(arena);
    void *memory = chunk->data + chunk->used;
    chunk->used += bytes;
    memset(memory, 0, bytes);
    return memory;
}

char *arena_text(struct arena *arena, const char *text, size_t length)
{
    char *copy = arena_alloc(arena, length + 1, 1);
    if (copy && length) /* text may be NULL if length is 0 */
        memcpy(copy, text, length);
    return copy;
}

char *arena_copy_text(struct arena *arena, const char *text)
{
    return text ? arena_text(arena, text, strlen(text)) : NULL;
}

char *arena_format(struct arena *arena, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (length < 0)
        return NULL;
    size_t used = (size_t)length < sizeof text ? (size_t)length : sizeof text - 1;
    return arena_text(arena, text, used);
}

void *arena_grow(struct arena *arena, void *items, uint32_t count, uint32_t *capacity, size_t size)
{
    if (count < *capacity)
        return items;
    uint32_t larger = *capacity ? *capacity * 2 : 8;
    if (larger <= *capacity)
        return arena_fail(arena);
    void *copy = arena_alloc(arena, larger, size);
    if (!copy)
        return NULL;
    if (count)
        memcpy(copy, items, (size_t)count * size);
    *capacity = larger;
    return copy;
}
