/* What a BVH file is going to hold: which frames, in which units, where their numbers come from. */
#ifndef POSE_FORMATS_BVH_PLAN_H
#define POSE_FORMATS_BVH_PLAN_H

#include "lib/formats/codec.h"

/* How far a time of 16 bits may be off a frame that it was meant for, as a share of the duration. */
#define BVH_TIME_SLACK (1.01 / 65535 + 1e-6)

struct bvh_plan {
    const struct pose_clip *clip;
    const struct pose_skeleton *skeleton;
    bool is_native; /* the clip's own frames, key by key */
    bool is_upload; /* for Second Life's viewer: a frame more stands before them */
    enum pose_axes axes;
    double unit;          /* of the file, so many in one of the axes */
    uint32_t frame_count; /* >= 1 but for a native clip without frames */
    float frame_seconds;
    const char *frame_time;       /* as it was written in the file that the clip was read from; NULL */
    struct pose_sampler *sampler; /* NULL when native */
};

/* False on failure; else release it. */
bool bvh_plan_init(struct bvh_plan *plan, struct encode_job *job);
void bvh_plan_release(struct bvh_plan *plan);
/* When a frame is, in seconds; within the clip. */
double bvh_plan_time(const struct bvh_plan *plan, uint32_t frame);

#endif
