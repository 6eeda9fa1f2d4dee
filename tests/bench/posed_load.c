/*
 * posed-load PORT SECONDS CONNECTIONS RATE TARGET...: requests at a steady rate (0: as fast as answers come), whether or
 * not those before were answered in time; prints one line of JSON.
 */
#include "tests/bench/load.h"

#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    struct load_result result;
    if (argc < 6) {
        fprintf(stderr, "usage: posed-load PORT SECONDS CONNECTIONS RATE TARGET...\n");
        return 2;
    }
    struct load load = {.port = atoi(argv[1]),
                        .seconds = atof(argv[2]),
                        .connections = (unsigned)atoi(argv[3]),
                        .rate = atof(argv[4]),
                        .targets = (const char *const *)(argv + 5),
                        .target_count = (size_t)argc - 5};
    if (!load_run(&load, &result)) {
        fprintf(stderr, "posed-load: nobody listens on port %d\n", load.port);
        return 1;
    }
    printf("{\"rate\":%.1f,\"p50_us\":%.1f,\"p99_us\":%.1f,\"errors\":%u}\n", result.rate, result.p50_us,
           result.p99_us, result.errors);
    return 0;
}
