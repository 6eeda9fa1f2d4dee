#include "server/ops/metrics/database.h"

#include "server/ops/metrics/prometheus.h"

static const char *const names[DATABASE_OPERATIONS] = {"connect", "read", "write", "version"};

enum { MS = 1000000 };
static const uint64_t bounds[REQUEST_BUCKETS - 1] = {
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

static const struct request_family family = {
    .operations = names,
    .count = DATABASE_OPERATIONS,
    .bounds = bounds,
    .total = "posed_database_requests_total",
    .total_help = "Statements to the database of the catalogue, by kind and result.",
    .duration = "posed_database_request_duration_seconds",
    .duration_help = "Time taken by a statement.",
};

void database_metrics_record(struct database_metrics *metrics, enum database_operation operation,
                             bool is_done, uint64_t duration_ns)
{
    request_counts_record(&metrics->operations[operation], &family, is_done, duration_ns);
}

void database_metrics_write(const struct database_metrics *metrics, FILE *out)
{
    request_counts_write(metrics->operations, &family, out);
    prometheus_single(out, "posed_database_away", "gauge", "1 while the database does not answer.",
                      atomic_load(&metrics->away));
    prometheus_single(out, "posed_database_connections", "gauge",
                      "Connections to the database that are open.", atomic_load(&metrics->connections));
    prometheus_single(out, "posed_database_connections_in_use", "gauge",
                      "Those that a statement is running on.", atomic_load(&metrics->in_use));
    prometheus_single(out, "posed_catalog_changes_behind", "gauge",
                      "Changes of the shared catalogue that are not applied here yet.",
                      atomic_load(&metrics->behind));
    prometheus_single(out, "posed_catalog_lag_milliseconds", "gauge",
                      "Time from the last change elsewhere until it was applied here, by both clocks.",
                      atomic_load(&metrics->lag_ns) / MS);
}
