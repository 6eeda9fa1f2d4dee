/* A thread draws the line, so that work without known steps shows progress too. */
#include "server/commands/progress.h"

#include "server/ops/clock.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum { FIRST_MS = 1000, NEXT_MS = 200 };

static struct {
    const char *what;
    uint64_t total;
    _Atomic uint64_t done;
    bool hidden, running, ending, drawn;
    pthread_mutex_t lock; /* guards the end */
    pthread_cond_t ended;
    pthread_t thread;
} progress = {.lock = PTHREAD_MUTEX_INITIALIZER, .ended = PTHREAD_COND_INITIALIZER};

static void draw(time_t begun)
{
    unsigned long long done = atomic_load(&progress.done), total = progress.total;
    long seconds = (long)(time(NULL) - begun);
    if (total && done)
        fprintf(stderr, "\r\033[Kposed: %s: %llu of %llu (%ld s, about %.0f s to go)", progress.what, done,
                total, seconds, (double)seconds * (double)(total - done) / (double)done);
    else if (total)
        fprintf(stderr, "\r\033[Kposed: %s: 0 of %llu (%ld s)", progress.what, total, seconds);
    else
        fprintf(stderr, "\r\033[Kposed: %s (%ld s)", progress.what, seconds);
    fflush(stderr);
    progress.drawn = true;
}

static void *draw_until_ended(void *unused)
{
    (void)unused;
    struct timespec next = clock_wall();
    time_t begun = next.tv_sec;
    clock_add_ns(&next, FIRST_MS * 1000000L);
    pthread_mutex_lock(&progress.lock);
    while (!progress.ending) {
        if (pthread_cond_timedwait(&progress.ended, &progress.lock, &next) == ETIMEDOUT) {
            draw(begun);
            clock_add_ns(&next, NEXT_MS * 1000000L);
        }
    }
    pthread_mutex_unlock(&progress.lock);
    return NULL;
}

void progress_hide(void)
{
    progress.hidden = true;
}

void progress_start(const char *what, uint64_t total)
{
    if (progress.hidden || !isatty(STDERR_FILENO))
        return;
    progress.what = what;
    progress.total = total;
    progress.done = 0;
    progress.ending = progress.drawn = false;
    progress.running = !pthread_create(&progress.thread, NULL, draw_until_ended, NULL);
}

void progress_step(void)
{
    atomic_fetch_add(&progress.done, 1);
}

void progress_end(void)
{
    if (!progress.running)
        return;
    pthread_mutex_lock(&progress.lock);
    progress.ending = true;
    pthread_cond_signal(&progress.ended);
    pthread_mutex_unlock(&progress.lock);
    pthread_join(progress.thread, NULL);
    progress.running = false;
    if (progress.drawn)
        fputs("\r\033[K", stderr);
}
