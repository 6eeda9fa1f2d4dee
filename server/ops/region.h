/* Arena allocation: the memory of one indexed entry or one snapshot, freed at once. Running out of memory
 * ends the daemon, except for regions that may fail, where files determine the sizes. */
#ifndef POSED_SERVER_OPS_REGION_H
#define POSED_SERVER_OPS_REGION_H

#include <stdbool.h>
#include <stddef.h>

struct region_block;

struct region {
    struct region_block *blocks;
    bool may_fail; /* if out of memory, return NULL and set failed */
    bool failed;
    bool spills; /* its next blocks are taken from the spill (spill.h) if that has room */
};

void region_init(struct region *region);
void region_release(struct region *region);
/* Gives an empty region one block for that many bytes, see region_room. */
void region_reserve(struct region *region, size_t size);
/* What an allocation of that many bytes takes of a block. */
size_t region_room(size_t size);
/* The bytes that it holds. */
size_t region_size(const struct region *region);
/* Zeroed, aligned for any type. */
void *region_alloc(struct region *region, size_t count, size_t size);
#define REGION_NEW(region, type, count) ((type *)region_alloc((region), (count), sizeof(type)))
/* NULL stays NULL. */
char *region_text(struct region *region, const char *text);
char *region_text_sized(struct region *region, const char *text, size_t length);

/* For sizes that depend on a file or a client: zeroed, at least one byte, NULL if out of memory. */
void *try_alloc(size_t count, size_t size);

/* malloc and realloc that end the process if out of memory. */
void *must_alloc(size_t count, size_t size);
void *must_grow(void *memory, size_t count, size_t size);

#endif
