/* The times of many poses of one clip. */
#ifndef POSED_API_POSES_TIMES_H
#define POSED_API_POSES_TIMES_H

#include "api/poses/pose_request.h"

/* A list of times, or frames at a rate, which are not stored because the client chooses their number. */
struct times {
    double *items; /* NULL: frames */
    size_t count;
    double fps;   /* 0: a list */
    double first; /* frame number */
    bool has_final;
    double final; /* the last time, if it is not on a frame */
    enum pose_wrap wrap;
    double duration;
    double from, to; /* of the frames of a mixture: its window */
};

double times_at(const struct times *times, size_t i);
struct asset_id times_digest(struct asset_id digest, const struct times *times);

/* Reads t=, or fps=, from=, to=, end=. False with the wrong parameter in error. */
bool times_read(const struct api_call *call, const struct pose_request *request, struct times *times,
                struct param_error *error);
void times_release(struct times *times);

#endif
