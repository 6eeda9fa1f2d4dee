#include "server/http/pool.h"

#include "server/ops/clock.h"
#include "server/ops/work/yield.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <sys/resource.h>

enum { DEAR_TURN = 8 }; /* after this many cheap jobs in a row, a waiting expensive one is taken first */

struct pool_queue {
    struct pool_job *first, *last;
};

struct pool {
    struct pool_limits limits;
    pthread_mutex_t lock;
    pthread_cond_t more;
    struct pool_queue queues[POOL_KINDS];
    unsigned dear_running, cheap_in_a_row;
    atomic_uint depth;
    bool ends;
    unsigned thread_count;
    pthread_t threads[];
};

/* ------------------------------------------------------------------------------------------------ queues -- */

static void append(struct pool *pool, struct pool_job *job)
{
    struct pool_queue *queue = &pool->queues[job->kind];
    job->previous = queue->last;
    job->next = NULL;
    *(queue->last ? &queue->last->next : &queue->first) = job;
    queue->last = job;
    job->waits = true;
    job->share->waiting++;
}

static void take_out(struct pool *pool, struct pool_job *job)
{
    struct pool_queue *queue = &pool->queues[job->kind];
    *(job->previous ? &job->previous->next : &queue->first) = job->next;
    *(job->next ? &job->next->previous : &queue->last) = job->previous;
    job->waits = false;
    job->share->waiting--;
}

/* The job whose client has the fewest running; among several, the oldest. The queue is bounded. */
static struct pool_job *fairest(const struct pool_queue *queue)
{
    struct pool_job *best = queue->first;
    for (struct pool_job *job = best; job && best->share->running; job = job->next)
        if (job->share->running < best->share->running)
            best = job;
    return best;
}

/* The next job to run; NULL if none may. */
static struct pool_job *next_job(struct pool *pool)
{
    struct pool_job *cheap = fairest(&pool->queues[POOL_CHEAP]);
    struct pool_job *dear = pool->dear_running < pool->limits.dear ? fairest(&pool->queues[POOL_DEAR]) : NULL;
    bool takes_dear = dear && (!cheap || pool->cheap_in_a_row >= DEAR_TURN);
    pool->cheap_in_a_row = takes_dear ? 0 : pool->cheap_in_a_row + 1;
    return takes_dear ? dear : cheap;
}

/* ----------------------------------------------------------------------------------------------- threads -- */

/* Called with the lock held; releases it while the job runs. */
static void run_job(struct pool *pool, struct pool_job *job)
{
    struct share *share = job->share;
    bool is_dear = job->kind == POOL_DEAR;
    take_out(pool, job);
    share->running++;
    pool->dear_running += is_dear;
    pthread_mutex_unlock(&pool->lock);
    job->run(job);
    pthread_mutex_lock(&pool->lock);
    share->running--;
    pool->dear_running -= is_dear;
    if (is_dear && pool->queues[POOL_DEAR].first)
        pthread_cond_signal(&pool->more);
    pthread_mutex_unlock(&pool->lock);
    atomic_fetch_sub(&pool->depth, 1);
    job->done(job);
    yield_sometimes(); /* to the loop that has just got something to do, among others */
    pthread_mutex_lock(&pool->lock);
}

static void *work(void *user)
{
    struct pool *pool = user;
    /* The loops answer from memory in microseconds, so they get priority when the CPU is scarce. On Linux
     * this affects only the calling thread. */
    (void)setpriority(PRIO_PROCESS, 0, (int)pool->limits.niceness);
    yield_begin();
    pthread_mutex_lock(&pool->lock);
    while (!pool->ends) {
        struct pool_job *job = next_job(pool);
        if (job)
            run_job(pool, job);
        else
            pthread_cond_wait(&pool->more, &pool->lock);
    }
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

struct pool *pool_new(const struct pool_limits *limits)
{
    struct pool *pool = calloc(1, sizeof *pool + limits->threads * sizeof *pool->threads);
    if (!pool)
        return NULL;
    pool->limits = *limits;
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->more, NULL);
    while (pool->thread_count < limits->threads &&
           !pthread_create(&pool->threads[pool->thread_count], NULL, work, pool))
        pool->thread_count++;
    if (pool->thread_count)
        return pool;
    pool_free(pool);
    return NULL;
}

void pool_free(struct pool *pool)
{
    if (!pool)
        return;
    pthread_mutex_lock(&pool->lock);
    pool->ends = true;
    pthread_cond_broadcast(&pool->more);
    pthread_mutex_unlock(&pool->lock);
    for (unsigned i = 0; i < pool->thread_count; i++)
        pthread_join(pool->threads[i], NULL);
    pthread_mutex_destroy(&pool->lock);
    pthread_cond_destroy(&pool->more);
    free(pool);
}

/* -------------------------------------------------------------------------------------------------- jobs -- */

static enum pool_answer ask(const struct pool *pool, const struct pool_job *job)
{
    const struct pool_limits *limits = &pool->limits;
    unsigned depth = atomic_load(&pool->depth), waiting = job->share->waiting;
    if (depth >= limits->jobs)
        return POOL_FULL;
    bool crowds =
        limits->of_client && depth >= limits->jobs - limits->jobs / 4 && waiting >= limits->of_client;
    bool draws = job->kind == POOL_DEAR && limits->dear_of_client && waiting >= limits->dear_of_client;
    return crowds || draws ? POOL_SHARE_FULL : POOL_TAKEN;
}

enum pool_answer pool_add(struct pool *pool, struct pool_job *job, bool is_obliged)
{
    job->since_ms = clock_ms();
    pthread_mutex_lock(&pool->lock);
    enum pool_answer answer = is_obliged ? POOL_TAKEN : ask(pool, job);
    if (answer == POOL_TAKEN) {
        atomic_fetch_add(&pool->depth, 1);
        append(pool, job);
        pthread_cond_signal(&pool->more);
    }
    pthread_mutex_unlock(&pool->lock);
    return answer;
}

bool pool_withdraw(struct pool *pool, struct pool_job *job)
{
    pthread_mutex_lock(&pool->lock);
    bool waits = job->waits;
    if (waits) {
        take_out(pool, job);
        atomic_fetch_sub(&pool->depth, 1);
    }
    pthread_mutex_unlock(&pool->lock);
    return waits;
}

unsigned pool_depth(struct pool *pool)
{
    return atomic_load(&pool->depth);
}
