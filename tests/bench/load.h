/* Load for the HTTP rows: requests on many connections, as fast as answers come or at a steady rate. */
#ifndef TESTS_BENCH_LOAD_H
#define TESTS_BENCH_LOAD_H

#include <stdbool.h>
#include <stddef.h>

struct load {
    int port;
    const char *const *targets; /* taken in turn */
    size_t target_count;
    unsigned connections;
    double seconds;
    double
        rate; /* requests a second, sent whether or not the ones before were answered in time; 0: closed loop */
};

struct load_result {
    double rate; /* answers a second */
    double answers;
    double p50_us, p99_us; /* open loop: from when the request was due */
    double bytes;          /* of the last body; of a stream with the lengths of its chunks */
    double received;       /* bytes of all answers, those that were not whole at the end as well */
    unsigned errors;       /* answers that were not 200, connections that broke */
};

/* False when no connection could be made. */
bool load_run(const struct load *load, struct load_result *result);

#endif
