/*
 * Each shard has a copy of every counter. A thread adds to the shard of its current CPU, with relaxed atomics
 * because it may be moved to another meanwhile. Shards are sparse: pages without counts are never touched.
 */
#include "server/ops/metrics/metrics.h"

#include "server/ops/metrics/database.h"
#include "server/ops/metrics/objects.h"
#include "server/ops/metrics/pictures.h"
#include "server/ops/metrics/webhooks.h"
#include "server/ops/metrics/process.h"
#include "server/ops/metrics/prometheus.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SHARD_COUNT = 8,
    CACHE_CAPACITY = 4,
    FIRST_CODE = 100,
    LAST_CODE = 599,
};

static const char *const methods[] = {"GET", "HEAD", "POST", "DELETE", "OPTIONS", "PUT", "PATCH", "other"};
enum { METHOD_COUNT = sizeof methods / sizeof *methods };

/* Statuses that posed or libmicrohttpd answers; others count as the last one, 0 for "other". */
static const uint16_t codes[] = {200, 201, 202, 204, 206, 301, 302, 303, 304, 307, 308, 400, 401, 403,
                                 404, 405, 406, 408, 409, 410, 411, 412, 413, 414, 415, 416, 417, 421,
                                 422, 428, 429, 431, 500, 501, 502, 503, 504, 505, 507, 0};
enum { CODE_COUNT = sizeof codes / sizeof *codes };

static const char *const outcomes[] = {
    [POSE_OK] = "ok",
    [POSE_BAD_DATA] = "bad_data",
    [POSE_UNKNOWN_FORMAT] = "unknown_format",
    [POSE_UNSUPPORTED] = "unsupported",
    [POSE_OVER_LIMIT] = "over_limit",
    [POSE_BAD_ARGUMENT] = "bad_argument",
    [POSE_NO_MEMORY] = "no_memory",
};
enum { OUTCOME_COUNT = sizeof outcomes / sizeof *outcomes };

/* Nanoseconds: a cached pose takes 20 µs, a large conversion a second. */
static const uint64_t bounds[] = {10000,     25000,     50000,     100000,     250000,     500000,
                                  1000000,   2500000,   5000000,   10000000,   25000000,   50000000,
                                  100000000, 250000000, 500000000, 1000000000, 2500000000, 10000000000};
enum { BOUND_COUNT = sizeof bounds / sizeof *bounds };

typedef _Atomic uint64_t counter;

/* A row of counters for each route or format: its histogram, then its own counters. */
enum {
    ROW_SUM = BOUND_COUNT + 1, /* after the buckets */
    ROW_OWN,
    ROUTE_ROW = ROW_OWN + METHOD_COUNT * CODE_COUNT,
    FORMAT_ROW = ROW_OWN + OUTCOME_COUNT,
    MAX_ROW = ROUTE_ROW > FORMAT_ROW ? ROUTE_ROW : FORMAT_ROW,
};

struct table {
    uint32_t row_count, row_size;
    counter *shards[SHARD_COUNT]; /* [row_count][row_size] */
};

struct route_slot {
    const char *route;
    uint32_t index;
};

struct metrics {
    struct metrics_options options;
    uint64_t started_ns;
    struct table routes;      /* the last row is route "" */
    struct table decodes;     /* the last row is format "unknown" */
    struct route_slot *slots; /* routes by their pointers, open addressing */
    uint32_t slot_mask;
    uint8_t code_indices[LAST_CODE - FIRST_CODE + 1];
    struct cache *caches[CACHE_CAPACITY];
    uint32_t cache_count;
    const struct database_metrics *database; /* NULL: none, as are the following */
    const struct object_metrics *objects;    /* NULL: none */
    const struct picture_metrics *pictures;
    const struct webhook_metrics *webhook; /* NULL: none */
};

/* ------------------------------------------------------------------------------------------------- recording -- */

static counter *own_row(const struct table *table, uint32_t row)
{
    int processor = sched_getcpu();
    return table->shards[processor < 0 ? 0 : processor % SHARD_COUNT] + (size_t)row * table->row_size;
}

static void add(counter *value, uint64_t amount)
{
    atomic_fetch_add_explicit(value, amount, memory_order_relaxed);
}

/* Increments one of the row's own counters and adds to its histogram. */
static void record(counter *row, size_t own, double seconds)
{
    /* NaN also counts as 0; durations are capped at about a year. */
    uint64_t duration = seconds > 0 ? (uint64_t)((seconds < 3e7 ? seconds : 3e7) * 1e9) : 0;
    size_t bucket = 0;
    while (bucket < BOUND_COUNT && duration > bounds[bucket])
        bucket++;
    add(&row[bucket], 1);
    add(&row[ROW_SUM], duration);
    add(&row[ROW_OWN + own], 1);
}

static uint32_t slot_of(const struct metrics *metrics, const char *route)
{
    return (uint32_t)(((uint64_t)(uintptr_t)route * 0x9e3779b97f4a7c15u) >> 32) & metrics->slot_mask;
}

static uint32_t find_route(const struct metrics *metrics, const char *route)
{
    uint32_t none = metrics->routes.row_count - 1;
    if (!route || !*route)
        return none;
    uint32_t slot = slot_of(metrics, route);
    while (metrics->slots[slot].route && metrics->slots[slot].route != route)
        slot = (slot + 1) & metrics->slot_mask;
    return metrics->slots[slot].route ? metrics->slots[slot].index : none;
}

static size_t find_method(const char *method)
{
    size_t index = 0;
    while (index < METHOD_COUNT - 1 && strcmp(methods[index], method))
        index++;
    return index;
}

static size_t find_code(const struct metrics *metrics, unsigned status)
{
    return status >= FIRST_CODE && status <= LAST_CODE ? metrics->code_indices[status - FIRST_CODE]
                                                       : CODE_COUNT - 1;
}

void metrics_request(struct metrics *metrics, const char *route, const char *method, unsigned status,
                     double seconds)
{
    size_t own = find_method(method ? method : "") * CODE_COUNT + find_code(metrics, status);
    record(own_row(&metrics->routes, find_route(metrics, route)), own, seconds);
}

static uint32_t find_format(const struct metrics *metrics, const char *id)
{
    const struct pose_format *formats = pose_formats();
    uint32_t index = 0, none = metrics->decodes.row_count - 1;
    while (index < none && (!id || strcmp(formats[index].id, id)))
        index++;
    return index;
}

void metrics_decode(struct metrics *metrics, const char *format, enum pose_status status, double seconds)
{
    size_t own = (size_t)status < OUTCOME_COUNT ? (size_t)status : POSE_BAD_DATA;
    record(own_row(&metrics->decodes, find_format(metrics, format)), own, seconds);
}

/* ------------------------------------------------------------------------------------------------- rendering -- */

/* Sums a row over the shards. False if all its counters are zero. */
static bool sum_row(const struct table *table, uint32_t row, uint64_t sums[MAX_ROW])
{
    uint64_t any = 0;
    memset(sums, 0, MAX_ROW * sizeof *sums);
    for (size_t shard = 0; shard < SHARD_COUNT; shard++) {
        const counter *values = table->shards[shard] + (size_t)row * table->row_size;
        for (size_t i = 0; i < table->row_size; i++)
            any |= sums[i] += atomic_load_explicit(&values[i], memory_order_relaxed);
    }
    return any;
}

static const char *route_name(const struct metrics *metrics, uint32_t row)
{
    return row < metrics->routes.row_count - 1 ? metrics->options.routes[row] : "";
}

static const char *format_name(const struct metrics *metrics, uint32_t row)
{
    return row < metrics->decodes.row_count - 1 ? pose_formats()[row].id : "unknown";
}

static void write_requests(const struct metrics *metrics, FILE *out)
{
    static const char name[] = "posed_http_requests_total";
    uint64_t sums[MAX_ROW];
    prometheus_family(out, name, "counter", "Requests answered, by route, method and status.");
    for (uint32_t row = 0; row < metrics->routes.row_count; row++) {
        if (!sum_row(&metrics->routes, row, sums))
            continue;
        for (size_t i = 0; i < METHOD_COUNT * CODE_COUNT; i++) {
            char code[12] = "other";
            if (codes[i % CODE_COUNT])
                snprintf(code, sizeof code, "%u", codes[i % CODE_COUNT]);
            if (sums[ROW_OWN + i])
                prometheus_sample(out, name,
                                  PROMETHEUS_LABELS({"route", route_name(metrics, row)},
                                                    {"method", methods[i / CODE_COUNT]}, {"code", code}),
                                  sums[ROW_OWN + i]);
        }
    }
}

static void write_decodes(const struct metrics *metrics, FILE *out)
{
    static const char name[] = "posed_decodes_total";
    uint64_t sums[MAX_ROW];
    prometheus_family(out, name, "counter", "Files decoded, by format and result.");
    for (uint32_t row = 0; row < metrics->decodes.row_count; row++) {
        if (!sum_row(&metrics->decodes, row, sums))
            continue;
        for (size_t i = 0; i < OUTCOME_COUNT; i++) {
            if (sums[ROW_OWN + i])
                prometheus_sample(
                    out, name,
                    PROMETHEUS_LABELS({"format", format_name(metrics, row)}, {"outcome", outcomes[i]}),
                    sums[ROW_OWN + i]);
        }
    }
}

/* Writes the histograms of a table; label is the name of the label for its rows. */
static void write_durations(const struct metrics *metrics, const struct table *table, const char *name,
                            const char *label, const char *(*row_name)(const struct metrics *, uint32_t),
                            FILE *out)
{
    uint64_t sums[MAX_ROW];
    for (uint32_t row = 0; row < table->row_count; row++) {
        if (sum_row(table, row, sums))
            prometheus_histogram(
                out, name, PROMETHEUS_LABELS({label, row_name(metrics, row)}),
                &(struct prometheus_histogram){
                    .bound_count = BOUND_COUNT, .bounds = bounds, .counts = sums, .sum = sums[ROW_SUM]});
    }
}

static void write_caches(const struct metrics *metrics, const struct cache_counts *catalog, FILE *out)
{
    static const struct {
        const char *name, *type, *help;
        size_t member;
    } families[] = {
        {"posed_cache_hits_total", "counter", "Lookups that hit the cache.",
         offsetof(struct cache_counts, hits)},
        {"posed_cache_misses_total", "counter", "Lookups that missed the cache.",
         offsetof(struct cache_counts, misses)},
        {"posed_cache_evictions_total", "counter", "Objects evicted to make room.",
         offsetof(struct cache_counts, evictions)},
        {"posed_cache_bytes", "gauge", "Bytes held.", offsetof(struct cache_counts, bytes)},
        {"posed_cache_limit_bytes", "gauge", "Maximum bytes held.", offsetof(struct cache_counts, limit)},
        {"posed_cache_entries", "gauge", "Objects held.", offsetof(struct cache_counts, entries)},
    };
    struct cache_counts counts[CACHE_CAPACITY];
    for (uint32_t i = 0; i < metrics->cache_count; i++)
        cache_count(metrics->caches[i], &counts[i]);
    for (size_t family = 0; family < sizeof families / sizeof *families; family++) {
        prometheus_family(out, families[family].name, families[family].type, families[family].help);
        for (uint32_t i = 0; i < metrics->cache_count; i++) {
            uint64_t value;
            memcpy(&value, (const char *)&counts[i] + families[family].member, sizeof value);
            prometheus_sample(out, families[family].name,
                              PROMETHEUS_LABELS({"cache", cache_name(metrics->caches[i])}), value);
        }
        /* Looking at what is in memory counts nothing. */
        uint64_t value;
        memcpy(&value, (const char *)catalog + families[family].member, sizeof value);
        if (families[family].member != offsetof(struct cache_counts, hits))
            prometheus_sample(out, families[family].name, PROMETHEUS_LABELS({"cache", "catalog"}), value);
    }
}

static void write_gauges(const struct metrics_gauges *gauges, FILE *out)
{
    static const char *const kinds[METRICS_KIND_COUNT] = {"clip", "skeleton", "mesh", "character", "image"};
    prometheus_single(out, "posed_http_connections", "gauge", "Connections open now.", gauges->connections);
    prometheus_single(out, "posed_queue_depth", "gauge", "Requests on the thread pool or waiting for it.",
                      gauges->queue_depth);
    prometheus_single(out, "posed_queue_rejected_total", "counter",
                      "Requests rejected because the queue was full.", gauges->queue_rejected);
    prometheus_family(out, "posed_catalog_assets", "gauge", "Assets in the catalogue, by kind.");
    for (size_t i = 0; i < METRICS_KIND_COUNT; i++)
        prometheus_sample(out, "posed_catalog_assets", PROMETHEUS_LABELS({"kind", kinds[i]}),
                          gauges->assets[i]);
    prometheus_single(out, "posed_store_bytes", "gauge", "Bytes of uploaded archives.", gauges->store_bytes);
    prometheus_single(out, "posed_written_bytes_total", "counter",
                      "Bytes of request bodies and uploads written to files.", gauges->written_bytes);
    prometheus_single(out, "posed_decoded_files_total", "counter",
                      "Files decoded, for the index and for answers.", gauges->decodes);
    prometheus_single(out, "posed_catalog_paths_over_limit", "gauge",
                      "PATHs with more files than --max-path-entries allows.", gauges->paths_over_limit);
}

static void write_build(const struct metrics *metrics, FILE *out)
{
    static const char name[] = "posed_build_info";
    char revision[12];
    snprintf(revision, sizeof revision, "%u", metrics->options.revision);
    prometheus_family(out, name, "gauge", "Always 1; version of posed and revision of its decoders.");
    prometheus_sample(out, name,
                      PROMETHEUS_LABELS({"version", metrics->options.version}, {"revision", revision}), 1);
}

static void write_process(const struct metrics *metrics, FILE *out)
{
    struct process_usage usage;
    process_measure(&usage);
    prometheus_family(out, "process_cpu_seconds_total", "counter", "User and system time spent, in seconds.");
    prometheus_seconds(out, "process_cpu_seconds_total", PROMETHEUS_NO_LABELS, usage.cpu_ns);
    prometheus_single(out, "process_open_fds", "gauge", "File descriptors open.", usage.open_fds);
    prometheus_single(out, "process_max_fds", "gauge", "Maximum number of open file descriptors.",
                      usage.most_fds);
    prometheus_single(out, "process_virtual_memory_bytes", "gauge", "Address space in use.",
                      usage.virtual_memory);
    prometheus_single(out, "process_virtual_memory_max_bytes", "gauge", "Maximum address space.",
                      usage.virtual_memory_most);
    prometheus_single(out, "process_resident_memory_bytes", "gauge", "Memory in use.", usage.resident_memory);
    prometheus_family(out, "process_start_time_seconds", "gauge", "When the process started, since 1970.");
    prometheus_seconds(out, "process_start_time_seconds", PROMETHEUS_NO_LABELS, metrics->started_ns);
}

char *metrics_render(const struct metrics *metrics, size_t *size)
{
    static const char requests[] = "posed_http_request_duration_seconds";
    static const char decodes[] = "posed_decode_duration_seconds";
    char *text = NULL;
    FILE *out = open_memstream(&text, size);
    if (!out)
        return NULL;
    struct metrics_gauges gauges = {0};
    if (metrics->options.collect)
        metrics->options.collect(metrics->options.user, &gauges);
    write_requests(metrics, out);
    prometheus_family(out, requests, "histogram",
                      "From the first byte of a request to the end of its answer.");
    write_durations(metrics, &metrics->routes, requests, "route", route_name, out);
    write_decodes(metrics, out);
    prometheus_family(out, decodes, "histogram", "Time taken to decode a file.");
    write_durations(metrics, &metrics->decodes, decodes, "format", format_name, out);
    write_caches(metrics, &gauges.catalog, out);
    write_gauges(&gauges, out);
    if (metrics->database)
        database_metrics_write(metrics->database, out);
    if (metrics->objects)
        object_metrics_write(metrics->objects, out);
    if (metrics->pictures)
        picture_metrics_write(metrics->pictures, out);
    if (metrics->webhook)
        webhook_metrics_write(metrics->webhook, out);
    write_build(metrics, out);
    write_process(metrics, out);
    bool failed = ferror(out);
    failed |= fclose(out) != 0;
    if (!failed)
        return text;
    free(text);
    return NULL;
}

/* ---------------------------------------------------------------------------------------------------- making -- */

static bool table_init(struct table *table, size_t row_count, size_t row_size)
{
    table->row_count = (uint32_t)row_count;
    table->row_size = (uint32_t)row_size;
    for (size_t i = 0; i < SHARD_COUNT; i++) {
        table->shards[i] = calloc(row_count * row_size, sizeof(counter));
        if (!table->shards[i])
            return false;
    }
    return true;
}

static void table_release(struct table *table)
{
    for (size_t i = 0; i < SHARD_COUNT; i++)
        free(table->shards[i]);
}

/* The first route with the same text: a template may occur several times, for different methods. */
static uint32_t first_alike(const char *const *routes, uint32_t index)
{
    for (uint32_t i = 0; i < index; i++) {
        if (!strcmp(routes[i], routes[index]))
            return i;
    }
    return index;
}

/* At most half full, to keep searches short. */
static bool add_routes(struct metrics *metrics, uint32_t route_count)
{
    uint32_t slot_count = 16;
    while (slot_count < 2 * route_count)
        slot_count *= 2;
    metrics->slot_mask = slot_count - 1;
    metrics->slots = calloc(slot_count, sizeof *metrics->slots);
    if (!metrics->slots)
        return false;
    for (uint32_t i = 0; i < route_count; i++) {
        const char *route = metrics->options.routes[i];
        uint32_t slot = slot_of(metrics, route);
        while (metrics->slots[slot].route)
            slot = (slot + 1) & metrics->slot_mask;
        metrics->slots[slot] = (struct route_slot){route, first_alike(metrics->options.routes, i)};
    }
    return true;
}

static void add_codes(struct metrics *metrics)
{
    memset(metrics->code_indices, CODE_COUNT - 1, sizeof metrics->code_indices);
    for (uint8_t i = 0; codes[i]; i++)
        metrics->code_indices[codes[i] - FIRST_CODE] = i;
}

struct metrics *metrics_new(const struct metrics_options *options)
{
    struct metrics *metrics = calloc(1, sizeof *metrics);
    if (!metrics)
        return NULL;
    uint32_t route_count = 0, format_count = 0;
    while (options->routes[route_count])
        route_count++;
    while (pose_formats()[format_count].id)
        format_count++;
    metrics->options = *options;
    metrics->started_ns = process_started_ns();
    add_codes(metrics);
    if (!add_routes(metrics, route_count) || !table_init(&metrics->routes, route_count + 1u, ROUTE_ROW) ||
        !table_init(&metrics->decodes, format_count + 1u, FORMAT_ROW)) {
        metrics_free(metrics);
        return NULL;
    }
    return metrics;
}

void metrics_free(struct metrics *metrics)
{
    if (!metrics)
        return;
    table_release(&metrics->routes);
    table_release(&metrics->decodes);
    free(metrics->slots);
    free(metrics);
}

void metrics_add_webhook(struct metrics *metrics, const struct webhook_metrics *webhook)
{
    metrics->webhook = webhook;
}

void metrics_add_database(struct metrics *metrics, const struct database_metrics *database)
{
    metrics->database = database;
}

void metrics_add_objects(struct metrics *metrics, const struct object_metrics *objects)
{
    metrics->objects = objects;
}

void metrics_add_pictures(struct metrics *metrics, const struct picture_metrics *pictures)
{
    metrics->pictures = pictures;
}

void metrics_add_cache(struct metrics *metrics, struct cache *cache)
{
    if (metrics->cache_count < CACHE_CAPACITY)
        metrics->caches[metrics->cache_count++] = cache;
}
