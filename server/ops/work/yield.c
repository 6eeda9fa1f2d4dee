#include "server/ops/work/yield.h"

#include "server/ops/clock.h"

#include <sched.h>

/* A cached pose takes about ten. */
enum { EVERY_US = 100 };

static _Thread_local bool gives;
static _Thread_local uint64_t last_us;

void yield_begin(void)
{
    gives = true;
    last_us = clock_us();
}

void yield_sometimes(void)
{
    if (!gives || clock_us() - last_us < EVERY_US)
        return;
    sched_yield();
    last_us = clock_us();
}

static bool ask(void *user)
{
    (void)user;
    yield_sometimes();
    return false;
}

const struct pose_stop *yield_stop(void)
{
    static const struct pose_stop stop = {ask, NULL};
    return &stop;
}
