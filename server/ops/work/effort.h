/*
 * The budget of a request: work ends when it has used its processor time, when it has waited too long for a
 * processor, or when its client disconnects. Large blocks that its archives unpack to are drawn from one budget of
 * all requests.
 */
#ifndef POSED_SERVER_OPS_WORK_EFFORT_H
#define POSED_SERVER_OPS_WORK_EFFORT_H

#include "pose.h"

#include <stdatomic.h>

/* Several threads may work for one effort, see effort_enter. */
struct effort {
    struct pose_stop stop; /* for struct pose_options, and for our own loops: effort_is_over */
    double most;           /* seconds of processor time; 0: unlimited */
    double wall_end;       /* clock_seconds value; 0: none */
    atomic_uint_fast64_t used_ns;
    double next_look;
    bool (*has_left)(
        const void *client); /* NULL: cannot disconnect. Called now and then, by the first thread */
    const void *client;
    const void *owner;            /* identifies the first thread */
    atomic_uint_fast64_t *budget; /* bytes that all efforts hold; NULL: not counted */
    uint64_t budget_size;         /* 0: unlimited; a single effort may exceed it */
    atomic_uint_fast64_t held;    /* this one's part */
    atomic_bool is_late, has_waited, is_left, is_crowded;
};

/* This thread works for the effort until effort_end. It may use max_seconds of processor time, and take a few times that
 * by the clock; 0: any. The effort must not be moved while in use. */
void effort_begin(struct effort *effort, double max_seconds, bool (*has_left)(const void *client),
                  const void *client);
/* Gives back what it holds of the budget, and to the system what heavy work has left unused. */
void effort_end(struct effort *effort);
/* The effort of this thread, or NULL. */
struct effort *effort_here(void);
/* Another thread works for it until effort_leave. False if this one does already. */
bool effort_enter(struct effort *effort);
void effort_leave(void);

bool effort_is_over(struct effort *effort);
/*
 * Adds the cause to an error POSE_STOPPED: the limit max-time, if the processor time is used up; "busy" if it has only waited
 * so long, or if others hold the budget.
 */
void effort_explain(const struct effort *effort, struct pose_error *error);

/* malloc; blocks of 16 MB and more are counted in the budget of this thread's effort, and refused beyond it. */
extern const struct pose_allocator effort_allocator;

#endif
