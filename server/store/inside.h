/* The store from inside: what its files have in common. */
#ifndef POSED_SERVER_STORE_INSIDE_H
#define POSED_SERVER_STORE_INSIDE_H

#include "server/store/blobs.h"
#include "server/store/catalog.h"
#include "server/store/reserve.h"

#include <pthread.h>
#include <stdatomic.h>

struct store {
    struct blobs *blobs;
    struct store_catalog *catalog;
    char *folder; /* NULL: in memory */
    char *spool;
    int lock_fd; /* -1: in memory */
    uint64_t most;
    _Atomic uint64_t bytes;
    atomic_bool down;
    /* 1 + the free bytes when the last write failed for want of room; 0: it did not. */
    _Atomic uint64_t full_at;
    struct reserve reserve; /* in the folder of a catalogue that is ours alone */
    bool is_clean;          /* it was left by a daemon that had checked it, and nothing has changed since */
    atomic_bool is_sound;   /* it is checked, and no change was left half done: it can be left like that */
    pthread_mutex_t
        lock; /* guards blobs and catalog, unless that is shared: then both take care of themselves */
};

/* Whether other machines write the catalogue as well. */
bool store_is_shared(const struct store *store);
void store_lock(struct store *store);
void store_unlock(struct store *store);
/* If the folder was replaced after opening, nothing is written to the new one, and nothing counts as
 * removed from it. */
bool store_is_in_place(const struct store *store, struct store_error *error);

#endif
