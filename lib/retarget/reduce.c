/* Drops keys of a channel that the engine's interpolation reproduces. */
#include "lib/retarget/motion.h"
#include "lib/sample/curve.h"

#include <string.h>

struct thinning {
    const struct sample_kernels *kernels;
    enum pose_part part;
    uint32_t components;
    const float *times, *values;
    double tolerance;
};

/* Whether interpolating between two samples reproduces all those between them. */
static bool spans(const struct thinning *t, uint32_t from, uint32_t to)
{
    const float *a = t->values + (size_t)from * t->components, *b = t->values + (size_t)to * t->components;
    double length = (double)t->times[to] - (double)t->times[from];
    for (uint32_t start = from + 1; start < to; start += LANES) {
        double fractions[LANES];
        float got[LANES * 4];
        uint32_t count = to - start < LANES ? to - start : LANES;
        for (uint32_t i = 0; i < count; i++)
            fractions[i] = ((double)t->times[start + i] - (double)t->times[from]) / length;
        curve_blend(t->kernels, t->part, a, b, fractions, count, got);
        for (uint32_t i = 0; i < count; i++) {
            const float *wanted = t->values + (size_t)(start + i) * t->components;
            if (!(curve_distance(t->part, wanted, got + (size_t)i * t->components) <= t->tolerance))
                return false;
        }
    }
    return true;
}

/* The farthest sample that a span can reach, by exponential and binary search, so a constant channel is cheap. */
static uint32_t farthest(const struct thinning *t, uint32_t from, uint32_t count)
{
    uint32_t good = from + 1, step = 1, bad = count;
    while (good + step < count && spans(t, from, good + step)) {
        good += step;
        step *= 2;
    }
    if (good + step < count)
        bad = good + step;
    else if (good < count - 1 && spans(t, from, count - 1))
        return count - 1;
    else if (good < count - 1)
        bad = count - 1;
    while (good + 1 < bad) {
        uint32_t middle = good + (bad - good) / 2;
        if (spans(t, from, middle))
            good = middle;
        else
            bad = middle;
    }
    return good;
}

uint32_t reduce_keys(const struct sample_kernels *kernels, enum pose_part part, const float *times,
                     const float *values, uint32_t count, double tolerance, bool *kept)
{
    const struct thinning t = {kernels, part, part == POSE_ROTATION ? 4 : 3, times, values, tolerance};
    uint32_t left = 1;
    memset(kept, 0, count * sizeof *kept);
    kept[0] = true;
    for (uint32_t at = 0; at + 1 < count; left++) {
        at = tolerance > 0 ? farthest(&t, at, count) : at + 1;
        kept[at] = true;
    }
    /* A constant channel has one key. */
    const float *last = values + (size_t)(count - 1) * t.components;
    if (left == 2 && tolerance > 0 && curve_distance(part, values, last) <= tolerance) {
        kept[count - 1] = false;
        left = 1;
    }
    return left;
}
