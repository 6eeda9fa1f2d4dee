/* A small four-legged creature of our own, and what it does: turns of its bones in Metroid Prime's axes (+X right,
 * +Y ahead, +Z up), lengths in metres. */
#ifndef TESTS_SAMPLES_CREATURE_MOTION_H
#define TESTS_SAMPLES_CREATURE_MOTION_H

#include "tests/samples/motion.h"

#include <stdbool.h>

enum creature_bone {
    CREATURE_ROOT,
    CREATURE_BODY,
    CREATURE_CHEST,
    CREATURE_HEAD,
    CREATURE_TAIL,
    CREATURE_TAIL_TIP,
    CREATURE_FRONT_LEG, /* from here on the left one; the right one follows */
    CREATURE_FRONT_FOOT = CREATURE_FRONT_LEG + 2,
    CREATURE_HIND_LEG = CREATURE_FRONT_FOOT + 2,
    CREATURE_HIND_FOOT = CREATURE_HIND_LEG + 2,
    CREATURE_BONES = CREATURE_HIND_FOOT + 2,
};

struct creature_bone_row {
    const char *name;
    int parent;
    struct vec offset; /* from the parent, at rest */
};

extern const struct creature_bone_row creature_bones[CREATURE_BONES];

struct creature_pose {
    struct quat turns[CREATURE_BONES];
    struct vec root;    /* the way over the ground */
    struct vec body;    /* from its rest */
    double chest_scale; /* breath */
};

enum creature_clip { CREATURE_WALK, CREATURE_JUMP, CREATURE_IDLE, CREATURE_LOOK, CREATURE_CLIPS };

struct creature_motion {
    const char *name;
    unsigned frames; /* after the first one, 30 a second */
    unsigned stride; /* frames from key to key */
    unsigned version;
    bool loops, travels;
    void (*at)(double phase, struct creature_pose *pose); /* phase 0 ... 1; the pose is at rest */
};

extern const struct creature_motion creature_motions[CREATURE_CLIPS];

void creature_rest(struct creature_pose *pose);

#endif
