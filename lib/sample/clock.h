/*
 * The engines' clocks: from the time that was asked for to the time at which keys are looked up. All of it depends on
 * the clip alone, so it is done once a pose.
 */
#ifndef POSE_SAMPLE_CLOCK_H
#define POSE_SAMPLE_CLOCK_H

#include "pose.h"

/* Where a pose lies in its clip. */
struct clock {
    double time;  /* seconds; within [0, duration] but for Second Life's loop points, which may lie outside */
    float below;  /* time rounded down */
    double phase; /* time / duration within [0, 1]; 0 for a clip without duration */
    bool wraps;   /* the last key blends into the first, where the rules have that */
};

/* t is finite. */
struct clock clock_read(const struct pose_clip *clip, double t, enum pose_wrap wrap);

#endif
