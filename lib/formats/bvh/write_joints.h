/*
 * Interface between the parts of the BVH writer: write_joints.c (which joints, their order and channels),
 * write_poses.c (the numbers of a frame); write.c produces the text.
 */
#ifndef POSE_FORMATS_BVH_WRITE_JOINTS_H
#define POSE_FORMATS_BVH_WRITE_JOINTS_H

#include "lib/formats/bvh/layout.h"
#include "lib/formats/bvh/plan.h"
#include "lib/sample/sampler.h"

struct bvh_out_joint {
    uint32_t row; /* in the skeleton */
    uint32_t depth;
    uint8_t channels[BVH_CHANNEL_LIMIT];
    uint32_t channel_count;
    uint8_t axes[3]; /* order of the angles; the first rotation_count are written */
    uint32_t rotation_count;
    const struct pose_track *track; /* the one that drives it; NULL: none */
    float offset[3];
    float angles[3]; /* of the previous frame */
    bool places;     /* moves, or has positions in a Second Life clip */
    bool is_off;  /* stays where a game's clip puts it, off its rest: has positions, which OFFSET repeats */
    bool differs; /* differs from the reference in some frame */
};

struct bvh_writing {
    struct encode_job *job;
    struct bvh_plan plan;
    const char **names;
    struct bvh_out_joint *joints; /* depth first */
    uint32_t joint_count, number_count;
    bool adds_root; /* above several roots */
    float *rows;    /* the pose of a frame: [skeleton's joints][ROW_FLOATS] */
    float *numbers; /* of a frame, as they are written */
    uint32_t lost_scales, lost_angles, moving;
};

/* Fills in joints and adds_root, without channels. False if out of memory. */
bool bvh_joints_list(struct bvh_writing *writing);
/* Sets the channels of all joints, and number_count; places must be known. */
void bvh_joints_choose_channels(struct bvh_writing *writing);

/* Allocates rows and finds what in the clip needs more than a rotation: places, differs, lost_scales, the first
 * frame's offsets. rest: the reference pose, [skeleton's joints][ROW_FLOATS], in the job's arena. False if out
 * of memory. */
bool bvh_poses_init(struct bvh_writing *writing, const float **rest);
/* Fills rows with the pose of a frame of the plan. */
void bvh_pose_take(const struct bvh_writing *writing, uint32_t frame);
/* Fills rows with the rest pose. */
void bvh_pose_take_rest(const struct bvh_writing *writing);

#endif
