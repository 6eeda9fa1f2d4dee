/* Blobs that no upload needs any more, until they may be removed from the store. */
#ifndef POSED_SERVER_STORE_S3_DROPPED_H
#define POSED_SERVER_STORE_S3_DROPPED_H

#include "server/store/blobs.h"

#include <pthread.h>

struct dropped_item {
    struct blob_hash hash;
    uint64_t since_ms;
};

/* Zeroed, but for the lock and the condition. */
struct dropped {
    pthread_mutex_t lock;
    pthread_cond_t swept;
    struct dropped_item *items; /* in order of time */
    size_t count, capacity;
    struct blob_hash sweeping; /* this one is being removed */
    bool is_sweeping;
};

void dropped_init(struct dropped *dropped);
void dropped_release(struct dropped *dropped);
void dropped_add(struct dropped *dropped, const struct blob_hash *hash);
/* The blob is needed again, before its bytes are put. Waits while it is being removed. */
void dropped_forget(struct dropped *dropped, const struct blob_hash *hash);
/* Takes out the first that has been there so long; dropped_end must follow. */
bool dropped_begin(struct dropped *dropped, uint64_t least_ms, struct blob_hash *hash);
void dropped_end(struct dropped *dropped);

#endif
