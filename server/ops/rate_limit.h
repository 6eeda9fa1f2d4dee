/*
 * Rate limit for requests: a token bucket per client address. Memory is bounded, whatever the number of addresses.
 * Thread-safe.
 */
#ifndef POSED_SERVER_OPS_RATE_LIMIT_H
#define POSED_SERVER_OPS_RATE_LIMIT_H

#include <stdbool.h>
#include <stdint.h>

struct rate_limit;

/* rate: requests per second, > 0. A client can accumulate two seconds' worth, at least one. NULL if out of
 * memory. */
struct rate_limit *rate_limit_new(double rate);
void rate_limit_free(struct rate_limit *limit);

/*
 * Takes one request of that client (an address as text; addresses of one IPv6 /64 are one client) at now, in
 * seconds of a monotonic clock. False if none is left: *wait is then the seconds until there is one.
 */
bool rate_limit_take(struct rate_limit *limit, const char *client, double now, double *wait);

#endif
