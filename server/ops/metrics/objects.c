#include "server/ops/metrics/objects.h"

#include "server/ops/metrics/prometheus.h"

static const char *const names[OBJECT_OPERATIONS] = {"get", "put", "delete", "head", "list"};

enum { MS = 1000000 };
static const uint64_t bounds[OBJECT_BUCKETS - 1] = {
    1 * MS,
    2 * MS,
    5 * MS,
    10 * MS,
    20 * MS,
    50 * MS,
    100 * MS,
    200 * MS,
    500 * MS,
    UINT64_C(1000) * MS,
    UINT64_C(5000) * MS,
};

void object_metrics_record(struct object_metrics *metrics, enum object_operation operation, bool is_done,
                           uint64_t duration_ns)
{
    unsigned bucket = 0;
    while (bucket < OBJECT_BUCKETS - 1 && duration_ns > bounds[bucket])
        bucket++;
    atomic_fetch_add(&metrics->operations[operation].buckets[bucket], 1);
    atomic_fetch_add(&metrics->operations[operation].sum_ns, duration_ns);
    if (is_done)
        atomic_fetch_add(&metrics->operations[operation].done, 1);
    else
        atomic_fetch_add(&metrics->operations[operation].failed, 1);
}

static void write_requests(const struct object_metrics *metrics, FILE *out)
{
    static const char name[] = "posed_objects_requests_total";
    prometheus_family(out, name, "counter", "Requests to the object store, by operation and result.");
    for (int i = 0; i < OBJECT_OPERATIONS; i++) {
        prometheus_sample(out, name, PROMETHEUS_LABELS({"operation", names[i]}, {"result", "ok"}),
                          atomic_load(&metrics->operations[i].done));
        prometheus_sample(out, name, PROMETHEUS_LABELS({"operation", names[i]}, {"result", "error"}),
                          atomic_load(&metrics->operations[i].failed));
    }
}

static void write_durations(const struct object_metrics *metrics, FILE *out)
{
    static const char name[] = "posed_objects_request_duration_seconds";
    prometheus_family(out, name, "histogram", "Time taken by a request to the object store.");
    for (int i = 0; i < OBJECT_OPERATIONS; i++) {
        uint64_t counts[OBJECT_BUCKETS];
        for (int bucket = 0; bucket < OBJECT_BUCKETS; bucket++)
            counts[bucket] = atomic_load(&metrics->operations[i].buckets[bucket]);
        prometheus_histogram(
            out, name, PROMETHEUS_LABELS({"operation", names[i]}),
            &(struct prometheus_histogram){.bound_count = OBJECT_BUCKETS - 1,
                                           .bounds = bounds,
                                           .counts = counts,
                                           .sum = atomic_load(&metrics->operations[i].sum_ns)});
    }
}

static void write_single(FILE *out, const char *name, const char *type, const char *help, uint64_t value)
{
    prometheus_family(out, name, type, help);
    prometheus_sample(out, name, PROMETHEUS_NO_LABELS, value);
}

void object_metrics_write(const struct object_metrics *metrics, FILE *out)
{
    write_requests(metrics, out);
    write_durations(metrics, out);
    write_single(out, "posed_objects_away", "gauge", "1 while the object store does not answer.",
                 atomic_load(&metrics->away));
    write_single(out, "posed_blob_cache_hits_total", "counter", "Blobs found on the local disk.",
                 atomic_load(&metrics->hits));
    write_single(out, "posed_blob_cache_misses_total", "counter", "Blobs fetched from the object store.",
                 atomic_load(&metrics->misses));
    write_single(out, "posed_blob_cache_evictions_total", "counter",
                 "Blobs removed from the local disk for room.", atomic_load(&metrics->evictions));
    write_single(out, "posed_blob_cache_bytes", "gauge", "Bytes of blobs on the local disk.",
                 atomic_load(&metrics->bytes));
}
