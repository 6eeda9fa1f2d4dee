/*
 * The text format that Prometheus reads, version 0.0.4: families with their samples. Times are nanoseconds here and
 * seconds in the text, as its conventions ask for.
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

/* Labels of a sample; the last has a NULL name. */
#define PROMETHEUS_LABELS(...) ((const struct prometheus_label[]){__VA_ARGS__, {NULL, NULL}})
#define PROMETHEUS_NO_LABELS ((const struct prometheus_label[]){{NULL, NULL}})

/* type: "counter", "gauge" or "histogram". help: one line. Its samples follow at once, no family comes twice. */
void prometheus_family(FILE *out, const char *name, const char *type, const char *help);
void prometheus_sample(FILE *out, const char *name, const struct prometheus_label *labels, uint64_t value);
void prometheus_seconds(FILE *out, const char *name, const struct prometheus_label *labels,
                        uint64_t nanoseconds);

/* Observations in buckets: counts[i] of those <= bounds[i], without those of the bucket before; counts[bound_count] of
 * the rest. */
struct prometheus_histogram {
    size_t bound_count;
    const uint64_t *bounds; /* nanoseconds, ascending */
    const uint64_t *counts; /* [bound_count + 1] */
    uint64_t sum;           /* nanoseconds */
};

void prometheus_histogram(FILE *out, const char *name, const struct prometheus_label *labels,
                          const struct prometheus_histogram *histogram);

#endif
