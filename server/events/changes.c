#include "server/events/changes.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct changes {
    _Atomic uint64_t newest;
    pthread_mutex_t lock; /* guards the following members */
    uint64_t floor;       /* what is after this number is known */
    uint64_t count;       /* of all that were pushed */
    struct change ring[CHANGES_KEPT];
    unsigned reader_count;
    uint64_t readers[CHANGES_READERS]; /* the client of each */
};

struct changes *changes_new(uint64_t since)
{
    struct changes *changes = calloc(1, sizeof *changes);
    if (!changes)
        return NULL;
    pthread_mutex_init(&changes->lock, NULL);
    changes->floor = since;
    atomic_init(&changes->newest, since);
    return changes;
}

void changes_free(struct changes *changes)
{
    if (!changes)
        return;
    pthread_mutex_destroy(&changes->lock);
    free(changes);
}

void changes_push(struct changes *changes, const struct change *change)
{
    pthread_mutex_lock(&changes->lock);
    struct change *place = &changes->ring[changes->count % CHANGES_KEPT];
    if (changes->count >= CHANGES_KEPT)
        changes->floor = place->number;
    *place = *change;
    changes->count++;
    atomic_store(&changes->newest, change->number);
    pthread_mutex_unlock(&changes->lock);
}

uint64_t changes_newest(const struct changes *changes)
{
    return atomic_load(&changes->newest);
}

uint64_t changes_floor(struct changes *changes)
{
    pthread_mutex_lock(&changes->lock);
    const uint64_t floor = changes->floor;
    pthread_mutex_unlock(&changes->lock);
    return floor;
}

/* The first that was pushed and has a greater number; the caller has checked that there is one. */
static const struct change *find_after(const struct changes *changes, uint64_t after)
{
    uint64_t low = changes->count > CHANGES_KEPT ? changes->count - CHANGES_KEPT : 0, high = changes->count;
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        if (changes->ring[middle % CHANGES_KEPT].number > after)
            high = middle;
        else
            low = middle + 1;
    }
    return &changes->ring[low % CHANGES_KEPT];
}

enum changes_answer changes_next(struct changes *changes, uint64_t after, struct change *next)
{
    enum changes_answer answer = CHANGES_NEXT;
    pthread_mutex_lock(&changes->lock);
    const uint64_t newest = atomic_load(&changes->newest);
    if (after < changes->floor || after > newest)
        answer = CHANGES_LOST;
    else if (after == newest || !changes->count)
        answer = CHANGES_NONE;
    else
        *next = *find_after(changes, after);
    pthread_mutex_unlock(&changes->lock);
    return answer;
}

bool changes_enter(struct changes *changes, uint64_t client)
{
    unsigned of_client = 0;
    pthread_mutex_lock(&changes->lock);
    for (unsigned i = 0; i < changes->reader_count; i++)
        of_client += changes->readers[i] == client;
    const bool is_free = changes->reader_count < CHANGES_READERS && of_client < CHANGES_READERS_OF_CLIENT;
    if (is_free)
        changes->readers[changes->reader_count++] = client;
    pthread_mutex_unlock(&changes->lock);
    return is_free;
}

void changes_leave(struct changes *changes, uint64_t client)
{
    pthread_mutex_lock(&changes->lock);
    unsigned at = 0;
    while (at < changes->reader_count && changes->readers[at] != client)
        at++;
    if (at < changes->reader_count)
        changes->readers[at] = changes->readers[--changes->reader_count];
    pthread_mutex_unlock(&changes->lock);
}
