#include "lib/formats/sl/curve.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

/* The defaults of sl-anim.md, 7. */
#define POSITION_TOLERANCE 0.0005
#define ROTATION_TOLERANCE 8.726646e-4 /* 0.05 degrees */

static double distance(const double *a, const float *b, int components, double sign)
{
    double square = 0;
    for (int i = 0; i < components; i++) {
        double d = a[i] - sign * (double)b[i];
        square += d * d;
    }
    return sqrt(square);
}

static bool is_near(const struct sl_curve *curve, const double *value, uint32_t key)
{
    double tolerance = curve->tolerance > 0 ? curve->tolerance
                       : curve->is_rotation ? ROTATION_TOLERANCE
                                            : POSITION_TOLERANCE;
    if (!curve->is_rotation)
        return distance(value, curve->values + (size_t)key * 3, 3, 1) <= tolerance;
    /* The angle between two unit quaternions is half that of the rotations. */
    const float *q = curve->values + (size_t)key * 4;
    return distance(value, q, 4, 1) <= tolerance / 2 || distance(value, q, 4, -1) <= tolerance / 2;
}

/* The weights of two rotations at u, as the viewer computes them; the weighted sum need not have unit length. */
static void rotation_weights(double dot, double u, double *a, double *b)
{
    *a = 1 - u;
    *b = u;
    if (dot >= 0)
        return;
    if (dot > -1 + 1e-5) {
        double angle = acos(-dot), sine = sin(angle);
        *a = sin((1 - u) * angle) / sine;
        *b = sin(u * angle) / sine;
    }
    *a = -*a;
}

static void interpolate(const struct sl_curve *curve, uint32_t from, uint32_t to, double u, double *value)
{
    int components = curve->is_rotation ? 4 : 3;
    const float *p = curve->values + (size_t)from * (size_t)components,
                *q = curve->values + (size_t)to * (size_t)components;
    double a = 1 - u, b = u, dot = 0, square = 0;
    for (int i = 0; i < components; i++)
        dot += (double)p[i] * (double)q[i];
    if (curve->is_rotation)
        rotation_weights(dot, u, &a, &b);
    for (int i = 0; i < components; i++) {
        value[i] = a * (double)p[i] + b * (double)q[i];
        square += value[i] * value[i];
    }
    if (!curve->is_rotation || !(square > 0))
        return;
    for (int i = 0; i < components; i++)
        value[i] /= sqrt(square);
}

/* The value at t, between key and the next one; constant before the first key and after the last. */
static void value_at(const struct sl_curve *curve, uint32_t key, float t, float *value)
{
    uint32_t components = curve->is_rotation ? 4 : 3;
    double wide[4], begin = (double)curve->times[key];
    if (key + 1 == curve->count || t <= curve->times[key]) {
        memcpy(value, curve->values + (size_t)key * components, components * sizeof *value);
        return;
    }
    interpolate(curve, key, key + 1, ((double)t - begin) / ((double)curve->times[key + 1] - begin), wide);
    for (uint32_t i = 0; i < components; i++)
        value[i] = (float)wide[i];
}

/* The last key at or before t, or the first one if there is none. */
static uint32_t key_before(const struct sl_curve *curve, float t)
{
    uint32_t key = 0;
    while (key + 1 < curve->count && curve->times[key + 1] <= t)
        key++;
    return key;
}

uint32_t sl_curve_cut(const struct sl_curve *curve, float duration, float *times, float *values)
{
    uint32_t components = curve->is_rotation ? 4 : 3, first = key_before(curve, 0);
    uint32_t last = key_before(curve, duration), end = curve->count - 1;
    float start_value[4], end_value[4];
    value_at(curve, first, 0, start_value);
    value_at(curve, last, duration, end_value);
    if (duration <= 0 || times[end] <= 0 || times[0] >= duration) {
        times[0] = 0;
        memcpy(values, start_value, components * sizeof *values);
        return 1;
    }
    if (times[end] > duration && times[last] < duration)
        last++;
    if (times[last] >= duration) {
        times[last] = duration;
        memcpy(values + (size_t)last * components, end_value, components * sizeof *values);
    }
    if (times[first] <= 0) {
        times[first] = 0;
        memcpy(values + (size_t)first * components, start_value, components * sizeof *values);
    }
    uint32_t kept = last - first + 1;
    memmove(times, times + first, kept * sizeof *times);
    memmove(values, values + (size_t)first * components, (size_t)kept * components * sizeof *values);
    return kept;
}

/* Whether all keys between the two are restored by interpolation. */
static bool span_holds(const struct sl_curve *curve, uint32_t from, uint32_t to)
{
    double begin = (double)curve->times[from], length = (double)curve->times[to] - begin;
    for (uint32_t k = from + 1; k < to; k++) {
        double value[4];
        interpolate(curve, from, to, ((double)curve->times[k] - begin) / length, value);
        if (!is_near(curve, value, k))
            return false;
    }
    return true;
}

/* The furthest end of a valid span, as far as doubling and bisection find it. */
static uint32_t find_end(const struct sl_curve *curve, uint32_t from)
{
    uint32_t last = curve->count - 1, good = from + 1, step = 1;
    while (good < last) {
        uint32_t next = last - good < step ? last : good + step;
        if (!span_holds(curve, from, next))
            break;
        good = next;
        step *= 2;
    }
    for (step /= 2; step; step /= 2) {
        if (last - good >= step && span_holds(curve, from, good + step))
            good += step;
    }
    return good;
}

bool sl_curve_is_constant(const struct sl_curve *curve)
{
    double first[4];
    for (int i = 0; i < (curve->is_rotation ? 4 : 3); i++)
        first[i] = (double)curve->values[i];
    for (uint32_t k = 1; k < curve->count; k++) {
        if (!is_near(curve, first, k))
            return false;
    }
    return true;
}

uint32_t sl_curve_reduce(const struct sl_curve *curve, uint32_t *kept)
{
    uint32_t count = 0;
    for (uint32_t at = 0; at < curve->count; at = at + 1 < curve->count ? find_end(curve, at) : curve->count)
        kept[count++] = at;
    return count;
}
