/* Clocks: the monotonic one for durations and deadlines, the wall's for what people, files and the disk say. */
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
/* Puts a time off, as pthread_cond_timedwait wants one. */
void clock_add_ns(struct timespec *time, long ns);

/* What this process has used of all processors; 0 when the system does not tell. */
uint64_t clock_cpu_ns(void);

#endif
