#include "lib/formats/sims/clip.h"

#include "lib/core/names.h"
#include "lib/core/value.h"
#include "lib/formats/sims/events.h"
#include "lib/formats/sims/pools.h"
#include "lib/formats/sims/props.h"

static const double NOMINAL_FPS = 30;

struct building {
    struct decode_job *job;
    struct arena *arena;
    const struct sims_skill *skill;
    bool online;
    struct warning_list *warnings;
    struct pose_clip *clip;
    struct pose_track *tracks;
    bool *is_alone; /* [motion] whether it is the only one on its bone */
};

/* ------------------------------------------------------------------------------------------------ checks -- */

static bool check_limits(struct building *b)
{
    const struct sims_skill *skill = b->skill;
    const struct pose_limits *limits = b->job->limits;
    if (skill->motion_count > limits->joints)
        return error_limit(b->job->error, "joints", "%u motions, more than the limit of %u joints",
                           skill->motion_count, limits->joints);
    uint64_t keys = 0;
    for (uint32_t i = 0; i < skill->motion_count; i++) {
        for (int part = 0; part < SIMS_PARTS; part++) {
            if (skill->pools[part].values && sims_motion_drives(skill, &skill->motions[i], part))
                keys += skill->motions[i].frame_count;
        }
    }
    if (keys > limits->keys)
        return error_limit(b->job->error, "keys", "%llu keys, more than the limit of %llu",
                           (unsigned long long)keys, (unsigned long long)limits->keys);
    return true;
}

static void check_flag(struct building *b, const struct sims_motion *motion, uint32_t flag, const char *name)
{
    if (flag > 1)
        warning_add(b->warnings, POSE_WARNING, "odd_flag", motion->place.offset,
                    "%s.%s is %d, treated as true", motion->bone, name, (int32_t)flag);
}

static void check_part(struct building *b, const struct sims_motion *motion, int part)
{
    const char *name = part_name((enum pose_part)part);
    const struct sims_pool *pool = &b->skill->pools[part];
    if (!motion->has[part]) {
        if (motion->first[part] != -1)
            warning_add(b->warnings, POSE_WARNING, "index_without_channel", motion->place.offset,
                        "%s.%s has a first key, %d, but no keys", motion->bone, name, motion->first[part]);
        return;
    }
    if (motion->frame_count && !sims_motion_drives(b->skill, motion, part))
        warning_add(b->warnings, POSE_WARNING, "channel_out_of_range", motion->place.offset,
                    "%s.%s: keys %d … %lld of %u; the channel is left out", motion->bone, name,
                    motion->first[part], (long long)motion->first[part] + motion->frame_count - 1,
                    pool->count);
}

static void check_motion(struct building *b, const struct sims_motion *motion)
{
    check_flag(b, motion, motion->has[POSE_TRANSLATION], "has_translation");
    check_flag(b, motion, motion->has[POSE_ROTATION], "has_rotation");
    if (b->online) {
        check_flag(b, motion, motion->has_props, "has_props");
        check_flag(b, motion, motion->has_moments, "has_time_props");
    }
    check_part(b, motion, POSE_TRANSLATION);
    check_part(b, motion, POSE_ROTATION);
    if (!motion->frame_count)
        warning_add(b->warnings, POSE_WARNING, "empty_motion", motion->place.offset, "%s has no frames",
                    motion->bone);
}

/* Fills in is_alone, and warns about bones with several motions. */
static bool check_names(struct building *b)
{
    const struct sims_skill *skill = b->skill;
    struct name_index index;
    b->is_alone = ARENA_NEW(b->arena, bool, skill->motion_count);
    if (!b->is_alone || !name_index_init(&index, b->arena, skill->motion_count))
        return false;
    for (uint32_t i = 0; i < skill->motion_count; i++) {
        b->is_alone[i] = true;
        name_index_add(&index, skill->motions[i].bone, i);
    }
    name_index_sort(&index);
    for (uint32_t i = 0; i < skill->motion_count; i++) {
        uint32_t first = (uint32_t)name_index_find(&index, skill->motions[i].bone);
        if (first == i)
            continue;
        b->is_alone[i] = b->is_alone[first] = false;
        warning_add(b->warnings, POSE_WARNING, "duplicate_motion", skill->motions[i].place.offset,
                    "%s has two motions; the later one is used", skill->motions[i].bone);
    }
    return true;
}

/* A single warning for all: a file may hold millions. */
static void check_quaternions(struct building *b)
{
    const struct sims_pool *pool = &b->skill->pools[POSE_ROTATION];
    uint32_t count = 0, first = 0;
    for (uint32_t i = 0; pool->values && i < pool->count; i++) {
        const float *q = pool->values + (size_t)i * 4;
        if (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3] > 0)
            continue;
        first = count++ ? first : i;
    }
    if (count)
        warning_add(
            b->warnings, POSE_WARNING, "zero_quaternion", POSE_NO_OFFSET,
            "%u of %u rotations have length 0, the first is number %u; they are treated as the identity",
            count, pool->count, first);
}

/* ------------------------------------------------------------------------------------------------ timing -- */

float sims_duration(float duration_ms, uint32_t frame_count, bool *implausible)
{
    double seconds = duration_ms / 1000.0;
    *implausible = false;
    if (!frame_count)
        return seconds > 0 ? (float)seconds : 0;
    if (seconds > 0 && frame_count <= (double)duration_ms)
        return (float)seconds;
    *implausible = true;
    return (float)(frame_count / NOMINAL_FPS);
}

uint32_t sims_frame_count(const struct sims_skill *skill)
{
    uint32_t proven = 0, any = 0;
    for (uint32_t i = 0; i < skill->motion_count; i++) {
        const struct sims_motion *motion = &skill->motions[i];
        bool drives = sims_motion_drives(skill, motion, POSE_TRANSLATION) ||
                      sims_motion_drives(skill, motion, POSE_ROTATION);
        if (drives && motion->frame_count > proven)
            proven = motion->frame_count;
        if (motion->frame_count > any)
            any = motion->frame_count;
    }
    return proven ? proven : any;
}

static void set_timing(struct building *b)
{
    struct pose_clip *clip = b->clip;
    bool implausible;
    clip->fps = (float)NOMINAL_FPS;
    clip->frame_count = sims_frame_count(b->skill);
    clip->duration = sims_duration(b->skill->duration_ms, clip->frame_count, &implausible);
    clip->loop = POSE_LOOP_UNKNOWN;
    clip->loop_out = clip->duration;
    if (implausible) {
        char stored[POSE_FLOAT_TEXT];
        int length = (int)pose_float_text(b->skill->duration_ms, stored);
        warning_add(b->warnings, POSE_WARNING, "implausible_duration", POSE_NO_OFFSET,
                    "%.*s ms for %u frames; treated as %.4g s, 30 frames per second", length, stored,
                    clip->frame_count, (double)clip->duration);
    }
}

/* ------------------------------------------------------------------------------------------------ tracks -- */

static const float *make_times(struct building *b, uint32_t count)
{
    float *times = ARENA_NEW(b->arena, float, count);
    for (uint32_t k = 0; times && k < count; k++)
        times[k] = sims_key_time(k, b->clip->duration, count);
    return times;
}

/* Motions with the same frame count share their times: usually all of a clip. */
static void set_channels(struct building *b, uint32_t i, const struct pose_channel *before)
{
    const struct sims_motion *motion = &b->skill->motions[i];
    const float *times = NULL;
    for (int part = 0; part < SIMS_PARTS; part++) {
        const struct sims_pool *pool = &b->skill->pools[part];
        if (!pool->values || !sims_motion_drives(b->skill, motion, part))
            continue;
        if (!times)
            times = before->count == motion->frame_count ? before->times : make_times(b, motion->frame_count);
        b->tracks[i].channels[part] = (struct pose_channel){
            .count = motion->frame_count,
            .times = times,
            .values = pool->values + (size_t)motion->first[part] * part_components((enum pose_part)part)};
    }
}

static void put_moments(struct value_list *extras, const struct sims_motion *motion, bool online,
                        bool is_alone)
{
    if (sims_moments_are_plain(motion, online, is_alone))
        return;
    if (!motion->has_moments)
        value_put_null(extras, "time_props");
    else
        sims_put_moments_lists(extras, "time_props", motion->moments, motion->moments_count);
    if (online && motion->has_moments > 1)
        value_put_int(extras, "has_time_props", motion->has_moments);
}

static const struct pose_value *track_extras(struct building *b, uint32_t i, struct sims_pool_walk *walk)
{
    const struct sims_motion *motion = &b->skill->motions[i];
    struct value_list extras = value_object(b->arena);
    if (motion->has_props)
        sims_put_props_lists(&extras, "props", motion->props, motion->props_count);
    if (b->online) {
        value_put_int(&extras, "unknown", motion->unknown);
        if (motion->has_props > 1)
            value_put_int(&extras, "has_props", motion->has_props);
    }
    put_moments(&extras, motion, b->online, b->is_alone[i]);
    if (motion->duration_ms != b->skill->duration_ms)
        value_put_float(&extras, "duration_ms", motion->duration_ms);
    sims_pools_describe_motion(&extras, motion, &b->tracks[i], walk);
    return value_done(&extras);
}

static bool build_tracks(struct building *b, struct sims_pool_walk *walk)
{
    const struct sims_skill *skill = b->skill;
    b->tracks = ARENA_NEW(b->arena, struct pose_track, skill->motion_count);
    struct pose_channel before = {0};
    for (uint32_t i = 0; i < skill->motion_count && b->tracks; i++) {
        struct pose_track *track = &b->tracks[i];
        track->name = skill->motions[i].bone;
        check_motion(b, &skill->motions[i]);
        set_channels(b, i, &before);
        for (int part = 0; part < SIMS_PARTS; part++)
            before = track->channels[part].count ? track->channels[part] : before;
        track->extras = track_extras(b, i, walk);
    }
    b->clip->tracks = b->tracks;
    b->clip->track_count = skill->motion_count;
    return !b->arena->failed;
}

static const struct pose_value *clip_extras(struct building *b, const struct sims_pool_walk *walk)
{
    const struct sims_skill *skill = b->skill;
    struct value_list extras = value_object(b->arena);
    value_put_float(&extras, "duration_ms", skill->duration_ms);
    value_put_float(&extras, "distance", skill->distance);
    value_put_bool(&extras, "is_moving", skill->is_moving != 0);
    if (skill->is_moving > 1) {
        value_put_int(&extras, "is_moving_stored", (int32_t)skill->is_moving);
        warning_add(b->warnings, POSE_WARNING, "odd_flag", POSE_NO_OFFSET, "is_moving is %d, treated as true",
                    (int32_t)skill->is_moving);
    }
    if (!b->online)
        value_put_string(&extras, "file", skill->file);
    sims_pools_describe(&extras, skill, walk);
    return value_done(&extras);
}

bool sims_clip_build(struct decode_job *job, const struct sims_skill *skill, bool online,
                     struct warning_list *warnings, struct pose_clip *clip)
{
    struct building b = {.job = job,
                         .arena = job->arena,
                         .skill = skill,
                         .online = online,
                         .warnings = warnings,
                         .clip = clip};
    struct sims_pool_walk walk = {0};
    if (job->arena->failed || !check_limits(&b) || !check_names(&b))
        return false;
    clip->name = skill->name[0] ? skill->name : NULL;
    clip->axes = POSE_AXES_SIMS;
    clip->rules = POSE_RULES_SIMS;
    set_timing(&b);
    check_quaternions(&b);
    if (!build_tracks(&b, &walk) || !sims_events_build(job->arena, skill, clip))
        return false;
    clip->extras = clip_extras(&b, &walk);
    clip->key_count = clip_count_keys(clip);
    return !job->arena->failed;
}
