/*
 * The Prometheus text format, version 0.0.4: families and their samples. Times are nanoseconds in the interface
 * and seconds in the text, as is the convention.
 */
#ifndef POSED_SERVER_OPS_METRICS_PROMETHEUS_H
#define POSED_SERVER_OPS_METRICS_PROMETHEUS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* A label of a sample; the value may be any UTF-8. */
struct prometheus_label {
    const char *name;
    const char *value;
};

/* Labels of a sample, terminated by a NULL name. */
#define PROMETHEUS_LABELS(...) ((const struct prometheus_label[]){__VA_ARGS__, {NULL, NULL}})
#define PROMETHEUS_NO_LABELS ((const struct prometheus_label[]){{NULL, NULL}})

/* type: "counter", "gauge" or "histogram". help: one line. The family's samples must follow immediately;
 * each family occurs once. */
void prometheus_family(FILE *out, const char *name, const char *type, const char *help);
void prometheus_sample(FILE *out, const char *name, const struct prometheus_label *labels, uint64_t value);
/* A family of one sample without labels. */
void prometheus_single(FILE *out, const char *name, const char *type, const char *help, uint64_t value);
void prometheus_seconds(FILE *out, const char *name, const struct prometheus_label *labels,
                        uint64_t nanoseconds);

/* A histogram: counts[i] observations <= bounds[i] that are not in an earlier bucket; counts[bound_count]
 * are the rest. */
struct prometheus_histogram {
    size_t bound_count;
    const uint64_t *bounds; /* nanoseconds, ascending */
    const uint64_t *counts; /* [bound_count + 1] */
    uint64_t sum;           /* nanoseconds */
};

void prometheus_histogram(FILE *out, const char *name, const struct prometheus_label *labels,
                          const struct prometheus_histogram *histogram);

#endif
