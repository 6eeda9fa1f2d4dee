/*
 * How many requests a client may make: a bucket of tokens for each address, filled at the rate. Bounded in memory,
 * whatever the number of addresses. All functions may be called by several threads at once.
 */
#ifndef POSED_SERVER_OPS_RATE_LIMIT_H
#define POSED_SERVER_OPS_RATE_LIMIT_H

#include <stdbool.h>
#include <stdint.h>

struct rate_limit;

/* rate: requests a second, > 0. A client may save up as many as two seconds give, at least one. NULL: no memory. */
struct rate_limit *rate_limit_new(double rate);
void rate_limit_free(struct rate_limit *limit);

/*
 * Takes one request of that client (an address as text; addresses of one IPv6 /64 are one client) at now seconds of
 * a clock that does not go back. False when there is none left: *wait is then the seconds until there is one.
 */
bool rate_limit_take(struct rate_limit *limit, const char *client, double now, double *wait);

#endif
