#include "lib/formats/gltf/write/curve.h"

#include "lib/formats/gltf/write/path.h"
#include "lib/model/axes.h"
#include "lib/sample/sampler_keys.h"

#include <math.h>
#include <string.h>

/* Times closer than this are the same. */
static bool is_after(float time, float end)
{
    return time > end * (1 + 1e-6f) + 1e-6f;
}

void gltf_make_unit(float q[4])
{
    quat_normalise(q);
    for (unsigned i = 0; i < 4; i++)
        q[i] = q[i] > 1 ? 1 : q[i] < -1 ? -1 : q[i];
}

void gltf_turn_near(const float last[4], float q[4])
{
    if (quat_dot(last, q) >= 0)
        return;
    for (unsigned i = 0; i < 4; i++)
        q[i] = 0 - q[i];
}

/* Seconds per key if the number of keys determines their times; 0: each key has its own time. */
static double key_step(const struct pose_clip *clip, uint32_t count)
{
    if (clip->rules == POSE_RULES_SIMS)
        return clip->duration > 0 ? (double)clip->duration / (double)count : 0;
    return clip->rules == POSE_RULES_PRIME_FRAMES ? key_frame_interval(clip, count) : 0;
}

void gltf_key_times(const struct pose_clip *clip, const struct pose_channel *channel, float *times)
{
    double step = key_step(clip, channel->count);
    if (step > 0) {
        for (uint32_t k = 0; k < channel->count; k++)
            times[k] = (float)((double)k * step);
    } else {
        memcpy(times, channel->times, channel->count * sizeof *times);
    }
}

float gltf_last_time(const struct pose_clip *clip, const struct pose_channel *channel)
{
    double step = key_step(clip, channel->count);
    return step > 0 ? (float)((double)(channel->count - 1) * step) : channel->times[channel->count - 1];
}

/* ------------------------------------------------------------------------------------------------ growing -- */

static bool add_key(struct gltf_curve *curve, float time, const float *value, bool is_added)
{
    if (curve->count == curve->capacity) {
        uint32_t room = curve->capacity, same = room;
        curve->times = arena_grow(curve->arena, curve->times, curve->count, &room, sizeof(float));
        curve->values =
            arena_grow(curve->arena, curve->values, curve->count, &same, curve->components * sizeof(float));
        if (!curve->times || !curve->values) {
            curve->count = curve->capacity = 0;
            return false;
        }
        curve->capacity = room;
    }
    if (is_added) {
        curve->added = arena_grow(curve->arena, curve->added, curve->added_count, &curve->added_capacity,
                                  sizeof(uint32_t));
        if (!curve->added)
            return false;
        curve->added[curve->added_count++] = curve->count;
    }
    curve->times[curve->count] = time;
    memcpy(curve->values + (size_t)curve->count * curve->components, value,
           curve->components * sizeof(float));
    curve->count++;
    return true;
}

/* Reserves room for as many keys as are likely. */
static bool make_room(struct gltf_curve *curve)
{
    curve->times = ARENA_NEW(curve->arena, float, curve->spare_count);
    curve->values = curve->spare;
    curve->capacity = curve->times ? curve->spare_count : 0;
    return curve->times;
}

void gltf_curve_collapse(struct gltf_curve *curve)
{
    static const float start[1] = {0};
    curve->times = (float *)start;
    curve->count = curve->capacity = 1;
    curve->added_count = 0;
}

bool gltf_curve_hold(struct gltf_curve *curve, float time)
{
    float last[4];
    memcpy(last, curve->values + (size_t)(curve->count - 1) * curve->components,
           curve->components * sizeof(float));
    return add_key(curve, time, last, true);
}

/* ---------------------------------------------------------------------------------------------- rotations -- */

/*
 * Which pairs of keys need no further check. Between quaternions at an angle of a < 0.3, normalised linear
 * interpolation deviates from the arc by at most 0.0323 a^3 (as a rotation; a^3 / sqrt(972) as a approaches 0),
 * and by another a d / 2 if their lengths differ by a factor of 1 + d.
 */
struct easy {
    enum pose_rules rules;
    double nlerp;      /* larger cosines are close enough */
    float half_square; /* of cosines: half the tolerance is reserved for lengths */
    float lengths;     /* it suffices if the squares differ by less than this, relatively */
    float tolerance;   /* radians */
};

static struct easy easy_init(enum pose_rules rules, float tolerance)
{
    double angle = fmin(cbrt((double)tolerance / 0.0323), 0.3), half = angle * cbrt(0.5);
    return (struct easy){
        .rules = rules,
        .nlerp = cos(angle),
        .half_square = (float)(cos(half) * cos(half)),
        .lengths = (float)(2 * (double)tolerance / half),
        .tolerance = tolerance,
    };
}

/* For keys that need not have unit length. */
static inline bool is_easy_with_lengths(const struct easy *easy, const float *a, const float *b, float cosine)
{
    float size_a = a[0] * a[0] + a[1] * a[1] + a[2] * a[2] + a[3] * a[3];
    float size_b = b[0] * b[0] + b[1] * b[1] + b[2] * b[2] + b[3] * b[3];
    float off = fabsf(size_a - size_b), smaller = size_a < size_b ? size_a : size_b;
    if (cosine * cosine > easy->half_square * (size_a * size_b) && off <= easy->lengths * smaller)
        return true;
    float near = fabsf(cosine) / sqrtf(size_a * size_b);
    if (!((double)near > easy->nlerp))
        return false;
    float angle = sqrtf(2 * fmaxf(1 - near, 0));
    return angle * (0.0327f * angle * angle + 0.25f * off / smaller) <= easy->tolerance;
}

/* Whether engine and glTF agree between all keys: these use normalised lerp only where it is within 1e-6 of the arc. */
static bool is_slerp(enum pose_rules rules)
{
    return rules == POSE_RULES_PLAIN || rules == POSE_RULES_SIMS3;
}

static inline bool is_easy(const struct easy *easy, const float *a, const float *b)
{
    float cosine = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
    switch (easy->rules) {
    case POSE_RULES_SL:
        return cosine < 0 || (double)cosine > easy->nlerp;
    case POSE_RULES_SIMS:
        return is_easy_with_lengths(easy, a, b, cosine);
    case POSE_RULES_PRIME:
    case POSE_RULES_PRIME_FRAMES:
        return cosine >= 0 && (cosine <= 0.95f || (double)cosine > easy->nlerp);
    default:
        return is_slerp(easy->rules);
    }
}

/* Whether a number lies beyond 1, or is none. In integers, which are compared eight at a time. */
static bool is_any_beyond(const float *values, size_t count)
{
    uint32_t beyond = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        beyond |= UINT32_C(0x3f800000) - (bits & UINT32_C(0x7fffffff)); /* wraps above the bits of 1.0f */
    }
    return beyond >> 31;
}

/* Keys of The Sims keep their stored length (key_source_values); all others have unit length up to rounding. Never
 * -0, which negation would not preserve. */
static void settle_lengths(enum pose_rules rules, float *values, size_t count)
{
    for (size_t k = 0; k < count && rules == POSE_RULES_SIMS; k++)
        quat_normalise(values + 4 * k);
    for (size_t i = 0; i < 4 * count; i++)
        values[i] += 0.0f;
    if (!is_any_beyond(values, 4 * count))
        return;
    for (size_t i = 0; i < 4 * count; i++)
        values[i] = fmaxf(fminf(values[i], 1), -1);
}

/* A key as glTF requires it: unit length, in the hemisphere of the previous one. */
static bool add_rotation(struct gltf_curve *curve, enum pose_rules rules, float time, const float *value,
                         bool is_added)
{
    float unit[4];
    memcpy(unit, value, sizeof unit);
    settle_lengths(rules, unit, 1);
    if (curve->count)
        gltf_turn_near(curve->values + 4 * (size_t)(curve->count - 1), unit);
    return add_key(curve, time, unit, is_added);
}

/* Adds keys between two keys, and the last one if the clip ends between them. end: the fraction from a to b, 0
 * ... 1. */
static bool add_way(struct gltf_curve *curve, const struct gltf_path *path, const float times[2], double end,
                    float tolerance)
{
    double start = (double)times[0], span = (double)times[1] - start;
    uint32_t pieces = gltf_path_pieces(path, end, tolerance), last = pieces - (end >= 1);
    float before = times[0], stop = (float)(start + span * end);
    for (uint32_t piece = 1; piece <= last;) {
        /* As many as the kernel takes at once. */
        uint32_t count = 0;
        float ready[LANES], way[LANES][4];
        double fractions[LANES] = {0};
        for (; piece <= last && count < LANES; piece++) {
            float time =
                piece < pieces ? (float)(start + span * end * gltf_path_piece(path, piece, pieces)) : stop;
            if (time <= before || (piece < pieces && time >= stop))
                continue;
            fractions[count] = fmin(((double)time - start) / span, 1);
            ready[count++] = before = time;
        }
        gltf_path_follow(path, fractions, way);
        for (uint32_t i = 0; i < count; i++) {
            if (!add_rotation(curve, POSE_RULES_PLAIN, ready[i], way[i], true))
                return false;
        }
    }
    return true;
}

/* Whether no pair needs another key, so that the file's keys can be used as they are. */
static bool is_all_easy(const struct easy *easy, const float *values, uint32_t count)
{
    bool all = true;
    for (uint32_t k = 1; k < count && all && !is_slerp(easy->rules); k++)
        all = is_easy(easy, values + 4 * (size_t)(k - 1), values + 4 * (size_t)k);
    return all;
}

static void settle_rotations(enum pose_rules rules, float *values, uint32_t count)
{
    settle_lengths(rules, values, count);
    for (uint32_t k = 1; k < count; k++) {
        const float *last = values + 4 * (size_t)(k - 1), *q = last + 4;
        float cosine = last[0] * q[0] + last[1] * q[1] + last[2] * q[2] + last[3] * q[3];
        if (!(cosine > 1e-3f)) /* below, the sign could be one of rounding */
            gltf_turn_near(last, values + 4 * (size_t)k);
    }
}

/* The number of keys before the clip's end. Only frames of Prime may lie after it. */
static uint32_t count_played(const struct pose_clip *clip, const float *times, uint32_t count)
{
    while (count > 1 && is_after(times[count - 1], clip->duration))
        count--;
    return count;
}

/* Prime's uncompressed clips continue from the last frame to the first until the duration ends. */
static double share_after_last(const struct pose_clip *clip, const float *times, uint32_t count)
{
    double interval = key_frame_interval(clip, count);
    if (clip->rules != POSE_RULES_PRIME_FRAMES || !is_after(clip->duration, times[count - 1]))
        return 0;
    return fmin(((double)clip->duration - (double)times[count - 1]) / interval, 1);
}

bool gltf_curve_rotations(struct gltf_curve *curve, const struct pose_clip *clip, const float *times,
                          float *values, uint32_t count, float tolerance)
{
    struct easy easy = easy_init(clip->rules, tolerance);
    uint32_t played = count_played(clip, times, count);
    double after = played == count ? share_after_last(clip, times, count) : 0;
    curve->components = 4;
    curve->cut = played < count;
    if (played == count && after == 0 && is_all_easy(&easy, values, count)) {
        settle_rotations(clip->rules, values, count);
        curve->times = (float *)times;
        curve->values = values;
        curve->count = curve->capacity = count;
        return true;
    }
    if (!make_room(curve))
        return false;
    for (uint32_t k = 0; k < played; k++) {
        const float *a = values + 4 * (size_t)k, *b = k + 1 < count ? a + 4 : values;
        double end = k + 1 < played ? 1 : after;
        float around[2] = {times[k], k + 1 < count ? times[k + 1] : clip->duration};
        struct gltf_path path;
        if (!add_rotation(curve, clip->rules, times[k], a, false))
            return false;
        if (k + 1 == played && curve->cut)
            end = ((double)clip->duration - (double)around[0]) / ((double)around[1] - (double)around[0]);
        if (k + 1 == played && after > 0)
            around[1] = (float)((double)times[k] + key_frame_interval(clip, count));
        if (end <= 0 || (end == 1 && k + 1 < played && is_easy(&easy, a, b)))
            continue;
        gltf_path_init(&path, clip->rules, a, b);
        if (!add_way(curve, &path, around, end, tolerance))
            return false;
        if (end == 1 && k + 1 == played && !add_rotation(curve, clip->rules, around[1], b, true))
            return false;
    }
    return true;
}

/* ------------------------------------------------------------------------------------------------ vectors -- */

static void mix(const float *a, const float *b, double fraction, float out[3])
{
    for (unsigned i = 0; i < 3; i++)
        out[i] = (float)((double)a[i] * (1 - fraction) + (double)b[i] * fraction);
}

bool gltf_curve_vectors(struct gltf_curve *curve, const struct pose_clip *clip, const float *times,
                        float *values, uint32_t count)
{
    uint32_t played = count_played(clip, times, count);
    double after = played == count ? share_after_last(clip, times, count) : 0;
    float end[3];
    curve->components = 3;
    curve->times = (float *)times;
    curve->values = values;
    curve->count = curve->capacity = played;
    curve->cut = played < count;
    if (curve->cut) {
        double start = (double)times[played - 1], span = (double)times[played] - start;
        after = ((double)clip->duration - start) / span;
        mix(values + 3 * (size_t)(played - 1), values + 3 * (size_t)played, after, end);
    } else if (after > 0) {
        mix(values + 3 * (size_t)(count - 1), values, after, end);
    }
    if (after <= 0)
        return true;
    /* The arrays after `played` must not be overwritten: makes a copy with room for the end. */
    struct gltf_curve copy = {.arena = curve->arena, .components = 3, .cut = curve->cut};
    for (uint32_t k = 0; k < played; k++) {
        if (!add_key(&copy, times[k], values + 3 * (size_t)k, false))
            return false;
    }
    *curve = copy;
    return add_key(curve, clip->duration, end, true);
}

/* The value of a curve at a time; *at caches the position of the previous lookup. */
static void value_at(const struct gltf_curve *curve, float time, uint32_t *at, float out[3])
{
    while (*at + 1 < curve->count && curve->times[*at + 1] <= time)
        ++*at;
    const float *value = curve->values + 3 * (size_t)*at;
    if (*at + 1 == curve->count || time <= curve->times[*at]) {
        memcpy(out, value, 3 * sizeof *out);
        return;
    }
    double start = (double)curve->times[*at], span = (double)curve->times[*at + 1] - start;
    mix(value, value + 3, ((double)time - start) / span, out);
}

struct product {
    const struct gltf_curve *a, *b;
    uint32_t at_a, at_b;
};

static void multiply(struct product *product, float time, float out[3])
{
    float other[3];
    value_at(product->a, time, &product->at_a, out);
    value_at(product->b, time, &product->at_b, other);
    for (unsigned i = 0; i < 3; i++)
        out[i] *= other[i];
}

/* Two linear factors form a parabola, which deviates from its chord by a quarter of the product of their
 * changes; divided into n pieces, by that over n squared. */
static uint32_t product_pieces(struct product product, const float span[2], float tolerance)
{
    double most = 0;
    float ends[2][2][3];
    for (unsigned i = 0; i < 2; i++) {
        value_at(product.a, span[i], &product.at_a, ends[0][i]);
        value_at(product.b, span[i], &product.at_b, ends[1][i]);
    }
    for (unsigned i = 0; i < 3; i++)
        most = fmax(most, fabs(((double)ends[0][1][i] - (double)ends[0][0][i]) *
                               ((double)ends[1][1][i] - (double)ends[1][0][i])));
    double pieces = ceil(sqrt(most / 4 / (double)tolerance));
    return pieces < 1 ? 1 : pieces < GLTF_MOST_PIECES ? (uint32_t)pieces : GLTF_MOST_PIECES;
}

static float next_time(const struct gltf_curve *curve, uint32_t *at, float after)
{
    while (*at < curve->count && curve->times[*at] <= after)
        ++*at;
    return *at < curve->count ? curve->times[*at] : INFINITY;
}

bool gltf_curve_product(struct gltf_curve *curve, const struct gltf_curve *a, const struct gltf_curve *b,
                        float tolerance)
{
    struct product product = {.a = a, .b = b};
    uint32_t next_a = 0, next_b = 0;
    float value[3], time = fminf(a->times[0], b->times[0]);
    curve->components = 3;
    multiply(&product, time, value);
    if (!add_key(curve, time, value, false))
        return false;
    for (;;) {
        float next = fminf(next_time(a, &next_a, time), next_time(b, &next_b, time));
        if (!isfinite(next))
            return true;
        const float span[2] = {time, next};
        uint32_t pieces = product_pieces(product, span, tolerance);
        for (uint32_t piece = 1; piece <= pieces; piece++) {
            float now = piece < pieces ? time + (next - time) * (float)piece / (float)pieces : next;
            if (now <= curve->times[curve->count - 1])
                continue;
            multiply(&product, now, value);
            if (!add_key(curve, now, value, false))
                return false;
        }
        time = next;
    }
}
