/* Clocks: the monotonic one for durations and deadlines, wall-clock time for people and files. */
#ifndef POSED_SERVER_OPS_CLOCK_H
#define POSED_SERVER_OPS_CLOCK_H

#include <stdint.h>
#include <time.h>

/* Monotonic. */
double clock_seconds(void);
uint64_t clock_ms(void);
uint64_t clock_us(void);

/* Since 1970. */
struct timespec clock_wall(void);
int64_t clock_wall_ns(void);
/* Adds ns to a time, as needed for pthread_cond_timedwait. */
void clock_add_ns(struct timespec *time, long ns);

/* CPU time used by this process on all processors; 0 if unknown. */
uint64_t clock_cpu_ns(void);

/* CPU time used by this thread. */
uint64_t clock_thread_ns(void);

#endif
