/*
 * Second Life animation, .anim and .animatn: the viewer's native motion format, for uploads and for its built-in
 * clips.
 *
 * Little-endian, unaligned, no magic number. Strings end with a NUL.
 *
 *     u16 version, sub_version     1, 0; or 0, 1: the old form with floats in place of words
 *     i32 base_priority   f32 duration   str emote_name   f32 loop_in, loop_out   i32 loop
 *     f32 ease_in, ease_out   u32 hand_pose   u32 num_joints
 *     joints: str name, i32 priority, i32 rot_keys, keys, i32 pos_keys, keys       (keys.h)
 *     i32 num_constraints, constraints                                             (constraint.h)
 *
 * Facts: sl-anim.md, verified there against the viewer's reader with real and with damaged files. No file of the
 * old form is known; its layout is taken from the viewer's code. Writing is in anim_write.c.
 */
#include "lib/core/text.h"
#include "lib/formats/pages.h"
#include "lib/core/hash.h"
#include "lib/core/value.h"
#include "lib/formats/codec.h"
#include "lib/formats/sl/anim_write.h"
#include "lib/formats/sl/bvh_upload.h"
#include "lib/formats/sl/constraint.h"
#include "lib/formats/sl/curve.h"
#include "lib/formats/sl/keys.h"
#include "lib/formats/sl/layout.h"
#include "lib/formats/sl/names.h"

#include <string.h>

/* ----------------------------------------------------------------------------------------- tracks and keys -- */

/* Messages quote at most this much of a name. */
#define QUOTED "\"%.40s\""

/* One decoding. */
struct building {
    struct decode_job *job;
    const struct sl_layout *layout;
    struct pose_track *tracks;
    float *numbers; /* the unused rest of the array of all times and values */
    /* Extras of the previous track, shared with the next one if they are equal, as they mostly are. */
    const struct pose_value *extras;
    int32_t priority;
    int16_t joints[SL_TRACK_LIMIT]; /* the joint that each track moves, -1: unknown */
};

static float *take(struct building *building, size_t count)
{
    float *numbers = building->numbers;
    building->numbers += count;
    return numbers;
}

static void decode_keys(const struct building *building, const struct sl_joint *joint, int kind,
                        const struct channel_builder *channel)
{
    struct warning_list *warnings = &building->job->warnings;
    const struct sl_head *head = &building->layout->head;
    const uint8_t *keys = joint->keys[kind];
    uint32_t count = joint->counts[kind], odd = 0;
    if (kind == SL_ROTATION && head->is_old)
        sl_old_rotations_decode(keys, count, channel->times, channel->values);
    else if (kind == SL_ROTATION)
        odd = sl_rotations_decode(keys, count, head->duration, channel->times, channel->values);
    else if (head->is_old)
        odd = sl_old_positions_decode(keys, count, channel->times, channel->values);
    else
        odd = sl_positions_decode(keys, count, head->duration, channel->times, channel->values);
    if (odd && kind == SL_ROTATION)
        warning_add(warnings, POSE_WARNING, "overlong_rotation", joint->key_offsets[kind],
                    "%u of %u rotation keys are longer than 1; they were normalised", odd, count);
    else if (odd)
        warning_add(warnings, POSE_NOTE, "position_at_limit", joint->key_offsets[kind],
                    "%u of %u position keys are at the limit of 5 m", odd, count);
}

/* Makes keys canonical: sorted, and only the last one of each time. */
static uint32_t sort_keys(const struct building *building, const struct sl_joint *joint, int kind,
                          struct channel_builder *channel)
{
    struct warning_list *warnings = &building->job->warnings;
    uint32_t count = joint->counts[kind], equal_times;
    bool unsorted;
    if (sl_times_ascend(channel->times, count))
        return count;
    uint32_t kept = channel_sort(building->job->arena, channel, count, &unsorted, &equal_times);
    const char *what = kind == SL_ROTATION ? "rotation" : "position";
    if (unsorted)
        warning_add(warnings, POSE_WARNING, "unsorted_keys", joint->key_offsets[kind],
                    "the %u %s keys are not in order of time", count, what);
    if (equal_times)
        warning_add(warnings, POSE_WARNING, "equal_key_times", joint->key_offsets[kind],
                    "%u %s keys have only %u distinct times; the last of equal ones counts", count, what,
                    kept);
    return kept;
}

/* Cuts keys to the clip: times of the old form may lie outside. */
static uint32_t cut_keys(const struct building *building, const struct sl_joint *joint, int kind,
                         uint32_t count, const struct channel_builder *channel)
{
    float duration = building->layout->head.duration;
    if (!count || (channel->times[0] >= 0 && channel->times[count - 1] <= duration))
        return count;
    warning_add(&building->job->warnings, POSE_WARNING, "key_outside_clip", joint->key_offsets[kind],
                "keys outside of 0 to %g s were moved to the ends", (double)duration);
    struct sl_curve curve = {kind == SL_ROTATION, count, channel->times, channel->values, 0};
    return sl_curve_cut(&curve, duration, channel->times, channel->values);
}

static struct pose_channel build_channel(struct building *building, const struct sl_joint *joint, int kind)
{
    uint32_t count = joint->counts[kind], components = part_components(sl_part_of(kind));
    if (!count)
        return (struct pose_channel){0};
    struct channel_builder channel = {.values = take(building, (size_t)count * components),
                                      .times = take(building, count),
                                      .components = components};
    decode_keys(building, joint, kind, &channel);
    count = sort_keys(building, joint, kind, &channel);
    count = cut_keys(building, joint, kind, count, &channel);
    return channel_done(&channel, count);
}

static const struct pose_value *share_priority(struct building *building, int32_t priority)
{
    if (building->extras && building->priority == priority)
        return building->extras;
    struct value_list extras = value_object(building->job->arena);
    value_put_int(&extras, "priority", priority);
    building->priority = priority;
    return building->extras = value_done(&extras);
}

/* Keeps the bytes of a name that is not UTF-8. */
static const struct pose_value *keep_bytes(struct building *building, const struct sl_joint *joint)
{
    struct value_list extras = value_object(building->job->arena);
    value_put_int(&extras, "priority", joint->priority);
    value_put_hex(&extras, "name_bytes", (const uint8_t *)joint->name, joint->name_length);
    return value_done(&extras);
}

static void name_track(struct building *building, const struct sl_joint *joint, int16_t *number,
                       struct pose_track *track)
{
    bool is_utf8 = true;
    *number = (int16_t)sl_joint_find(joint->name, joint->name_length, &track->name);
    if (!track->name)
        track->name = text_from_bytes(building->job->arena, joint->name, joint->name_length, &is_utf8);
    track->extras = is_utf8 ? share_priority(building, joint->priority) : keep_bytes(building, joint);
    if (!is_utf8 && track->name)
        warning_add(&building->job->warnings, POSE_WARNING, "name_not_utf8", joint->name_offset,
                    "the name " QUOTED " is not UTF-8; it was read as Windows-1252", track->name);
}

static void build_track(struct building *building, uint32_t index)
{
    const struct sl_joint *joint = &building->layout->joints[index];
    struct pose_track *track = &building->tracks[index];
    name_track(building, joint, &building->joints[index], track);
    if (joint->priority > SL_MAX_PRIORITY)
        warning_add(&building->job->warnings, POSE_WARNING, "joint_priority_capped", joint->name_offset,
                    "track %u: the priority %d exceeds %d", index, joint->priority, SL_MAX_PRIORITY);
    for (int kind = 0; kind < SL_KEY_KINDS; kind++)
        track->channels[sl_part_of(kind)] = build_channel(building, joint, kind);
}

/* Avoids comparing names of a megabyte more than once. */
static uint64_t hash_name(const struct sl_joint *joint)
{
    return hash_fnv1a((const char *)joint->name, joint->name_length, false);
}

/* Names unknown to the viewer, to find duplicates. */
struct strangers {
    uint32_t count;
    uint32_t tracks[SL_TRACK_LIMIT];
    uint64_t hashes[SL_TRACK_LIMIT];
};

/* Returns the first track of the same name; -1, after adding this one, if there is none. */
static int add_stranger(struct strangers *strangers, const struct sl_joint *joints, uint32_t index)
{
    const struct sl_joint *joint = &joints[index];
    uint64_t hash = hash_name(joint);
    for (uint32_t i = 0; i < strangers->count; i++) {
        const struct sl_joint *other = &joints[strangers->tracks[i]];
        if (strangers->hashes[i] == hash && other->name_length == joint->name_length &&
            !memcmp(other->name, joint->name, joint->name_length))
            return (int)strangers->tracks[i];
    }
    strangers->tracks[strangers->count] = index;
    strangers->hashes[strangers->count++] = hash;
    return -1;
}

/* Finds which track moves which joint, with warnings about names. */
static void find_drivers(const struct building *building, struct sl_drivers *drivers)
{
    struct warning_list *warnings = &building->job->warnings;
    const struct sl_joint *joints = building->layout->joints;
    struct strangers strangers = {.count = 0};
    sl_drivers_init(drivers, building->layout->head.joint_count);
    for (uint32_t i = 0; i < drivers->track_count; i++) {
        int number = building->joints[i];
        int same = number < 0 ? add_stranger(&strangers, joints, i) : drivers->tracks[number];
        if (number < 0)
            warning_add(warnings, POSE_WARNING, "unknown_joint", joints[i].name_offset,
                        "the avatar has no joint named " QUOTED, building->tracks[i].name);
        if (same >= 0)
            warning_add(warnings, POSE_WARNING, "duplicate_joint", joints[i].name_offset,
                        "track %u " QUOTED " moves the same joint as track %d, which takes precedence", i,
                        building->tracks[i].name, same);
        sl_drivers_add(drivers, i, number);
    }
}

static bool build_tracks(struct building *building)
{
    const struct sl_layout *layout = building->layout;
    struct arena *arena = building->job->arena;
    uint64_t rotations = layout->key_counts[SL_ROTATION], positions = layout->key_counts[SL_POSITION];
    building->tracks = ARENA_NEW(arena, struct pose_track, layout->head.joint_count);
    building->numbers = ARENA_NEW(arena, float, rotations * 5 + positions * 4);
    if (!building->tracks || !building->numbers)
        return false;
    for (uint32_t i = 0; i < layout->head.joint_count; i++)
        build_track(building, i);
    return !arena->failed;
}

/* ----------------------------------------------------------------------------------------------- the clip -- */

/* Offsets of fields behind the emote's name. */
enum { LOOP_IN = 0, EASE_IN = 12, HAND_POSE = 20 };

static uint64_t offset_of(const struct sl_head *head, unsigned field)
{
    return head->emote_offset + head->emote_length + 1 + field;
}

static void warn_about_times(const struct sl_head *head, struct warning_list *warnings)
{
    uint64_t at = offset_of(head, LOOP_IN);
    if (head->loop_out < head->loop_in)
        warning_add(warnings, POSE_WARNING, "loop_reversed", at, "the loop ends at %g s but begins at %g s",
                    (double)head->loop_out, (double)head->loop_in);
    if (head->loop_in < 0 || head->loop_in > head->duration || head->loop_out < 0 ||
        head->loop_out > head->duration)
        warning_add(warnings, POSE_WARNING, "loop_outside_clip", at,
                    "the loop from %g to %g s exceeds the clip of %g s", (double)head->loop_in,
                    (double)head->loop_out, (double)head->duration);
    if (head->ease_in < 0 || head->ease_out < 0)
        warning_add(warnings, POSE_WARNING, "negative_ease", offset_of(head, EASE_IN),
                    "ease times of %g and %g s", (double)head->ease_in, (double)head->ease_out);
}

static void warn_about_head(const struct sl_head *head, struct warning_list *warnings)
{
    if (head->base_priority > SL_MAX_PRIORITY)
        warning_add(warnings, POSE_WARNING, "priority_capped", 4, "the viewer treats priority %d as %d",
                    head->base_priority, SL_MAX_PRIORITY);
    warn_about_times(head, warnings);
    if (head->hand_pose == SL_MAX_HAND_POSE)
        warning_add(warnings, POSE_WARNING, "hand_pose_range", offset_of(head, HAND_POSE),
                    "unknown hand pose %u", head->hand_pose);
}

static void put_emote(struct value_list *extras, const struct sl_head *head, struct warning_list *warnings)
{
    bool is_utf8;
    const char *emote = text_from_bytes(extras->arena, head->emote, head->emote_length, &is_utf8);
    if (!emote)
        return;
    value_put_string(extras, "emote", emote);
    if (!is_utf8) {
        value_put_hex(extras, "emote_bytes", (const uint8_t *)head->emote, head->emote_length);
        warning_add(warnings, POSE_WARNING, "name_not_utf8", head->emote_offset,
                    "the emote " QUOTED " is not UTF-8; it was read as Windows-1252", emote);
    }
    if (*emote && !sl_emote_is_known(emote))
        warning_add(warnings, POSE_NOTE, "unknown_emote", head->emote_offset,
                    "the viewer has no animation " QUOTED " and ignores it", emote);
}

static const struct pose_value *build_extras(struct decode_job *job, const struct sl_head *head,
                                             const struct value_list *constraints)
{
    struct value_list extras = value_object(job->arena);
    value_put_string(&extras, "version", head->is_old ? "0.1" : "1.0");
    value_put_int(&extras, "base_priority", head->base_priority);
    put_emote(&extras, head, &job->warnings);
    value_put_float(&extras, "ease_in", head->ease_in);
    value_put_float(&extras, "ease_out", head->ease_out);
    value_put_int(&extras, "hand_pose", head->hand_pose);
    value_put_list(&extras, "constraints", constraints);
    return value_done(&extras);
}

static bool build_clip(struct building *building, struct reader *reader)
{
    struct decode_job *job = building->job;
    const struct sl_head *head = &building->layout->head;
    struct sl_drivers drivers;
    struct value_list constraints = value_array(job->arena);
    struct pose_clip *clip = ARENA_NEW(job->arena, struct pose_clip, 1);
    if (!clip || !build_tracks(building))
        return false;
    find_drivers(building, &drivers);
    if (!sl_constraints_read(reader, &drivers, &constraints, &job->warnings))
        return false;
    if (reader_left(reader))
        warning_add(&job->warnings, POSE_WARNING, "trailing_bytes", reader_offset(reader),
                    "%zu bytes follow the end of the animation", reader_left(reader));
    *clip = (struct pose_clip){.axes = POSE_AXES_SL,
                               .rules = POSE_RULES_SL,
                               .duration = head->duration,
                               .loop = head->loop ? POSE_LOOP_YES : POSE_LOOP_NO,
                               .loop_in = head->loop_in,
                               .loop_out = head->loop_out,
                               .track_count = head->joint_count,
                               .tracks = building->tracks,
                               .extras = build_extras(job, head, &constraints)};
    clip->key_count = clip_count_keys(clip);
    job->document->clips = clip;
    job->document->clip_count = 1;
    return true;
}

static bool decode(struct decode_job *job)
{
    struct reader reader;
    struct sl_layout layout;
    struct building building = {.job = job, .layout = &layout};
    reader_init(&reader, job->source->bytes, job->error);
    if (!sl_layout_read(&reader, job->limits, &layout))
        return false;
    warn_about_head(&layout.head, &job->warnings);
    return build_clip(&building, &reader);
}

/* ----------------------------------------------------------------------------------------------- the codec -- */

/* Other programs use .anim too, with a telling first word. */
static bool has_first_word(struct pose_bytes bytes)
{
    static const uint8_t words[2][4] = {{1, 0, 0, 0}, {0, 0, 1, 0}};
    return bytes.size >= 4 && (!memcmp(bytes.data, words[0], 4) || !memcmp(bytes.data, words[1], 4));
}

static enum probe_result probe(const struct pose_source *source)
{
    bool is_anim = source->name && text_has_extension(source->name, ".anim"),
         is_ours = source->name && text_has_extension(source->name, ".animatn"),
         has_word = has_first_word(source->bytes);
    if (!has_word && !is_anim && !is_ours)
        return PROBE_NO;
    enum sl_layout_fit fit = sl_layout_fit(source->bytes);
    if (fit == SL_LAYOUT_EXACT)
        return PROBE_SURE;
    return is_ours || (is_anim && (has_word || fit == SL_LAYOUT_UNKNOWN_VERSION)) ? PROBE_NAME : PROBE_NO;
}

static const struct target target = {
    .title = "Second Life",
    .family = FAMILY_SL,
    .axes = POSE_AXES_SL,
    .rules = POSE_RULES_SL,
    .holds = {true, true, false, false},
    .own_settings = "loop",
    .reduces = true,
    .max_duration = SL_DURATION_LIMIT,
    .takes_as_read = clip_is_upload,
    .files = {{.options = "fps priority loop ease_in ease_out"}},
};

const struct codec codec_sl_anim = {
    .format = {.id = "sl-anim",
               .title = "Second Life animation",
               .extensions = ".anim .animatn",
               .media_type = "application/vnd.ll.animation",
               .kinds = "clip"},
    .probe = probe,
    .decode = decode,
    .encode = NOT_IN_PAGES(sl_anim_encode),
    .target = &target,
};
