/* What is counted of webhooks. */
#ifndef POSED_SERVER_OPS_METRICS_WEBHOOKS_H
#define POSED_SERVER_OPS_METRICS_WEBHOOKS_H

#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>

struct webhook_metrics {
    _Atomic uint64_t sent;    /* events that the receiver took */
    _Atomic uint64_t retried; /* attempts that failed and are repeated */
    _Atomic uint64_t failed;  /* events that were given up */
    _Atomic uint64_t waiting;
};

void webhook_metrics_write(const struct webhook_metrics *metrics, FILE *out);

#endif
