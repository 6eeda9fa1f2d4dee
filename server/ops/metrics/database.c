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

static void write_gauge(FILE *out, const char *name, const char *help, uint64_t value)
{
    prometheus_family(out, name, "gauge", help);
    prometheus_sample(out, name, PROMETHEUS_NO_LABELS, value);
}

void database_metrics_write(const struct database_metrics *metrics, FILE *out)
{
    request_counts_write(metrics->operations, &family, out);
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
