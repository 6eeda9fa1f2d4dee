/*
 * Measurements: rows of a number, what it stands beside, and their ratio. Everything of a row is measured in turns, so
 * that whatever else the machine does meets all alike; the best turn counts. `./dev bench [PART...]` runs them.
 */
#ifndef TESTS_BENCH_BENCH_H
#define TESTS_BENCH_BENCH_H

#include <stddef.h>

/* Something to be measured: run does the work once. */
struct bench_contestant {
    const char *title;
    void (*run)(void *subject);
    void *subject;
    double amount; /* of units that one run works on */
};

/* A part of the bench: a file of tests/bench, listed in bench.c. */
struct bench_part {
    const char *name;
    void (*run)(void);
};

extern const struct bench_part bench_bodies;
extern const struct bench_part bench_bulk;
extern const struct bench_part bench_bvh;
extern const struct bench_part bench_catalog;
extern const struct bench_part bench_fit;
extern const struct bench_part bench_gltf;
extern const struct bench_part bench_http;
extern const struct bench_part bench_many;
extern const struct bench_part bench_meshes;
extern const struct bench_part bench_mix;
extern const struct bench_part bench_numbers;
extern const struct bench_part bench_pack;
extern const struct bench_part bench_pictures;
extern const struct bench_part bench_prime;
extern const struct bench_part bench_retarget;
extern const struct bench_part bench_sample;
extern const struct bench_part bench_services;
extern const struct bench_part bench_sims3;
extern const struct bench_part bench_skills;
extern const struct bench_part bench_start;
extern const struct bench_part bench_sl;
extern const struct bench_part bench_transport;

/*
 * Measures the contestants side by side and prints a row for each: its rate in units of scale, and the ratio to the
 * first one's ("MB/s", 1e6 for amounts in bytes).
 */
void bench_compare(const char *heading, const char *unit, double scale,
                   const struct bench_contestant *contestants, size_t count);

/* The same as nanoseconds for one of amount, and how many times the first one's time that is. */
void bench_compare_times(const char *heading, const char *unit, const struct bench_contestant *contestants,
                         size_t count);

/* What was asked for, or the end of the program. */
void *bench_need(void *memory);

/* Keeps the compiler from leaving out work whose result nobody looks at. */
void bench_use(const void *result);

#endif
