/*
 * Counts what the daemon does, and writes it as Prometheus text.
 *
 * Recording is lock-free and does not allocate: threads add to shards, and rendering sums them up.
 */
#ifndef POSED_SERVER_OPS_METRICS_METRICS_H
#define POSED_SERVER_OPS_METRICS_METRICS_H

#include "server/ops/cache.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct metrics;
struct database_metrics;
struct object_metrics;
struct picture_metrics;
struct webhook_metrics;

/* Asset kinds of the catalogue. */
enum metrics_kind {
    METRICS_CLIPS,
    METRICS_SKELETONS,
    METRICS_MESHES,
    METRICS_CHARACTERS,
    METRICS_IMAGES,
    METRICS_KIND_COUNT,
};

/* Values kept elsewhere and collected for rendering. */
struct metrics_gauges {
    uint64_t connections;
    uint64_t queue_depth;
    uint64_t queue_rejected; /* since the start */
    uint64_t assets[METRICS_KIND_COUNT];
    uint64_t store_bytes;
    uint64_t written_bytes; /* to the disk, since the start */
    uint64_t decodes;       /* of files, since the start */
    uint64_t paths_over_limit;
    struct cache_counts catalog; /* contents of uploads; hits are not counted */
};

/* All pointers must outlive the metrics. */
struct metrics_options {
    const char *version;
    unsigned revision;         /* of the decoder */
    const char *const *routes; /* the templates, NULL-terminated; requests pass these very pointers */
    /* Fills in the gauges, which are zeroed. May be NULL. */
    void (*collect)(void *user, struct metrics_gauges *gauges);
    void *user;
};

/* The formats are those of pose_formats(). NULL if out of memory. */
struct metrics *metrics_new(const struct metrics_options *options);
void metrics_free(struct metrics *metrics);

/* Adds a cache, labelled by its name; at most four. Call it before any thread records or renders. */
void metrics_add_cache(struct metrics *metrics, struct cache *cache);

/* Adds what is counted of an object store; at most one, before any thread renders. */
void metrics_add_database(struct metrics *metrics, const struct database_metrics *database);
void metrics_add_objects(struct metrics *metrics, const struct object_metrics *objects);
/* The same for the pictures on the disk. */
void metrics_add_pictures(struct metrics *metrics, const struct picture_metrics *pictures);

/* Adds what is counted of a webhook; likewise. */
void metrics_add_webhook(struct metrics *metrics, const struct webhook_metrics *webhook);

/* Counts an answered request. route: one of options.routes; anything else (NULL, "") counts as route "". */
void metrics_request(struct metrics *metrics, const char *route, const char *method, unsigned status,
                     double seconds);

/* Counts a finished decode: POSE_OK, or the error status. format: an id of pose_formats(); anything else
 * counts as "unknown". */
void metrics_decode(struct metrics *metrics, const char *format, enum pose_status status, double seconds);

/* The media type of the text. */
#define METRICS_CONTENT_TYPE "text/plain; version=0.0.4; charset=utf-8"

/* The text, from malloc, and its size without the NUL. NULL if out of memory. Reads /proc/self. */
char *metrics_render(const struct metrics *metrics, size_t *size);

#endif
