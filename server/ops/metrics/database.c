#include "server/ops/metrics/database.h"

#include "server/ops/metrics/prometheus.h"

static const char *const names[DATABASE_OPERATIONS] = {"connect", "read", "write", "version"};

enum { MS = 1000000 };
static const uint64_t bounds[DATABASE_BUCKETS - 1] = {
    MS / 5,
    MS / 2,
    1 * MS,
    2 * MS,
    5 * MS,
    10 * MS,
    20 * MS,
    50 * MS,
    200 * MS,
    UINT64_C(1000) * MS,
    UINT64_C(5000) * MS,
};

void database_metrics_record(struct database_metrics *metrics, enum database_operation operation,
                             bool is_done, uint64_t duration_ns)
{
    unsigned bucket = 0;
    while (bucket < DATABASE_BUCKETS - 1 && duration_ns > bounds[bucket])
        bucket++;
    atomic_fetch_add(&metrics->operations[operation].buckets[bucket], 1);
    atomic_fetch_add(&metrics->operations[operation].sum_ns, duration_ns);
    if (is_done)
        atomic_fetch_add(&metrics->operations[operation].done, 1);
    else
        atomic_fetch_add(&metrics->operations[operation].failed, 1);
}

static void write_requests(const struct database_metrics *metrics, FILE *out)
{
    static const char name[] = "posed_database_requests_total";
    prometheus_family(out, name, "counter",
                      "Statements to the database of the catalogue, by kind and result.");
    for (int i = 0; i < DATABASE_OPERATIONS; i++) {
        prometheus_sample(out, name, PROMETHEUS_LABELS({"operation", names[i]}, {"result", "ok"}),
                          atomic_load(&metrics->operations[i].done));
        prometheus_sample(out, name, PROMETHEUS_LABELS({"operation", names[i]}, {"result", "error"}),
                          atomic_load(&metrics->operations[i].failed));
    }
}

static void write_durations(const struct database_metrics *metrics, FILE *out)
{
    static const char name[] = "posed_database_request_duration_seconds";
    prometheus_family(out, name, "histogram", "Time taken by a statement.");
    for (int i = 0; i < DATABASE_OPERATIONS; i++) {
        uint64_t counts[DATABASE_BUCKETS];
        for (int bucket = 0; bucket < DATABASE_BUCKETS; bucket++)
            counts[bucket] = atomic_load(&metrics->operations[i].buckets[bucket]);
        prometheus_histogram(
            out, name, PROMETHEUS_LABELS({"operation", names[i]}),
            &(struct prometheus_histogram){.bound_count = DATABASE_BUCKETS - 1,
                                           .bounds = bounds,
                                           .counts = counts,
                                           .sum = atomic_load(&metrics->operations[i].sum_ns)});
    }
}

static void write_gauge(FILE *out, const char *name, const char *help, uint64_t value)
{
    prometheus_family(out, name, "gauge", help);
    prometheus_sample(out, name, PROMETHEUS_NO_LABELS, value);
}

void database_metrics_write(const struct database_metrics *metrics, FILE *out)
{
    write_requests(metrics, out);
    write_durations(metrics, out);
    write_gauge(out, "posed_database_away", "1 while the database does not answer.",
                atomic_load(&metrics->away));
    write_gauge(out, "posed_database_connections", "Connections to the database that are open.",
                atomic_load(&metrics->connections));
    write_gauge(out, "posed_database_connections_in_use", "Those that a statement is running on.",
                atomic_load(&metrics->in_use));
    write_gauge(out, "posed_catalog_changes_behind",
                "Changes of the shared catalogue that are not applied here yet.",
                atomic_load(&metrics->behind));
    write_gauge(out, "posed_catalog_lag_milliseconds",
                "Time from the last change elsewhere until it was applied here, by both clocks.",
                atomic_load(&metrics->lag_ns) / MS);
}
