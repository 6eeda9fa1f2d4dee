/*
 * A stand-in for the adults of The Sims: the 29 bones with the game's order, names, hierarchy and bone
 * directions (along their own x), facts that skills rely on. The proportions are our own: an upright figure
 * whose head joint is 4.84 feet high, arms hanging slightly away from the body, symmetric. Feet; Y up, facing
 * +Z, the left side at -X; rotations act as their conjugate (tso-anim.md, section 6).
 */
#include "lib/model/stand_in.h"

/* A bone that continues its parent's direction, and a rotated one. */
#define BONE(bone, above, x, y, z)                                                                           \
    {                                                                                                        \
        .name = bone, .parent = above, .translation = {x, y, z}, .rotation = { 0, 0, 0, 1 }                  \
    }
#define TURNED(bone, above, x, y, z, ...)                                                                    \
    {                                                                                                        \
        .name = bone, .parent = above, .translation = {x, y, z}, .rotation = { __VA_ARGS__ }                 \
    }

/* clang-format off: one row per joint */
static const struct stand_in_joint joints[] = {
    TURNED("ROOT", NULL, 0, 2.9f, 0, 0, 0.707106781f, 0, 0.707106781f),
    TURNED("PELVIS", "ROOT", 0, 0, 0, -0.5f, -0.5f, -0.5f, 0.5f),
    TURNED("L_LEG", "PELVIS", 0, 0.29f, 0, 0, 0, 1, 0),
    BONE("L_LEG1", "L_LEG", 1.38f, 0, 0),
    BONE("L_FOOT", "L_LEG1", 1.28f, 0, 0),
    TURNED("L_TOE0", "L_FOOT", 0.24f, 0, 0.32f, 0, 0.707106781f, 0, 0.707106781f),
    BONE("L_TOE01", "L_TOE0", 0.24f, 0, 0),
    BONE("L_TOE02", "L_TOE01", 0.08f, 0, 0),
    TURNED("R_LEG", "PELVIS", 0, -0.29f, 0, 0, 0, 1, 0),
    BONE("R_LEG1", "R_LEG", 1.38f, 0, 0),
    BONE("R_FOOT", "R_LEG1", 1.28f, 0, 0),
    TURNED("R_TOE0", "R_FOOT", 0.24f, 0, 0.32f, 0, 0.707106781f, 0, 0.707106781f),
    BONE("R_TOE01", "R_TOE0", 0.24f, 0, 0),
    BONE("R_TOE02", "R_TOE01", 0.08f, 0, 0),
    BONE("SPINE", "PELVIS", 0.34f, 0, 0),
    BONE("SPINE1", "SPINE", 0.38f, 0, 0),
    BONE("SPINE2", "SPINE1", 0.4f, 0, 0),
    BONE("NECK", "SPINE2", 0.44f, 0, 0),
    BONE("HEAD", "NECK", 0.38f, 0, 0.03f),
    TURNED("L_ARM", "NECK", 0, 0.15f, 0, -0.656059029f, -0.75470958f, 0, 0),
    TURNED("L_ARM1", "L_ARM", 0.42f, 0, 0, 0, 0, 0.544639035f, 0.838670568f),
    TURNED("L_ARM2", "L_ARM1", 0.86f, 0, 0, 0, -0.0523359562f, 0, 0.998629535f),
    TURNED("L_HAND", "L_ARM2", 0.78f, 0, 0, -0.707106781f, 0, 0, 0.707106781f),
    BONE("L_FINGER0", "L_HAND", 0.32f, 0, 0),
    TURNED("R_ARM", "NECK", 0, -0.15f, 0, -0.656059029f, 0.75470958f, 0, 0),
    TURNED("R_ARM1", "R_ARM", 0.42f, 0, 0, 0, 0, -0.544639035f, 0.838670568f),
    TURNED("R_ARM2", "R_ARM1", 0.86f, 0, 0, 0, -0.0523359562f, 0, 0.998629535f),
    TURNED("R_HAND", "R_ARM2", 0.78f, 0, 0, 0.707106781f, 0, 0, 0.707106781f),
    BONE("R_FINGER0", "R_HAND", 0.32f, 0, 0),
};
/* clang-format on */

const struct stand_in stand_in_sims_adult = {
    .format = "tso-skel",
    .name = "The Sims adult stand-in",
    .axes = POSE_AXES_SIMS,
    .scaling = POSE_SCALE_OFFSETS,
    .joint_count = sizeof joints / sizeof *joints,
    .joints = joints,
};
