/* The parts of the source's clip that are needed: the joints it drives, and a skeleton reduced to them. */
#include "lib/model/axes.h"
#include "lib/model/match.h"
#include "lib/retarget/motion.h"

#include <string.h>

/* Whether a key is further than this from the joint's rest: metres of the world, and radians. */
#define STRAY 1e-3
#define TURNED 2e-3

static bool strays(const struct pose_retarget *retarget, uint32_t joint, const struct pose_channel *channel)
{
    const struct pose_humanoid *source = retarget->source;
    const struct reference *reference = &source->references[joint];
    const int32_t parent = source->skeleton->joints[joint].parent;
    const struct vec stretch = parent < 0 ? (struct vec){1, 1, 1} : source->references[parent].stretch;
    for (uint32_t k = 0; k < channel->count; k++) {
        float at[3];
        memcpy(at, channel->values + (size_t)k * 3, sizeof at);
        pose_convert_axes(POSE_TRANSLATION, at, 1, retarget->clip->axes, POSE_AXES_GLTF);
        const struct vec place = {(double)at[0], (double)at[1], (double)at[2]};
        if (vec_length(vec_mul(stretch, vec_sub(place, reference->offset))) > STRAY)
            return true;
    }
    return false;
}

static bool turns(const struct pose_retarget *retarget, uint32_t joint, const struct pose_channel *channel)
{
    const struct turn unturned = turn_inverse(turn_unit(retarget->source->references[joint].local));
    for (uint32_t k = 0; k < channel->count; k++) {
        float q[4];
        memcpy(q, channel->values + (size_t)k * 4, sizeof q);
        pose_convert_axes(POSE_ROTATION, q, 1, retarget->clip->axes, POSE_AXES_GLTF);
        const struct turn turn = {(double)q[0], (double)q[1], (double)q[2], (double)q[3]};
        if (turn_angle(turn_mul(turn_unit(turn), unturned)) > TURNED)
            return true;
    }
    return false;
}

bool drives_read(struct pose_retarget *retarget, struct arena *scratch)
{
    const struct pose_clip *clip = retarget->clip;
    const struct pose_skeleton *skeleton = retarget->source->skeleton;
    struct joint_index index;
    retarget->rotates = ARENA_NEW(&retarget->arena, bool, skeleton->joint_count);
    retarget->translates = ARENA_NEW(&retarget->arena, bool, skeleton->joint_count);
    retarget->strays = ARENA_NEW(&retarget->arena, bool, skeleton->joint_count);
    retarget->turns = ARENA_NEW(&retarget->arena, bool, skeleton->joint_count);
    if (!retarget->rotates || !retarget->translates || !retarget->strays || !retarget->turns ||
        !joint_index_init(&index, scratch, skeleton, clip->rules))
        return false;
    joint_index_follow(&index, skeleton, clip);
    for (uint32_t i = 0; i < clip->track_count; i++) {
        const struct pose_track *track = &clip->tracks[i];
        int64_t joint = track_drives_joint(track) ? joint_index_find(&index, track) : -1;
        if (joint < 0)
            continue;
        retarget->rotates[joint] |= track->channels[POSE_ROTATION].count > 0;
        retarget->translates[joint] |= track->channels[POSE_TRANSLATION].count > 0;
        retarget->strays[joint] |= strays(retarget, (uint32_t)joint, &track->channels[POSE_TRANSLATION]);
        retarget->turns[joint] |= turns(retarget, (uint32_t)joint, &track->channels[POSE_ROTATION]);
    }
    return true;
}

bool drives_turn(const struct pose_retarget *retarget, int32_t joint, int32_t above)
{
    const struct pose_humanoid *source = retarget->source;
    for (; joint >= 0 && joint != above; joint = source->skeleton->joints[joint].parent) {
        /* A common ancestor rotates both alike. */
        if (above >= 0 && joint_is_below(source, above, joint))
            return false;
        if (retarget->rotates[joint])
            return true;
    }
    return false;
}

/* ------------------------------------------------------------------------------------------------- cutting -- */

/* The tree of the cut clip and skeleton, so that tracks have nodes. */
enum { CUT_TREE = 1 };

static bool cut_skeleton(struct pose_retarget *retarget, const bool *wanted, struct pose_error *error)
{
    const struct pose_skeleton *from = retarget->source->skeleton;
    uint32_t count = 0, at = 0;
    for (uint32_t i = 0; i < from->joint_count; i++)
        count += wanted[i];
    if (count > NODE_LIMIT)
        return error_set(error, POSE_BAD_DATA, "not_humanoid", "%u joints of the source take part", count);
    struct pose_joint *joints = ARENA_NEW(&retarget->arena, struct pose_joint, count);
    retarget->source_nodes = ARENA_NEW(&retarget->arena, struct source_node, count);
    retarget->source_node_of = ARENA_NEW(&retarget->arena, int32_t, from->joint_count);
    if (!joints || !retarget->source_nodes || !retarget->source_node_of)
        return false;
    for (uint32_t i = 0; i < from->joint_count; i++) {
        int32_t parent = from->joints[i].parent;
        retarget->source_node_of[i] = wanted[i] ? (int32_t)at : NO_NODE;
        if (!wanted[i])
            continue;
        joints[at] = from->joints[i];
        joints[at].parent = parent < 0 ? NO_NODE : retarget->source_node_of[parent];
        retarget->source_nodes[at] = (struct source_node){
            .parent = joints[at].parent,
            .stretch = parent < 0 ? (struct vec){1, 1, 1} : retarget->source->references[parent].stretch,
        };
        at++;
    }
    retarget->source_count = count;
    retarget->source_skeleton = *from;
    retarget->source_skeleton.joints = joints;
    retarget->source_skeleton.joint_count = count;
    retarget->source_skeleton.file_order = NULL;
    retarget->source_skeleton.figures = NULL;
    retarget->source_skeleton.tree = CUT_TREE;
    retarget->source_skeleton.root_joint =
        from->root_joint >= 0 ? retarget->source_node_of[from->root_joint] : -1;
    return true;
}

/* Keeps the tracks of remaining joints, each bound to the same joint as in the whole skeleton. */
static bool cut_clip(struct pose_retarget *retarget, const bool *wanted, struct arena *scratch)
{
    const struct pose_clip *from = retarget->clip;
    struct joint_index index;
    struct pose_track *tracks = ARENA_NEW(&retarget->arena, struct pose_track, from->track_count);
    if (!tracks || !joint_index_init(&index, scratch, retarget->source->skeleton, from->rules))
        return false;
    joint_index_follow(&index, retarget->source->skeleton, from);
    retarget->source_clip = *from;
    retarget->source_clip.tree = retarget->source_skeleton.tree;
    retarget->source_clip.track_count = 0;
    retarget->source_clip.tracks = tracks;
    for (uint32_t i = 0; i < from->track_count; i++) {
        const struct pose_track *track = &from->tracks[i];
        int64_t joint = track_drives_joint(track) ? joint_index_find(&index, track) : -1;
        if (joint < 0 || !wanted[joint])
            continue;
        struct pose_track *cut = &tracks[retarget->source_clip.track_count++];
        *cut = *track;
        cut->node = (uint32_t)retarget->source_node_of[joint] + 1;
    }
    return true;
}

bool drives_cut(struct pose_retarget *retarget, const bool *wanted, struct arena *scratch,
                const struct pose_options *options, struct pose_error *error)
{
    if (!cut_skeleton(retarget, wanted, error) || !cut_clip(retarget, wanted, scratch))
        return false;
    retarget->sampler =
        pose_sampler_new(&retarget->source_clip, &retarget->source_skeleton, POSE_AXES_GLTF, options, error);
    return retarget->sampler;
}
