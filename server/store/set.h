/* A set of items of one size: filled, sorted once, then searched. */
#ifndef POSED_SERVER_STORE_SET_H
#define POSED_SERVER_STORE_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct set {
    size_t size, count, capacity; /* size: of an item */
    uint8_t *items;
};

/* Adds a copy, and returns it. */
void *set_add(struct set *set, const void *item);
const void *set_at(const struct set *set, size_t index);
void set_sort(struct set *set, int (*compare)(const void *, const void *));
/* NULL if it is not there. */
const void *set_find(const struct set *set, const void *item, int (*compare)(const void *, const void *));
bool set_has(const struct set *set, const void *item, int (*compare)(const void *, const void *));
/* For items that begin with a struct blob_hash. */
int set_compare_hashes(const void *a, const void *b);

#endif
