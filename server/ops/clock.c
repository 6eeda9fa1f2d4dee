#include "server/ops/clock.h"

enum { NS = 1000000000 };

static struct timespec read_monotonic(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now;
}

double clock_seconds(void)
{
    struct timespec now = read_monotonic();
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

uint64_t clock_ms(void)
{
    struct timespec now = read_monotonic();
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

uint64_t clock_us(void)
{
    struct timespec now = read_monotonic();
    return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

struct timespec clock_wall(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return now;
}

int64_t clock_wall_ns(void)
{
    struct timespec now = clock_wall();
    return (int64_t)now.tv_sec * NS + now.tv_nsec;
}

void clock_add_ns(struct timespec *time, long ns)
{
    time->tv_sec += ns / NS;
    time->tv_nsec += ns % NS;
    time->tv_sec += time->tv_nsec / NS;
    time->tv_nsec %= NS;
}

uint64_t clock_cpu_ns(void)
{
    struct timespec used;
    return clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used)
               ? 0
               : (uint64_t)used.tv_sec * NS + (uint64_t)used.tv_nsec;
}

uint64_t clock_thread_ns(void)
{
    struct timespec used;
    return clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used)
               ? 0
               : (uint64_t)used.tv_sec * NS + (uint64_t)used.tv_nsec;
}
