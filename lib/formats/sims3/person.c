/* Bone names of people in The Sims 3 (sims3-bone-names.tsv). */
#include "lib/retarget/names.h"

static const struct humanoid_names person = {
    .id = "sims3",
    .left = "l",
    .right = "r",
    .root = "b__root_bind__",
    .hips = "b__pelvis__",
    .spine = "b__spine0__ b__spine1__ b__spine2__",
    .neck = "b__neck__",
    .head = "b__head__",
    .jaw = "b__jaw__",
    .shoulder = "b__#_clavicle__",
    .upper_arm = "b__#_upperarm__",
    .lower_arm = "b__#_forearm__",
    .hand = "b__#_hand__",
    .upper_leg = "b__#_thigh__",
    .lower_leg = "b__#_calf__",
    .foot = "b__#_foot__",
    .toes = "b__#_toe__",
    .finger = "b__#_%@__",
    .fingers = "thumb index mid ring pinky",
    .thumb_joints = "0 1 2",
    .finger_joints = "0 1 2",
};

const struct humanoid_names *const sims3_people[] = {&person, NULL};
