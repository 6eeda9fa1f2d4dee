#include "lib/formats/sl/fit.h"

#include "lib/core/value.h"
#include "lib/formats/sl/names.h"
#include "lib/formats/sl/curve.h"
#include "lib/model/axes.h"

#include <math.h>
#include <string.h>

struct fitting {
    struct encode_job *job;
    const struct pose_clip *clip;
    bool reduce;
    /* Tracks that the format cannot hold, reported once per clip. */
    uint32_t unnamed, forbidden, unknown, with_scale, with_morph;
};

/* --------------------------------------------------------------------------------------------------- keys -- */

/* A copy of the channel in the format's axes, with room for one more key at each end. */
static bool copy_keys(struct fitting *fitting, int kind, const struct pose_channel *channel, float **times,
                      float **values)
{
    enum pose_part part = sl_part_of(kind);
    size_t components = part_components(part), count = channel->count;
    *times = ARENA_NEW(fitting->job->arena, float, count + 2);
    *values = ARENA_NEW(fitting->job->arena, float, (count + 2) * components);
    if (!*times || !*values)
        return false;
    /* The first slot is for a key that may be inserted. */
    memcpy(*times + 1, channel->times, count * sizeof **times);
    memcpy(*values + components, channel->values, count * components * sizeof **values);
    pose_convert_axes(part, *values + components, count, fitting->clip->axes, POSE_AXES_SL);
    return true;
}

/* Rotations as a reader of the file will get them. */
static void normalise_rotations(float *values, uint32_t count)
{
    for (uint32_t k = 0; k < count; k++, values += 4) {
        quat_normalise(values);
        for (int i = 0; values[3] < 0 && i < 4; i++)
            values[i] = -values[i];
    }
}

/* Keeps the keys with the given indices, which ascend. */
static void gather(float *times, float *values, size_t components, const uint32_t *kept, uint32_t count)
{
    for (uint32_t k = 0; k < count; k++) {
        times[k] = times[kept[k]];
        memmove(values + k * components, values + kept[k] * components, components * sizeof *values);
    }
}

/* Puts keys at 0 and at the duration: values held before and after the keys become keys. */
static struct sl_fit_keys fill_ends(float *times, float *values, size_t components, uint32_t count,
                                    float duration)
{
    size_t value_size = components * sizeof *values;
    float *last = values + count * components;
    if (times[count] < duration) {
        times[count + 1] = duration;
        memcpy(last + components, last, value_size);
        count++;
    }
    if (times[1] <= 0)
        return (struct sl_fit_keys){count, times + 1, values + components};
    times[0] = 0;
    memcpy(values, values + components, value_size);
    return (struct sl_fit_keys){count + 1, times, values};
}

/* Keys with a free slot before and after them, as copy_keys makes them. */
static bool reduce_keys(struct fitting *fitting, int kind, bool is_pelvis, uint32_t count, float *times,
                        float *values, struct sl_fit_keys *keys)
{
    size_t components = part_components(sl_part_of(kind));
    float *first = values + components;
    if (kind == SL_ROTATION)
        normalise_rotations(first, count);
    struct sl_curve curve = {kind == SL_ROTATION, count, times + 1, first, 0};
    if (sl_curve_is_constant(&curve)) {
        /* Positions are absolute: a constant one would override the avatar's own proportions. */
        bool is_kept = kind == SL_ROTATION || is_pelvis;
        times[1] = 0;
        *keys = is_kept ? (struct sl_fit_keys){1, times + 1, first} : (struct sl_fit_keys){0};
        return true;
    }
    uint32_t *kept = ARENA_NEW(fitting->job->arena, uint32_t, count);
    if (!kept)
        return false;
    count = sl_curve_reduce(&curve, kept);
    gather(times + 1, first, components, kept, count);
    *keys = fill_ends(times, values, components, count, fitting->clip->duration);
    return true;
}

static bool are_finite(const struct pose_channel *channel, uint32_t components)
{
    bool finite = true;
    for (size_t i = 0; i < channel->count; i++)
        finite &= isfinite(channel->times[i]) != 0;
    for (size_t i = 0; i < (size_t)channel->count * components; i++)
        finite &= isfinite(channel->values[i]) != 0;
    return finite;
}

static bool fit_channel(struct fitting *fitting, const struct pose_track *track, int kind,
                        struct sl_fit_keys *keys)
{
    enum pose_part part = sl_part_of(kind);
    const struct pose_channel *channel = &track->channels[part];
    float *times, *values;
    if (!are_finite(channel, part_components(part)))
        return error_set(fitting->job->error, POSE_BAD_DATA, "not_finite",
                         "tracks[%u].%s: a key holds no number", (unsigned)(track - fitting->clip->tracks),
                         part_name(part));
    *keys = (struct sl_fit_keys){channel->count, channel->times, channel->values};
    if (!channel->count || (!fitting->reduce && fitting->clip->axes == POSE_AXES_SL))
        return true;
    if (!copy_keys(fitting, kind, channel, &times, &values))
        return false;
    if (fitting->reduce) {
        bool is_pelvis = sl_joint_find(track->name, strlen(track->name), NULL) == SL_PELVIS;
        return reduce_keys(fitting, kind, is_pelvis, channel->count, times, values, keys);
    }
    *keys = (struct sl_fit_keys){channel->count, times + 1, values + part_components(part)};
    return true;
}

/* ------------------------------------------------------------------------------------------------- tracks -- */

static bool may_be_written(struct fitting *fitting, const struct pose_track *track)
{
    fitting->with_scale += track->channels[POSE_SCALE].count > 0;
    fitting->with_morph += track->channels[POSE_MORPH].count > 0;
    bool moves = track->channels[POSE_ROTATION].count || track->channels[POSE_TRANSLATION].count;
    if (fitting->reduce && !moves)
        return false;
    if (!track->name) {
        fitting->unnamed++;
        return false;
    }
    if (sl_joint_is_forbidden(track->name, strlen(track->name))) {
        fitting->forbidden++;
        return false;
    }
    return true;
}

/* Adds the track if anything of it is left. */
static bool fit_track(struct fitting *fitting, const struct pose_track *track, struct sl_fit *fit)
{
    struct sl_fit_track *to = &fit->tracks[fit->track_count];
    to->from = track;
    for (int kind = 0; kind < SL_KEY_KINDS; kind++) {
        if (!fit_channel(fitting, track, kind, &to->keys[kind]))
            return false;
    }
    if (fitting->reduce && !to->keys[SL_ROTATION].count && !to->keys[SL_POSITION].count)
        return true;
    fitting->unknown += sl_joint_find(track->name, strlen(track->name), NULL) < 0;
    fit->track_count++;
    return true;
}

static void tell(const struct fitting *fitting)
{
    struct encode_job *job = fitting->job;
    if (fitting->unnamed)
        encode_warn(job, "unnamed_track", "%u tracks without a name were left out", fitting->unnamed);
    if (fitting->forbidden)
        encode_warn(job, "forbidden_joint",
                    "tracks of mScreen or mRoot were left out: the viewer rejects them");
    if (fitting->with_scale)
        encode_warn(job, "scale_dropped", "the scale of %u tracks was left out: the format has none",
                    fitting->with_scale);
    if (fitting->with_morph)
        encode_warn(job, "morph_dropped", "the morphs of %u tracks were left out: the format has none",
                    fitting->with_morph);
    if (fitting->clip->event_count)
        encode_warn(job, "events_dropped", "%u events were left out: the format has none",
                    fitting->clip->event_count);
    if (fitting->reduce && fitting->unknown)
        encode_warn(job, "unknown_joint",
                    "%u tracks have names that the avatar does not know; the viewer ignores them",
                    fitting->unknown);
}

/*
 * A file must have a joint. A clip of which nothing is left is written as one that moves nothing, as in every
 * other target: the losses have been reported, and that nothing is left is reported here.
 */
static void stand_still(const struct fitting *fitting, struct sl_fit *fit)
{
    static const struct pose_track pelvis = {.name = "mPelvis"};
    fit->tracks[fit->track_count++] = (struct sl_fit_track){.from = &pelvis};
    encode_warn(fitting->job, "no_keys", "no key is left that Second Life could play");
}

bool sl_fit_clip(struct encode_job *job, const struct pose_clip *clip, struct sl_fit *fit)
{
    struct fitting fitting = {.job = job,
                              .clip = clip,
                              .reduce =
                                  value_get_bool(job->settings, "reduce", clip->rules != POSE_RULES_SL)};
    *fit = (struct sl_fit){.is_conversion = fitting.reduce,
                           .tracks = ARENA_NEW(job->arena, struct sl_fit_track, clip->track_count + 1)};
    if (!fit->tracks)
        return false;
    for (uint32_t i = 0; i < clip->track_count; i++) {
        if (may_be_written(&fitting, &clip->tracks[i]) && !fit_track(&fitting, &clip->tracks[i], fit))
            return false;
    }
    tell(&fitting);
    if (fit->track_count == 0 && fitting.reduce)
        stand_still(&fitting, fit);
    if (fit->track_count == 0)
        return error_set(job->error, POSE_BAD_DATA, "no_joints",
                         "no track is left that Second Life could play");
    if (fit->track_count > SL_TRACK_LIMIT)
        return error_set(job->error, POSE_BAD_DATA, "too_many_joints",
                         "%u tracks; Second Life plays up to %d", fit->track_count, SL_TRACK_LIMIT);
    return true;
}
