/* The joints of a BVH file, their order and their channels. */
#include "lib/formats/bvh/write_joints.h"

#include "lib/core/value.h"
#include "lib/model/match.h"

#include <string.h>

/* ------------------------------------------------------------------------------------------ who is driven -- */

/* Second Life's collision volumes are not bones; they are written only if something moves them. */
static bool is_wanted(const struct pose_joint *joint, bool is_driven)
{
    return is_driven || strcmp(value_get_string(joint->extras, "kind", ""), "collision_volume") != 0;
}

/* The track that drives each joint, the first if there are several. NULL if out of memory. */
static const struct pose_track **find_tracks(struct bvh_writing *writing)
{
    const struct pose_clip *clip = writing->plan.clip;
    const struct pose_skeleton *skeleton = writing->plan.skeleton;
    struct joint_index index;
    uint32_t strangers = 0;
    const struct pose_track **tracks =
        ARENA_NEW(writing->job->arena, const struct pose_track *, skeleton->joint_count);
    if (!tracks || !joint_index_init(&index, writing->job->arena, skeleton, clip->rules))
        return NULL;
    joint_index_follow(&index, skeleton, clip);
    for (uint32_t i = 0; i < clip->track_count; i++) {
        const struct pose_track *track = &clip->tracks[i];
        int64_t joint = joint_index_find(&index, track);
        strangers += joint < 0 && track_drives_joint(track);
        if (joint >= 0 && !tracks[joint])
            tracks[joint] = track;
    }
    if (strangers)
        encode_warn(writing->job, "unmatched_track", "%u tracks move joints that the skeleton lacks",
                    strangers);
    return tracks;
}

/* -------------------------------------------------------------------------------------------- their order -- */

/* The first child and the next sibling of each joint that is written, and the first root; -1 ends a list. */
struct tree {
    int32_t *child, *sibling;
    int32_t root;
    uint32_t root_count;
};

static bool make_tree(struct bvh_writing *writing, const struct pose_track *const *tracks, struct tree *tree)
{
    const struct pose_skeleton *skeleton = writing->plan.skeleton;
    uint32_t count = skeleton->joint_count;
    bool *wanted = ARENA_NEW(writing->job->arena, bool, count);
    tree->child = ARENA_NEW(writing->job->arena, int32_t, count);
    tree->sibling = ARENA_NEW(writing->job->arena, int32_t, count);
    tree->root = -1;
    tree->root_count = 0;
    if (!wanted || !tree->child || !tree->sibling)
        return false;
    for (uint32_t i = 0; i < count; i++)
        tree->child[i] = -1;
    /* Children follow their parents, so going backwards all children of a joint are known when it is reached. */
    for (uint32_t i = count; i-- > 0;) {
        int32_t parent = skeleton->joints[i].parent;
        wanted[i] |= is_wanted(&skeleton->joints[i], tracks[i] && track_drives_joint(tracks[i]));
        if (!wanted[i])
            continue;
        int32_t *first = parent < 0 ? &tree->root : &tree->child[parent];
        tree->sibling[i] = *first;
        *first = (int32_t)i;
        tree->root_count += parent < 0;
        if (parent >= 0)
            wanted[parent] = true;
    }
    return true;
}

/* Depth first without recursion: back up via the parents. */
static bool list_joints(struct bvh_writing *writing, const struct pose_track *const *tracks,
                        const struct tree *tree)
{
    const struct pose_skeleton *skeleton = writing->plan.skeleton;
    writing->adds_root = tree->root_count > 1 && !writing->plan.is_native;
    writing->joints = ARENA_NEW(writing->job->arena, struct bvh_out_joint, skeleton->joint_count);
    if (!writing->joints)
        return false;
    uint32_t depth = writing->adds_root;
    for (int32_t at = tree->root; at >= 0;) {
        struct bvh_out_joint *joint = &writing->joints[writing->joint_count++];
        *joint = (struct bvh_out_joint){.row = (uint32_t)at, .depth = depth, .track = tracks[at]};
        joint->places =
            writing->plan.is_upload && joint->track && joint->track->channels[POSE_TRANSLATION].count;
        if (tree->child[at] >= 0) {
            at = tree->child[at];
            depth++;
            continue;
        }
        while (at >= 0 && tree->sibling[at] < 0) {
            at = skeleton->joints[at].parent;
            depth -= at >= 0;
        }
        at = at >= 0 ? tree->sibling[at] : -1;
    }
    return true;
}

bool bvh_joints_list(struct bvh_writing *writing)
{
    struct tree tree;
    const struct pose_track **tracks = find_tracks(writing);
    return tracks && make_tree(writing, tracks, &tree) && list_joints(writing, tracks, &tree);
}

/* ----------------------------------------------------------------------------------------------- channels -- */

static uint8_t channel_of(const char *name, size_t length)
{
    for (uint8_t i = 0; i < BVH_CHANNEL_KINDS; i++) {
        if (strlen(bvh_channel_names[i]) == length && !memcmp(bvh_channel_names[i], name, length))
            return i;
    }
    return BVH_CHANNEL_KINDS;
}

/* Appends the axes that the file does not have. */
static void complete_axes(struct bvh_out_joint *joint)
{
    uint32_t count = joint->rotation_count;
    for (uint8_t axis = 0; axis < 3 && count < 3; axis++) {
        bool there = false;
        for (uint32_t i = 0; i < count; i++)
            there |= joint->axes[i] == axis;
        if (!there)
            joint->axes[count++] = axis;
    }
}

/* The channels that the joint had in the original file. False if there are none that can be used. */
static bool take_channels(struct bvh_out_joint *joint, const struct pose_track *track)
{
    const char *text = track ? value_get_string(track->extras, "channels", NULL) : NULL;
    unsigned seen = 0;
    for (; text && *text; text += strspn(text, " ")) {
        size_t length = strcspn(text, " ");
        uint8_t channel = channel_of(text, length);
        if (channel == BVH_CHANNEL_KINDS || seen & 1u << channel)
            return false;
        seen |= 1u << channel;
        joint->channels[joint->channel_count++] = channel;
        if (channel >= BVH_ROTATION && channel < BVH_SCALE)
            joint->axes[joint->rotation_count++] = (uint8_t)(channel - BVH_ROTATION);
        text += length;
    }
    complete_axes(joint);
    return text != NULL;
}

static void put_channels(struct bvh_out_joint *joint, bool position)
{
    static const uint8_t channels[6] = {BVH_POSITION,     BVH_POSITION + 1, BVH_POSITION + 2,
                                        BVH_ROTATION + 2, BVH_ROTATION + 0, BVH_ROTATION + 1};
    static const uint8_t axes[3] = {2, 0, 1};
    joint->channel_count = position ? 6 : 3;
    memcpy(joint->channels, position ? channels : channels + 3, joint->channel_count);
    memcpy(joint->axes, axes, sizeof axes);
    joint->rotation_count = 3;
}

/* For a clip that came from BVH its original channels, as far as it still has the data for them. */
static void choose_channels(const struct bvh_writing *writing, struct bvh_out_joint *joint)
{
    struct bvh_out_joint old = *joint;
    if (writing->plan.is_native && take_channels(&old, joint->track))
        *joint = old;
    else if (!writing->plan.is_native)
        put_channels(joint,
                     writing->plan.skeleton->joints[joint->row].parent < 0 || joint->places || joint->is_off);
    else
        put_channels(joint, joint->track && joint->track->channels[POSE_TRANSLATION].count);
}

void bvh_joints_choose_channels(struct bvh_writing *writing)
{
    for (uint32_t i = 0; i < writing->joint_count; i++) {
        choose_channels(writing, &writing->joints[i]);
        writing->number_count += writing->joints[i].channel_count;
    }
}
