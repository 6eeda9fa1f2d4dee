/*
 * The kernels of sample_avx2.c in plain C, with the same floats to the last bit: what a processor with AVX2 computes is
 * what WebAssembly computes, which has neither lanes of eight nor a fused multiply-add.
 */
#include "lib/sample/sampler.h"

#include <math.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------------- numbers -- */

/* A sum that lies half-way between floats may be there by rounding only. Where it was rounded, its last bit is made odd:
 * then it rounds to a float as the exact sum does. */
static float round_odd(double product, double addend, double sum)
{
    const double back = sum - product, error = (product - (sum - back)) + (addend - back);
    uint64_t bits;
    memcpy(&bits, &sum, sizeof bits);
    if (error != 0 && !(bits & 1))
        bits += (error > 0) == (sum > 0) ? 1 : UINT64_MAX;
    memcpy(&sum, &bits, sizeof sum);
    return (float)sum;
}

/* a b + c, rounded once. The product of two floats is exact in double precision, so only the sum is rounded twice. */
static inline float fused(float a, float b, float c)
{
    const double product = (double)a * (double)b, sum = product + (double)c;
    uint64_t bits;
    memcpy(&bits, &sum, sizeof bits);
    /* Half-way between floats, and below their normal range, where half-way is elsewhere. */
    if ((bits & 0x1fffffff) == 0x10000000 || (bits << 1) - 1 < (UINT64_C(0x3810000000000000) << 1) - 1)
        return round_odd(product, (double)c, sum);
    return (float)sum;
}

/* The polynomials of sample_avx2.c. */
static float arc_cosine(float x)
{
    static const float factors[] = {-0.00121173775f, 0.00649152137f, -0.0168410521f, 0.0307221226f,
                                    -0.0501143038f,  0.0889688507f,  -0.214598149f,  1.57079625f};
    float size = fabsf(x), sum = factors[0], under = 1 - size;
    for (unsigned i = 1; i < sizeof factors / sizeof *factors; i++)
        sum = fused(sum, size, factors[i]);
    under = under > 0 ? under : 0;
    float angle = sum * sqrtf(under);
    return signbit(x) ? 3.14159265f - angle : angle;
}

/* Of 0 ... pi. */
static float sine(float x)
{
    static const float factors[] = {2.60510774e-06f, -0.000198090172f, 0.00833304971f, -0.166666582f, 1};
    float other = 3.14159265f - x;
    x = x < other ? x : other;
    float square = x * x, sum = factors[0];
    for (unsigned i = 1; i < sizeof factors / sizeof *factors; i++)
        sum = fused(sum, square, factors[i]);
    return sum * x;
}

static inline float dot(const float a[4], const float b[4])
{
    float sum = a[0] * b[0];
    for (unsigned i = 1; i < 4; i++)
        sum = fused(a[i], b[i], sum);
    return sum;
}

/* ------------------------------------------------------------------------------------------------- weights -- */

struct weights {
    float from, to;
};

static inline struct weights linear(float fraction)
{
    return (struct weights){1 - fraction, fraction};
}

static struct weights bend(float cosine, float fraction)
{
    float angle = arc_cosine(cosine), to = angle * fraction;
    return (struct weights){sine(angle - to), sine(to)};
}

/* The second key on the shorter side: its weight gets the sign of the cosine. */
static inline struct weights shorten(struct weights weights, float cosine)
{
    weights.to = signbit(cosine) ? -weights.to : weights.to;
    return weights;
}

static inline struct weights sims_weights(float cosine, float fraction)
{
    return shorten(linear(fraction), cosine);
}

static inline struct weights sl_weights(float cosine, float fraction)
{
    bool apart = cosine < 0 && -cosine < 1 - 1e-5f;
    return shorten(apart ? bend(-cosine, fraction) : linear(fraction), cosine);
}

static inline struct weights plain_weights(float cosine, float fraction)
{
    float size = fabsf(cosine);
    return shorten(size <= 0.9995f ? bend(size, fraction) : linear(fraction), cosine);
}

static inline struct weights prime_weights(float cosine, float fraction)
{
    fraction = fraction <= 1e-5f ? 0 : fraction >= 0.99999f ? 1 : fraction;
    return cosine <= 0.95f ? bend(cosine, fraction) : linear(fraction);
}

/* ------------------------------------------------------------------------------------------------- kernels -- */

static inline void load(const float *from, float q[4])
{
    for (unsigned i = 0; i < 4; i++)
        q[i] = from[i * LANES];
}

static inline float weigh(struct weights weights, float a, float b)
{
    return fused(weights.from, a, weights.to * b);
}

static inline void blend(struct weights weights, const float a[4], const float b[4], float *out)
{
    float q[4];
    for (unsigned i = 0; i < 4; i++)
        q[i] = weigh(weights, a[i], b[i]);
    float scale = 1 / sqrtf(dot(q, q));
    for (unsigned i = 0; i < 4; i++)
        out[i] = q[i] * scale;
}

#define ROTATION_KERNEL(name, rule)                                                                          \
    static void name(uint32_t blocks, const float *from, const float *to, const double fractions[LANES],     \
                     const uint32_t *places, float *rows)                                                    \
    {                                                                                                        \
        for (; blocks; blocks--, from += 4 * LANES, to += 4 * LANES, places += LANES) {                      \
            for (unsigned lane = 0; lane < LANES; lane++) {                                                  \
                float a[4], b[4];                                                                            \
                load(from + lane, a);                                                                        \
                load(to + lane, b);                                                                          \
                blend(rule(dot(a, b), (float)fractions[lane]), a, b, rows + places[lane]);                   \
            }                                                                                                \
        }                                                                                                    \
    }

ROTATION_KERNEL(rotate_sims, sims_weights)
ROTATION_KERNEL(rotate_sl, sl_weights)
ROTATION_KERNEL(rotate_plain, plain_weights)
ROTATION_KERNEL(rotate_prime_near, prime_weights)

/* As there, a block with an arc of nearly half a turn is computed in double precision, all eight lanes of it. */
#define MAX_COSINE -0.8f

static void rotate_prime(uint32_t blocks, const float *from, const float *to, const double fractions[LANES],
                         const uint32_t *places, float *rows)
{
    lane_kernel *far = sample_kernels_scalar(POSE_RULES_PRIME).rotations;
    for (; blocks; blocks--, from += 4 * LANES, to += 4 * LANES, places += LANES) {
        bool is_far = false;
        for (unsigned lane = 0; lane < LANES; lane++) {
            float a[4], b[4];
            load(from + lane, a);
            load(to + lane, b);
            is_far |= dot(a, b) < MAX_COSINE;
        }
        (is_far ? far : rotate_prime_near)(1, from, to, fractions, places, rows);
    }
}

static void blend_vectors(uint32_t blocks, const float *from, const float *to, const double fractions[LANES],
                          const uint32_t *places, float *rows)
{
    for (; blocks; blocks--, from += 3 * LANES, to += 3 * LANES, places += LANES) {
        for (unsigned lane = 0; lane < LANES; lane++) {
            struct weights weights = linear((float)fractions[lane]);
            for (unsigned i = 0; i < 3; i++)
                rows[places[lane] + i] = weigh(weights, from[i * LANES + lane], to[i * LANES + lane]);
        }
    }
}

struct sample_kernels sample_kernels_single(enum pose_rules rules)
{
    static lane_kernel *const rotations[] = {
        [POSE_RULES_PLAIN] = rotate_plain, [POSE_RULES_SL] = rotate_sl,
        [POSE_RULES_SIMS] = rotate_sims,   [POSE_RULES_SIMS3] = rotate_plain,
        [POSE_RULES_PRIME] = rotate_prime, [POSE_RULES_PRIME_FRAMES] = rotate_prime,
    };
    return (struct sample_kernels){rotations[rules], blend_vectors};
}

struct sample_kernels sample_kernels_here(enum pose_rules rules)
{
    struct sample_kernels kernels;
    if (sample_kernels_avx2(rules, &kernels))
        return kernels;
#ifdef __wasm__
    return sample_kernels_single(rules);
#else
    return sample_kernels_scalar(rules);
#endif
}
