#include "server/ops/metrics/objects.h"

#include "server/ops/metrics/prometheus.h"

static const char *const names[OBJECT_OPERATIONS] = {"get", "put", "delete", "head", "list"};

enum { MS = 1000000 };
static const uint64_t bounds[REQUEST_BUCKETS - 1] = {
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

static const struct request_family family = {
    .operations = names,
    .count = OBJECT_OPERATIONS,
    .bounds = bounds,
    .total = "posed_objects_requests_total",
    .total_help = "Requests to the object store, by operation and result.",
    .duration = "posed_objects_request_duration_seconds",
    .duration_help = "Time taken by a request to the object store.",
};

void object_metrics_record(struct object_metrics *metrics, enum object_operation operation, bool is_done,
                           uint64_t duration_ns)
{
    request_counts_record(&metrics->operations[operation], &family, is_done, duration_ns);
}

void object_metrics_write(const struct object_metrics *metrics, FILE *out)
{
    request_counts_write(metrics->operations, &family, out);
    prometheus_single(out, "posed_objects_away", "gauge", "1 while the object store does not answer.",
                      atomic_load(&metrics->away));
    prometheus_single(out, "posed_blob_cache_hits_total", "counter", "Blobs found on the local disk.",
                      atomic_load(&metrics->hits));
    prometheus_single(out, "posed_blob_cache_misses_total", "counter", "Blobs fetched from the object store.",
                      atomic_load(&metrics->misses));
    prometheus_single(out, "posed_blob_cache_evictions_total", "counter",
                      "Blobs removed from the local disk for room.", atomic_load(&metrics->evictions));
    prometheus_single(out, "posed_blob_cache_bytes", "gauge", "Bytes of blobs on the local disk.",
                      atomic_load(&metrics->bytes));
}
