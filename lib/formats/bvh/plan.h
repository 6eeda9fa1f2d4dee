/* What a BVH file will contain: its frames, its units, and the source of its numbers. */
#ifndef POSE_FORMATS_BVH_PLAN_H
#define POSE_FORMATS_BVH_PLAN_H

#include "lib/formats/codec.h"

/* How far a 16-bit time may be off the frame it was meant for, as a fraction of the duration. */
#define BVH_TIME_SLACK (1.01 / 65535 + 1e-6)

struct bvh_plan {
    const struct pose_clip *clip;
    const struct pose_skeleton *skeleton;
    bool is_native; /* the clip's own frames, key by key */
    bool is_upload; /* for Second Life's viewer: one extra frame precedes them */
    enum pose_axes axes;
    double unit;          /* of the file: how many make one of the axes' units */
    uint32_t frame_count; /* >= 1 except for a native clip without frames */
    float frame_seconds;
    const char *frame_time;       /* as written in the file that the clip was read from; NULL */
    struct pose_sampler *sampler; /* NULL when native */
};

/* False on failure; otherwise the caller must release the plan. */
bool bvh_plan_init(struct bvh_plan *plan, struct encode_job *job);
void bvh_plan_release(struct bvh_plan *plan);
/* The time of a frame in seconds, within the clip. */
double bvh_plan_time(const struct bvh_plan *plan, uint32_t frame);

#endif
