/*
 * Resource use per client address: connections, and jobs on the pool. An IPv6 /64, which a household or a server
 * usually has to itself, counts as one client.
 */
#ifndef POSED_SERVER_HTTP_SHARES_H
#define POSED_SERVER_HTTP_SHARES_H

#include <pthread.h>
#include <stdint.h>

/* The resources used by one client. */
struct share {
    struct share *next;
    uint64_t client; /* of address_client */
    unsigned holders;
    unsigned connections;
    unsigned waiting, running; /* jobs; used by the pool, under its lock */
};

enum { SHARE_BUCKETS = 1024 };

struct shares {
    pthread_mutex_t lock;
    struct share *buckets[SHARE_BUCKETS];
};

void shares_init(struct shares *shares);
/* All shares must have been put back. */
void shares_release(struct shares *shares);
/* The client's share, referenced until share_put; NULL if out of memory. Thread-safe. */
struct share *share_get(struct shares *shares, uint64_t client);
void share_put(struct shares *shares, struct share *share);
/* Counts a connection up or down; returns the client's new number of connections. */
unsigned share_connect(struct shares *shares, struct share *share, int change);

#endif
