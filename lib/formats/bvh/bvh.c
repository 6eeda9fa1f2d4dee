/*
 * BVH, motion capture as text (Biovision; no specification was ever published, but programs agree on this much):
 *
 *     HIERARCHY
 *     ROOT hip { OFFSET x y z  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
 *         JOINT chest { OFFSET x y z  CHANNELS 3 Zrotation Xrotation Yrotation  End Site { OFFSET x y z } } }
 *     MOTION
 *     Frames: 2
 *     Frame Time: 0.033333
 *     one line per frame, one number per channel, in the order of the hierarchy
 *
 * Angles are in degrees; the order of the channels is the order of the product: Z X Y means Rz Rx Ry of column
 * vectors. A position replaces the joint's OFFSET (as in MotionBuilder and Blender). All joints rest with
 * rotation 0. The format specifies neither the unit nor the up axis: Y is up, or Z if the figure in the file
 * stands that way (up.h). A file whose root is Second Life's pelvis (hip, mPelvis) is in that viewer's inches;
 * otherwise one unit is a metre, as in Blender and three.js.
 *
 * The reader accepts any order and choice of channels, several roots, scale channels, and line breaks anywhere
 * between words; of lines that are too long for their frame it ignores the rest, and refuses one that is too short
 * among whole ones (lines.h).
 */
#include "lib/core/names.h"
#include "lib/formats/pages.h"
#include "lib/core/text.h"
#include "lib/formats/bvh/layout.h"
#include "lib/formats/bvh/lines.h"
#include "lib/formats/bvh/up.h"
#include "lib/formats/bvh/write.h"
#include "lib/formats/bvh_dialect.h"
#include "lib/model/match.h"
#include "lib/sample/euler.h"

#include <string.h>

#define QUOTED "\"%.40s\""

struct building {
    struct decode_job *job;
    struct bvh_layout layout;
    enum pose_axes axes;
    const char **names; /* of the joints, no duplicates */
    struct pose_track *tracks;
    float *times;
};

/* ------------------------------------------------------------------------------------------------- names -- */

/* Finds a name that no other joint has: tracks find joints by name. */
static const char *make_unique(struct building *building, const struct name_index *index, uint32_t joint)
{
    struct arena *arena = building->job->arena;
    const char *name = building->names[joint];
    char *other = arena_format(arena, "%s_%u", name, joint);
    while (other && name_index_find(index, other) >= 0)
        other = arena_format(arena, "%s_", other);
    return other;
}

static void warn_about_name(struct building *building, const struct bvh_joint *joint, const char *name)
{
    struct warning_list *warnings = &building->job->warnings;
    if (!joint->is_utf8)
        warning_add(warnings, POSE_WARNING, "name_not_utf8", joint->offset_in_file,
                    "line %u: the name " QUOTED " is not UTF-8; it was read as Windows-1252", joint->line,
                    joint->name);
    if (name != joint->name)
        warning_add(warnings, POSE_WARNING, "duplicate_joint", joint->offset_in_file,
                    "line %u: another joint is named " QUOTED "; this one is renamed to " QUOTED, joint->line,
                    joint->name, name ? name : "");
}

static bool name_joints(struct building *building)
{
    const struct bvh_layout *layout = &building->layout;
    struct arena *arena = building->job->arena;
    struct name_index index;
    building->names = ARENA_NEW(arena, const char *, layout->joint_count);
    if (!building->names || !name_index_init(&index, arena, layout->joint_count))
        return false;
    for (uint32_t i = 0; i < layout->joint_count; i++) {
        building->names[i] = layout->joints[i].name;
        name_index_add(&index, building->names[i], i);
    }
    name_index_sort(&index);
    for (uint32_t i = 0; i < layout->joint_count; i++) {
        if (name_index_find(&index, building->names[i]) != i)
            building->names[i] = make_unique(building, &index, i);
        warn_about_name(building, &layout->joints[i], building->names[i]);
    }
    return !arena->failed;
}

/* ---------------------------------------------------------------------------------------------- skeleton -- */

static const struct pose_value *joint_extras(const struct building *building, const struct bvh_joint *joint)
{
    struct value_list extras = value_object(building->job->arena), ends = value_array(building->job->arena);
    for (uint32_t i = 0; i < joint->end_count; i++)
        value_put_floats(&ends, NULL, building->layout.ends[joint->first_end + i].offset, 3);
    if (joint->end_count)
        value_put_list(&extras, "end_sites", &ends);
    return value_done(&extras);
}

static bool build_skeleton(struct building *building)
{
    struct arena *arena = building->job->arena;
    const struct bvh_layout *layout = &building->layout;
    struct pose_skeleton *skeleton = ARENA_NEW(arena, struct pose_skeleton, 1);
    struct pose_joint *joints = ARENA_NEW(arena, struct pose_joint, layout->joint_count);
    if (!skeleton || !joints)
        return false;
    for (uint32_t i = 0; i < layout->joint_count; i++) {
        const struct bvh_joint *from = &layout->joints[i];
        joints[i] = (struct pose_joint){.name = building->names[i],
                                        .parent = from->parent,
                                        .rotation = {0, 0, 0, 1},
                                        .scale = {1, 1, 1},
                                        .extras = joint_extras(building, from)};
        memcpy(joints[i].translation, from->offset, sizeof from->offset);
    }
    *skeleton = (struct pose_skeleton){.axes = building->axes,
                                       .scaling = POSE_SCALE_INHERITED,
                                       .joint_count = layout->joint_count,
                                       .joints = joints,
                                       .root_joint = -1};
    skeleton->tree = skeleton_tree(skeleton);
    building->job->document->skeletons = skeleton;
    building->job->document->skeleton_count = 1;
    return true;
}

/* ------------------------------------------------------------------------------------------------ motion -- */

/* How a joint's numbers are converted to values. */
struct joint_motion {
    float *values[3]; /* translation, rotation, scale; NULL: not driven */
    uint8_t rotation_axes[3];
    uint32_t rotation_count;
};

static bool begin_motion(struct building *building, uint32_t index, struct joint_motion *motion)
{
    const struct bvh_joint *joint = &building->layout.joints[index];
    struct pose_track *track = &building->tracks[index];
    size_t count = building->layout.frame_count;
    *motion = (struct joint_motion){0};
    for (uint32_t i = 0; i < joint->channel_count; i++) {
        unsigned part = joint->channels[i] / 3u;
        if (part == POSE_ROTATION)
            motion->rotation_axes[motion->rotation_count++] = (uint8_t)(joint->channels[i] - BVH_ROTATION);
        if (!count || motion->values[part])
            continue;
        motion->values[part] = ARENA_NEW(building->job->arena, float, count *part_components(part));
        if (!motion->values[part])
            return false;
        track->channels[part] = (struct pose_channel){(uint32_t)count, building->times, motion->values[part]};
    }
    return true;
}

/* Reads the numbers of one joint in one frame; of a rotation, its angles. */
static void read_joint(struct bvh_words *words, const struct bvh_joint *joint, struct joint_motion *motion,
                       size_t frame)
{
    float position[3] = {joint->offset[0], joint->offset[1], joint->offset[2]}, scale[3] = {1, 1, 1};
    float *angles = motion->rotation_count ? motion->values[POSE_ROTATION] + frame * 4 : NULL;
    unsigned rotations = 0;
    for (uint32_t i = 0; i < joint->channel_count; i++) {
        unsigned channel = joint->channels[i];
        float number = bvh_number(words, bvh_channel_names[channel]);
        if (channel < BVH_ROTATION)
            position[channel] = number;
        else if (channel < BVH_SCALE)
            angles[rotations++] = number;
        else
            scale[channel - BVH_SCALE] = number;
    }
    if (motion->values[POSE_TRANSLATION])
        memcpy(motion->values[POSE_TRANSLATION] + frame * 3, position, sizeof position);
    if (motion->values[POSE_SCALE])
        memcpy(motion->values[POSE_SCALE] + frame * 3, scale, sizeof scale);
}

static bool read_motion(struct building *building, struct bvh_words *words)
{
    struct bvh_layout *layout = &building->layout;
    struct joint_motion *motions = ARENA_NEW(building->job->arena, struct joint_motion, layout->joint_count);
    building->tracks = ARENA_NEW(building->job->arena, struct pose_track, layout->joint_count);
    building->times = ARENA_NEW(building->job->arena, float, layout->frame_count);
    if (!motions || !building->tracks || !building->times)
        return false;
    for (uint32_t i = 0; i < layout->joint_count; i++) {
        if (!begin_motion(building, i, &motions[i]))
            return false;
    }
    struct bvh_lines lines = {.numbers = layout->number_count};
    bvh_lines_start(layout, words);
    for (uint32_t frame = 0; frame < layout->frame_count && layout->number_count; frame++) {
        building->times[frame] = (float)(frame * (double)layout->frame_seconds);
        reader_enter(&words->reader, "frames", frame);
        bvh_frame_start(words);
        for (uint32_t i = 0; i < layout->joint_count && !words->reader.failed; i++)
            read_joint(words, &layout->joints[i], &motions[i], frame);
        if (words->reader.failed)
            return false;
        reader_leave(&words->reader);
        if (!bvh_lines_end_frame(&lines, words, frame, layout->frame_count))
            return false;
    }
    for (uint32_t i = 0; i < layout->joint_count; i++) {
        if (motions[i].rotation_count && motions[i].values[POSE_ROTATION])
            euler_to_quats(motions[i].rotation_axes, motions[i].rotation_count,
                           motions[i].values[POSE_ROTATION], layout->frame_count);
    }
    bvh_lines_warn(&lines, words, layout, &building->job->warnings);
    return true;
}

/* -------------------------------------------------------------------------------------------------- clip -- */

/* "Xposition Yposition …": the channels as in the file, and the line. */
static const struct pose_value *track_extras(const struct building *building, const struct bvh_joint *joint)
{
    char channels[BVH_CHANNEL_LIMIT * 11] = "";
    size_t used = 0;
    for (uint32_t i = 0; i < joint->channel_count; i++) {
        const char *name = bvh_channel_names[joint->channels[i]];
        if (i)
            channels[used++] = ' ';
        memcpy(channels + used, name, strlen(name));
        used += strlen(name);
    }
    struct value_list extras = value_object(building->job->arena);
    value_put_string(&extras, "channels", arena_text(building->job->arena, channels, used));
    value_put_int(&extras, "line", joint->line);
    return value_done(&extras);
}

static bool build_clip(struct building *building)
{
    struct decode_job *job = building->job;
    const struct bvh_layout *layout = &building->layout;
    struct pose_clip *clip = ARENA_NEW(job->arena, struct pose_clip, 1);
    struct value_list extras = value_object(job->arena);
    if (!clip)
        return false;
    for (uint32_t i = 0; i < layout->joint_count; i++) {
        building->tracks[i].name = building->names[i];
        building->tracks[i].node = i + 1;
        building->tracks[i].extras = track_extras(building, &layout->joints[i]);
    }
    float duration =
        layout->frame_count ? (float)((layout->frame_count - 1) * (double)layout->frame_seconds) : 0;
    *clip = (struct pose_clip){.axes = building->axes,
                               .rules = POSE_RULES_PLAIN,
                               .tree = job->document->skeletons->tree,
                               .duration = duration,
                               .fps = layout->frame_seconds > 0 ? 1 / layout->frame_seconds : 0,
                               .frame_count = layout->frame_count,
                               .loop_out = duration,
                               .track_count = layout->joint_count,
                               .tracks = building->tracks};
    clip->key_count = clip_count_keys(clip);
    value_put_string(&extras, "frame_time", layout->frame_time);
    value_put_int(&extras, "frames_line", layout->frames_line);
    clip->extras = value_done(&extras);
    for (unsigned i = 0; bvh_dialect(i); i++) {
        struct value_list reasons = bvh_dialect(i)->reasons(job->arena, job->source->bytes, clip);
        value_put_list(&extras, bvh_dialect(i)->reasons_key, &reasons);
    }
    job->document->clips = clip;
    job->document->clip_count = 1;
    return !job->arena->failed;
}

/* A file with a game's own root uses its units; for any other the figure shows which way is up. */
static bool find_axes(struct building *building)
{
    for (unsigned i = 0; bvh_dialect(i); i++) {
        if (bvh_dialect(i)->has_root(building->layout.joints[0].name)) {
            building->axes = bvh_dialect(i)->axes;
            return true;
        }
    }
    bool is_z_up;
    if (!bvh_is_z_up(&building->layout, building->job->arena, &is_z_up))
        return false;
    building->axes = is_z_up ? POSE_AXES_Z_UP : POSE_AXES_GLTF;
    if (is_z_up)
        warning_add(&building->job->warnings, POSE_NOTE, "z_up", POSE_NO_OFFSET,
                    "the figure's head is along Z from its hips: Z is taken as up and -Y as forward");
    return true;
}

static bool decode(struct decode_job *job)
{
    struct bvh_words words;
    struct building building = {.job = job};
    bvh_words_init(&words, job->source->bytes, job->error);
    if (!bvh_layout_read(&words, job->arena, job->limits, &building.layout) || !name_joints(&building))
        return false;
    return find_axes(&building) && build_skeleton(&building) && read_motion(&building, &words) &&
           build_clip(&building);
}

/* ------------------------------------------------------------------------------------------------- codec -- */

static enum probe_result probe(const struct pose_source *source)
{
    struct bvh_words words;
    bvh_words_init(&words, source->bytes, NULL);
    if (bvh_starts(&words))
        return PROBE_SURE;
    return PROBE_BY_NAME;
}

static const struct target target = {
    .title = "BVH",
    .axes = POSE_AXES_GLTF,
    .holds = {true, true, true, true},
    .lacks_scale = true,
    .files = {{.options = "fps unit", .min_fps = 1, .is_text = true, .on_skeleton = true}},
};

const struct codec codec_bvh = {
    .format = {.id = "bvh",
               .title = "BVH motion capture",
               .extensions = ".bvh",
               .media_type = "text/x-bvh",
               .kinds = "clip skeleton",
               .lacks_up = true},
    .probe = probe,
    .decode = decode,
    .encode = NOT_IN_PAGES(bvh_encode),
    .target = &target,
};
