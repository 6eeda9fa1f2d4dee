/*
 * The threads that decode, draw and write, and who comes next.
 *
 * Cheap jobs (a pose that is not cached, an upload, a block of a stream) go before dear ones (a picture, a conversion),
 * which never have all threads, so that somebody is always there for the cheap. Among jobs of a kind the client of which
 * the fewest run comes first, then who has waited longest: a thousand requests of one client delay another's by one.
 */
#ifndef POSED_SERVER_HTTP_POOL_H
#define POSED_SERVER_HTTP_POOL_H

#include "server/http/shares.h"

#include <stdbool.h>
#include <stdint.h>

struct pool;

enum pool_kind { POOL_CHEAP, POOL_DEAR, POOL_KINDS };

/* The owner's, from pool_add until run has been called, which is on a thread of the pool, or pool_withdraw was true. */
struct pool_job {
    struct pool_job *previous, *next;
    struct share *share; /* of the client that it is for */
    enum pool_kind kind;
    uint64_t since_ms; /* of clock_ms, when it was added */
    bool waits;
    void (*run)(struct pool_job *job);
    /* After run, when it counts no longer. What it does with the job is the last thing. */
    void (*done)(struct pool_job *job);
};

struct pool_limits {
    unsigned threads;
    unsigned dear;           /* of these for dear jobs, at most */
    unsigned jobs;           /* that wait or run */
    unsigned of_client;      /* of these of one client's that wait, once three quarters are there; 0: jobs */
    unsigned dear_of_client; /* of one client's that wait, when another dear one comes; 0: jobs */
    unsigned niceness;       /* of the threads */
};

/* NULL when memory or threads are out. */
struct pool *pool_new(const struct pool_limits *limits);
/* Waits for what runs. No job may wait. */
void pool_free(struct pool *pool);

enum pool_answer { POOL_TAKEN, POOL_FULL, POOL_SHARE_FULL };

/* Adds a job, its share, kind, run and done filled in. Of an obliged one no limit is asked: it goes on with what was let in
 * before. */
enum pool_answer pool_add(struct pool *pool, struct pool_job *job, bool is_obliged);
/* Takes a job back that has not begun; false when it has. */
bool pool_withdraw(struct pool *pool, struct pool_job *job);
/* Jobs that wait or run. */
unsigned pool_depth(struct pool *pool);

#endif
