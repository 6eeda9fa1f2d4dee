#include "server/http/shares.h"

#include <stdlib.h>

void shares_init(struct shares *shares)
{
    *shares = (struct shares){0};
    pthread_mutex_init(&shares->lock, NULL);
}

void shares_release(struct shares *shares)
{
    pthread_mutex_destroy(&shares->lock);
}

/* An attacker who picks addresses to fill one bucket must own that many addresses; the list stays short. */
static struct share **bucket_of(struct shares *shares, uint64_t client)
{
    return &shares->buckets[(client * UINT64_C(0x9e3779b97f4a7c15)) >> 32 & (SHARE_BUCKETS - 1)];
}

struct share *share_get(struct shares *shares, uint64_t client)
{
    struct share **bucket = bucket_of(shares, client), *share;
    pthread_mutex_lock(&shares->lock);
    for (share = *bucket; share && share->client != client; share = share->next)
        ;
    if (!share && (share = calloc(1, sizeof *share))) {
        share->client = client;
        share->next = *bucket;
        *bucket = share;
    }
    if (share)
        share->holders++;
    pthread_mutex_unlock(&shares->lock);
    return share;
}

void share_put(struct shares *shares, struct share *share)
{
    if (!share)
        return;
    pthread_mutex_lock(&shares->lock);
    if (!--share->holders) {
        struct share **at = bucket_of(shares, share->client);
        while (*at != share)
            at = &(*at)->next;
        *at = share->next;
        free(share);
    }
    pthread_mutex_unlock(&shares->lock);
}

unsigned share_connect(struct shares *shares, struct share *share, int change)
{
    pthread_mutex_lock(&shares->lock);
    share->connections += (unsigned)change;
    unsigned count = share->connections;
    pthread_mutex_unlock(&shares->lock);
    return count;
}
