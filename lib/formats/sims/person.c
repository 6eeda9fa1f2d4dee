/* How people of The Sims 1 and The Sims Online call their bones (sims1-character.md; adult and child have the same). */
#include "lib/retarget/names.h"

static const struct humanoid_names person = {
    .id = "sims",
    .left = "l",
    .right = "r",
    .root = "root",
    .hips = "pelvis",
    .spine = "spine spine1 spine2",
    .neck = "neck",
    .head = "head",
    .shoulder = "#_arm",
    .upper_arm = "#_arm1",
    .lower_arm = "#_arm2",
    .hand = "#_hand",
    .upper_leg = "#_leg",
    .lower_leg = "#_leg1",
    .foot = "#_foot",
    .toes = "#_toe0",
};

const struct humanoid_names *const sims_people[] = {&person, NULL};
