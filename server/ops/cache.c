/*
 * One mutex guards a hash table and two lists: objects by use, failures by age. A hit under the lock only relinks
 * an entry and counts a reference; making, freeing and waiting happen outside.
 *
 * A key whose object is being made has an entry with a flight, which its maker and the waiting threads share. The
 * flight, not the entry, passes the result to them, because a result may be too large to be kept, or dropped
 * before it is ready.
 */
#include "server/ops/cache.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

enum { FIRST_BUCKET_COUNT = 64 };

enum entry_state {
    ENTRY_READY,
    ENTRY_FAILED,
    ENTRY_MAKING,
};

struct flight {
    pthread_cond_t done;
    unsigned waiting;    /* callers that have not taken the result yet */
    bool landed;         /* object or error is set */
    struct entry *entry; /* NULL once the key was dropped or replaced */
    struct cache_object *object;
    struct pose_error error;
};

struct entry {
    struct cache_key key;
    uint64_t hash;
    struct entry *next;          /* in its bucket, or in a list of entries to free */
    struct entry *newer, *older; /* in the list for its state; NULL while being made */
    enum entry_state state;
    struct cache_object *object; /* ENTRY_READY */
    struct flight *flight;       /* ENTRY_MAKING */
    struct pose_error *failure;  /* ENTRY_FAILED */
    uint64_t failed_at_ms;
};

/* Accounts for the malloc header and the bucket as well. */
static_assert(sizeof(struct entry) + 2 * sizeof(void *) <= CACHE_ENTRY_WEIGHT,
              "an entry weighs more than it says");

struct list {
    struct entry *newest, *oldest;
};

struct cache {
    const char *name;
    uint64_t
        seed[CACHE_KEY_SIZE / sizeof(uint64_t)]; /* random, so that nobody can construct colliding keys */
    pthread_mutex_t mutex;
    /* The mutex guards all members below. */
    struct entry **buckets;
    size_t bucket_count; /* a power of two */
    size_t entry_count;  /* in any state */
    struct list objects, failures;
    size_t failure_count;
    uint64_t now_ms; /* the latest time passed by a caller: used when a maker returns */
    struct cache_counts counts;
};

/* -------------------------------------------------------------------------------------------------- objects -- */

void cache_ref(struct cache_object *object)
{
    atomic_fetch_add_explicit(&object->references, 1, memory_order_relaxed);
}

void cache_unref(struct cache_object *object)
{
    if (object && atomic_fetch_sub_explicit(&object->references, 1, memory_order_acq_rel) == 1)
        object->free(object);
}

/* ---------------------------------------------------------------------------------------------------- table -- */

__extension__ typedef unsigned __int128 wide;

static uint64_t mix(uint64_t a, uint64_t b)
{
    wide product = (wide)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static uint64_t hash_key(const struct cache *cache, const struct cache_key *key)
{
    uint64_t words[CACHE_KEY_SIZE / sizeof(uint64_t)];
    memcpy(words, key->bytes, sizeof words);
    uint64_t hash = 0;
    for (size_t i = 0; i < CACHE_KEY_SIZE / sizeof(uint64_t); i += 2)
        hash ^= mix(words[i] ^ cache->seed[i], words[i + 1] ^ cache->seed[i + 1]);
    return hash;
}

static struct entry **bucket_of(const struct cache *cache, uint64_t hash)
{
    return &cache->buckets[hash & (cache->bucket_count - 1)];
}

static struct entry *find_entry(const struct cache *cache, const struct cache_key *key, uint64_t hash)
{
    struct entry *entry = *bucket_of(cache, hash);
    while (entry && (entry->hash != hash || memcmp(&entry->key, key, sizeof *key)))
        entry = entry->next;
    return entry;
}

/* If growing fails, the table only becomes slower. */
static void grow_table(struct cache *cache)
{
    size_t count = cache->bucket_count * 2;
    struct entry **buckets = calloc(count, sizeof *buckets);
    if (!buckets)
        return;
    for (size_t i = 0; i < cache->bucket_count; i++) {
        for (struct entry *entry = cache->buckets[i], *next; entry; entry = next) {
            next = entry->next;
            struct entry **bucket = &buckets[entry->hash & (count - 1)];
            entry->next = *bucket;
            *bucket = entry;
        }
    }
    free(cache->buckets);
    cache->buckets = buckets;
    cache->bucket_count = count;
}

static void table_add(struct cache *cache, struct entry *entry)
{
    if (cache->entry_count >= cache->bucket_count)
        grow_table(cache);
    struct entry **bucket = bucket_of(cache, entry->hash);
    entry->next = *bucket;
    *bucket = entry;
    cache->entry_count++;
}

static void table_remove(struct cache *cache, struct entry *entry)
{
    struct entry **link = bucket_of(cache, entry->hash);
    while (*link != entry)
        link = &(*link)->next;
    *link = entry->next;
    cache->entry_count--;
}

/* ---------------------------------------------------------------------------------------------------- lists -- */

static void list_add(struct list *list, struct entry *entry)
{
    entry->newer = NULL;
    entry->older = list->newest;
    if (list->newest)
        list->newest->newer = entry;
    else
        list->oldest = entry;
    list->newest = entry;
}

static void list_remove(struct list *list, struct entry *entry)
{
    if (entry->newer)
        entry->newer->older = entry->older;
    else
        list->newest = entry->older;
    if (entry->older)
        entry->older->newer = entry->newer;
    else
        list->oldest = entry->newer;
}

static void list_touch(struct list *list, struct entry *entry)
{
    if (list->newest == entry)
        return;
    list_remove(list, entry);
    list_add(list, entry);
}

/* -------------------------------------------------------------------------------------------------- entries -- */

static struct entry *entry_new(const struct cache_key *key, uint64_t hash)
{
    struct entry *entry = calloc(1, sizeof *entry);
    if (entry) {
        entry->key = *key;
        entry->hash = hash;
    }
    return entry;
}

static uint64_t weight_of(const struct cache_object *object)
{
    return (uint64_t)object->weight + CACHE_ENTRY_WEIGHT;
}

/* Removes an entry from table and list and puts it on the list of entries to free. */
static void entry_remove(struct cache *cache, struct entry *entry, struct entry **dead)
{
    table_remove(cache, entry);
    switch (entry->state) {
    case ENTRY_READY:
        list_remove(&cache->objects, entry);
        cache->counts.bytes -= weight_of(entry->object);
        cache->counts.entries--;
        break;
    case ENTRY_FAILED:
        list_remove(&cache->failures, entry);
        cache->failure_count--;
        break;
    case ENTRY_MAKING:
        entry->flight->entry = NULL;
        break;
    }
    entry->next = *dead;
    *dead = entry;
}

/* Called without the lock: freeing a large object takes time. */
static void free_entries(struct entry *dead)
{
    while (dead) {
        struct entry *next = dead->next;
        cache_unref(dead->object);
        free(dead->failure);
        free(dead);
        dead = next;
    }
}

/* The entry is in the table and in no list; its reference has been counted. */
static void entry_keep(struct cache *cache, struct entry *entry, struct cache_object *object,
                       struct entry **dead)
{
    entry->state = ENTRY_READY;
    entry->flight = NULL;
    entry->object = object;
    list_add(&cache->objects, entry);
    cache->counts.bytes += weight_of(object);
    cache->counts.entries++;
    while (cache->counts.bytes > cache->counts.limit) {
        entry_remove(cache, cache->objects.oldest, dead);
        cache->counts.evictions++;
    }
}

static bool failure_is_over(const struct cache *cache, const struct entry *entry)
{
    return cache->now_ms - entry->failed_at_ms >= CACHE_FAILURE_MS;
}

static void forget_old_failures(struct cache *cache, struct entry **dead)
{
    while (cache->failures.oldest &&
           (cache->failure_count > CACHE_FAILURE_COUNT || failure_is_over(cache, cache->failures.oldest)))
        entry_remove(cache, cache->failures.oldest, dead);
}

/* The entry is in the table and in no list. Failures from lack of memory or cancellation are not
 * remembered. */
static void entry_fail(struct cache *cache, struct entry *entry, const struct pose_error *error,
                       struct entry **dead)
{
    bool says_little = error->status == POSE_NO_MEMORY || error->status == POSE_STOPPED;
    struct pose_error *failure = says_little ? NULL : malloc(sizeof *failure);
    if (!failure) {
        entry_remove(cache, entry, dead);
        return;
    }
    *failure = *error;
    entry->state = ENTRY_FAILED;
    entry->flight = NULL;
    entry->failure = failure;
    entry->failed_at_ms = cache->now_ms;
    list_add(&cache->failures, entry);
    cache->failure_count++;
    forget_old_failures(cache, dead);
}

static bool fits(const struct cache *cache, const struct cache_object *object)
{
    return object->weight <= cache->counts.limit && weight_of(object) <= cache->counts.limit;
}

/* ---------------------------------------------------------------------------------------------------- cache -- */

static void init_mutex(pthread_mutex_t *mutex)
{
    /* Held only for some dozen instructions, so spinning is cheaper than sleeping. */
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ADAPTIVE_NP);
    pthread_mutex_init(mutex, &attributes);
    pthread_mutexattr_destroy(&attributes);
}

struct cache *cache_new(const char *name, size_t limit)
{
    struct cache *cache = calloc(1, sizeof *cache);
    if (!cache)
        return NULL;
    cache->buckets = calloc(FIRST_BUCKET_COUNT, sizeof *cache->buckets);
    if (!cache->buckets) {
        free(cache);
        return NULL;
    }
    cache->name = name;
    cache->bucket_count = FIRST_BUCKET_COUNT;
    cache->counts.limit = limit;
    if (getrandom(cache->seed, sizeof cache->seed, GRND_NONBLOCK) < 0)
        cache->seed[0] =
            (uint64_t)(uintptr_t)cache; /* right after boot there may be no entropy: better than nothing */
    init_mutex(&cache->mutex);
    return cache;
}

void cache_free(struct cache *cache)
{
    if (!cache)
        return;
    struct entry *dead = NULL;
    while (cache->objects.oldest)
        entry_remove(cache, cache->objects.oldest, &dead);
    while (cache->failures.oldest)
        entry_remove(cache, cache->failures.oldest, &dead);
    free_entries(dead);
    pthread_mutex_destroy(&cache->mutex);
    free(cache->buckets);
    free(cache);
}

/* -------------------------------------------------------------------------------------------------- flights -- */

/* A new flight for an absent key. NULL if out of memory: the object is then made without sharing. */
static struct flight *flight_start(struct cache *cache, const struct cache_key *key, uint64_t hash)
{
    struct flight *flight = calloc(1, sizeof *flight);
    struct entry *entry = entry_new(key, hash);
    if (!flight || !entry) {
        free(flight);
        free(entry);
        return NULL;
    }
    pthread_cond_init(&flight->done, NULL);
    flight->entry = entry;
    entry->state = ENTRY_MAKING;
    entry->flight = flight;
    table_add(cache, entry);
    return flight;
}

static void flight_free(struct flight *flight)
{
    pthread_cond_destroy(&flight->done);
    free(flight);
}

/* Updates the entry after its maker returned with or without an object. */
static void flight_settle(struct cache *cache, struct flight *flight, struct entry **dead)
{
    struct entry *entry = flight->entry;
    if (!entry)
        return; /* dropped or replaced meanwhile */
    if (!flight->object) {
        entry_fail(cache, entry, &flight->error, dead);
    } else if (fits(cache, flight->object)) {
        cache_ref(flight->object);
        entry_keep(cache, entry, flight->object, dead);
    } else {
        entry_remove(cache, entry, dead);
    }
}

/* The maker has returned; called with the lock held. Passes the result to the waiting threads, the last of
 * which frees the flight. */
static void flight_land(struct cache *cache, struct flight *flight, struct entry **dead)
{
    flight->landed = true;
    if (flight->object)
        atomic_fetch_add_explicit(&flight->object->references, flight->waiting, memory_order_relaxed);
    flight_settle(cache, flight, dead);
    if (flight->waiting)
        pthread_cond_broadcast(&flight->done);
    else
        flight_free(flight);
}

/* ----------------------------------------------------------------------------------------------------- asking -- */

static struct cache_object *answer(struct cache_object *object, const struct pose_error *failure,
                                   enum cache_outcome *outcome, struct pose_error *error)
{
    *outcome = object ? CACHE_MADE : CACHE_FAILED;
    if (!object && error)
        *error = *failure;
    return object;
}

/* Called with the lock held; releases it. */
static struct cache_object *wait_for(struct cache *cache, struct flight *flight, enum cache_outcome *outcome,
                                     struct pose_error *error)
{
    flight->waiting++;
    while (!flight->landed)
        pthread_cond_wait(&flight->done, &cache->mutex);
    struct cache_object *object = answer(flight->object, &flight->error, outcome, error);
    if (--flight->waiting == 0)
        flight_free(flight);
    pthread_mutex_unlock(&cache->mutex);
    return object;
}

/* Called with the lock held; releases it. */
static struct cache_object *make_for(struct cache *cache, const struct cache_key *key, uint64_t hash,
                                     cache_make *make, void *user, enum cache_outcome *outcome,
                                     struct pose_error *error)
{
    struct flight *flight = flight_start(cache, key, hash);
    pthread_mutex_unlock(&cache->mutex);
    struct pose_error failure;
    pose_error_init(&failure);
    struct cache_object *object = make(user, &failure);
    if (flight) {
        struct entry *dead = NULL;
        pthread_mutex_lock(&cache->mutex);
        flight->object = object;
        flight->error = failure;
        flight_land(cache, flight, &dead);
        pthread_mutex_unlock(&cache->mutex);
        free_entries(dead);
    }
    return answer(object, &failure, outcome, error);
}

struct cache_object *cache_get(struct cache *cache, const struct cache_key *key, bool may_wait,
                               uint64_t now_ms, cache_make *make, void *user, enum cache_outcome *outcome,
                               struct pose_error *error)
{
    uint64_t hash = hash_key(cache, key);
    struct cache_object *object = NULL;
    struct entry *dead = NULL;
    pthread_mutex_lock(&cache->mutex);
    if (now_ms > cache->now_ms)
        cache->now_ms = now_ms;
    struct entry *entry = find_entry(cache, key, hash);
    if (entry && entry->state == ENTRY_FAILED && failure_is_over(cache, entry)) {
        entry_remove(cache, entry, &dead);
        entry = NULL;
    }
    if (entry && entry->state == ENTRY_READY) {
        object = entry->object;
        cache_ref(object);
        list_touch(&cache->objects, entry);
        cache->counts.hits++;
        *outcome = CACHE_HIT;
        pthread_mutex_unlock(&cache->mutex);
    } else if (entry && entry->state == ENTRY_FAILED) {
        cache->counts.hits++;
        answer(NULL, entry->failure, outcome, error);
        pthread_mutex_unlock(&cache->mutex);
    } else if (!may_wait) {
        *outcome = CACHE_WOULD_WAIT;
        pthread_mutex_unlock(&cache->mutex);
    } else {
        cache->counts.misses++;
        object = entry ? wait_for(cache, entry->flight, outcome, error)
                       : make_for(cache, key, hash, make, user, outcome, error);
    }
    free_entries(dead);
    return object;
}

void cache_put(struct cache *cache, const struct cache_key *key, struct cache_object *object)
{
    uint64_t hash = hash_key(cache, key);
    struct entry *made = entry_new(key, hash);
    struct entry *dead = NULL;
    pthread_mutex_lock(&cache->mutex);
    struct entry *old = find_entry(cache, key, hash);
    if (old)
        entry_remove(cache, old, &dead);
    if (made && fits(cache, object)) {
        table_add(cache, made);
        cache_ref(object);
        entry_keep(cache, made, object, &dead);
        made = NULL;
    }
    pthread_mutex_unlock(&cache->mutex);
    free(made);
    free_entries(dead);
}

void cache_count(struct cache *cache, struct cache_counts *counts)
{
    pthread_mutex_lock(&cache->mutex);
    *counts = cache->counts;
    pthread_mutex_unlock(&cache->mutex);
}

const char *cache_name(const struct cache *cache)
{
    return cache->name;
}
