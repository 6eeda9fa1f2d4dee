#include "tests/bench/bench.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const struct bench_part *const parts[] = {
    &bench_bodies,   &bench_bvh,      &bench_fit,     &bench_gltf,      &bench_http,     &bench_meshes,
    &bench_mix,      &bench_numbers,  &bench_pack,    &bench_sample,    &bench_services, &bench_sims3,
    &bench_skills,   &bench_sl,       &bench_start,   &bench_transport, &bench_prime,    &bench_many,
    &bench_pictures, &bench_retarget, &bench_catalog, &bench_bulk,
};

enum { TURNS = 7, MOST = 16 };
static const double turn_seconds = 0.03;

void *bench_need(void *memory)
{
    if (!memory)
        abort();
    return memory;
}

void bench_use(const void *result)
{
    __asm__ volatile("" : : "g"(result) : "memory");
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Seconds of one run, of as many as a turn takes. */
static double measure(const struct bench_contestant *contestant)
{
    double start = now(), end = start;
    unsigned runs = 0;
    for (unsigned batch = 1; end - start < turn_seconds; batch *= 2) {
        for (unsigned i = 0; i < batch; i++)
            contestant->run(contestant->subject);
        runs += batch;
        end = now();
    }
    return (end - start) / runs;
}

/* Seconds of one run of each. */
static size_t measure_in_turns(const struct bench_contestant *contestants, size_t count, double best[MOST])
{
    count = count < MOST ? count : MOST;
    for (unsigned turn = 0; turn < TURNS; turn++) {
        for (size_t i = 0; i < count; i++) {
            double seconds = measure(&contestants[i]);
            best[i] = turn == 0 || seconds < best[i] ? seconds : best[i];
        }
    }
    return count;
}

void bench_compare(const char *heading, const char *unit, double scale,
                   const struct bench_contestant *contestants, size_t count)
{
    double best[MOST];
    count = measure_in_turns(contestants, count, best);
    printf("%-44s %12s %8s\n", heading, unit, "ratio");
    double first = count ? contestants[0].amount / best[0] : 1;
    for (size_t i = 0; i < count; i++) {
        double rate = contestants[i].amount / best[i];
        printf("  %-42s %12.1f %8.3f\n", contestants[i].title, rate / scale, rate / first);
    }
}

void bench_compare_times(const char *heading, const char *unit, const struct bench_contestant *contestants,
                         size_t count)
{
    double best[MOST];
    count = measure_in_turns(contestants, count, best);
    printf("%-44s %12s %8s\n", heading, unit, "ratio");
    for (size_t i = 0; i < count; i++) {
        double time = best[i] / contestants[i].amount;
        printf("  %-42s %12.2f %8.3f\n", contestants[i].title, 1e9 * time,
               time * contestants[0].amount / best[0]);
    }
}

static bool is_wanted(const char *name, int count, char **names)
{
    for (int i = 0; i < count; i++) {
        if (!strcmp(name, names[i]))
            return true;
    }
    return count == 0;
}

/* posed-bench [PART...] */
int main(int count, char **arguments)
{
    int ran = 0;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (!is_wanted(parts[i]->name, count - 1, arguments + 1))
            continue;
        parts[i]->run();
        ran++;
    }
    if (ran)
        return EXIT_SUCCESS;
    fprintf(stderr, "posed-bench: no such part; there are:");
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        fprintf(stderr, " %s", parts[i]->name);
    fprintf(stderr, "\n");
    return EXIT_FAILURE;
}
