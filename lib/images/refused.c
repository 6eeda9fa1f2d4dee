#include "lib/images/refused.h"

#ifdef __wasm__ /* one page, which pays for its own pictures */

void refused_add(struct pose_bytes bytes)
{
    (void)bytes;
}

bool refused_has(struct pose_bytes bytes)
{
    (void)bytes;
    return false;
}

#else

#include <pthread.h>
#include <string.h>
#include <unistd.h>

struct refused {
    uint64_t size, hash; /* size 0: free */
    uint64_t used;       /* when, in calls */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct refused table[REFUSED_COUNT];
static uint64_t calls, key[2];

static uint64_t turn(uint64_t word, int bits)
{
    return word << bits | word >> (64 - bits);
}

static void sip_round(uint64_t v[4])
{
    v[0] += v[1], v[1] = turn(v[1], 13) ^ v[0], v[0] = turn(v[0], 32);
    v[2] += v[3], v[3] = turn(v[3], 16) ^ v[2];
    v[0] += v[3], v[3] = turn(v[3], 21) ^ v[0];
    v[2] += v[1], v[1] = turn(v[1], 17) ^ v[2], v[2] = turn(v[2], 32);
}

/* SipHash-1-3 (Aumasson, Bernstein) by a secret key: nobody can make bytes that are taken for somebody else's picture.
 * The last word is filled with zeros; the size is compared beside. */
static uint64_t hash_of(struct pose_bytes bytes)
{
    uint64_t v[4] = {key[0] ^ 0x736f6d6570736575, key[1] ^ 0x646f72616e646f6d, key[0] ^ 0x6c7967656e657261,
                     key[1] ^ 0x7465646279746573};
    for (size_t at = 0; at < bytes.size; at += 8) {
        uint64_t word = 0;
        memcpy(&word, bytes.data + at, bytes.size - at < 8 ? bytes.size - at : 8);
        v[3] ^= word;
        sip_round(v);
        v[0] ^= word;
    }
    v[2] ^= 0xff;
    for (int i = 0; i < 3; i++)
        sip_round(v);
    return v[0] ^ v[1] ^ v[2] ^ v[3];
}

/* Without a key nothing is remembered. */
static bool has_key(void)
{
    pthread_mutex_lock(&lock);
    bool has = key[0] || key[1] || getentropy(key, sizeof key) == 0;
    pthread_mutex_unlock(&lock);
    return has;
}

void refused_add(struct pose_bytes bytes)
{
    if (!has_key())
        return;
    const uint64_t hash = hash_of(bytes);
    struct refused *oldest = table;
    pthread_mutex_lock(&lock);
    for (int i = 1; i < REFUSED_COUNT; i++)
        oldest = table[i].used < oldest->used ? &table[i] : oldest;
    *oldest = (struct refused){bytes.size, hash, ++calls};
    pthread_mutex_unlock(&lock);
}

/* hash: NULL: any. */
static bool find(uint64_t size, const uint64_t *hash)
{
    bool found = false;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < REFUSED_COUNT && !found; i++) {
        found = table[i].size == size && (!hash || table[i].hash == *hash);
        if (found && hash)
            table[i].used = ++calls;
    }
    pthread_mutex_unlock(&lock);
    return found;
}

bool refused_has(struct pose_bytes bytes)
{
    if (!bytes.size || !find(bytes.size, NULL))
        return false;
    const uint64_t hash = hash_of(bytes);
    return find(bytes.size, &hash);
}

#endif
