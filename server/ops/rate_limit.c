#include "server/ops/rate_limit.h"

#include "server/ops/addresses.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

enum {
    SHARDS = 16,
    SHARD_BUCKETS = 4096,
    WAYS = 8, /* number of buckets where a client may be found */
    SAVED_SECONDS = 2,
};

/* tokens as of time; key 0 marks an unused bucket. */
struct bucket {
    uint64_t key;
    double tokens, time;
};

struct shard {
    _Alignas(64) pthread_mutex_t lock;
    struct bucket buckets[SHARD_BUCKETS];
};

struct rate_limit {
    double rate, most;
    uint64_t salt; /* secret, so that nobody can choose addresses that share buckets */
    struct shard shards[SHARDS];
};

struct rate_limit *rate_limit_new(double rate)
{
    struct rate_limit *limit = aligned_alloc(64, (sizeof *limit + 63) & ~(size_t)63);
    if (!limit)
        return NULL;
    memset(limit, 0, sizeof *limit);
    limit->rate = rate;
    limit->most = rate * SAVED_SECONDS > 1 ? rate * SAVED_SECONDS : 1;
    if (getrandom(&limit->salt, sizeof limit->salt, 0) != sizeof limit->salt)
        limit->salt = (uint64_t)(uintptr_t)limit;
    for (int i = 0; i < SHARDS; i++)
        pthread_mutex_init(&limit->shards[i].lock, NULL);
    return limit;
}

void rate_limit_free(struct rate_limit *limit)
{
    if (!limit)
        return;
    for (int i = 0; i < SHARDS; i++)
        pthread_mutex_destroy(&limit->shards[i].lock);
    free(limit);
}

/* The finaliser of MurmurHash3 (public domain, Austin Appleby): every input bit affects every output bit. */
static uint64_t mix(uint64_t value)
{
    value = (value ^ value >> 33) * UINT64_C(0xff51afd7ed558ccd);
    value = (value ^ value >> 33) * UINT64_C(0xc4ceb9fe1a85ec53);
    return value ^ value >> 33;
}

static uint64_t client_key(const struct rate_limit *limit, const char *client)
{
    uint64_t value = mix(mix(address_client(client) ^ limit->salt) + limit->salt);
    return value ? value : 1;
}

/* The client's bucket; otherwise the fullest of its candidates is reused, whose client loses least. */
static struct bucket *find_bucket(const struct rate_limit *limit, struct bucket *places, uint64_t key,
                                  double now)
{
    struct bucket *fullest = places;
    double most = -1;
    for (int i = 0; i < WAYS; i++) {
        struct bucket *bucket = &places[i];
        if (bucket->key == key)
            return bucket;
        double tokens = bucket->key ? bucket->tokens + (now - bucket->time) * limit->rate : limit->most;
        if (tokens > most) {
            most = tokens;
            fullest = bucket;
        }
    }
    *fullest = (struct bucket){key, limit->most, now};
    return fullest;
}

bool rate_limit_take(struct rate_limit *limit, const char *client, double now, double *wait)
{
    uint64_t key = client_key(limit, client);
    struct shard *shard = &limit->shards[key % SHARDS];
    struct bucket *places = &shard->buckets[key / SHARDS % (SHARD_BUCKETS / WAYS) * WAYS];
    pthread_mutex_lock(&shard->lock);
    struct bucket *bucket = find_bucket(limit, places, key, now);
    if (now > bucket->time) {
        bucket->tokens += (now - bucket->time) * limit->rate;
        bucket->time = now;
    }
    if (bucket->tokens > limit->most)
        bucket->tokens = limit->most;
    bool taken = bucket->tokens >= 1;
    if (taken)
        bucket->tokens -= 1;
    *wait = taken ? 0 : (1 - bucket->tokens) / limit->rate;
    pthread_mutex_unlock(&shard->lock);
    return taken;
}
