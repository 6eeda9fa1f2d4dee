#include "lib/formats/prime/anim/tracks.h"

#include "lib/core/text.h"
#include "lib/formats/prime/anim/quantise.h"
#include "lib/model/axes.h"
#include "lib/model/match.h"

#include <math.h>
#include <string.h>

/* A key this close to a frame counts as on it: times are single precision. */
static const double SNAP = 0.01;

struct bone {
    bool is_known;                  /* by a track or by the skeleton */
    const struct pose_track *track; /* the last one; NULL: none */
};

struct fitting {
    struct encode_job *job;
    const struct pose_clip *clip;
    struct prime_fit *fit;
    struct bone bones[PRIME_TRACKS_BONES];
    uint32_t bone_end;
    bool *is_key; /* [last_frame + 1] */
    /* Reported once per clip. */
    uint32_t unmatched, out_of_range, doubled, with_scale, with_morph, empty, between_frames;
};

/* One part of a track being converted: keys at frames, possibly fractional. */
struct curve {
    enum pose_part part;
    uint32_t count, components;
    double *places; /* in frames, never descending */
    float *values;
    bool wraps; /* the first key follows the last one */
};

/* -------------------------------------------------------------------------------------------------- bones -- */

static bool is_mp2(const struct fitting *fitting)
{
    return fitting->fit->target.game == PRIME_MP2;
}

/* Version 2 of Metroid Prime 2 has a channel for every bone, by id. */
static bool has_every_bone(const struct fitting *fitting)
{
    return is_mp2(fitting) && fitting->fit->target.version == 2;
}

static bool find_by_name(const struct pose_content *content, const char *name, uint32_t *id)
{
    for (uint32_t s = 0; s < content->skeleton_count; s++) {
        const struct pose_skeleton *skeleton = &content->skeletons[s];
        for (uint32_t i = 0; i < skeleton->joint_count; i++) {
            const struct pose_joint *joint = &skeleton->joints[i];
            if (joint->has_id && joint->name && text_equal_nocase(joint->name, name)) {
                *id = joint->id;
                return true;
            }
        }
    }
    return false;
}

/* Ids of other formats are hashes of names, not bone numbers. */
static bool find_id(const struct fitting *fitting, const struct pose_track *track, uint32_t *id)
{
    bool is_own = fitting->fit->target.is_own;
    if (track->has_id && is_own) {
        *id = track->id;
        return true;
    }
    if (track->name && find_by_name(fitting->job->content, track->name, id))
        return true;
    *id = track->id;
    return track->has_id && track->id < PRIME_BONE_LIMIT;
}

static void know_bone(struct fitting *fitting, uint32_t id)
{
    fitting->bones[id].is_known = true;
    if (id >= fitting->bone_end)
        fitting->bone_end = id + 1;
}

static void collect_bones(struct fitting *fitting)
{
    const struct pose_clip *clip = fitting->clip;
    uint32_t limit = fitting->fit->target.version == 0 ? PRIME_BONE_LIMIT : PRIME_TRACKS_BONES, id;
    for (uint32_t i = 0; i < clip->track_count; i++) {
        const struct pose_track *track = &clip->tracks[i];
        fitting->with_morph += track->channels[POSE_MORPH].count > 0;
        if (!track_drives_joint(track) && !has_every_bone(fitting)) {
            fitting->empty++;
        } else if (!find_id(fitting, track, &id)) {
            fitting->unmatched += track_drives_joint(track);
        } else if (id >= limit) {
            fitting->out_of_range++;
        } else {
            fitting->doubled += fitting->bones[id].track != NULL;
            fitting->bones[id].track = track;
            know_bone(fitting, id);
        }
    }
}

/* "One channel for each bone of the skeleton": adds the missing bones in between. */
static void add_missing_bones(struct fitting *fitting)
{
    const struct pose_content *content = fitting->job->content;
    for (uint32_t s = 0; s < content->skeleton_count; s++) {
        for (uint32_t i = 0; i < content->skeletons[s].joint_count; i++) {
            const struct pose_joint *joint = &content->skeletons[s].joints[i];
            if (joint->has_id && joint->id < PRIME_BONE_LIMIT)
                know_bone(fitting, joint->id);
        }
    }
    for (uint32_t id = 0; id < fitting->bone_end; id++)
        know_bone(fitting, id);
}

/* ------------------------------------------------------------------------------------------------- curves -- */

static bool is_prime(const struct pose_clip *clip)
{
    return clip->rules == POSE_RULES_PRIME || clip->rules == POSE_RULES_PRIME_FRAMES;
}

static bool check_finite(struct fitting *fitting, const struct pose_track *track, enum pose_part part)
{
    const struct pose_channel *channel = &track->channels[part];
    bool finite = true;
    for (size_t i = 0; i < channel->count; i++)
        finite &= isfinite(channel->times[i]) != 0;
    for (size_t i = 0; i < (size_t)channel->count * part_components(part); i++)
        finite &= isfinite(channel->values[i]) != 0;
    return finite ||
           error_set(fitting->job->error, POSE_BAD_DATA, "not_finite", "tracks[%u].%s: a key holds no number",
                     (unsigned)(track - fitting->clip->tracks), part_name(part));
}

/* Rotations of other engines take the shorter arc; Prime's interpolate as stored, and may be longer than 1. */
static void straighten(const struct fitting *fitting, struct curve *curve)
{
    bool is_stored = fitting->clip->rules == POSE_RULES_PRIME_FRAMES && fitting->fit->target.version == 0;
    for (uint32_t k = 0; k < curve->count && !is_stored; k++) {
        float *q = curve->values + (size_t)4 * k, *before = q - (k ? 4 : 0);
        if (!is_prime(fitting->clip) || !prime_rotation_is_long(q))
            quat_normalise(q);
        float dot = q[0] * before[0] + q[1] * before[1] + q[2] * before[2] + q[3] * before[3];
        for (int i = 0; i < 4 && dot < 0 && !is_prime(fitting->clip); i++)
            q[i] = -q[i];
    }
}

static double place_of(const struct fitting *fitting, const struct pose_channel *channel, uint32_t key)
{
    if (fitting->clip->rules == POSE_RULES_PRIME_FRAMES)
        return key;
    double place = (double)channel->times[key] / (double)fitting->fit->interval, whole = floor(place + 0.5);
    place = fabs(place - whole) <= SNAP ? whole : place;
    return fmin(fmax(place, 0), fitting->fit->last_frame);
}

/* A copy of a channel in the game's axes. count 0: not driven, or not usable. */
static bool read_curve(struct fitting *fitting, const struct pose_track *track, enum pose_part part,
                       struct curve *curve)
{
    const struct pose_channel *channel = &track->channels[part];
    struct arena *arena = fitting->job->arena;
    *curve = (struct curve){.part = part, .count = channel->count, .components = part_components(part)};
    if (!curve->count)
        return true;
    size_t numbers = (size_t)curve->count * curve->components;
    curve->places = ARENA_NEW(arena, double, curve->count);
    curve->values = ARENA_NEW(arena, float, numbers);
    if (!curve->places || !curve->values || !check_finite(fitting, track, part))
        return false;
    memcpy(curve->values, channel->values, numbers * sizeof *curve->values);
    pose_convert_axes(part, curve->values, curve->count, fitting->clip->axes, POSE_AXES_PRIME);
    if (part == POSE_ROTATION)
        straighten(fitting, curve);
    for (uint32_t k = 0; k < curve->count; k++)
        curve->places[k] = place_of(fitting, channel, k);
    curve->wraps = fitting->clip->rules == POSE_RULES_PRIME_FRAMES;
    return true;
}

/* Whether scale can be kept: Metroid Prime 1 has none, but a scale that is always 1 is no loss. */
static bool is_scale_held(struct fitting *fitting, const struct curve *curve)
{
    if (is_mp2(fitting))
        return true;
    bool is_one = true;
    for (size_t i = 0; i < (size_t)3 * curve->count; i++)
        is_one &= curve->values[i] == 1;
    fitting->with_scale += !is_one;
    return false;
}

static void mark_keys(struct fitting *fitting, const struct curve *curve)
{
    uint32_t last = fitting->fit->last_frame;
    for (uint32_t k = 0; k < curve->count; k++) {
        double place = curve->places[k];
        if (place != floor(place))
            fitting->between_frames++;
        else if (place <= last)
            fitting->is_key[(uint32_t)place] = true;
    }
}

/* ----------------------------------------------------------------------------------------------- sampling -- */

/* The game's slerp (prime-anim.md, 2.5), in which the signs determine the arc. */
static void slerp(const float *a, const float *b, double u, float *to)
{
    double dot = quat_dot(a, b), sum[4], square = 0;
    double angle = acos(fmin(fmax(dot, -1), 1)), from = 1 - u, on = u;
    if (dot <= 0.95) {
        from = sin(angle * (1 - u));
        on = sin(angle * u);
    }
    for (int i = 0; i < 4; i++) {
        sum[i] = (double)a[i] * from + (double)b[i] * on;
        square += sum[i] * sum[i];
    }
    const float *nearer = u < 0.5 ? a : b;
    for (int i = 0; i < 4; i++)
        to[i] = square > 1e-12 ? (float)(sum[i] / sqrt(square)) : nearer[i];
}

static void blend(const struct curve *curve, uint32_t key, uint32_t next, double u, float *to)
{
    const float *a = curve->values + (size_t)key * curve->components,
                *b = curve->values + (size_t)next * curve->components;
    if (curve->part == POSE_ROTATION) {
        slerp(a, b, u, to);
        return;
    }
    for (uint32_t i = 0; i < curve->components; i++)
        to[i] = (float)((1 - u) * (double)a[i] + u * (double)b[i]);
}

/* The value at a frame; *key is where the previous search ended; frames must not descend. */
static void sample(const struct curve *curve, uint32_t frame, uint32_t *key, float *to)
{
    while (*key + 1 < curve->count && curve->places[*key + 1] <= frame)
        ++*key;
    bool is_last = *key + 1 == curve->count;
    uint32_t held = is_last && curve->wraps && frame > curve->places[*key] ? 0 : *key;
    if (is_last || curve->places[*key] >= frame) {
        memcpy(to, curve->values + (size_t)held * curve->components, curve->components * sizeof *to);
        return;
    }
    double start = curve->places[*key], span = curve->places[*key + 1] - start;
    blend(curve, *key, *key + 1, (frame - start) / span, to);
}

static float *sample_all(struct fitting *fitting, const struct curve *curve)
{
    const struct prime_fit *fit = fitting->fit;
    float *values = ARENA_NEW(fitting->job->arena, float, (size_t)fit->key_count * curve->components);
    uint32_t key = 0;
    for (uint32_t k = 0; values && k < fit->key_count; k++)
        sample(curve, fit->frames[k], &key, values + (size_t)k * curve->components);
    return values;
}

static float *no_rotation(struct fitting *fitting)
{
    float *values = ARENA_NEW(fitting->job->arena, float, (size_t)4 * fitting->fit->key_count);
    for (uint32_t k = 0; values && k < fitting->fit->key_count; k++)
        values[(size_t)4 * k + 3] = 1;
    return values;
}

/* ---------------------------------------------------------------------------------------------- the whole -- */

/* Puts the bones to be written in order. */
static uint32_t order_bones(struct fitting *fitting, uint32_t *ids)
{
    const struct pose_clip *clip = fitting->clip;
    uint32_t count = 0, id;
    bool by_id = is_mp2(fitting) || fitting->fit->target.version == 0;
    if (has_every_bone(fitting))
        add_missing_bones(fitting);
    for (id = 0; by_id && id < fitting->bone_end; id++) {
        if (fitting->bones[id].is_known)
            ids[count++] = id;
    }
    for (uint32_t i = 0; !by_id && i < clip->track_count; i++) {
        if (find_id(fitting, &clip->tracks[i], &id) && id < PRIME_TRACKS_BONES &&
            fitting->bones[id].track == &clip->tracks[i])
            ids[count++] = id;
    }
    /* The game takes the number of keys from the first channel. */
    if (!count)
        ids[count++] = fitting->fit->target.root_bone_id % PRIME_BONE_LIMIT;
    return count;
}

static bool list_frames(struct fitting *fitting)
{
    struct prime_fit *fit = fitting->fit;
    bool all = fit->target.version == 0 || fitting->between_frames;
    fit->frames = ARENA_NEW(fitting->job->arena, uint32_t, (size_t)fit->last_frame + 1);
    for (uint32_t f = 0; fit->frames && f <= fit->last_frame; f++) {
        if (all || fitting->is_key[f])
            fit->frames[fit->key_count++] = f;
    }
    return fit->frames;
}

static bool read_bone(struct fitting *fitting, const struct pose_track *track, struct curve *curves)
{
    for (int part = 0; track && part < PRIME_FIT_PARTS; part++) {
        if (!read_curve(fitting, track, (enum pose_part)part, &curves[part]))
            return false;
        if (part == POSE_SCALE && !is_scale_held(fitting, &curves[part]))
            curves[part].count = 0;
        mark_keys(fitting, &curves[part]);
    }
    return true;
}

/* Metroid Prime 1 reads every rotation, whatever its count; Metroid Prime 2 takes the number of keys from the
 * first one. */
static bool needs_rotation(const struct fitting *fitting, uint32_t index)
{
    return is_mp2(fitting) ? has_every_bone(fitting) && index == 0 : true;
}

static bool fill_channels(struct fitting *fitting, const struct curve *curves)
{
    struct prime_fit *fit = fitting->fit;
    for (uint32_t i = 0; i < fit->channel_count; i++) {
        struct prime_fit_channel *channel = &fit->channels[i];
        for (int part = 0; part < PRIME_FIT_PARTS; part++) {
            const struct curve *curve = &curves[(size_t)i * PRIME_FIT_PARTS + (size_t)part];
            if (curve->count && !(channel->values[part] = sample_all(fitting, curve)))
                return false;
        }
        if (!channel->values[POSE_ROTATION] && needs_rotation(fitting, i))
            channel->values[POSE_ROTATION] = no_rotation(fitting);
    }
    return true;
}

static void tell(const struct fitting *fitting)
{
    struct encode_job *job = fitting->job;
    if (fitting->unmatched)
        encode_warn(job, "unmatched_track", "%u tracks were left out: the ids of their bones are unknown",
                    fitting->unmatched);
    if (fitting->out_of_range)
        encode_warn(job, "bone_id_range", "%u tracks were left out: their bones' ids are too large",
                    fitting->out_of_range);
    if (fitting->doubled)
        encode_warn(job, "duplicate_bone", "%u tracks were left out: a later one has the same bone",
                    fitting->doubled);
    if (fitting->empty)
        encode_warn(job, "empty_track", "%u tracks without keys were left out", fitting->empty);
    if (fitting->with_morph)
        encode_warn(job, "morph_dropped", "the morphs of %u tracks were left out", fitting->with_morph);
    if (fitting->with_scale)
        encode_warn(job, "scale_dropped", "the scale of %u tracks was left out: Metroid Prime 1 has none",
                    fitting->with_scale);
    if (fitting->between_frames)
        encode_warn(job, "keys_resampled", "%u keys lay between frames: every frame became a key",
                    fitting->between_frames);
}

bool prime_tracks_fit(struct encode_job *job, const struct pose_clip *clip, struct prime_fit *fit)
{
    struct fitting *fitting = ARENA_NEW(job->arena, struct fitting, 1);
    uint32_t ids[PRIME_TRACKS_BONES];
    if (!fitting)
        return false;
    *fitting = (struct fitting){.job = job, .clip = clip, .fit = fit};
    collect_bones(fitting);
    fit->channel_count = order_bones(fitting, ids);
    fit->channels = ARENA_NEW(job->arena, struct prime_fit_channel, fit->channel_count);
    fitting->is_key = ARENA_NEW(job->arena, bool, (size_t)fit->last_frame + 1);
    struct curve *curves = ARENA_NEW(job->arena, struct curve, (size_t)fit->channel_count * PRIME_FIT_PARTS);
    if (!fit->channels || !fitting->is_key || !curves)
        return false;
    fitting->is_key[0] = fitting->is_key[fit->last_frame] = true;
    for (uint32_t i = 0; i < fit->channel_count; i++) {
        fit->channels[i].bone_id = ids[i];
        if (!read_bone(fitting, fitting->bones[ids[i]].track, &curves[(size_t)i * PRIME_FIT_PARTS]))
            return false;
    }
    if (!list_frames(fitting) || !fill_channels(fitting, curves))
        return false;
    tell(fitting);
    return true;
}
