#include "server/ops/work/effort.h"

#include "server/ops/clock.h"
#include "server/ops/work/yield.h"

#include <stdio.h>

/* Seconds between checks of the client, which are system calls. */
#define LOOK_EVERY 0.05

static bool is_over(void *user)
{
    return effort_is_over(user);
}

void effort_begin(struct effort *effort, double max_seconds, bool (*has_left)(const void *client),
                  const void *client)
{
    double now = clock_seconds();
    *effort = (struct effort){.stop = {is_over, effort},
                              .deadline = max_seconds > 0 ? now + max_seconds : 0,
                              .next_look = now + LOOK_EVERY,
                              .has_left = has_left,
                              .client = client};
}

bool effort_is_over(struct effort *effort)
{
    double now = clock_seconds();
    yield_sometimes();
    effort->is_late |= effort->deadline > 0 && now > effort->deadline;
    if (effort->has_left && now > effort->next_look) {
        effort->next_look = now + LOOK_EVERY;
        effort->is_left |= effort->has_left(effort->client);
    }
    return effort->is_late || effort->is_left;
}

void effort_explain(const struct effort *effort, struct pose_error *error)
{
    if (error->status != POSE_STOPPED || !effort->is_late)
        return;
    error->status = POSE_OVER_LIMIT;
    snprintf(error->code, sizeof error->code, "over_limit");
    snprintf(error->limit, sizeof error->limit, "max-time");
    snprintf(error->detail, sizeof error->detail, "exceeds max-time");
}
