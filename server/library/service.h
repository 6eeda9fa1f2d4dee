/*
 * The state that handlers share: the current catalogue, the caches, the counters. One object for the life of the
 * daemon, used by all threads.
 */
#ifndef POSED_SERVER_LIBRARY_SERVICE_H
#define POSED_SERVER_LIBRARY_SERVICE_H

#include "server/ops/cache.h"
#include "server/library/catalog.h"
#include "server/ops/config.h"
#include "server/ops/metrics/metrics.h"
#include "server/ops/rate_limit.h"
#include "server/store/pictures.h"
#include "server/store/store.h"
#include "server/access/quotas.h"
#include "server/access/tokens.h"
#include "server/library/refused.h"
#include "server/library/waiting.h"

#include <pthread.h>

enum service_state { SERVICE_STARTING, SERVICE_READY, SERVICE_DRAINING };

enum { SERVICE_LOOPS = 64 };

/* A loop's own reference to the catalogue, so that reading it is lock-free. */
struct rows;
struct rows_uploads;

struct catalog_slot {
    _Alignas(64) atomic_int use; /* enum slot_use */
    struct catalog *catalog;
};
enum slot_use { SLOT_FREE, SLOT_USED, SLOT_SWEPT };

#define PATHS_OVER_LIMIT                                                                                     \
    "a PATH holds more files than --max-path-entries allows: those that were listed are served"

struct changes;
struct follower;
struct url_keys;
struct webhook;

/* Somebody who fetches uploads that are not at hand. */
struct service_fetch {
    struct service_fetch *next, **link;
    const struct asset_id
        *opening;              /* what is being opened, which nobody else opens meanwhile; NULL: nothing */
    struct pose_buffer needed; /* struct asset_id: what may not leave; guarded by the write lock */
};

struct service {
    const struct config *config;
    struct cache *clips;   /* decoded documents and players */
    struct cache *replies; /* encoded answers */
    struct metrics *metrics;
    struct rate_limit *rate_limit; /* NULL: off */
    struct url_keys *url_keys;     /* what signs URLs; NULL: nothing needs a signature */
    struct tokens *tokens;         /* tokens for writing; NULL: the loopback rule */
    struct index_options index_options;
    _Atomic int state;
    const struct shipped_skeleton *shipped;
    uint32_t shipped_count;
    struct catalog_memo *memo;  /* of a catalogue that has not all uploads at hand; NULL: it has */
    pthread_mutex_t fetch_lock; /* guards what fetches open; taken before the write lock */
    pthread_cond_t fetch_opened;
    struct service_fetch *fetches;      /* that are under way; changed with both locks held */
    atomic_uint_fast64_t fetched, left; /* uploads that came back, and that left */
    /* An upload that is not at hand, referenced; NULL with the error, STORE_MISSING if it will stay so. With the write
     * lock held or not. */
    struct index_archive *(*open_upload)(struct service *service, const struct asset_id *id,
                                         struct store_error *error);
    struct rows_uploads *uploads; /* what rows are made of, of a partial catalogue; freed by free_uploads */
    void (*free_uploads)(struct rows_uploads *uploads);
    /* With the write lock held, before a change of the PATHs is published: makes the rows of uploads that depend on them
     * anew. */
    void (*refresh_uploads)(struct service *service, struct catalog *draft);

    struct store *store;       /* NULL: a command without uploads */
    struct follower *follower; /* of a catalogue that others share, see uploads/follow.h; NULL: it is ours */
    struct picture_files *pictures; /* kept on the disk; NULL: none are */
    struct picture_metrics picture_metrics;
    pthread_mutex_t write_lock;  /* held while the next catalogue is built and published */
    _Atomic(struct rows *) rows; /* of lists, see service_rows; changed with the write lock held */
    pthread_mutex_t rows_lock;   /* held while they are made; taken before the write lock */
    struct changes *changes;     /* the last ones; NULL: out of memory */
    struct webhook *webhook;     /* who is told of changes; NULL: nobody */
    uint64_t newest_change;      /* the number of the newest change; guarded by the write lock */
    struct refused *refused;     /* broken pictures, see struct pose_refusals */
    struct waiting *waiting;     /* uploads that are not published yet */
    struct quotas *quotas;       /* guarded by the write lock, as are the following four */
    int64_t next_expiry_ms;      /* no upload expires before that; INT64_MAX: none does */
    int64_t next_lacking_ms;     /* when to look again for what the lists leave out; INT64_MAX: for nothing */
    struct asset_id last_lacking; /* as far as that was looked for */
    pthread_cond_t expiry_set;    /* signalled when it is set to an earlier time */

    pthread_mutex_t lock; /* guards the following members */
    struct catalog *current;
    _Atomic uint64_t generation;
    atomic_uint_fast64_t unpacking, /* bytes that unpacked archives of all requests take, see struct effort */
        making; /* bytes of keys and answers of the conversions that are being made, except small ones */
    atomic_uint paths_over_limit; /* PATHs with more files than --max-path-entries allows */
    struct catalog_slot slots[SERVICE_LOOPS];
    void *plans[SERVICE_LOOPS]; /* of each loop, from malloc: see api/poses/plan.h */
    struct index_result index;  /* used by the indexing thread only */

    void (*gauges)(void *user,
                   struct metrics_gauges *gauges); /* connections and queue, set by the HTTP layer */
    void *gauges_user;
};

/* The threads and limits of a configuration as options for indexing and decoding. */
struct index_options service_limits(const struct config *config);

/* Caches, counters and an empty catalogue, but no store yet. routes: templates for the metrics,
 * NULL-terminated. */
struct service *service_new(const struct config *config, const char *const *routes);
void service_free(struct service *service);

/* Reindexes the PATHs and publishes the new catalogue. May take long; one thread at a time. unsettled: some files may
 * still be being written. */
bool service_index(struct service *service, bool *unsettled, struct pose_error *error);
/* The same if nothing but that has changed. */
bool service_index_changed(struct service *service, const struct index_changes *changes, bool *unsettled,
                           struct pose_error *error);

/* Says which version of the store's list of uploads a draft shows: the present one. Of a list that others share only who
 * follows it knows: there the draft's stays what it is. */
void service_set_version(struct service *service, struct catalog *draft);
/* Takes over the draft and makes it the current catalogue. Call with the same lock held. */
void service_publish(struct service *service, struct catalog *draft);
/* Lets uploads leave if they take more memory than --catalog-cache allows, but none that somebody who fetches needs; puts it
 * off if something else is being changed. */
void service_trim(struct service *service);
/* Rows of the current catalogue; made if there are none, which takes long when there is much. NULL if out of memory. */
struct rows *service_rows(struct service *service);
/* With the write lock held: says of items of PATHs whether they are whole. */
void service_settle_paths(struct service *service, struct catalog *draft);
/* The current catalogue, referenced. */
struct catalog *service_hold(struct service *service);
/* Options for indexing a request's own bytes, within the effort of this thread. */
struct index_options service_request_options(const struct service *service);

/*
 * The catalogue for one request: on a loop (with a number below SERVICE_LOOPS) borrowed from the loop's own
 * reference, elsewhere referenced. Must be released by service_leave with the same on_loop, or by service_leave_loop.
 */
struct catalog *service_enter(struct service *service, bool on_loop, unsigned loop);
void service_leave(struct service *service, struct catalog *catalog, bool on_loop);
void service_leave_loop(struct service *service, unsigned loop);

#endif
