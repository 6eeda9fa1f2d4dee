#include "server/ops/region.h"

#include "server/ops/spill.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_BLOCK = 512, MAX_BLOCK = 256 * 1024 };

struct region_block {
    struct region_block *next;
    size_t size, used;
    bool is_spilled;
    alignas(max_align_t) unsigned char data[];
};

static void out_of_memory(void)
{
    fputs("posed: out of memory\n", stderr);
    abort();
}

void *try_alloc(size_t count, size_t size)
{
    return calloc(count ? count : 1, size ? size : 1);
}

void *must_alloc(size_t count, size_t size)
{
    void *memory = try_alloc(count, size);
    if (!memory)
        out_of_memory();
    return memory;
}

void *must_grow(void *memory, size_t count, size_t size)
{
    void *larger = reallocarray(memory, count ? count : 1, size);
    if (!larger)
        out_of_memory();
    return larger;
}

void region_init(struct region *region)
{
    *region = (struct region){0};
}

/* Returns NULL if the region may fail; otherwise ends the process. */
static void *refuse(struct region *region)
{
    if (!region->may_fail)
        out_of_memory();
    region->failed = true;
    return NULL;
}

void region_release(struct region *region)
{
    struct region_block *block = region->blocks;
    while (block) {
        struct region_block *next = block->next;
        if (block->is_spilled)
            spill_free(block, sizeof *block + block->size);
        else
            free(block);
        block = next;
    }
    region->blocks = NULL;
}

size_t region_size(const struct region *region)
{
    size_t size = 0;
    for (const struct region_block *block = region->blocks; block; block = block->next)
        size += sizeof *block + block->size;
    return size;
}

size_t region_room(size_t size)
{
    return (size + alignof(max_align_t) - 1) & ~(alignof(max_align_t) - 1);
}

static struct region_block *add_block(struct region *region, size_t capacity)
{
    struct region_block *block = region->spills ? spill_alloc(sizeof *block + capacity) : NULL;
    const bool is_spilled = block;
    if (!block)
        block = try_alloc(1, sizeof *block + capacity);
    if (!block)
        return refuse(region);
    block->is_spilled = is_spilled;
    block->size = capacity;
    block->next = region->blocks;
    region->blocks = block;
    return block;
}

void region_reserve(struct region *region, size_t size)
{
    add_block(region, size);
}

void *region_alloc(struct region *region, size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes) || bytes > SIZE_MAX / 2)
        return refuse(region);
    bytes = region_room(bytes);
    struct region_block *block = region->blocks;
    if (!block || block->size - block->used < bytes) {
        size_t capacity = block ? block->size * 2 : FIRST_BLOCK;
        if (capacity > MAX_BLOCK)
            capacity = MAX_BLOCK;
        if (capacity < bytes)
            capacity = bytes;
        block = add_block(region, capacity);
        if (!block)
            return NULL;
    }
    void *memory = block->data + block->used;
    block->used += bytes;
    return memory;
}

char *region_text_sized(struct region *region, const char *text, size_t length)
{
    char *copy = region_alloc(region, length + 1, 1);
    if (copy)
        memcpy(copy, text, length);
    return copy;
}

char *region_text(struct region *region, const char *text)
{
    return text ? region_text_sized(region, text, strlen(text)) : NULL;
}
