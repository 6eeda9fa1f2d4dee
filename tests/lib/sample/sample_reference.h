/*
 * What a pose must be, written down a second time straight from the formats' specs: no compilation, no search, all in
 * double precision. Shared by the tests of sampling.
 */
#ifndef TESTS_LIB_MODEL_SAMPLE_REFERENCE_H
#define TESTS_LIB_MODEL_SAMPLE_REFERENCE_H

#include "pose.h"

#include <math.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------------- clocks -- */

/* Second Life's loop clock, in single precision. */
static double reference_sl_time(const struct pose_clip *clip, double t)
{
    float in = clip->loop == POSE_LOOP_YES ? clip->loop_in : 0;
    float out = clip->loop == POSE_LOOP_YES ? clip->loop_out : clip->duration;
    float time = (float)t;
    if (clip->duration == 0 || time < 0)
        return clip->duration == 0 || out >= 0 ? 0
                                               : (double)(out == in ? out : in + fmodf(0 - out, out - in));
    if (time <= out)
        return (double)time;
    return out == in ? (double)out : (double)(in + fmodf(time - out, out - in));
}

static double reference_time(const struct pose_clip *clip, double t, enum pose_wrap wrap)
{
    double duration = (double)clip->duration;
    if (wrap == POSE_CLAMP)
        return t < 0 ? 0 : t > duration ? duration : t;
    if (clip->rules == POSE_RULES_SL)
        return reference_sl_time(clip, t);
    return duration > 0 ? t - floor(t / duration) * duration : 0;
}

/* ------------------------------------------------------------------------------------------ between two keys -- */

struct reference_keys {
    uint32_t from, to;
    double u;
};

static struct reference_keys reference_keyed(const struct pose_channel *channel, double time)
{
    uint32_t last = channel->count - 1;
    if (time < (double)channel->times[0])
        return (struct reference_keys){0, 0, 0};
    if (time >= (double)channel->times[last])
        return (struct reference_keys){last, last, 0};
    uint32_t k = 0;
    while ((double)channel->times[k + 1] <= time)
        k++;
    double from = (double)channel->times[k], to = (double)channel->times[k + 1];
    return (struct reference_keys){k, k + 1, (time - from) / (to - from)};
}

static struct reference_keys reference_sims(const struct pose_clip *clip, uint32_t count, double t,
                                            enum pose_wrap wrap)
{
    double n = (double)count, duration = (double)clip->duration;
    if (duration == 0)
        return (struct reference_keys){0, 0, 0};
    double u = t / duration * n;
    if (wrap == POSE_CLAMP) {
        u = u < 0 ? 0 : u > n - 1 ? n - 1 : u;
        uint32_t k = (uint32_t)u;
        return (struct reference_keys){k, k + 1 < count ? k + 1 : count - 1, u - k};
    }
    u -= floor(u / n) * n;
    uint32_t k = (uint32_t)u % count;
    return (struct reference_keys){k, (k + 1) % count, u - floor(u)};
}

static struct reference_keys reference_frames(uint32_t count, double interval, double time)
{
    double i = floor(time / interval);
    uint32_t k = i > (double)(count - 1) ? count - 1 : (uint32_t)i;
    double past = time - k * interval, u = past / interval;
    u = fabs(past) < 1e-5 ? 0 : u < 0 ? 0 : u > 1 ? 1 : u;
    return (struct reference_keys){k, k + 1 < count ? k + 1 : 0, u};
}

static struct reference_keys reference_find(const struct pose_clip *clip, const struct pose_channel *channel,
                                            double t, enum pose_wrap wrap)
{
    if (clip->rules == POSE_RULES_SIMS)
        return reference_sims(clip, channel->count, t, wrap);
    double time = reference_time(clip, t, wrap);
    if (clip->rules == POSE_RULES_PRIME_FRAMES)
        return reference_frames(channel->count, 1 / (double)clip->fps, time);
    return reference_keyed(channel, time);
}

/* ------------------------------------------------------------------------------------------------ blending -- */

static double reference_dot(const double a[4], const double b[4])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
}

static void reference_sum(const double a[4], double wa, const double b[4], double wb, double out[4])
{
    for (int i = 0; i < 4; i++)
        out[i] = a[i] * wa + b[i] * wb;
    double length = sqrt(reference_dot(out, out));
    for (int i = 0; i < 4; i++)
        out[i] /= length;
}

static void reference_slerp(const double a[4], const double b[4], double u, double out[4])
{
    double w = acos(reference_dot(a, b));
    reference_sum(a, sin(w * (1 - u)) / sin(w), b, sin(w * u) / sin(w), out);
}

static void reference_prime(const double a[4], const double b[4], double u, double out[4])
{
    double d = reference_dot(a, b);
    if (u <= 1e-5 || d >= 1)
        memcpy(out, a, 4 * sizeof *out);
    else if (u >= 0.99999)
        memcpy(out, b, 4 * sizeof *out);
    else if (d > 0.95)
        reference_sum(a, 1 - u, b, u, out);
    else if (d > -1)
        reference_slerp(a, b, u, out);
    else
        memcpy(out, u < 0.5 ? a : b, 4 * sizeof *out);
}

static void reference_rotation(enum pose_rules rules, const double a[4], const double b[4], double u,
                               double out[4])
{
    double d = reference_dot(a, b);
    double turned[4] = {-b[0], -b[1], -b[2], -b[3]};
    const double *near = d < 0 ? turned : b;
    switch (rules) {
    case POSE_RULES_PRIME:
    case POSE_RULES_PRIME_FRAMES:
        reference_prime(a, b, u, out);
        break;
    case POSE_RULES_SIMS:
        reference_sum(a, 1 - u, near, u, out);
        break;
    case POSE_RULES_SL:
        if (d >= 0 || -d > 1 - 1e-5)
            reference_sum(a, 1 - u, near, u, out);
        else
            reference_slerp(a, near, u, out);
        break;
    default:
        if (fabs(d) > 0.9995)
            reference_sum(a, 1 - u, near, u, out);
        else
            reference_slerp(a, near, u, out);
    }
}

/* A key of a rotation: unit length but for The Sims, where a zero alone is the identity. */
static void reference_key(enum pose_rules rules, const float *value, double out[4])
{
    double length = 0;
    for (int i = 0; i < 4; i++) {
        out[i] = (double)value[i];
        length += out[i] * out[i];
    }
    length = sqrt(length);
    for (int i = 0; i < 4; i++)
        out[i] = length == 0 ? i == 3 : rules == POSE_RULES_SIMS ? out[i] : out[i] / length;
}

/* A channel at t, native. out: 4 numbers of a rotation, 3 of a vector, 1 of a morph. */
static void reference_channel(const struct pose_clip *clip, enum pose_part part,
                              const struct pose_channel *channel, double t, enum pose_wrap wrap, double *out)
{
    struct reference_keys keys = reference_find(clip, channel, t, wrap);
    if (part == POSE_ROTATION) {
        double a[4], b[4], unit[4] = {0};
        reference_key(clip->rules, channel->values + 4 * keys.from, a);
        reference_key(clip->rules, channel->values + 4 * keys.to, b);
        reference_rotation(clip->rules, a, b, keys.u, out);
        reference_sum(out, 1, unit, 0, out);
        return;
    }
    uint32_t components = part == POSE_MORPH ? 1 : 3;
    for (uint32_t i = 0; i < components; i++)
        out[i] = (double)channel->values[components * keys.from + i] * (1 - keys.u) +
                 (double)channel->values[components * keys.to + i] * keys.u;
}

/* From native to glTF's axes, as the specs have it. */
static void reference_to_gltf(enum pose_axes axes, enum pose_part part, double *v)
{
    double x = v[0], y = v[1], z = v[2];
    double unit = axes == POSE_AXES_SIMS && part == POSE_TRANSLATION ? 0.3048 : 1;
    double mirror = part == POSE_SCALE ? 1 : -1;
    if (axes == POSE_AXES_SL)
        v[0] = y, v[1] = z, v[2] = x;
    else if (axes == POSE_AXES_SIMS)
        v[0] = mirror * x * unit, v[1] = y * unit, v[2] = z * unit;
    else if (axes == POSE_AXES_PRIME)
        v[0] = mirror * x, v[1] = z, v[2] = y;
}

#endif
