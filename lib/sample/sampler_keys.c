#include "lib/sample/sampler_keys.h"

#include "lib/core/hash.h"
#include "lib/core/value.h"
#include "lib/model/axes.h"
#include "lib/model/build.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* -------------------------------------------------------------------------------------------------- values -- */

/* Small enough that the sum of two weighted keys stays in range. */
#define LARGEST 3.4e38f

static void clean_vectors(float *values, size_t count, float fallback)
{
    for (size_t i = 0; i < count; i++) {
        float value = values[i];
        if (!(fabsf(value) <= LARGEST))
            values[i] = isnan(value) ? fallback : copysignf(LARGEST, value);
    }
}

/*
 * The Sims blends keys as stored, slightly off unit length, and normalises the result; here only lengths whose
 * square is out of range in single precision are set to 1. All other rotations are normalised.
 */
static void clean_rotations(float *values, size_t count, enum pose_rules rules)
{
    for (size_t i = 0; i < count && rules != POSE_RULES_SIMS; i++) {
        if (!quat_is_unit(quat_square(values + 4 * i)))
            quat_normalise(values + 4 * i);
    }
    for (size_t i = 0; i < count && rules == POSE_RULES_SIMS; i++, values += 4) {
        float square =
            values[0] * values[0] + values[1] * values[1] + values[2] * values[2] + values[3] * values[3];
        if (!(square > 1e-12f && square < 1e12f))
            quat_normalise(values);
    }
}

/* Second Life's pelvis: its keys are added to the rest, before axes change. */
static void add_rest(const struct pose_sampler *sampler, const struct key_source *source, float *values)
{
    float rest[ROW_FLOATS];
    pose_joint_rest(sampler->skeleton, source->row, sampler->clip->axes, rest);
    for (size_t k = 0; k < source->channel->count; k++) {
        for (unsigned i = 0; i < 3; i++)
            values[3 * k + i] = (float)((double)rest[i] + (double)values[3 * k + i]);
    }
}

void key_source_values(const struct pose_sampler *sampler, const struct key_source *source, float *values)
{
    const struct pose_clip *clip = sampler->clip;
    size_t count = source->channel->count, numbers = count * part_components(source->part);
    memcpy(values, source->channel->values, numbers * sizeof *values);
    if (source->part == POSE_TRANSLATION && clip->rules == POSE_RULES_SL && sampler->skeleton &&
        (int64_t)source->row == sampler->skeleton->root_joint)
        add_rest(sampler, source, values);
    pose_convert_axes(source->part, values, count, clip->axes, sampler->axes);
    if (source->part == POSE_ROTATION)
        clean_rotations(values, count, clip->rules);
    else
        clean_vectors(values, numbers, source->part == POSE_SCALE ? 1 : 0);
}

bool key_source_is_constant(const struct key_source *source)
{
    const struct pose_channel *channel = source->channel;
    size_t components = part_components(source->part);
    /* Each key equals the previous one. */
    return channel->count < 2 || !memcmp(channel->values, channel->values + components,
                                         (channel->count - 1) * components * sizeof *channel->values);
}

/* ----------------------------------------------------------------------------------------------- timelines -- */

/* By hash, to bring equal ones together; places are unique, so the order is total. */
static int compare_sources(const void *a, const void *b)
{
    const struct key_source *x = a, *y = b;
    if (x->times_hash != y->times_hash)
        return x->times_hash < y->times_hash ? -1 : 1;
    if (x->channel->count != y->channel->count)
        return x->channel->count < y->channel->count ? -1 : 1;
    return x->place < y->place ? -1 : x->place > y->place;
}

static bool same_times(const struct key_source *a, const struct key_source *b, bool keyed)
{
    return a->times_hash == b->times_hash && a->channel->count == b->channel->count &&
           (!keyed ||
            !memcmp(a->channel->times, b->channel->times, a->channel->count * sizeof *a->channel->times));
}

double key_frame_interval(const struct pose_clip *clip, uint32_t count)
{
    double stored = (double)value_get_float(clip->extras, "interval", 0);
    if (stored > 0 && isfinite(stored))
        return stored;
    if (clip->fps > 0 && isfinite(clip->fps))
        return 1 / (double)clip->fps;
    return count > 1 && clip->duration > 0 ? (double)clip->duration / (double)(count - 1) : 1;
}

static struct timeline *new_timeline(const struct pose_clip *clip, struct arena *arena,
                                     const struct pose_channel *channel)
{
    struct timeline *timeline = ARENA_NEW(arena, struct timeline, 1);
    if (!timeline)
        return NULL;
    if (clip->rules == POSE_RULES_SIMS)
        timeline_init_fraction(timeline, channel->count);
    else if (clip->rules == POSE_RULES_PRIME_FRAMES)
        timeline_init_frames(timeline, channel->count, key_frame_interval(clip, channel->count));
    else if (!timeline_init_keyed(timeline, arena, channel->times, channel->count))
        return NULL;
    return timeline;
}

bool key_sources_share_timelines(const struct pose_sampler *sampler, struct arena *arena,
                                 struct key_source *sources, uint32_t count)
{
    bool keyed = rules_are_keyed(sampler->clip->rules);
    for (uint32_t i = 0; keyed && i < count; i++)
        sources[i].times_hash = hash_floats(sources[i].channel->times, sources[i].channel->count);
    if (count > 1)
        qsort(sources, count, sizeof *sources, compare_sources);
    for (uint32_t i = 0; i < count; i++) {
        if (i && same_times(&sources[i - 1], &sources[i], keyed))
            sources[i].timeline = sources[i - 1].timeline;
        else
            sources[i].timeline = new_timeline(sampler->clip, arena, sources[i].channel);
        if (!sources[i].timeline)
            return false;
    }
    return true;
}
