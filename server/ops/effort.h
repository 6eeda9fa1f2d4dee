/* How much work a request is worth: until its time is over, and while somebody waits for it. */
#ifndef POSED_SERVER_OPS_EFFORT_H
#define POSED_SERVER_OPS_EFFORT_H

#include "pose.h"

/* Belongs to the thread that works. */
struct effort {
    struct pose_stop stop; /* for struct pose_options, and for loops of our own: effort_is_over */
    double deadline;       /* by clock_seconds; 0: none */
    double next_look;
    bool (*has_left)(const void *client); /* NULL: nobody can leave. Asked now and then */
    const void *client;
    bool is_late, is_left;
};

/* max_seconds from now; 0: no bound. It must stay where it is while it is used. */
void effort_begin(struct effort *effort, double max_seconds, bool (*has_left)(const void *client),
                  const void *client);
bool effort_is_over(struct effort *effort);
/* Says of an error POSE_STOPPED whose doing it was: the limit max-time's, when that is over. */
void effort_explain(const struct effort *effort, struct pose_error *error);

#endif
