/*
 * The bones of the mannequin as it is modelled: a grown person of 1.76 m who holds the arms down at 45 degrees, in
 * glTF's axes, on the ground, facing +Z. Halfway between how people rest in files (a T-pose, or arms that hang) and
 * how they move, so that shoulders bend least.
 */
#ifndef POSE_MANNEQUIN_BONES_H
#define POSE_MANNEQUIN_BONES_H

#include <stdint.h>

/* Central bones, then those of the left, then those of the right. The order of a side is that of enum side_bone. */
enum mannequin_bone {
    MANNEQUIN_HIPS,
    MANNEQUIN_SPINE,
    MANNEQUIN_CHEST,
    MANNEQUIN_UPPER_CHEST,
    MANNEQUIN_NECK,
    MANNEQUIN_HEAD,
    MANNEQUIN_SIDES,
};

enum mannequin_side_bone {
    MANNEQUIN_SHOULDER,
    MANNEQUIN_UPPER_ARM,
    MANNEQUIN_LOWER_ARM,
    MANNEQUIN_HAND,
    MANNEQUIN_UPPER_LEG,
    MANNEQUIN_LOWER_LEG,
    MANNEQUIN_FOOT,
    MANNEQUIN_TOES,
    MANNEQUIN_FINGERS, /* five of three, the thumb first */
    MANNEQUIN_SIDE_COUNT = MANNEQUIN_FINGERS + 15,
    MANNEQUIN_BONES = MANNEQUIN_SIDES + 2 * MANNEQUIN_SIDE_COUNT,
    MANNEQUIN_WEIGHTS = 4,
};

/* Where a bone begins and ends; the right side mirrors x. Filled in by mannequin_bones. */
struct mannequin_segment {
    double head[3], tail[3];
};

struct mannequin_vertex {
    float place[3];
    uint8_t bones[MANNEQUIN_WEIGHTS];
    float weights[MANNEQUIN_WEIGHTS]; /* sum 1 */
};

/* The central bones and those of the left: [MANNEQUIN_SIDES + MANNEQUIN_SIDE_COUNT]. */
void mannequin_bones(struct mannequin_segment *segments);
/* The bone above it, among the same; -1 for the hips. */
int mannequin_parent(int bone);

#endif
