/* Converts any clip to a skill of The Sims. */
#include "lib/core/text.h"
#include "lib/core/value.h"
#include "lib/formats/sims/clip.h"
#include "lib/formats/sims/events.h"
#include "lib/formats/sims/keys.h"
#include "lib/formats/sims/pools.h"
#include "lib/formats/sims/props.h"

#include <math.h>
#include <stdio.h>

struct making {
    struct encode_job *job;
    const struct pose_clip *clip;
    bool online;
    struct sims_skill *skill;
    const float *(*keys)[SIMS_PARTS]; /* [track][part] */
    uint32_t resampled;               /* tracks whose keys are not the clip's own */
};

/* ------------------------------------------------------------------------------------------------ losses -- */

/* Warns about members of extras that the target cannot hold; false if there are none. */
static bool warn_extras(struct making *m, const struct pose_value *extras, const char *const *known,
                        const char *what)
{
    char names[160] = "";
    size_t used = 0;
    for (const struct pose_value *item = extras ? extras->first : NULL; item; item = item->next) {
        if (!item->key || text_is_among(item->key, known) || used >= sizeof names)
            continue;
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "", item->key);
    }
    if (used)
        encode_warn(m->job, "extras_lost", "%s has no place for: %s", what, names);
    return used > 0;
}

static const char *const clip_names[] = {"duration_ms",      "distance",      "is_moving", "is_moving_stored",
                                         "translation_pool", "rotation_pool", "file",      NULL};
static const char *const track_names[] = {
    "props",       "unknown",         "time_props",   "has_props",         "has_time_props", "duration_ms",
    "frame_count", "has_translation", "has_rotation", "first_translation", "first_rotation", NULL};

static void warn_losses(struct making *m)
{
    const struct pose_clip *clip = m->clip;
    uint32_t scales = 0, morphs = 0;
    for (uint32_t t = 0; t < clip->track_count; t++) {
        scales += clip->tracks[t].channels[POSE_SCALE].count > 0;
        morphs += clip->tracks[t].channels[POSE_MORPH].count > 0;
    }
    if (scales)
        encode_warn(m->job, "scale_lost", "the scale of %u tracks was left out: a skill has none", scales);
    if (morphs)
        encode_warn(m->job, "morph_lost", "the morphs of %u tracks were left out: a skill has none", morphs);
    if (clip->loop != POSE_LOOP_UNKNOWN)
        encode_warn(m->job, "loop_lost", "a skill has no loop flag; the game decides");
    warn_extras(m, clip->extras, clip_names, "a skill");
    /* Tracks of a clip usually have the same members: one warning for the first track stands for all. */
    bool warned = false;
    for (uint32_t t = 0; t < clip->track_count && !warned; t++)
        warned = warn_extras(m, clip->tracks[t].extras, track_names, "a motion");
}

/* ----------------------------------------------------------------------------------------------- motions -- */

static const char *bone_name(struct making *m, const struct pose_track *track)
{
    if (track->name)
        return track->name;
    const char *name = track->has_id ? arena_format(m->job->arena, "joint_%u", track->id) : NULL;
    return name ? name : "";
}

static bool is_driven(const struct pose_track *track)
{
    return track->channels[POSE_TRANSLATION].count || track->channels[POSE_ROTATION].count;
}

/* The frames of a track: its number of keys if they are on The Sims' clock, else the clip's frames. */
static uint32_t choose_frames(struct making *m, const struct pose_track *track, bool *as_they_are)
{
    const struct pose_channel *translation = &track->channels[POSE_TRANSLATION];
    const struct pose_channel *rotation = &track->channels[POSE_ROTATION];
    uint32_t count = translation->count ? translation->count : rotation->count;
    *as_they_are = (!translation->count || !rotation->count || translation->count == rotation->count) &&
                   sims_keys_are_uniform(translation, m->clip->duration) &&
                   sims_keys_are_uniform(rotation, m->clip->duration);
    return *as_they_are ? count : sims_frames_of(m->clip);
}

static void make_motion(struct making *m, uint32_t t)
{
    const struct pose_track *track = &m->clip->tracks[t];
    struct sims_motion *motion = &m->skill->motions[t];
    bool as_they_are;
    motion->bone = bone_name(m, track);
    motion->unknown = (uint32_t)value_get_int(track->extras, "unknown", 1);
    motion->first[POSE_TRANSLATION] = motion->first[POSE_ROTATION] = -1;
    motion->props =
        sims_get_props_lists(m->job->arena, pose_value_find(track->extras, "props"), &motion->props_count);
    uint8_t odd = (uint8_t)value_get_int(track->extras, "has_props", 0);
    motion->has_props = !motion->props ? 0 : odd ? odd : 1;
    motion->frame_count = (uint32_t)value_get_int(track->extras, "frame_count", 0);
    if (!is_driven(track))
        return;
    motion->frame_count = choose_frames(m, track, &as_they_are);
    m->resampled += !as_they_are;
    for (int part = 0; part < SIMS_PARTS; part++)
        m->keys[t][part] = as_they_are && track->channels[part].count
                               ? track->channels[part].values
                               : sims_resample(m->job->arena, &track->channels[part], (enum pose_part)part,
                                               m->clip->duration, motion->frame_count);
}

static bool make_motions(struct making *m)
{
    uint32_t count = m->clip->track_count;
    m->skill->motion_count = count;
    m->skill->motions = ARENA_NEW(m->job->arena, struct sims_motion, count);
    m->keys = arena_alloc(m->job->arena, count, sizeof *m->keys);
    for (uint32_t t = 0; t < count && !m->job->arena->failed; t++)
        make_motion(m, t);
    if (m->resampled)
        encode_warn(m->job, "resampled", "%u of %u tracks were resampled to evenly spaced keys", m->resampled,
                    count);
    return !m->job->arena->failed;
}

/* --------------------------------------------------------------------------------------------- the whole -- */

/* Keeps the stored milliseconds if they still match the clip's duration. */
static void set_durations(struct making *m)
{
    const struct pose_clip *clip = m->clip;
    uint32_t frames = sims_frame_count(m->skill);
    bool implausible;
    float stored = value_get_float(clip->extras, "duration_ms", NAN);
    float made = (float)((double)clip->duration * 1000);
    if (!(made > 0) && clip->key_count)
        made = (float)(frames * 1000.0 / 30); /* a pose: what readers assume anyway */
    bool is_stored = isfinite(stored) && sims_duration(stored, frames, &implausible) == clip->duration;
    m->skill->duration_ms = is_stored ? stored : made;
    for (uint32_t t = 0; t < m->skill->motion_count; t++) {
        const struct pose_value *extras = clip->tracks[t].extras;
        m->skill->motions[t].duration_ms =
            is_stored ? value_get_float(extras, "duration_ms", stored) : m->skill->duration_ms;
    }
}

/* The pools are copies of the clip's keys and may be modified. */
static void set_axes(struct making *m)
{
    for (int part = 0; part < SIMS_PARTS; part++) {
        struct sims_pool *pool = &m->skill->pools[part];
        if (pool->values && m->clip->axes != POSE_AXES_SIMS)
            pose_convert_axes((enum pose_part)part, pool->values, pool->count, m->clip->axes, POSE_AXES_SIMS);
    }
}

static void set_header(struct making *m)
{
    const struct pose_value *extras = m->clip->extras;
    struct sims_skill *skill = m->skill;
    skill->name = m->clip->name ? m->clip->name : "";
    skill->file = value_get_string(extras, "file", NULL);
    if (!skill->file)
        skill->file = arena_format(m->job->arena, "xskill-%s", skill->name);
    skill->distance = value_get_float(extras, "distance", 0);
    bool is_moving = value_get_bool(extras, "is_moving", skill->distance != 0);
    skill->is_moving = is_moving ? (uint32_t)value_get_int(extras, "is_moving_stored", 1) : 0;
}

bool sims_skill_build(struct encode_job *job, const struct pose_clip *clip, bool online,
                      struct sims_skill *skill)
{
    struct making m = {.job = job, .clip = clip, .online = online, .skill = skill};
    *skill = (struct sims_skill){0};
    warn_losses(&m);
    set_header(&m);
    if (!make_motions(&m) ||
        !sims_pools_fill(job, clip, online, (const float *const(*)[SIMS_PARTS])m.keys, skill) ||
        !sims_events_assign(job, clip, online, skill))
        return false;
    set_durations(&m);
    set_axes(&m);
    return !job->arena->failed;
}
