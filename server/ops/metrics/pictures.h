/* What is counted of the pictures that are kept on the disk. */
#ifndef POSED_SERVER_OPS_METRICS_PICTURES_H
#define POSED_SERVER_OPS_METRICS_PICTURES_H

#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>

struct picture_metrics {
    _Atomic uint64_t hits, misses, damaged, failures, evictions, bytes;
};

void picture_metrics_write(const struct picture_metrics *metrics, FILE *out);

#endif
