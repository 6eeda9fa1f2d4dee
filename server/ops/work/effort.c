#include "server/ops/work/effort.h"

#include "server/ops/clock.h"
#include "server/ops/work/yield.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>

/* Seconds between checks of the client, and of the processor time, which are system calls. */
#define LOOK_EVERY 0.05
#define COUNT_EVERY 0.002

/* How many times max-time work may take by the clock on a busy machine. */
#define MAX_WAIT 4

enum {
    LARGE = 16 << 20,             /* bytes of a block that is counted */
    HEAVY_NS = 100 * 1000 * 1000, /* of work whose memory is given back to the system */
};

/* What this thread works for. */
static _Thread_local struct {
    struct effort *effort;
    uint64_t counted_ns; /* its processor time when it was last added to the effort's */
    double next_count;
} here;

static bool is_over(void *user)
{
    return effort_is_over(user);
}

static void count_time(void)
{
    const uint64_t now = clock_thread_ns();
    atomic_fetch_add_explicit(&here.effort->used_ns, now - here.counted_ns, memory_order_relaxed);
    here.counted_ns = now;
}

void effort_begin(struct effort *effort, double max_seconds, bool (*has_left)(const void *client),
                  const void *client)
{
    double now = clock_seconds();
    *effort = (struct effort){.stop = {is_over, effort},
                              .most = max_seconds > 0 ? max_seconds : 0,
                              .wall_end = max_seconds > 0 ? now + MAX_WAIT * max_seconds : 0,
                              .next_look = now, /* the client may have left while the work was queued */
                              .has_left = has_left,
                              .client = client,
                              .owner = &here};
    effort_enter(effort);
}

void effort_end(struct effort *effort)
{
    effort_leave();
    if (effort->budget)
        atomic_fetch_sub(effort->budget, atomic_load(&effort->held));
    if (atomic_load(&effort->used_ns) > HEAVY_NS)
        malloc_trim(0);
}

struct effort *effort_here(void)
{
    return here.effort;
}

bool effort_enter(struct effort *effort)
{
    if (here.effort == effort)
        return false;
    here.effort = effort;
    here.counted_ns = clock_thread_ns();
    here.next_count = 0;
    return true;
}

void effort_leave(void)
{
    if (here.effort)
        count_time();
    here.effort = NULL;
}

bool effort_is_over(struct effort *effort)
{
    double now = clock_seconds();
    yield_sometimes();
    if (here.effort == effort && now > here.next_count) {
        here.next_count = now + COUNT_EVERY;
        count_time();
    }
    if (effort->most > 0 && (double)effort->used_ns * 1e-9 > effort->most)
        effort->is_late = true;
    if (effort->wall_end > 0 && now > effort->wall_end)
        effort->has_waited = true;
    if (effort->has_left && effort->owner == &here && now > effort->next_look) {
        effort->next_look = now + LOOK_EVERY;
        if (effort->has_left(effort->client))
            effort->is_left = true;
    }
    return effort->is_late || effort->has_waited || effort->is_left || effort->is_crowded;
}

static void explain_busy(struct pose_error *error, const char *detail)
{
    snprintf(error->code, sizeof error->code, "busy");
    snprintf(error->detail, sizeof error->detail, "%s", detail);
}

void effort_explain(const struct effort *effort, struct pose_error *error)
{
    if (error->status != POSE_STOPPED)
        return;
    if (effort->is_late) {
        error->status = POSE_OVER_LIMIT;
        snprintf(error->code, sizeof error->code, "over_limit");
        snprintf(error->limit, sizeof error->limit, "max-time");
        snprintf(error->detail, sizeof error->detail, "exceeds max-time");
    } else if (effort->is_crowded) {
        explain_busy(error, "other large archives are being unpacked; try again");
    } else if (effort->has_waited) {
        explain_busy(error, "it waited too long for a processor; try again");
    }
}

/* -------------------------------------------------------------------------------------------------- memory -- */

static bool take(struct effort *effort, uint64_t size)
{
    if (!effort || !effort->budget || size < LARGE)
        return true;
    const uint64_t sum = atomic_fetch_add(effort->budget, size) + size;
    const uint64_t own = atomic_fetch_add(&effort->held, size) + size;
    if (!effort->budget_size || sum <= effort->budget_size || sum == own)
        return true;
    atomic_fetch_sub(&effort->held, size);
    atomic_fetch_sub(effort->budget, size);
    effort->is_crowded = true;
    return false;
}

/* A block of another effort only makes this one's part too small. */
static void give_back(struct effort *effort, uint64_t size)
{
    if (!effort || !effort->budget || size < LARGE)
        return;
    uint64_t held = atomic_load(&effort->held);
    while (held && !atomic_compare_exchange_weak(&effort->held, &held, held > size ? held - size : 0)) {
    }
    atomic_fetch_sub(effort->budget, held > size ? size : held);
}

static void *counted_alloc(void *user, size_t size)
{
    (void)user;
    void *memory = malloc(size);
    if (memory && size >= LARGE && !take(here.effort, malloc_usable_size(memory))) {
        free(memory);
        return NULL;
    }
    return memory;
}

static void counted_free(void *user, void *memory)
{
    (void)user;
    if (memory)
        give_back(here.effort, malloc_usable_size(memory));
    free(memory);
}

const struct pose_allocator effort_allocator = {counted_alloc, counted_free, NULL};
