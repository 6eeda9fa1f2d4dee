/*
 * What a figure does, apart from any skeleton: walk, wave and idle, as turns of body parts in the figure's own axes
 * (glTF's: +Y up, +Z forward, +X to its left) and lengths in parts of its leg.
 */
#ifndef TESTS_SAMPLES_MOTION_H
#define TESTS_SAMPLES_MOTION_H

#include "tests/samples/vec.h"

enum side { LEFT, RIGHT };

struct arm {
    struct quat clavicle; /* against the chest */
    struct quat upper;    /* of the hanging arm, against the chest */
    double elbow_deg;     /* 0: straight */
    struct quat hand;     /* against the forearm as it hangs */
};

struct leg {
    double ahead, aside, up; /* of the ankle from where it stands at rest */
    double pitch_deg;        /* of the foot about the ankle; positive: toes down */
    double yaw_deg;          /* outwards */
    double toe_deg;          /* the toes against the foot, positive: bent up */
};

struct stance {
    struct vec shift;   /* of the pelvis from rest */
    struct quat pelvis; /* in the figure's axes */
    struct quat spine;  /* each against the part below it */
    struct quat chest;
    struct quat neck;
    struct quat head;
    struct arm arms[2];
    struct leg legs[2];
};

/* In legs: how far the ball is ahead of the ankle, and the ankle above the ground. */
struct foot {
    double length, height;
};

struct footstep {
    double at; /* in parts of the whole, 0 … 1 */
    enum side side;
};

struct motion {
    const char *name;
    double duration; /* seconds; a multiple of a frame at 30 a second */
    double travel;   /* how far the figure comes in one run, in legs */
    /* The stance at that part of the whole; at 1 it is that at 0. */
    struct stance (*at)(double phase, struct foot foot);
    unsigned footstep_count;
    struct footstep footsteps[2];
};

extern const struct motion motions[3];

#endif
