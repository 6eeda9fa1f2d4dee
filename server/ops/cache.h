/*
 * A cache of shared, immutable objects: LRU, bounded in bytes, one maker per key.
 *
 * Thread-safe. Time is passed in: now_ms is any monotonic clock, so that tests can set the time.
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
    CACHE_ENTRY_WEIGHT = 160,  /* bytes that an entry counts in addition to its object */
    CACHE_FAILURE_MS = 1000,   /* how long a failure is remembered */
    CACHE_FAILURE_COUNT = 256, /* at most so many are remembered */
};

/*
 * Must be the first member of cached objects. The maker fills in all three: one reference, its own; the size in
 * bytes; and the function that frees the object when the last reference is dropped, on any thread.
 */
struct cache_object {
    atomic_uint references;
    size_t weight;
    void (*free)(struct cache_object *object);
};

/* Compared as a whole; unused bytes must be zero. */
struct cache_key {
    uint8_t bytes[CACHE_KEY_SIZE];
};

enum cache_outcome {
    CACHE_HIT,        /* found */
    CACHE_MADE,       /* made by this call, or by another one at the same time */
    CACHE_WOULD_WAIT, /* absent, and the caller must not wait */
    CACHE_FAILED,     /* making it failed, now or recently; see error */
};

/*
 * Makes the object for the key, called without locks. NULL with error on failure. Must not request the same key
 * from the same cache.
 */
typedef struct cache_object *cache_make(void *user, struct pose_error *error);

struct cache;

/* name becomes the metrics' label and must outlive the cache. limit: in bytes, entries included. NULL if
 * out of memory. */
struct cache *cache_new(const char *name, size_t limit);
/* No call may be in progress. Objects referenced elsewhere stay valid. */
void cache_free(struct cache *cache);

/*
 * A referenced object (must be released with cache_unref), or NULL. If may_wait is false, the call neither makes
 * objects nor waits: an absent key is CACHE_WOULD_WAIT, a remembered failure CACHE_FAILED. Otherwise, of several
 * callers for one absent key one makes the object and the others wait for it. Failures are remembered for
 * CACHE_FAILURE_MS, except running out of memory. An object larger than the limit is returned but not kept. error
 * may be NULL.
 */
struct cache_object *cache_get(struct cache *cache, const struct cache_key *key, bool may_wait,
                               uint64_t now_ms, cache_make *make, void *user, enum cache_outcome *outcome,
                               struct pose_error *error);

/* Stores an object made elsewhere, replacing the key's old one. Adds its own reference. */
void cache_put(struct cache *cache, const struct cache_key *key, struct cache_object *object);

void cache_ref(struct cache_object *object);
/* Drops a reference; the last one frees the object. NULL is allowed. */
void cache_unref(struct cache_object *object);

/* For the metrics. Finding an object or a failure counts as a hit; a CACHE_WOULD_WAIT counts as neither,
 * since the caller comes back. */
struct cache_counts {
    uint64_t hits, misses, evictions;
    uint64_t bytes, limit; /* entries included */
    uint64_t entries;      /* number of objects */
};

void cache_count(struct cache *cache, struct cache_counts *counts);
const char *cache_name(const struct cache *cache);

#endif
