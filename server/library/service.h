/*
 * What the handlers work on: the catalogue of the moment, the caches, the counters. One object for the life of the
 * daemon, shared by all threads.
 */
#ifndef POSED_SERVER_LIBRARY_SERVICE_H
#define POSED_SERVER_LIBRARY_SERVICE_H

#include "server/ops/cache.h"
#include "server/library/catalog.h"
#include "server/ops/config.h"
#include "server/ops/metrics/metrics.h"
#include "server/ops/rate_limit.h"
#include "server/store/store.h"
#include "server/ops/tokens.h"

#include <pthread.h>

enum service_state { SERVICE_STARTING, SERVICE_READY, SERVICE_DRAINING };

enum { SERVICE_LOOPS = 64 };

/* A loop's own hold on the catalogue, so that reading it takes no lock. */
struct catalog_slot {
    _Alignas(64) struct catalog *catalog;
};

#define PATHS_OVER_LIMIT                                                                                     \
    "a PATH holds more files than --max-path-entries allows: those that were listed are served"

struct service {
    const struct config *config;
    struct cache *clips;   /* decoded documents and players */
    struct cache *replies; /* encoded answers */
    struct metrics *metrics;
    struct rate_limit *rate_limit; /* NULL: off */
    struct tokens *tokens;         /* of those who may write; NULL: the loopback rule */
    struct index_options index_options;
    _Atomic int state;
    const struct shipped_skeleton *shipped;
    uint32_t shipped_count;

    struct store *store; /* NULL: a command without uploads */
    pthread_mutex_t
        write_lock; /* held while the next catalogue is made and takes the place of the current one */

    pthread_mutex_t lock; /* of what follows */
    struct catalog *current;
    _Atomic uint64_t generation;
    atomic_uint paths_over_limit; /* PATHs that hold more than --max-path-entries allows */
    struct catalog_slot slots[SERVICE_LOOPS];
    struct index_result index; /* touched by the indexing thread alone */

    void (*gauges)(void *user, struct metrics_gauges *gauges); /* connections and queue, from HTTP */
    void *gauges_user;
};

/* The threads and limits of a configuration, as indexing and decoding take them. */
struct index_options service_limits(const struct config *config);

/* Caches, counters, an empty catalogue; no store yet. routes: templates for the metrics, ended by NULL. */
struct service *service_new(const struct config *config, const char *const *routes);
void service_free(struct service *service);

/* Indexes the PATHs anew and swaps the catalogue. May take long; one thread at a time. */
bool service_index(struct service *service, bool *unsettled, struct pose_error *error);

/* A catalogue over the archives of the PATHs, and uploads behind them, to be published: NULL when there is no memory for
 * it. Under the write lock. */
struct catalog *service_draft(struct service *service, const struct index_neighbours *paths,
                              struct index_archive *const *uploads, uint32_t upload_count);
/* The draft, which is taken over, takes the current catalogue's place. Under the same lock. */
void service_publish(struct service *service, struct catalog *draft);
/* How a request's own bytes are indexed: what it may cost ends max-time from now. */
struct index_options service_request_options(const struct service *service);

/*
 * The catalogue for one request: on a loop (of a number below SERVICE_LOOPS) it is borrowed from the loop's own hold,
 * elsewhere referenced. service_leave with the same on_loop gives it back.
 */
struct catalog *service_enter(struct service *service, bool on_loop, unsigned loop);
void service_leave(struct service *service, struct catalog *catalog, bool on_loop);

#endif
