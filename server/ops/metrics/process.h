/* Resource use of the process, as in the standard Prometheus clients. Linux only. */
#ifndef POSED_SERVER_OPS_METRICS_PROCESS_H
#define POSED_SERVER_OPS_METRICS_PROCESS_H

#include <stdint.h>

struct process_usage {
    uint64_t cpu_ns;          /* user and system */
    uint64_t resident_memory; /* bytes */
    uint64_t virtual_memory;
    uint64_t virtual_memory_most; /* UINT64_MAX: unlimited */
    uint64_t open_fds;
    uint64_t most_fds;
};

/* Values that cannot be read stay 0. */
void process_measure(struct process_usage *usage);

/* The start time of the process in nanoseconds since 1970; 0 if unknown. Slow on large machines. */
uint64_t process_started_ns(void);

#endif
