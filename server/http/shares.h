/*
 * Who has how much of the server: connections, and work on the pool, by client address. A household or a server has a
 * /64 of IPv6 to itself and counts as one.
 */
#ifndef POSED_SERVER_HTTP_SHARES_H
#define POSED_SERVER_HTTP_SHARES_H

#include <pthread.h>
#include <stdint.h>

/* What one client has. */
struct share {
    struct share *next;
    uint64_t client; /* of address_client */
    unsigned holders;
    unsigned connections;
    unsigned waiting, running; /* jobs; the pool's own, under its lock */
};

enum { SHARE_BUCKETS = 1024 };

struct shares {
    pthread_mutex_t lock;
    struct share *buckets[SHARE_BUCKETS];
};

void shares_init(struct shares *shares);
/* No share may be held any more. */
void shares_release(struct shares *shares);
/* The client's share, held until share_put; NULL when memory is out. From any thread. */
struct share *share_get(struct shares *shares, uint64_t client);
void share_put(struct shares *shares, struct share *share);
/* Counts a connection in or out; returns how many the client has then. */
unsigned share_connect(struct shares *shares, struct share *share, int change);

#endif
