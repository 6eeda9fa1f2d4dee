#include "server/ops/metrics/pictures.h"

#include "server/ops/metrics/prometheus.h"

static void write_one(FILE *out, const char *name, const char *type, const char *help,
                      const _Atomic uint64_t *value)
{
    prometheus_family(out, name, type, help);
    prometheus_sample(out, name, PROMETHEUS_NO_LABELS, atomic_load(value));
}

void picture_metrics_write(const struct picture_metrics *metrics, FILE *out)
{
    write_one(out, "posed_picture_cache_hits_total", "counter", "Pictures found on the disk.",
              &metrics->hits);
    write_one(out, "posed_picture_cache_misses_total", "counter",
              "Pictures that were looked for on the disk and drawn.", &metrics->misses);
    write_one(out, "posed_picture_cache_damaged_total", "counter",
              "Pictures on the disk that were damaged, and removed.", &metrics->damaged);
    write_one(out, "posed_picture_cache_failures_total", "counter",
              "Pictures that could not be written to the disk.", &metrics->failures);
    write_one(out, "posed_picture_cache_evictions_total", "counter",
              "Pictures removed from the disk for room.", &metrics->evictions);
    write_one(out, "posed_picture_cache_bytes", "gauge", "Disk space of the pictures kept there.",
              &metrics->bytes);
}
