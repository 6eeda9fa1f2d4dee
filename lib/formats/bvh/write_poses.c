/* The numbers of a frame: the clip's own keys, or samples. */
#include "lib/formats/bvh/write_joints.h"

#include <math.h>
#include <string.h>

/* Second Life's viewer drops a joint that differs from the reference by less: the movement of its X and Y axes,
 * and inches (sl-anim.md, 7); twice its limit to be safe. */
#define STILL 0.002

/* ---------------------------------------------------------------------------------------------- one frame -- */

/* The clip's own keys, to restore the numbers of the original file. */
static void take_keys(const struct bvh_writing *writing, uint32_t frame)
{
    for (uint32_t i = 0; i < writing->joint_count; i++) {
        const struct bvh_out_joint *joint = &writing->joints[i];
        for (int part = 0; joint->track && part < 3; part++) {
            const struct pose_channel *channel = &joint->track->channels[part];
            const size_t components = part == POSE_ROTATION ? 4 : 3;
            float *row = writing->rows + (size_t)joint->row * ROW_FLOATS + part_place((enum pose_part)part);
            if (frame >= channel->count)
                continue;
            const float *values = channel->values + frame * components;
            for (size_t k = 0; k < components; k++)
                row[k] = values[k];
            if (writing->plan.clip->axes != writing->plan.axes)
                pose_convert_axes((enum pose_part)part, row, 1, writing->plan.clip->axes, writing->plan.axes);
        }
    }
}

/* The key at that time, within the slack; NULL if there is none. */
static const float *find_key(const struct pose_channel *channel, double time, double slack)
{
    uint32_t low = 0, high = channel->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if ((double)channel->times[middle] < time - slack)
            low = middle + 1;
        else
            high = middle;
    }
    bool is_there = low < channel->count && (double)channel->times[low] <= time + slack;
    return is_there ? channel->values + 3 * (size_t)low : NULL;
}

/* Uses Second Life positions whose key is on the frame up to the rounding of its time to 16 bits: a sample taken
 * beside the key would read back as a different one. */
static void take_places(const struct bvh_writing *writing, double time)
{
    const struct bvh_plan *plan = &writing->plan;
    double slack = (double)plan->clip->duration * BVH_TIME_SLACK;
    for (uint32_t i = 0; i < writing->joint_count; i++) {
        const struct bvh_out_joint *joint = &writing->joints[i];
        const float *key =
            joint->track ? find_key(&joint->track->channels[POSE_TRANSLATION], time, slack) : NULL;
        float *row = writing->rows + (size_t)joint->row * ROW_FLOATS, rest[ROW_FLOATS] = {0};
        if (!key)
            continue;
        if ((int64_t)joint->row == plan->skeleton->root_joint)
            pose_joint_rest(plan->skeleton, joint->row, plan->clip->axes, rest);
        for (int k = 0; k < 3; k++)
            row[k] = (float)((double)rest[k] + (double)key[k]);
        pose_convert_axes(POSE_TRANSLATION, row, 1, plan->clip->axes, plan->axes);
    }
}

void bvh_pose_take(const struct bvh_writing *writing, uint32_t frame)
{
    const struct bvh_plan *plan = &writing->plan;
    if (plan->is_native) {
        take_keys(writing, frame);
        return;
    }
    double time = bvh_plan_time(plan, frame);
    pose_sample(plan->sampler, time, POSE_CLAMP, POSE_IN_PLACE, writing->rows, NULL);
    if (plan->is_upload && plan->clip->rules == POSE_RULES_SL)
        take_places(writing, time);
}

void bvh_pose_take_rest(const struct bvh_writing *writing)
{
    for (uint32_t i = 0; i < writing->plan.skeleton->joint_count; i++)
        pose_joint_rest(writing->plan.skeleton, i, writing->plan.axes,
                        writing->rows + (size_t)i * ROW_FLOATS);
}

/* -------------------------------------------------------------------------------------------- all of them -- */

/* How far the tips of the unit X and Y axes move, added. */
static double axes_way(const float q[4])
{
    double x = (double)q[0], y = (double)q[1], z = (double)q[2];
    /* The tip of an axis moves 2 sin(angle / 2) times the sine of its angle to the rotation axis. */
    return 2 * (hypot(y, z) + hypot(x, z));
}

/* A game's clip is played on a skeleton that is not in it, so that only positions keep where it puts a joint. */
static void find_off_rest(struct bvh_writing *writing, const float *rest, float unit)
{
    const bool is_of_game = writing->plan.clip->rules != POSE_RULES_PLAIN;
    for (uint32_t i = 0; i < writing->joint_count && is_of_game; i++) {
        struct bvh_out_joint *joint = &writing->joints[i];
        const float *still = rest + (size_t)joint->row * ROW_FLOATS;
        const bool has_keys = joint->track && joint->track->channels[POSE_TRANSLATION].count;
        for (int k = 0; k < 3 && has_keys && !joint->places; k++)
            joint->is_off |= fabsf(joint->offset[k] - still[k]) > 100 * unit;
    }
}

/* Finds what in the clip needs more than a rotation, over all frames; rest: the reference pose. */
static void look_at_motion(struct bvh_writing *writing, const float *rest)
{
    const float unit = writing->plan.axes == POSE_AXES_INCHES ? 1e-4f : 1e-6f;
    for (uint32_t frame = 0; frame < writing->plan.frame_count; frame++) {
        bvh_pose_take(writing, frame);
        for (uint32_t i = 0; i < writing->joint_count; i++) {
            struct bvh_out_joint *joint = &writing->joints[i];
            const float *row = writing->rows + (size_t)joint->row * ROW_FLOATS,
                        *still = rest + (size_t)joint->row * ROW_FLOATS;
            double way = 0;
            if (!frame)
                memcpy(joint->offset, row, sizeof joint->offset);
            for (int k = 0; k < 3; k++) {
                joint->places |= fabsf(row[k] - joint->offset[k]) > unit;
                way = hypot(way, (double)row[k] - (double)still[k]);
                writing->lost_scales |= fabsf(row[SCALE_PLACE + k] - still[SCALE_PLACE + k]) > 1e-4f;
            }
            joint->differs |= way > STILL || axes_way(row + ROTATION_PLACE) > STILL;
        }
    }
    find_off_rest(writing, rest, unit);
}

bool bvh_poses_init(struct bvh_writing *writing, const float **rest)
{
    size_t count = (size_t)writing->plan.skeleton->joint_count * ROW_FLOATS;
    float *reference = ARENA_NEW(writing->job->arena, float, count);
    writing->rows = ARENA_NEW(writing->job->arena, float, count);
    if (!reference || !writing->rows)
        return false;
    bvh_pose_take_rest(writing);
    memcpy(reference, writing->rows, count * sizeof *reference);
    if (!writing->plan.is_native)
        look_at_motion(writing, reference);
    *rest = reference;
    return true;
}
