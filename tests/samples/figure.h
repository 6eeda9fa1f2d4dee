/* A skeleton that can take a stance: body parts tied to its joints, limbs bent so that the feet stand where they should. */
#ifndef TESTS_SAMPLES_FIGURE_H
#define TESTS_SAMPLES_FIGURE_H

#include "pose.h"
#include "tests/samples/motion.h"

enum part {
    PELVIS,
    SPINE,
    CHEST,
    NECK,
    HEAD,
    CLAVICLE, /* from here on the left one; the right one follows */
    UPPER_ARM = CLAVICLE + 2,
    FOREARM = UPPER_ARM + 2,
    HAND = FOREARM + 2,
    THIGH = HAND + 2,
    SHIN = THIGH + 2,
    FOOT = SHIN + 2,
    TOES = FOOT + 2,
    PART_COUNT = TOES + 2,
};

/* The names of a family's joints, a name a part. */
struct body {
    const char *parts[PART_COUNT];
};

extern const struct body sl_body, sims_body, sims3_body;

/* A joint of a figure, in glTF axes and metres. */
struct figure_joint {
    int parent;
    int part;         /* -1: of none */
    struct vec place; /* at rest, in model space */
    struct quat turn; /* likewise */
};

enum { FIGURE_JOINTS = 256 };

struct figure {
    const struct pose_skeleton *skeleton;
    unsigned joint_count;
    struct figure_joint joints[FIGURE_JOINTS];
    int joint_of[PART_COUNT];
    double leg; /* metres from hip to ankle */
    struct foot foot;
    double worst_reach; /* how far a foot was out of reach, metres: 0 in a good motion */
};

/* The joints in a stance: local rotations, and where the pelvis is against its parent. glTF axes and metres. */
struct figure_pose {
    struct quat local[PART_COUNT];
    struct vec pelvis;
};

/* False when the skeleton lacks a part or is too large. */
bool figure_bind(struct figure *figure, const struct pose_skeleton *skeleton, const struct body *body);
void figure_take(struct figure *figure, const struct stance *stance, struct figure_pose *pose);

#endif
