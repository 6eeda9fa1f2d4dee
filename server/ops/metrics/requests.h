/* What is counted of requests to something remote, for each of its operations. */
#ifndef POSED_SERVER_OPS_METRICS_REQUESTS_H
#define POSED_SERVER_OPS_METRICS_REQUESTS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { REQUEST_BUCKETS = 12 };

struct request_counts {
    _Atomic uint64_t done, failed, sum_ns, buckets[REQUEST_BUCKETS];
};

/* How they are told. */
struct request_family {
    const char *const *operations; /* their names */
    unsigned count;
    const uint64_t *bounds; /* [REQUEST_BUCKETS - 1] of durations, in nanoseconds, ascending */
    const char *total, *total_help, *duration, *duration_help;
};

void request_counts_record(struct request_counts *counts, const struct request_family *family, bool is_done,
                           uint64_t duration_ns);
/* counts: [family->count] */
void request_counts_write(const struct request_counts *counts, const struct request_family *family,
                          FILE *out);

#endif
