/*
 * The engines' clocks: convert the requested time to the time at which keys are looked up. This depends on the clip
 * only, so it is done once per pose.
 */
#ifndef POSE_SAMPLE_CLOCK_H
#define POSE_SAMPLE_CLOCK_H

#include "pose.h"

/* The position of a pose in its clip. */
struct clock {
    double
        time; /* seconds; within [0, duration], except for Second Life's loop points, which may lie outside */
    float below;  /* time rounded down */
    double phase; /* time / duration within [0, 1]; 0 for a clip without duration */
    bool wraps;   /* the last key blends into the first, if the rules do that */
};

/* t is finite. */
struct clock clock_read(const struct pose_clip *clip, double t, enum pose_wrap wrap);

#endif
