#include "lib/formats/bvh_write.h"

#include "lib/core/value.h"
#include "lib/formats/bvh_angles.h"
#include "lib/formats/bvh_layout.h"
#include "lib/formats/bvh_names.h"
#include "lib/formats/bvh_plan.h"
#include "lib/model/match.h"

#include <math.h>
#include <string.h>

enum {
    MOST_TABS = 32, /* of indentation */
    ROW = 10,       /* floats: translation, rotation, scale */
    NUMBER_TEXT = POSE_FLOAT_TEXT + 1,
};

/* A joint that differs from the reference by less is left out by Second Life's viewer: the way of its X and Y axes, and
 * inches (the formats' spec, "The viewer's BVH upload"); twice that to be sure. */
#define STILL 0.002

struct out_joint {
    uint32_t row; /* in the skeleton */
    uint32_t depth;
    uint8_t channels[BVH_CHANNEL_LIMIT];
    uint32_t channel_count;
    uint8_t axes[3]; /* of the angles; the first rotation_count are written */
    uint32_t rotation_count;
    const struct pose_track *track; /* that drives it; NULL: none does */
    float offset[3];
    float angles[3]; /* of the frame before */
    bool places;     /* has a position in a clip for Second Life */
    bool differs;    /* from the reference in some frame */
};

struct writing {
    struct encode_job *job;
    struct bvh_plan plan;
    const char **names;
    struct out_joint *joints; /* depth first */
    uint32_t joint_count, number_count;
    bool adds_root; /* above several roots */
    float *rows;    /* the pose of a frame: [skeleton's joints][ROW] */
    uint32_t lost_scales, lost_angles, moving;
};

/* ---------------------------------------------------------------------------------------------- the joints -- */

/* Collision volumes of Second Life are no bones; they are written when something moves them. */
static bool is_wanted(const struct pose_joint *joint, bool is_driven)
{
    return is_driven || strcmp(value_get_string(joint->extras, "kind", ""), "collision_volume") != 0;
}

/* Which track drives each joint: of several the first. NULL when memory is out. */
static const struct pose_track **find_tracks(struct writing *writing)
{
    const struct pose_clip *clip = writing->plan.clip;
    const struct pose_skeleton *skeleton = writing->plan.skeleton;
    struct joint_index index;
    uint32_t strangers = 0;
    const struct pose_track **tracks =
        ARENA_NEW(writing->job->arena, const struct pose_track *, skeleton->joint_count);
    if (!tracks || !joint_index_init(&index, writing->job->arena, skeleton, clip->rules))
        return NULL;
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

/* The first child and the next sibling of each joint that is written, and the first root; -1 ends a list. */
struct tree {
    int32_t *child, *sibling;
    int32_t root;
    uint32_t root_count;
};

static bool make_tree(struct writing *writing, const struct pose_track *const *tracks, struct tree *tree)
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
    /* Children follow their parents, so those of a joint are all there when it is reached from behind. */
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

static uint8_t channel_of(const char *name, size_t length)
{
    for (uint8_t i = 0; i < BVH_CHANNEL_KINDS; i++) {
        if (strlen(bvh_channel_names[i]) == length && !memcmp(bvh_channel_names[i], name, length))
            return i;
    }
    return BVH_CHANNEL_KINDS;
}

/* Axes that the file does not have go last. */
static void complete_axes(struct out_joint *joint)
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

/* The channels that the joint had in the file that it was read from. False when there are none that can be used. */
static bool take_channels(struct out_joint *joint, const struct pose_track *track)
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

static void put_channels(struct out_joint *joint, bool position)
{
    static const uint8_t channels[6] = {BVH_POSITION,     BVH_POSITION + 1, BVH_POSITION + 2,
                                        BVH_ROTATION + 2, BVH_ROTATION + 0, BVH_ROTATION + 1};
    static const uint8_t axes[3] = {2, 0, 1};
    joint->channel_count = position ? 6 : 3;
    memcpy(joint->channels, position ? channels : channels + 3, joint->channel_count);
    memcpy(joint->axes, axes, sizeof axes);
    joint->rotation_count = 3;
}

/* Those of a clip that came from BVH, as far as it still has what they drive. */
static void choose_channels(const struct writing *writing, struct out_joint *joint)
{
    struct out_joint old = *joint;
    if (writing->plan.is_native && take_channels(&old, joint->track))
        *joint = old;
    else if (!writing->plan.is_native)
        put_channels(joint, writing->plan.skeleton->joints[joint->row].parent < 0 || joint->places);
    else
        put_channels(joint, joint->track && joint->track->channels[POSE_TRANSLATION].count);
}

/* Depth first, without recursion: up again by the parents. */
static bool list_joints(struct writing *writing, const struct pose_track *const *tracks,
                        const struct tree *tree)
{
    const struct pose_skeleton *skeleton = writing->plan.skeleton;
    writing->adds_root = tree->root_count > 1 && !writing->plan.is_native;
    writing->joints = ARENA_NEW(writing->job->arena, struct out_joint, skeleton->joint_count);
    if (!writing->joints)
        return false;
    uint32_t depth = writing->adds_root;
    for (int32_t at = tree->root; at >= 0;) {
        struct out_joint *joint = &writing->joints[writing->joint_count++];
        *joint = (struct out_joint){.row = (uint32_t)at, .depth = depth, .track = tracks[at]};
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

/* ----------------------------------------------------------------------------------------------------- poses -- */

/* Keys of the clip itself, where the file's numbers are wanted back. */
static void take_keys(const struct writing *writing, uint32_t frame)
{
    static const uint8_t places[3] = {0, 3, 7};
    for (uint32_t i = 0; i < writing->joint_count; i++) {
        const struct out_joint *joint = &writing->joints[i];
        for (int part = 0; joint->track && part < 3; part++) {
            const struct pose_channel *channel = &joint->track->channels[part];
            size_t components = part_components((enum pose_part)part);
            if (frame < channel->count)
                memcpy(writing->rows + (size_t)joint->row * ROW + places[part],
                       channel->values + frame * components, components * sizeof(float));
        }
    }
}

/* The key at that time, give or take the slack; NULL when there is none. */
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

/* Places of Second Life whose key is on the frame but for the rounding of its time to 16 bits: what is sampled beside a key
 * would come back as another one. */
static void take_places(const struct writing *writing, double time)
{
    const struct bvh_plan *plan = &writing->plan;
    double slack = (double)plan->clip->duration * BVH_TIME_SLACK;
    for (uint32_t i = 0; i < writing->joint_count; i++) {
        const struct out_joint *joint = &writing->joints[i];
        const float *key =
            joint->track ? find_key(&joint->track->channels[POSE_TRANSLATION], time, slack) : NULL;
        float *row = writing->rows + (size_t)joint->row * ROW, rest[ROW] = {0};
        if (!key)
            continue;
        if ((int64_t)joint->row == plan->skeleton->root_joint)
            pose_joint_rest(plan->skeleton, joint->row, plan->clip->axes, rest);
        for (int k = 0; k < 3; k++)
            row[k] = (float)((double)rest[k] + (double)key[k]);
        pose_convert_axes(POSE_TRANSLATION, row, 1, plan->clip->axes, plan->axes);
    }
}

static void take_pose(const struct writing *writing, uint32_t frame)
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

static void take_rest(const struct writing *writing)
{
    for (uint32_t i = 0; i < writing->plan.skeleton->joint_count; i++)
        pose_joint_rest(writing->plan.skeleton, i, writing->plan.axes, writing->rows + (size_t)i * ROW);
}

/* How far the X and Y axes come off their places, together. */
static double axes_way(const float q[4])
{
    double x = (double)q[0], y = (double)q[1], z = (double)q[2];
    /* An axis that is at an angle to the axis of the turn goes 2 sin(angle / 2) times the sine of that. */
    return 2 * (hypot(y, z) + hypot(x, z));
}

/* What of the clip needs more than a rotation, over all frames; rest: the pose of reference. */
static void look_at_motion(struct writing *writing, const float *rest)
{
    const float unit = writing->plan.axes == POSE_AXES_INCHES ? 1e-4f : 1e-6f;
    for (uint32_t frame = 0; frame < writing->plan.frame_count; frame++) {
        take_pose(writing, frame);
        for (uint32_t i = 0; i < writing->joint_count; i++) {
            struct out_joint *joint = &writing->joints[i];
            const float *row = writing->rows + (size_t)joint->row * ROW,
                        *still = rest + (size_t)joint->row * ROW;
            double way = 0;
            if (!frame)
                memcpy(joint->offset, row, sizeof joint->offset);
            for (int k = 0; k < 3; k++) {
                joint->places |= fabsf(row[k] - joint->offset[k]) > unit;
                way = hypot(way, (double)row[k] - (double)still[k]);
                writing->lost_scales |= fabsf(row[7 + k] - still[7 + k]) > 1e-4f;
            }
            joint->differs |= way > STILL || axes_way(row + 3) > STILL;
        }
    }
}

static bool prepare_joints(struct writing *writing)
{
    size_t count = (size_t)writing->plan.skeleton->joint_count * ROW;
    float *rest = ARENA_NEW(writing->job->arena, float, count);
    writing->rows = ARENA_NEW(writing->job->arena, float, count);
    if (!rest || !writing->rows)
        return false;
    take_rest(writing);
    memcpy(rest, writing->rows, count * sizeof *rest);
    if (!writing->plan.is_native)
        look_at_motion(writing, rest);
    for (uint32_t i = 0; i < writing->joint_count; i++) {
        struct out_joint *joint = &writing->joints[i];
        bool is_root = writing->plan.skeleton->joints[joint->row].parent < 0;
        choose_channels(writing, joint);
        writing->number_count += joint->channel_count;
        writing->moving += !is_root && joint->places;
        /* A root with a position has no offset, so that it does not matter whether a reader adds the two. */
        if (!writing->plan.is_native && is_root)
            memset(joint->offset, 0, sizeof joint->offset);
        else if (writing->plan.is_native || joint->places)
            memcpy(joint->offset, rest + (size_t)joint->row * ROW, sizeof joint->offset);
    }
    return true;
}

/* --------------------------------------------------------------------------------------------------- text -- */

static void put_tabs(struct writer *writer, uint32_t depth)
{
    static const char tabs[MOST_TABS + 1] =
        "\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t";
    writer_bytes(writer, tabs, depth < MOST_TABS ? depth : MOST_TABS);
}

static void put_offset(struct writer *writer, const float offset[3])
{
    writer_text(writer, "OFFSET");
    for (int i = 0; i < 3; i++) {
        writer_u8(writer, ' ');
        writer_float(writer, bvh_tidy(offset[i]));
    }
    writer_u8(writer, '\n');
}

static void put_end(struct writer *writer, uint32_t depth, const float offset[3])
{
    put_tabs(writer, depth);
    writer_text(writer, "End Site\n");
    put_tabs(writer, depth);
    writer_text(writer, "{\n");
    put_tabs(writer, depth + 1);
    put_offset(writer, offset);
    put_tabs(writer, depth);
    writer_text(writer, "}\n");
}

/* Where a bone without children ends: as in the file it came from; else it goes on from its parent by half. */
static void put_ends(struct writing *writing, const struct out_joint *joint, bool is_leaf)
{
    const struct pose_joint *from = &writing->plan.skeleton->joints[joint->row];
    const struct pose_value *ends = pose_value_find(from->extras, "end_sites");
    float offset[3] = {joint->offset[0] / 2, joint->offset[1] / 2, joint->offset[2] / 2};
    for (const struct pose_value *end = ends ? ends->first : NULL; end; end = end->next) {
        const struct pose_value *number = end->first;
        for (int i = 0; i < 3; i++, number = number ? number->next : NULL) {
            if (!number || !value_number(number, &offset[i]))
                offset[i] = 0;
        }
        put_end(writing->job->writer, joint->depth + 1, offset);
    }
    if (is_leaf && !writing->plan.is_native)
        put_end(writing->job->writer, joint->depth + 1, offset);
}

static void put_head(struct writer *writer, uint32_t depth, const char *name)
{
    put_tabs(writer, depth);
    writer_text(writer, depth ? "JOINT " : "ROOT ");
    writer_text(writer, name);
    writer_u8(writer, '\n');
    put_tabs(writer, depth);
    writer_text(writer, "{\n");
}

static void put_joint(struct writing *writing, const struct out_joint *joint, bool is_leaf)
{
    struct writer *writer = writing->job->writer;
    put_head(writer, joint->depth, writing->names[joint->row]);
    put_tabs(writer, joint->depth + 1);
    put_offset(writer, joint->offset);
    put_tabs(writer, joint->depth + 1);
    writer_format(writer, "CHANNELS %u", joint->channel_count);
    for (uint32_t i = 0; i < joint->channel_count; i++) {
        writer_u8(writer, ' ');
        writer_text(writer, bvh_channel_names[joint->channels[i]]);
    }
    writer_u8(writer, '\n');
    put_ends(writing, joint, is_leaf);
}

static void close_joints(struct writer *writer, uint32_t from, uint32_t to)
{
    while (from > to) {
        put_tabs(writer, --from);
        writer_text(writer, "}\n");
    }
}

/* A name that no joint has. */
static const char *name_added_root(const struct writing *writing)
{
    const char *name = "root";
    for (uint32_t i = 0; i < writing->plan.skeleton->joint_count; i++) {
        if (!strcmp(writing->names[i], name))
            return "root_of_all_joints";
    }
    return name;
}

static void put_hierarchy(struct writing *writing)
{
    struct writer *writer = writing->job->writer;
    uint32_t depth = 0; /* braces that are open */
    writer_text(writer, "HIERARCHY\n");
    if (writing->adds_root) {
        put_head(writer, 0, name_added_root(writing));
        writer_text(writer, "\tOFFSET 0 0 0\n\tCHANNELS 0\n");
        depth = 1;
    }
    for (uint32_t i = 0; i < writing->joint_count; i++) {
        const struct out_joint *joint = &writing->joints[i];
        close_joints(writer, depth, joint->depth);
        bool is_leaf = i + 1 == writing->joint_count || writing->joints[i + 1].depth <= joint->depth;
        put_joint(writing, joint, is_leaf);
        depth = joint->depth + 1;
    }
    close_joints(writer, depth, 0);
}

/* ------------------------------------------------------------------------------------------------- frames -- */

static char *put_number(char *text, float number)
{
    text += pose_float_text(number, text);
    *text = ' ';
    return text + 1;
}

/* The numbers of a joint in the frame of the row. */
static char *put_row(struct writing *writing, struct out_joint *joint, bool is_first, char *text)
{
    const float *row = writing->rows + (size_t)joint->row * ROW;
    float angles[3];
    float left =
        bvh_angles_fit(joint->axes, joint->rotation_count, row + 3, is_first ? NULL : joint->angles, angles);
    memcpy(joint->angles, angles, sizeof angles);
    writing->lost_angles += left > 0.01f;
    unsigned rotation = 0;
    for (uint32_t i = 0; i < joint->channel_count; i++) {
        unsigned channel = joint->channels[i];
        if (channel < BVH_ROTATION)
            text = put_number(text, bvh_tidy(row[channel]));
        else if (channel < BVH_SCALE)
            text = put_number(text, angles[rotation++]);
        else
            text = put_number(text, row[7 + channel - BVH_SCALE]);
    }
    return text;
}

static void put_frame(struct writing *writing, bool is_first)
{
    struct writer *writer = writing->job->writer;
    char *start = (char *)writer_reserve(writer, (size_t)writing->number_count * NUMBER_TEXT + 1),
         *text = start;
    if (!start)
        return;
    for (uint32_t i = 0; i < writing->joint_count; i++)
        text = put_row(writing, &writing->joints[i], is_first, text);
    /* The last blank, or nothing, becomes the end of the line. */
    text -= text > start;
    *text++ = '\n';
    writer_commit(writer, (size_t)(text - start));
}

/* The rest pose, turned a little where the viewer would take a joint for one that is not driven. */
static void put_reference(struct writing *writing)
{
    static const float turned[4] = {1.7453284e-3f, 0, 0, 0.99999848f}; /* 0.2 degrees about X */
    take_rest(writing);
    for (uint32_t i = 0; i < writing->joint_count; i++) {
        struct out_joint *joint = &writing->joints[i];
        float *row = writing->rows + (size_t)joint->row * ROW;
        bool is_pelvis = writing->plan.skeleton->joints[joint->row].parent < 0;
        bool driven = joint->track && track_drives_joint(joint->track);
        if (driven && !joint->differs && !is_pelvis)
            memcpy(row + 3, turned, sizeof turned);
    }
    put_frame(writing, true);
}

static void put_motion(struct writing *writing)
{
    struct writer *writer = writing->job->writer;
    const struct bvh_plan *plan = &writing->plan;
    writer_format(writer, "MOTION\nFrames: %u\nFrame Time: ", plan->frame_count + plan->is_upload);
    if (plan->frame_time)
        writer_text(writer, plan->frame_time);
    else
        writer_float(writer, plan->frame_seconds);
    writer_u8(writer, '\n');
    if (plan->is_upload)
        put_reference(writing);
    for (uint32_t frame = 0; frame < plan->frame_count && !writer->failed; frame++) {
        take_pose(writing, frame);
        put_frame(writing, !frame);
    }
}

/* ------------------------------------------------------------------------------------------------- losses -- */

static void tell(const struct writing *writing)
{
    struct encode_job *job = writing->job;
    const struct pose_clip *clip = writing->plan.clip;
    uint32_t morphs = 0;
    for (uint32_t i = 0; i < clip->track_count; i++)
        morphs += clip->tracks[i].channels[POSE_MORPH].count > 0;
    if (morphs)
        encode_warn(job, "morph_dropped", "the morphs of %u tracks were left out: BVH has none", morphs);
    if (writing->lost_scales)
        encode_warn(job, "scale_dropped", "scales were left out: BVH has none");
    if (writing->lost_angles)
        encode_warn(job, "rotation_dropped",
                    "rotations about axes that the file has no channels of were left out");
    if (clip->event_count)
        encode_warn(job, "events_dropped", "%u events were left out: BVH has none", clip->event_count);
    if (clip->loop == POSE_LOOP_YES)
        encode_warn(job, "loop_dropped", "that the clip loops was left out: BVH cannot say it");
    if (clip->extras && !writing->plan.is_native)
        encode_warn(job, "extras_dropped", "what else the clip's own format holds was left out");
    if (writing->adds_root)
        encode_note(job, "root_added", "BVH programs expect one root; a joint was put above the others");
    if (writing->moving)
        encode_note(
            job, "joint_positions",
            "%u joints below the root change their place; some programs ignore that, or add it to OFFSET",
            writing->moving);
}

static bool write_file(struct writing *writing)
{
    struct tree tree;
    const struct pose_track **tracks = find_tracks(writing);
    writing->names = tracks ? bvh_names_make(writing->job, writing->plan.skeleton) : NULL;
    if (!writing->names || !make_tree(writing, tracks, &tree) || !list_joints(writing, tracks, &tree) ||
        !prepare_joints(writing))
        return false;
    put_hierarchy(writing);
    put_motion(writing);
    tell(writing);
    return true;
}

bool bvh_encode(struct encode_job *job)
{
    struct writing writing = {.job = job};
    bool done = bvh_plan_init(&writing.plan, job) && write_file(&writing);
    bvh_plan_release(&writing.plan);
    return done;
}
