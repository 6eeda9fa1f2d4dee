/* The budget of a request: work ends at its deadline or when its client disconnects. */
#ifndef POSED_SERVER_OPS_WORK_EFFORT_H
#define POSED_SERVER_OPS_WORK_EFFORT_H

#include "pose.h"

/* Used by the working thread only. */
struct effort {
    struct pose_stop stop; /* for struct pose_options, and for our own loops: effort_is_over */
    double deadline;       /* clock_seconds value; 0: none */
    double next_look;
    bool (*has_left)(const void *client); /* NULL: cannot disconnect. Called now and then */
    const void *client;
    bool is_late, is_left;
};

/* The deadline is max_seconds from now; 0: none. The effort must not be moved while in use. */
void effort_begin(struct effort *effort, double max_seconds, bool (*has_left)(const void *client),
                  const void *client);
bool effort_is_over(struct effort *effort);
/* Adds the cause to an error POSE_STOPPED: the limit max-time, if the deadline has passed. */
void effort_explain(const struct effort *effort, struct pose_error *error);

#endif
