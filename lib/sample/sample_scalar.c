/*
 * The kernels in double precision. A rotation is blended by the weights of its rule, on the shorter arc if the rule
 * says so, and always normalised (sl-anim.md, 4; tso-anim.md, 2.4; sims3-clip.md, 4; prime-anim.md, 2.5).
 */
#include "lib/sample/sampler.h"
#include "lib/core/numbers/angles.h"

#include <math.h>

struct weights {
    double from, to;
};

static struct weights linear(double fraction)
{
    return (struct weights){1 - fraction, fraction};
}

/* On the great circle, up to a common factor. cosine: -1 < ... < 1. */
static struct weights spherical(double cosine, double fraction)
{
    double angle = angle_arc_cosine(cosine);
    return (struct weights){angle_sine(angle * (1 - fraction)), angle_sine(angle * fraction)};
}

static struct weights sims_weights(double cosine, double fraction)
{
    struct weights weights = linear(fraction);
    weights.to = cosine < 0 ? -weights.to : weights.to;
    return weights;
}

/* Spherical only where the second key lies on the other side. */
static struct weights sl_weights(double cosine, double fraction)
{
    if (cosine >= 0)
        return linear(fraction);
    struct weights weights = 1 + cosine < 1e-5 ? linear(fraction) : spherical(-cosine, fraction);
    weights.to = -weights.to;
    return weights;
}

static struct weights plain_weights(double cosine, double fraction)
{
    double size = fabs(cosine);
    struct weights weights = size > 0.9995 ? linear(fraction) : spherical(size, fraction);
    weights.to = cosine < 0 ? -weights.to : weights.to;
    return weights;
}

/* Never negates a key, however long the arc. The game holds the first key if the cosine is 1 or more; as keys
 * have unit length up to rounding, linear weights give the same there. */
static struct weights prime_weights(double cosine, double fraction)
{
    if (fraction <= 1e-5)
        return linear(0);
    if (fraction >= 0.99999)
        return linear(1);
    if (cosine > 0.95)
        return linear(fraction);
    if (cosine <= -1)
        return linear(fraction < 0.5 ? 0 : 1);
    return spherical(cosine, fraction);
}

/* One lane: components lie LANES apart. */
static inline void blend_rotation(const float *from, const float *to, double fraction,
                                  struct weights (*rule)(double, double), float *out)
{
    double a[4], b[4], sum[4], cosine = 0, square = 0;
    for (unsigned i = 0; i < 4; i++) {
        a[i] = (double)from[i * LANES];
        b[i] = (double)to[i * LANES];
        cosine += a[i] * b[i];
    }
    struct weights weights = rule(cosine, fraction);
    for (unsigned i = 0; i < 4; i++) {
        sum[i] = weights.from * a[i] + weights.to * b[i];
        square += sum[i] * sum[i];
    }
    /* Undefined half-way between opposite keys: use the second one. */
    const double *result = square > 1e-20 ? sum : b;
    double scale = 1 / sqrt(square > 1e-20 ? square : b[0] * b[0] + b[1] * b[1] + b[2] * b[2] + b[3] * b[3]);
    for (unsigned i = 0; i < 4; i++)
        out[i] = (float)(result[i] * scale);
}

static inline void blend_rotations(uint32_t blocks, const float *from, const float *to,
                                   const double *fractions, const uint32_t *places,
                                   struct weights (*rule)(double, double), float *rows)
{
    for (uint32_t block = 0; block < blocks; block++) {
        const float *a = from + (size_t)block * 4 * LANES, *b = to + (size_t)block * 4 * LANES;
        for (unsigned lane = 0; lane < LANES; lane++)
            blend_rotation(a + lane, b + lane, fractions[lane], rule, rows + places[block * LANES + lane]);
    }
}

#define ROTATION_KERNEL(name, rule)                                                                          \
    static void name(uint32_t blocks, const float *from, const float *to, const double fractions[LANES],     \
                     const uint32_t *places, float *rows)                                                    \
    {                                                                                                        \
        blend_rotations(blocks, from, to, fractions, places, rule, rows);                                    \
    }

ROTATION_KERNEL(rotate_sims, sims_weights)
ROTATION_KERNEL(rotate_sl, sl_weights)
ROTATION_KERNEL(rotate_plain, plain_weights)
ROTATION_KERNEL(rotate_prime, prime_weights)

static void blend_vectors(uint32_t blocks, const float *from, const float *to, const double fractions[LANES],
                          const uint32_t *places, float *rows)
{
    for (uint32_t block = 0; block < blocks; block++, from += 3 * LANES, to += 3 * LANES) {
        for (unsigned lane = 0; lane < LANES; lane++) {
            float *out = rows + places[block * LANES + lane];
            for (unsigned i = 0; i < 3; i++) {
                double a = (double)from[i * LANES + lane], b = (double)to[i * LANES + lane];
                out[i] = (float)(a * (1 - fractions[lane]) + b * fractions[lane]);
            }
        }
    }
}

struct sample_kernels sample_kernels_scalar(enum pose_rules rules)
{
    static lane_kernel *const rotations[] = {
        [POSE_RULES_PLAIN] = rotate_plain, [POSE_RULES_SL] = rotate_sl,
        [POSE_RULES_SIMS] = rotate_sims,   [POSE_RULES_SIMS3] = rotate_plain,
        [POSE_RULES_PRIME] = rotate_prime, [POSE_RULES_PRIME_FRAMES] = rotate_prime,
    };
    return (struct sample_kernels){rotations[rules], blend_vectors};
}
