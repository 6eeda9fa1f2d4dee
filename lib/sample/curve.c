#include "lib/sample/curve.h"

#include "lib/model/build.h"
#include "lib/sample/sampler_keys.h"

#include <math.h>
#include <string.h>

struct sample_kernels curve_kernels(enum pose_rules rules)
{
    return sample_kernels_here(rules);
}

bool curve_init(struct curve *curve, struct arena *arena, const struct pose_clip *clip, enum pose_part part,
                const struct pose_channel *channel)
{
    /* Only the fields of a sampler that determine how keys are read. */
    const struct pose_sampler reading = {.clip = clip, .axes = clip->axes};
    struct key_source source = {.channel = channel, .part = part};
    float *values = ARENA_NEW(arena, float, (size_t)channel->count *part_components(part));
    if (!values || !key_sources_share_timelines(&reading, arena, &source, 1))
        return false;
    key_source_values(&reading, &source, values);
    *curve = (struct curve){.clip = clip,
                            .part = part,
                            .timeline = *source.timeline,
                            .values = values,
                            .kernels = curve_kernels(clip->rules)};
    return true;
}

/* Up to eight moments, one per lane. */
struct moments {
    float from[4 * LANES], to[4 * LANES];
    double fractions[LANES];
    uint32_t places[LANES];
    float out[4 * LANES];
};

static void put_lane(struct moments *moments, unsigned lane, uint32_t components, const float *from,
                     const float *to, double fraction)
{
    for (uint32_t i = 0; i < components; i++) {
        moments->from[i * LANES + lane] = from[i];
        moments->to[i * LANES + lane] = to[i];
    }
    moments->fractions[lane] = fraction;
    moments->places[lane] = lane * components;
}

/* Blends the lanes in use; the others contain arbitrary values. */
static void blend_lanes(const struct sample_kernels *kernels, enum pose_part part, unsigned used,
                        struct moments *moments, float *values)
{
    uint32_t components = part_components(part);
    if (part == POSE_MORPH) {
        for (unsigned lane = 0; lane < used; lane++) {
            double u = moments->fractions[lane];
            moments->out[lane] =
                (float)((double)moments->from[lane] * (1 - u) + (double)moments->to[lane] * u);
        }
    } else {
        lane_kernel *kernel = part == POSE_ROTATION ? kernels->rotations : kernels->vectors;
        kernel(1, moments->from, moments->to, moments->fractions, moments->places, moments->out);
    }
    memcpy(values, moments->out, (size_t)used * components * sizeof *values);
}

static void sample_lanes(const struct curve *curve, const double *times, unsigned used, float *values)
{
    struct moments moments;
    uint32_t components = part_components(curve->part);
    for (unsigned lane = 0; lane < LANES; lane++) {
        struct clock clock = clock_read(curve->clip, times[lane < used ? lane : used - 1], POSE_CLAMP);
        clock.wraps = curve->wraps;
        struct key_place place = timeline_find(&curve->timeline, &clock);
        put_lane(&moments, lane, components, curve->values + (size_t)place.at * components,
                 curve->values + (size_t)place.next * components, place.fraction);
    }
    blend_lanes(&curve->kernels, curve->part, used, &moments, values);
}

void curve_sample(const struct curve *curve, const double *times, uint32_t count, float *values)
{
    uint32_t components = part_components(curve->part);
    for (uint32_t start = 0; start < count; start += LANES) {
        unsigned used = count - start < LANES ? count - start : LANES;
        sample_lanes(curve, times + start, used, values + (size_t)start * components);
    }
}

void curve_blend(const struct sample_kernels *kernels, enum pose_part part, const float *from,
                 const float *to, const double *fractions, uint32_t count, float *values)
{
    uint32_t components = part_components(part);
    for (uint32_t start = 0; start < count; start += LANES) {
        struct moments moments;
        unsigned used = count - start < LANES ? count - start : LANES;
        for (unsigned lane = 0; lane < LANES; lane++)
            put_lane(&moments, lane, components, from, to,
                     fractions[start + (lane < used ? lane : used - 1)]);
        blend_lanes(kernels, part, used, &moments, values + (size_t)start * components);
    }
}

static double chord(const float *a, const float *b, uint32_t components, double sign)
{
    double square = 0;
    for (uint32_t i = 0; i < components; i++) {
        double d = (double)a[i] - sign * (double)b[i];
        square += d * d;
    }
    return sqrt(square);
}

double curve_distance(enum pose_part part, const float *a, const float *b)
{
    if (part != POSE_ROTATION)
        return chord(a, b, part_components(part), 1);
    /* The chord between unit quaternions of rotations x apart is 2 sin(x / 4). */
    double near = fmin(chord(a, b, 4, 1), chord(a, b, 4, -1));
    return 4 * asin(fmin(near / 2, 1));
}
