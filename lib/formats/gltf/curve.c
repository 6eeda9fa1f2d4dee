/*
 * Converts interpolations (section 3.11 and appendix C) to linear keys.
 *
 * STEP: an additional key one float step before each key holds the value until then. CUBICSPLINE: each piece is
 * divided into equal parts. Over a part of length h the chord of a curve p deviates by at most h²/8 of the
 * largest |p''|, which for a cubic is at one of its ends; for rotations, where the quaternion's length matters,
 * the deviation is also measured. Only then are keys before 0 left out, so the value at 0 is the curve's own.
 */
#include "lib/formats/gltf/read.h"
#include "lib/core/numbers/angles.h"
#include "lib/model/turn.h"

#include <math.h>
#include <string.h>

enum { MAX_PARTS = 4096 };
static const double TOLERANCE = 5e-5;

/* One piece of a cubic spline, from key k to the next one. */
struct piece {
    unsigned components;
    double begin, length;                         /* seconds */
    double from[4], leaves[4], to[4], arrives[4]; /* tangents times length */
};

static struct piece piece_of(unsigned components, const float *times, const float *values, uint32_t k)
{
    struct piece piece = {.components = components,
                          .begin = (double)times[k],
                          .length = (double)times[k + 1] - (double)times[k]};
    const float *key = values + (size_t)k * 3 * components, *next = key + 3 * components;
    for (unsigned c = 0; c < components; c++) {
        piece.from[c] = (double)key[components + c];
        piece.leaves[c] = (double)key[2 * components + c] * piece.length;
        piece.arrives[c] = (double)next[c] * piece.length;
        piece.to[c] = (double)next[components + c];
    }
    return piece;
}

/* The spline at s from 0 to 1; rotations are normalised. */
static void evaluate(const struct piece *piece, double s, double *value)
{
    double s2 = s * s, s3 = s2 * s, square = 0;
    for (unsigned c = 0; c < piece->components; c++) {
        value[c] = (2 * s3 - 3 * s2 + 1) * piece->from[c] + (s3 - 2 * s2 + s) * piece->leaves[c] +
                   (3 * s2 - 2 * s3) * piece->to[c] + (s3 - s2) * piece->arrives[c];
        square += value[c] * value[c];
    }
    if (piece->components != 4)
        return;
    for (unsigned c = 0; c < 4; c++)
        value[c] = square > 1e-24 ? value[c] / sqrt(square) : piece->from[c];
}

/* The largest angle, measured at the quarters of a part, between the spline and the slerp of the part's ends. */
static double measure_part(const struct piece *piece, double begin, double end)
{
    double a[4], b[4], cosine = 0, worst = 0;
    evaluate(piece, begin, a);
    evaluate(piece, end, b);
    for (unsigned c = 0; c < 4; c++)
        cosine += a[c] * b[c];
    double sign = cosine < 0 ? -1 : 1, angle = angle_arc_cosine(fmin(fabs(cosine), 1)),
           sine = angle_sine(angle);
    for (unsigned quarter = 1; quarter < 4; quarter++) {
        double u = quarter / 4.0, there[4], off = 0;
        double weight_a = sine > 1e-9 ? angle_sine((1 - u) * angle) / sine : 1 - u;
        double weight_b = sine > 1e-9 ? angle_sine(u * angle) / sine : u;
        evaluate(piece, begin + (end - begin) * u, there);
        double same = 0, opposite = 0;
        for (unsigned c = 0; c < 4; c++) {
            double slerp = weight_a * a[c] + weight_b * sign * b[c];
            same += (there[c] - slerp) * (there[c] - slerp);
            opposite += (there[c] + slerp) * (there[c] + slerp);
        }
        off = 2 * sqrt(fmin(same, opposite));
        worst = fmax(worst, off);
    }
    return worst;
}

static bool rotation_is_close(const struct piece *piece, uint32_t parts)
{
    for (uint32_t i = 0; i < parts; i++) {
        if (!(measure_part(piece, (double)i / parts, (double)(i + 1) / parts) <= TOLERANCE))
            return false;
    }
    return true;
}

/* The number of parts for a piece; *close is false if more would be needed. */
static uint32_t count_parts(const struct piece *piece, bool *close)
{
    double first = 0, last = 0;
    for (unsigned c = 0; c < piece->components; c++) {
        double way = 6 * (piece->to[c] - piece->from[c]);
        double a = way - 4 * piece->leaves[c] - 2 * piece->arrives[c];
        double b = -way + 2 * piece->leaves[c] + 4 * piece->arrives[c];
        first += a * a;
        last += b * b;
    }
    bool turns = piece->components == 4;
    double parts = ceil(sqrt(sqrt(fmax(first, last)) * (turns ? 2 : 1) / (8 * TOLERANCE)));
    uint32_t count = parts < MAX_PARTS ? (uint32_t)parts : MAX_PARTS;
    count = count ? count : 1;
    *close = parts <= MAX_PARTS;
    while (turns && *close && !rotation_is_close(piece, count)) {
        *close = count * 2 <= MAX_PARTS;
        count = *close ? count * 2 : count;
    }
    return count;
}

/* The number of keys the spline needs; fills in the parts of each piece. 0 if refused. */
static uint64_t plan(struct gltf *g, unsigned components, uint32_t count, const float *times,
                     const float *values, uint32_t *parts)
{
    bool all_close = true;
    uint64_t keys = 1;
    for (uint32_t k = 0; k + 1 < count; k++) {
        struct piece piece = piece_of(components, times, values, k);
        bool close;
        parts[k] = count_parts(&piece, &close);
        all_close &= close;
        keys += parts[k];
        if (!gltf_count_keys(g, parts[k] - 1))
            return 0;
    }
    if (!all_close)
        warning_add(&g->job->warnings, POSE_WARNING, "spline_simplified", POSE_NO_OFFSET,
                    "%s: a spline moves too fast to be approximated by %d keys between two of its own", g->at,
                    MAX_PARTS);
    return keys;
}

static bool put_part(struct gltf *g, struct channel_builder *builder, uint32_t *made,
                     const struct piece *piece, double s, float end)
{
    float time = (float)(piece->begin + piece->length * s);
    if (time <= builder->times[*made - 1] || time >= end)
        return true; /* closer than floats can resolve */
    double value[4];
    evaluate(piece, s, value);
    for (unsigned c = 0; c < piece->components; c++) {
        float number = (float)value[c];
        if (!isfinite(number))
            return gltf_refuse(g, "not_finite", "/output", "the spline exceeds the range of floats");
        builder->values[(size_t)*made * piece->components + c] = number;
    }
    builder->times[(*made)++] = time;
    return true;
}

static bool spline(struct gltf *g, enum pose_part part, uint32_t count, const float *times,
                   const float *values, struct pose_channel *channel)
{
    unsigned components = part_components(part);
    struct channel_builder builder;
    uint32_t made = 0, *parts = json_alloc(&g->json, count, sizeof *parts);
    uint64_t keys = parts ? plan(g, components, count, times, values, parts) : 0;
    if (!keys || !channel_new(g->job->arena, part, (uint32_t)keys, &builder))
        return false;
    for (uint32_t k = 0; k < count; k++) {
        builder.times[made] = times[k];
        memcpy(builder.values + (size_t)made++ * components, values + ((size_t)k * 3 + 1) * components,
               components * sizeof *values);
        if (k + 1 == count)
            break;
        struct piece piece = piece_of(components, times, values, k);
        for (uint32_t i = 1; i < parts[k]; i++) {
            if (!put_part(g, &builder, &made, &piece, (double)i / parts[k], times[k + 1]))
                return false;
        }
    }
    *channel = channel_done(&builder, made);
    return true;
}

static bool steps(struct gltf *g, enum pose_part part, uint32_t count, const float *times,
                  const float *values, struct pose_channel *channel)
{
    unsigned components = part_components(part);
    size_t size = components * sizeof *values;
    struct channel_builder builder;
    uint32_t made = 0;
    if (!gltf_count_keys(g, count - 1) || !channel_new(g->job->arena, part, 2 * count - 1, &builder))
        return false;
    for (uint32_t k = 0; k < count; k++) {
        const float *value = values + (size_t)k * components;
        float just_before = nextafterf(times[k], -INFINITY);
        if (k && just_before > times[k - 1] && memcmp(value, value - components, size) != 0) {
            builder.times[made] = just_before;
            memcpy(builder.values + (size_t)made++ * components, value - components, size);
        }
        builder.times[made] = times[k];
        memcpy(builder.values + (size_t)made++ * components, value, size);
    }
    *channel = channel_done(&builder, made);
    return true;
}

/* The value at 0 s between a key before it and one after it. */
static void value_at_start(enum pose_part part, const float *times, const float *from, float *value)
{
    unsigned components = part_components(part);
    const float *to = from + components;
    double f = -(double)times[0] / ((double)times[1] - (double)times[0]);
    for (unsigned c = 0; c < components; c++)
        value[c] = (float)((1 - f) * (double)from[c] + f * (double)to[c]);
    if (part != POSE_ROTATION)
        return;
    struct turn a = {(double)from[0], (double)from[1], (double)from[2], (double)from[3]};
    struct turn b = {(double)to[0], (double)to[1], (double)to[2], (double)to[3]};
    struct turn there = turn_slerp(a, b, f);
    const double numbers[4] = {there.x, there.y, there.z, there.w};
    for (unsigned c = 0; c < 4; c++)
        value[c] = (float)numbers[c];
}

/* Keys before 0, which section 3.11 forbids and exporters write: linear keys begin at 0 with the value there. */
static bool begin_at_zero(struct gltf *g, enum pose_part part, struct pose_channel *channel)
{
    uint32_t before = 0;
    while (before < channel->count && channel->times[before] < 0)
        before++;
    if (!before)
        return true;
    warning_add(&g->job->warnings, POSE_WARNING, "negative_times", POSE_NO_OFFSET,
                "%s: keys before 0 s are left out; it begins at 0 with the value there", g->at);
    unsigned components = part_components(part);
    const uint32_t kept = channel->count - before;
    const bool has_start = kept && !(channel->times[before] > 0);
    struct channel_builder builder;
    if (!channel_new(g->job->arena, part, kept + !has_start, &builder))
        return false;
    const float *last = channel->values + (size_t)(before - 1) * components;
    if (!has_start && kept)
        value_at_start(part, channel->times + before - 1, last, builder.values);
    else if (!has_start)
        memcpy(builder.values, last, components * sizeof *last);
    if (!has_start)
        builder.times[0] = 0;
    if (kept) {
        memcpy(builder.times + !has_start, channel->times + before, kept * sizeof *builder.times);
        memcpy(builder.values + (size_t)!has_start * components, last + components,
               (size_t)kept * components * sizeof *last);
    }
    *channel = channel_done(&builder, kept + !has_start);
    return true;
}

bool gltf_curve(struct gltf *g, enum gltf_curve curve, enum pose_part part, uint32_t count,
                const float *times, const float *values, struct pose_channel *channel)
{
    *channel = (struct pose_channel){.count = count, .times = times, .values = values};
    bool done = true;
    if (curve == GLTF_CUBIC)
        done = spline(g, part, count, times, values, channel);
    else if (curve == GLTF_STEP)
        done = steps(g, part, count, times, values, channel);
    return done && begin_at_zero(g, part, channel);
}
