/* What is counted of a catalogue in a database server. */
#ifndef POSED_SERVER_OPS_METRICS_DATABASE_H
#define POSED_SERVER_OPS_METRICS_DATABASE_H

#include "server/ops/metrics/requests.h"

enum database_operation {
    DATABASE_CONNECT,
    DATABASE_READ,
    DATABASE_WRITE,
    DATABASE_VERSION, /* what has changed: the poll of replicas, and look-ups before a 404 */
    DATABASE_OPERATIONS
};

struct database_metrics {
    struct request_counts operations[DATABASE_OPERATIONS];
    atomic_bool away;
    _Atomic uint64_t connections, in_use;
    _Atomic uint64_t lag_ns; /* between a change elsewhere and its arrival here, of the last one */
    _Atomic uint64_t behind; /* changes that are known to be there, and have not been applied */
};

void database_metrics_record(struct database_metrics *metrics, enum database_operation operation,
                             bool is_done, uint64_t duration_ns);
void database_metrics_write(const struct database_metrics *metrics, FILE *out);

#endif
