#include "server/ops/parallel.h"

#include <pthread.h>
#include <stdatomic.h>

enum { MAX_THREADS = 32 };

struct job {
    atomic_size_t next;
    size_t count;
    parallel_work *work;
    void *user;
};

static void *run(void *argument)
{
    struct job *job = argument;
    for (size_t item; (item = atomic_fetch_add(&job->next, 1)) < job->count;)
        job->work(job->user, item);
    return NULL;
}

void parallel_for(size_t count, unsigned threads, parallel_work *work, void *user)
{
    struct job job = {.count = count, .work = work, .user = user};
    pthread_t others[MAX_THREADS];
    unsigned started = 0;
    while (started + 1 < threads && started + 1 < count && started < MAX_THREADS &&
           !pthread_create(&others[started], NULL, run, &job))
        started++;
    run(&job);
    while (started)
        pthread_join(others[--started], NULL);
}
