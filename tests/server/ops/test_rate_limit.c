/* Buckets of requests: the rate, what is saved up, who shares a bucket, and that strangers do not empty mine. */
#include "server/ops/rate_limit.h"
#include "tests/support/unit.h"

#include <stdio.h>

static unsigned take_all(struct rate_limit *limit, const char *client, double now)
{
    unsigned taken = 0;
    double wait;
    while (taken < 10000 && rate_limit_take(limit, client, now, &wait))
        taken++;
    return taken;
}

TEST(the_rate)
{
    struct rate_limit *limit = rate_limit_new(5);
    double wait;
    ck_assert_uint_eq(take_all(limit, "192.0.2.1", 100), 10);
    ck_assert(!rate_limit_take(limit, "192.0.2.1", 100, &wait));
    ck_assert_double_eq_tol(wait, 0.2, 1e-9);
    ck_assert_uint_eq(take_all(limit, "192.0.2.1", 100.4), 2);
    ck_assert_uint_eq(take_all(limit, "192.0.2.1", 200), 10);
    rate_limit_free(limit);
}

TEST(slower_than_one_a_second)
{
    struct rate_limit *limit = rate_limit_new(0.1);
    double wait;
    ck_assert_uint_eq(take_all(limit, "192.0.2.1", 0), 1);
    ck_assert(!rate_limit_take(limit, "192.0.2.1", 5, &wait));
    ck_assert_double_eq_tol(wait, 5, 1e-9);
    ck_assert_uint_eq(take_all(limit, "192.0.2.1", 10.001), 1);
    rate_limit_free(limit);
}

TEST(who_is_one_client)
{
    struct rate_limit *limit = rate_limit_new(1);
    ck_assert_uint_eq(take_all(limit, "2001:db8::1", 0), 2);
    ck_assert_uint_eq(take_all(limit, "2001:db8::ffff:2", 0), 0); /* the same /64 */
    ck_assert_uint_eq(take_all(limit, "2001:db8:0:1::1", 0), 2);  /* another */
    ck_assert_uint_eq(take_all(limit, "192.0.2.1", 0), 2);
    ck_assert_uint_eq(take_all(limit, "::ffff:192.0.2.1", 0), 0);
    ck_assert_uint_eq(take_all(limit, "192.0.2.2", 0), 2);
    rate_limit_free(limit);
}

/* More addresses than there are buckets: who is over the rate stays over it. */
TEST(a_crowd)
{
    struct rate_limit *limit = rate_limit_new(1);
    char client[32];
    double wait;
    ck_assert_uint_eq(take_all(limit, "192.0.2.1", 0), 2);
    for (unsigned i = 0; i < 300000; i++) {
        snprintf(client, sizeof client, "10.%u.%u.%u", i >> 16 & 255, i >> 8 & 255, i & 255);
        ck_assert(rate_limit_take(limit, client, 0, &wait));
    }
    ck_assert_uint_eq(take_all(limit, "192.0.2.1", 0), 0);
    rate_limit_free(limit);
}
