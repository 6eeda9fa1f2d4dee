#include "server/store/s3/dropped.h"

#include "server/ops/clock.h"
#include "server/ops/region.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_DROPPED = 1 << 20 }; /* beyond that `posed sweep` finds them */

void dropped_init(struct dropped *dropped)
{
    *dropped = (struct dropped){0};
    pthread_mutex_init(&dropped->lock, NULL);
    pthread_cond_init(&dropped->swept, NULL);
}

void dropped_release(struct dropped *dropped)
{
    pthread_cond_destroy(&dropped->swept);
    pthread_mutex_destroy(&dropped->lock);
    free(dropped->items);
}

void dropped_add(struct dropped *dropped, const struct blob_hash *hash)
{
    pthread_mutex_lock(&dropped->lock);
    if (dropped->count == dropped->capacity && dropped->capacity < MAX_DROPPED) {
        dropped->capacity = dropped->capacity ? dropped->capacity * 2 : 64;
        dropped->items = must_grow(dropped->items, dropped->capacity, sizeof *dropped->items);
    }
    if (dropped->count < dropped->capacity)
        dropped->items[dropped->count++] = (struct dropped_item){*hash, clock_ms()};
    pthread_mutex_unlock(&dropped->lock);
}

static bool is_same(const struct blob_hash *a, const struct blob_hash *b)
{
    return !memcmp(a, b, sizeof *a);
}

static void take_out(struct dropped *dropped, size_t index)
{
    dropped->count--;
    memmove(dropped->items + index, dropped->items + index + 1,
            (dropped->count - index) * sizeof *dropped->items);
}

void dropped_forget(struct dropped *dropped, const struct blob_hash *hash)
{
    pthread_mutex_lock(&dropped->lock);
    while (dropped->is_sweeping && is_same(&dropped->sweeping, hash))
        pthread_cond_wait(&dropped->swept, &dropped->lock);
    for (size_t i = dropped->count; i--;) {
        if (is_same(&dropped->items[i].hash, hash))
            take_out(dropped, i);
    }
    pthread_mutex_unlock(&dropped->lock);
}

bool dropped_begin(struct dropped *dropped, uint64_t least_ms, struct blob_hash *hash)
{
    pthread_mutex_lock(&dropped->lock);
    dropped->is_sweeping = dropped->count && clock_ms() - dropped->items[0].since_ms >= least_ms;
    if (dropped->is_sweeping) {
        *hash = dropped->sweeping = dropped->items[0].hash;
        take_out(dropped, 0);
    }
    const bool is_there = dropped->is_sweeping;
    pthread_mutex_unlock(&dropped->lock);
    return is_there;
}

void dropped_end(struct dropped *dropped)
{
    pthread_mutex_lock(&dropped->lock);
    dropped->is_sweeping = false;
    pthread_cond_broadcast(&dropped->swept);
    pthread_mutex_unlock(&dropped->lock);
}
