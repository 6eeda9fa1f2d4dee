/*
 * The threads that decode, draw and write, and their scheduler.
 *
 * Cheap jobs (a pose that is not cached, an upload, a block of a stream) go before expensive ones (a picture, a
 * conversion), which never occupy all threads, so that cheap jobs always have one. Among jobs of a kind, the
 * client with the fewest running jobs goes first, then the oldest job: a thousand requests of one client delay
 * another's by one.
 */
#ifndef POSED_SERVER_HTTP_POOL_H
#define POSED_SERVER_HTTP_POOL_H

#include "server/http/shares.h"

#include <stdbool.h>
#include <stdint.h>

struct pool;

enum pool_kind { POOL_CHEAP, POOL_DEAR, POOL_KINDS };

/* Owned by the caller. Must stay valid from pool_add until run has been called on a pool thread, or
 * pool_withdraw has returned true. */
struct pool_job {
    struct pool_job *previous, *next;
    struct share *share; /* of the client */
    enum pool_kind kind;
    uint64_t since_ms; /* clock_ms when it was added */
    bool waits;
    void (*run)(struct pool_job *job);
    /* Called after run, when the job is no longer counted. The pool does not touch the job afterwards. */
    void (*done)(struct pool_job *job);
};

struct pool_limits {
    unsigned threads;
    unsigned dear;           /* of these for expensive jobs, at most */
    unsigned jobs;           /* waiting or running */
    unsigned of_client;      /* waiting jobs of one client once the queue is three quarters full; 0: jobs */
    unsigned dear_of_client; /* waiting expensive jobs of one client when another one is added; 0: jobs */
    unsigned niceness;       /* of the threads */
};

/* NULL if memory or threads cannot be had. */
struct pool *pool_new(const struct pool_limits *limits);
/* Waits for running jobs. No job may be queued. */
void pool_free(struct pool *pool);

enum pool_answer { POOL_TAKEN, POOL_FULL, POOL_SHARE_FULL };

/* Adds a job with share, kind, run and done filled in. Limits do not apply to an obliged job, which
 * continues work already admitted. */
enum pool_answer pool_add(struct pool *pool, struct pool_job *job, bool is_obliged);
/* Withdraws a job that has not started; false if it has. */
bool pool_withdraw(struct pool *pool, struct pool_job *job);
/* The number of jobs waiting or running. */
unsigned pool_depth(struct pool *pool);

#endif
