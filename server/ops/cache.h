/*
 * A cache of shared, immutable objects: least recently used goes first, bounded in bytes, one maker a key.
 *
 * Every function may be called by any thread. Time is the caller's: now_ms is any clock that does not run backwards,
 * so that tests decide what time it is.
 */
#ifndef POSED_SERVER_OPS_CACHE_H
#define POSED_SERVER_OPS_CACHE_H

#include "pose.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    CACHE_KEY_SIZE = 48,
    CACHE_ENTRY_WEIGHT = 160,  /* what an entry weighs in the cache beyond its object, in bytes */
    CACHE_FAILURE_MS = 1000,   /* how long a failure is remembered */
    CACHE_FAILURE_COUNT = 256, /* how many are at most */
};

/*
 * Embedded first in what is cached. Whoever makes the object fills in all three: one reference, its own; how many
 * bytes it holds; and what frees it when the last reference goes, on whichever thread that happens.
 */
struct cache_object {
    atomic_uint references;
    size_t weight;
    void (*free)(struct cache_object *object);
};

/* Compared whole; unused bytes are zero. */
struct cache_key {
    uint8_t bytes[CACHE_KEY_SIZE];
};

enum cache_outcome {
    CACHE_HIT,        /* it was there */
    CACHE_MADE,       /* made for this caller or for another one at the same time */
    CACHE_WOULD_WAIT, /* not there, and the caller may not wait */
    CACHE_FAILED,     /* making it failed, now or a moment ago: error says why */
};

/*
 * Makes the object of the key that was asked for, without any lock held. NULL on failure, with error filled in.
 * Must not ask the same cache for the same key.
 */
typedef struct cache_object *cache_make(void *user, struct pose_error *error);

struct cache;

/* name becomes the metrics' label and must outlive the cache. limit: bytes held, entries included. NULL when memory
 * is out. */
struct cache *cache_new(const char *name, size_t limit);
/* No call may be under way. Objects that are still referenced elsewhere live on. */
void cache_free(struct cache *cache);

/*
 * A referenced object (give it back with cache_unref), or NULL. With may_wait false nothing is made and nothing waited
 * for: absent is CACHE_WOULD_WAIT, a remembered failure CACHE_FAILED. Else, of many callers for one absent key one
 * makes and the others wait for it; all of them get what it made. A failure is remembered for CACHE_FAILURE_MS, unless
 * memory was out. An object that is heavier than the limit is handed out and not kept. error may be NULL.
 */
struct cache_object *cache_get(struct cache *cache, const struct cache_key *key, bool may_wait,
                               uint64_t now_ms, cache_make *make, void *user, enum cache_outcome *outcome,
                               struct pose_error *error);

/* Keeps an object that was made elsewhere, in place of what the key had. Takes a reference of its own. */
void cache_put(struct cache *cache, const struct cache_key *key, struct cache_object *object);

void cache_ref(struct cache_object *object);
/* The last one frees the object. NULL is no object and no error. */
void cache_unref(struct cache_object *object);

/* For the metrics. A hit is an object or a failure that was there; a CACHE_WOULD_WAIT counts as neither, since the
 * caller comes back. */
struct cache_counts {
    uint64_t hits, misses, evictions;
    uint64_t bytes, limit; /* entries included */
    uint64_t entries;      /* objects held */
};

void cache_count(struct cache *cache, struct cache_counts *counts);
const char *cache_name(const struct cache *cache);

#endif
