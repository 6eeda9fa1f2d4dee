#include "lib/formats/bvh/write.h"

#include "lib/core/numbers/numbers.h"
#include "lib/core/value.h"
#include "lib/formats/bvh/angles.h"
#include "lib/formats/bvh/names.h"
#include "lib/formats/bvh/write_joints.h"
#include "lib/model/match.h"

#include <string.h>

enum {
    MAX_TABS = 32, /* of indentation */
    NUMBER_TEXT = POSE_FLOAT_TEXT + 1,
};

/* ---------------------------------------------------------------------------------------------- hierarchy -- */

static void put_tabs(struct writer *writer, uint32_t depth)
{
    static const char tabs[MAX_TABS + 1] = "\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t";
    writer_bytes(writer, tabs, depth < MAX_TABS ? depth : MAX_TABS);
}

/* A length in the file's unit. */
static float measure(const struct bvh_writing *writing, float length)
{
    return bvh_tidy((float)((double)length * writing->plan.unit));
}

static void put_offset(const struct bvh_writing *writing, const float offset[3])
{
    struct writer *writer = writing->job->writer;
    writer_text(writer, "OFFSET");
    for (int i = 0; i < 3; i++) {
        writer_u8(writer, ' ');
        writer_float(writer, measure(writing, offset[i]));
    }
    writer_u8(writer, '\n');
}

static void put_end(const struct bvh_writing *writing, uint32_t depth, const float offset[3])
{
    struct writer *writer = writing->job->writer;
    put_tabs(writer, depth);
    writer_text(writer, "End Site\n");
    put_tabs(writer, depth);
    writer_text(writer, "{\n");
    put_tabs(writer, depth + 1);
    put_offset(writing, offset);
    put_tabs(writer, depth);
    writer_text(writer, "}\n");
}

/* The end of a bone without children: as in the original file; otherwise it continues the line from its parent
 * by half. */
static void put_ends(struct bvh_writing *writing, const struct bvh_out_joint *joint, bool is_leaf)
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
        pose_convert_axes(POSE_TRANSLATION, offset, 1, writing->plan.skeleton->axes, writing->plan.axes);
        put_end(writing, joint->depth + 1, offset);
    }
    if (is_leaf && !writing->plan.is_native)
        put_end(writing, joint->depth + 1, offset);
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

static void put_joint(struct bvh_writing *writing, const struct bvh_out_joint *joint, bool is_leaf)
{
    struct writer *writer = writing->job->writer;
    put_head(writer, joint->depth, writing->names[joint->row]);
    put_tabs(writer, joint->depth + 1);
    put_offset(writing, joint->offset);
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
static const char *name_added_root(const struct bvh_writing *writing)
{
    const char *name = "root";
    for (uint32_t i = 0; i < writing->plan.skeleton->joint_count; i++) {
        if (!strcmp(writing->names[i], name))
            return "root_of_all_joints";
    }
    return name;
}

static void put_hierarchy(struct bvh_writing *writing)
{
    struct writer *writer = writing->job->writer;
    uint32_t depth = 0; /* open braces */
    writer_text(writer, "HIERARCHY\n");
    if (writing->adds_root) {
        put_head(writer, 0, name_added_root(writing));
        writer_text(writer, "\tOFFSET 0 0 0\n\tCHANNELS 0\n");
        depth = 1;
    }
    for (uint32_t i = 0; i < writing->joint_count; i++) {
        const struct bvh_out_joint *joint = &writing->joints[i];
        close_joints(writer, depth, joint->depth);
        bool is_leaf = i + 1 == writing->joint_count || writing->joints[i + 1].depth <= joint->depth;
        put_joint(writing, joint, is_leaf);
        depth = joint->depth + 1;
    }
    close_joints(writer, depth, 0);
}

/* ------------------------------------------------------------------------------------------------- frames -- */

/* The angles of a joint in the current frame, alone. */
static void fit_one(struct bvh_writing *writing, struct bvh_out_joint *joint, bool is_first)
{
    const float *row = writing->rows + (size_t)joint->row * ROW_FLOATS;
    float angles[3];
    float left = bvh_angles_fit(joint->axes, joint->rotation_count, row + ROTATION_PLACE,
                                is_first ? NULL : joint->angles, angles);
    memcpy(joint->angles, angles, sizeof angles);
    writing->lost_angles += left > 0.01f;
}

/* The same for up to four, which have all three axes. */
static void fit_four(struct bvh_writing *writing, struct bvh_out_joint *const joints[BVH_TURNS],
                     unsigned count)
{
    struct bvh_turn turns[BVH_TURNS], *each[BVH_TURNS];
    for (unsigned i = 0; i < count; i++) {
        const float *row = writing->rows + (size_t)joints[i]->row * ROW_FLOATS;
        turns[i] = (struct bvh_turn){.axes = joints[i]->axes, .q = row + ROTATION_PLACE};
        memcpy(turns[i].angles, joints[i]->angles, sizeof turns[i].angles);
    }
    for (unsigned i = 0; i < BVH_TURNS; i++)
        each[i] = &turns[i < count ? i : 0];
    const unsigned done = bvh_angles_fit_four(each);
    for (unsigned i = 0; i < count; i++) {
        if (done >> i & 1)
            memcpy(joints[i]->angles, turns[i].angles, sizeof turns[i].angles);
        else
            fit_one(writing, joints[i], false);
    }
}

/* The angles of all joints in the current frame. */
static void fit_angles(struct bvh_writing *writing, bool is_first)
{
    struct bvh_out_joint *joints[BVH_TURNS];
    unsigned count = 0;
    for (uint32_t i = 0; i < writing->joint_count; i++) {
        struct bvh_out_joint *joint = &writing->joints[i];
        if (is_first || joint->rotation_count < 3) {
            fit_one(writing, joint, is_first);
            continue;
        }
        joints[count++] = joint;
        if (count == BVH_TURNS) {
            fit_four(writing, joints, count);
            count = 0;
        }
    }
    if (count)
        fit_four(writing, joints, count);
}

/* The numbers of a joint in the current frame. */
static float *take_numbers(const struct bvh_writing *writing, const struct bvh_out_joint *joint, float *to)
{
    const float *row = writing->rows + (size_t)joint->row * ROW_FLOATS, *angle = joint->angles;
    for (uint32_t i = 0; i < joint->channel_count; i++) {
        unsigned channel = joint->channels[i];
        if (channel < BVH_ROTATION)
            *to++ = measure(writing, row[channel]);
        else if (channel < BVH_SCALE)
            *to++ = *angle++;
        else
            *to++ = row[SCALE_PLACE + channel - BVH_SCALE];
    }
    return to;
}

static void put_frame(struct bvh_writing *writing, bool is_first)
{
    struct writer *writer = writing->job->writer;
    char *text = (char *)writer_reserve(writer, (size_t)writing->number_count * NUMBER_TEXT + 1);
    if (!text)
        return;
    fit_angles(writing, is_first);
    float *end = writing->numbers;
    for (uint32_t i = 0; i < writing->joint_count; i++)
        end = take_numbers(writing, &writing->joints[i], end);
    size_t size = number_rounded_row(writing->numbers, (size_t)(end - writing->numbers), text);
    /* Replaces the last blank, if any, by the end of the line. */
    size -= size > 0;
    text[size] = '\n';
    writer_commit(writer, size + 1);
}

/* The rest pose, rotated slightly where the viewer would otherwise consider a joint not driven. */
static void put_reference(struct bvh_writing *writing)
{
    static const float turned[4] = {1.7453284e-3f, 0, 0, 0.99999848f}; /* 0.2 degrees about X */
    bvh_pose_take_rest(writing);
    for (uint32_t i = 0; i < writing->joint_count; i++) {
        struct bvh_out_joint *joint = &writing->joints[i];
        float *row = writing->rows + (size_t)joint->row * ROW_FLOATS;
        bool is_pelvis = writing->plan.skeleton->joints[joint->row].parent < 0;
        bool driven = joint->track && track_drives_joint(joint->track);
        if (driven && !joint->differs && !is_pelvis)
            memcpy(row + ROTATION_PLACE, turned, sizeof turned);
    }
    put_frame(writing, true);
}

static void put_motion(struct bvh_writing *writing)
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
    size_t numbers = 0;
    for (uint32_t i = 0; i < writing->joint_count; i++)
        numbers += writing->joints[i].channel_count;
    writer_expect(writer, 2 * numbers * plan->frame_count); /* a digit and a blank */
    for (uint32_t frame = 0; frame < plan->frame_count && !writer->failed; frame++) {
        const size_t before = writer->out->size;
        bvh_pose_take(writing, frame);
        put_frame(writing, !frame);
        /* Others have about as many digits; and one more fits, as long as it can be. */
        const size_t size = writer->out->size - before;
        if (!frame)
            writer_prepare(writer, plan->frame_count * (size + size / 16) + numbers * NUMBER_TEXT);
    }
}

/* ------------------------------------------------------------------------------------------------- losses -- */

static void tell(const struct bvh_writing *writing)
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
                    "rotations about axes without channels in the file were left out");
    if (clip->event_count)
        encode_warn(job, "events_dropped", "%u events were left out: BVH has none", clip->event_count);
    if (clip->loop == POSE_LOOP_YES)
        encode_warn(job, "loop_dropped", "the loop flag was dropped: BVH has none");
    if (clip->extras && !writing->plan.is_native)
        encode_warn(job, "extras_dropped", "data specific to the clip's own format was left out");
    if (writing->adds_root)
        encode_note(job, "root_added", "BVH programs expect one root; a root joint was added");
    if (writing->moving)
        encode_note(
            job, "joint_positions",
            "%u joints below the root have translations; some programs ignore them, or add them to OFFSET",
            writing->moving);
}

/* ----------------------------------------------------------------------------------------------- the file -- */

/* A root with a position has offset 0, so that it does not matter whether a reader adds the two; other joints
 * that move keep the offset of the rest pose. */
static void set_offset(struct bvh_writing *writing, struct bvh_out_joint *joint, const float *rest)
{
    bool is_root = writing->plan.skeleton->joints[joint->row].parent < 0;
    writing->moving += !is_root && (joint->places || joint->is_off);
    if (!writing->plan.is_native && is_root)
        memset(joint->offset, 0, sizeof joint->offset);
    else if (writing->plan.is_native || joint->places)
        memcpy(joint->offset, rest + (size_t)joint->row * ROW_FLOATS, sizeof joint->offset);
}

static bool write_file(struct bvh_writing *writing)
{
    const float *rest;
    if (!bvh_joints_list(writing))
        return false;
    writing->names = bvh_names_make(writing->job, writing->plan.skeleton);
    if (!writing->names || !bvh_poses_init(writing, &rest))
        return false;
    bvh_joints_choose_channels(writing);
    writing->numbers = ARENA_NEW(writing->job->arena, float, writing->number_count + (size_t)1);
    if (!writing->numbers)
        return false;
    for (uint32_t i = 0; i < writing->joint_count; i++)
        set_offset(writing, &writing->joints[i], rest);
    put_hierarchy(writing);
    put_motion(writing);
    tell(writing);
    return true;
}

bool bvh_encode(struct encode_job *job)
{
    struct bvh_writing writing = {.job = job};
    bool done = bvh_plan_init(&writing.plan, job) && write_file(&writing);
    bvh_plan_release(&writing.plan);
    return done;
}
