/* Memory that is released in one go: what belongs to one indexed entry or one snapshot. Out of memory ends the
 * daemon, but for a region that may fail: there a file chooses sizes. */
#ifndef POSED_SERVER_OPS_REGION_H
#define POSED_SERVER_OPS_REGION_H

#include <stdbool.h>
#include <stddef.h>

struct region_block;

struct region {
    struct region_block *blocks;
    bool may_fail; /* what there is no memory for is NULL, and failed is set */
    bool failed;
};

void region_init(struct region *region);
void region_release(struct region *region);
/* Zeroed, aligned for any type. */
void *region_alloc(struct region *region, size_t count, size_t size);
#define REGION_NEW(region, type, count) ((type *)region_alloc((region), (count), sizeof(type)))
/* NULL stays NULL. */
char *region_text(struct region *region, const char *text);
char *region_text_sized(struct region *region, const char *text, size_t length);

/* For sizes that a file or a client chooses: zeroed, never of no bytes, NULL when there is no memory. */
void *try_alloc(size_t count, size_t size);

/* malloc and realloc that end the process when there is no memory. */
void *must_alloc(size_t count, size_t size);
void *must_grow(void *memory, size_t count, size_t size);

#endif
