/* What the process uses of the machine, as the standard clients of Prometheus tell it. Linux. */
#ifndef POSED_SERVER_OPS_METRICS_PROCESS_H
#define POSED_SERVER_OPS_METRICS_PROCESS_H

#include <stdint.h>

struct process_usage {
    uint64_t cpu_ns;          /* user and system */
    uint64_t resident_memory; /* bytes */
    uint64_t virtual_memory;
    uint64_t virtual_memory_most; /* UINT64_MAX: without a bound */
    uint64_t open_fds;
    uint64_t most_fds;
};

/* What cannot be read stays 0. */
void process_measure(struct process_usage *usage);

/* When the process was started: nanoseconds since 1970; 0 when it cannot be told. Slow on large machines. */
uint64_t process_started_ns(void);

#endif
