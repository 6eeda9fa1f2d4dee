/* What is counted of a remote store of objects, and of its cache on the disk. */
#ifndef POSED_SERVER_OPS_METRICS_OBJECTS_H
#define POSED_SERVER_OPS_METRICS_OBJECTS_H

#include "server/ops/metrics/requests.h"

enum object_operation { OBJECT_GET, OBJECT_PUT, OBJECT_DELETE, OBJECT_HEAD, OBJECT_LIST, OBJECT_OPERATIONS };

struct object_metrics {
    struct request_counts operations[OBJECT_OPERATIONS];
    atomic_bool away;
    _Atomic uint64_t hits, misses, evictions, bytes;
};

void object_metrics_record(struct object_metrics *metrics, enum object_operation operation, bool is_done,
                           uint64_t duration_ns);
void object_metrics_write(const struct object_metrics *metrics, FILE *out);

#endif
