/* A rig of The Sims 3: the figure of The Sims with the bones' names of the later game, in its axes. */
#ifndef TESTS_SAMPLES_SAMPLE_RIG_H
#define TESTS_SAMPLES_SAMPLE_RIG_H

#include "pose.h"

enum { RIG_BONES = 64 };

/* All of its memory; the struct must stay where it is. */
struct sample_rig {
    struct pose_skeleton skeleton;
    struct pose_joint joints[RIG_BONES];
};

/* False when the figure has a joint that the later game has no bone for. */
bool sample_rig(struct sample_rig *rig, const struct pose_skeleton *figure, const char *name);
/* What the rig calls that joint of the figure, NULL when it has none. */
const char *sample_rig_bone(const char *joint);

#endif
