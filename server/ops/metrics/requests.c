#include "server/ops/metrics/requests.h"

#include "server/ops/metrics/prometheus.h"

void request_counts_record(struct request_counts *counts, const struct request_family *family, bool is_done,
                           uint64_t duration_ns)
{
    unsigned bucket = 0;
    while (bucket < REQUEST_BUCKETS - 1 && duration_ns > family->bounds[bucket])
        bucket++;
    atomic_fetch_add(&counts->buckets[bucket], 1);
    atomic_fetch_add(&counts->sum_ns, duration_ns);
    atomic_fetch_add(is_done ? &counts->done : &counts->failed, 1);
}

static void write_totals(const struct request_counts *counts, const struct request_family *family, FILE *out)
{
    prometheus_family(out, family->total, "counter", family->total_help);
    for (unsigned i = 0; i < family->count; i++) {
        const char *name = family->operations[i];
        prometheus_sample(out, family->total, PROMETHEUS_LABELS({"operation", name}, {"result", "ok"}),
                          atomic_load(&counts[i].done));
        prometheus_sample(out, family->total, PROMETHEUS_LABELS({"operation", name}, {"result", "error"}),
                          atomic_load(&counts[i].failed));
    }
}

void request_counts_write(const struct request_counts *counts, const struct request_family *family, FILE *out)
{
    write_totals(counts, family, out);
    prometheus_family(out, family->duration, "histogram", family->duration_help);
    for (unsigned i = 0; i < family->count; i++) {
        uint64_t buckets[REQUEST_BUCKETS];
        for (int bucket = 0; bucket < REQUEST_BUCKETS; bucket++)
            buckets[bucket] = atomic_load(&counts[i].buckets[bucket]);
        prometheus_histogram(out, family->duration, PROMETHEUS_LABELS({"operation", family->operations[i]}),
                             &(struct prometheus_histogram){.bound_count = REQUEST_BUCKETS - 1,
                                                            .bounds = family->bounds,
                                                            .counts = buckets,
                                                            .sum = atomic_load(&counts[i].sum_ns)});
    }
}
