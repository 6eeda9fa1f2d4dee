/*
 * The kernels of sample_scalar.c with AVX2, eight lanes at once, in single precision: equal within 1e-6. Weights
 * are not divided by the sine of the whole angle, since results are normalised anyway.
 */
#include "lib/sample/sampler.h"

#if defined(__x86_64__) && defined(__GNUC__)

#include <immintrin.h>

#define AVX2 __attribute__((target("avx2,fma")))
#define AVX2_INLINE __attribute__((target("avx2,fma"), always_inline)) static inline

struct quaternions {
    __m256 x, y, z, w;
};

struct weight_lanes {
    __m256 from, to;
};

/* ------------------------------------------------------------------------------------------------- numbers -- */

/*
 * Both polynomials interpolate at Chebyshev nodes, coefficients rounded to single precision: the arc cosine of 0
 * ... 1 is sqrt(1 - x) times the first, within 8e-8; the sine of 0 ... pi/2 is x times the second in x^2, within
 * 2e-8.
 */
AVX2_INLINE __m256 arc_cosine(__m256 x)
{
    static const float factors[] = {-0.00121173775f, 0.00649152137f, -0.0168410521f, 0.0307221226f,
                                    -0.0501143038f,  0.0889688507f,  -0.214598149f,  1.57079625f};
    __m256 size = _mm256_andnot_ps(_mm256_set1_ps(-0.0f), x);
    __m256 sum = _mm256_set1_ps(factors[0]);
    for (unsigned i = 1; i < sizeof factors / sizeof *factors; i++)
        sum = _mm256_fmadd_ps(sum, size, _mm256_set1_ps(factors[i]));
    __m256 under = _mm256_max_ps(_mm256_sub_ps(_mm256_set1_ps(1), size), _mm256_setzero_ps());
    __m256 angle = _mm256_mul_ps(sum, _mm256_sqrt_ps(under));
    return _mm256_blendv_ps(angle, _mm256_sub_ps(_mm256_set1_ps(3.14159265f), angle), x);
}

/* Of 0 ... pi. */
AVX2_INLINE __m256 sine(__m256 x)
{
    static const float factors[] = {2.60510774e-06f, -0.000198090172f, 0.00833304971f, -0.166666582f, 1};
    x = _mm256_min_ps(x, _mm256_sub_ps(_mm256_set1_ps(3.14159265f), x));
    __m256 square = _mm256_mul_ps(x, x), sum = _mm256_set1_ps(factors[0]);
    for (unsigned i = 1; i < sizeof factors / sizeof *factors; i++)
        sum = _mm256_fmadd_ps(sum, square, _mm256_set1_ps(factors[i]));
    return _mm256_mul_ps(sum, x);
}

AVX2_INLINE __m256 dot(struct quaternions a, struct quaternions b)
{
    __m256 sum = _mm256_mul_ps(a.x, b.x);
    sum = _mm256_fmadd_ps(a.y, b.y, sum);
    sum = _mm256_fmadd_ps(a.z, b.z, sum);
    return _mm256_fmadd_ps(a.w, b.w, sum);
}

/* ------------------------------------------------------------------------------------------------- weights -- */

AVX2_INLINE struct weight_lanes linear(__m256 fraction)
{
    return (struct weight_lanes){_mm256_sub_ps(_mm256_set1_ps(1), fraction), fraction};
}

/* Spherical weights in the lanes of a mask; other lanes are unchanged. Most poses have no such lane. */
AVX2_INLINE struct weight_lanes bend(struct weight_lanes weights, __m256 mask, __m256 cosine, __m256 fraction)
{
    if (_mm256_testz_ps(mask, mask))
        return weights;
    __m256 angle = arc_cosine(cosine), to = _mm256_mul_ps(angle, fraction);
    weights.from = _mm256_blendv_ps(weights.from, sine(_mm256_sub_ps(angle, to)), mask);
    weights.to = _mm256_blendv_ps(weights.to, sine(to), mask);
    return weights;
}

/* The second key on the shorter side: its weight gets the sign of the cosine. */
AVX2_INLINE struct weight_lanes shorten(struct weight_lanes weights, __m256 cosine)
{
    __m256 sign = _mm256_and_ps(cosine, _mm256_set1_ps(-0.0f));
    return (struct weight_lanes){weights.from, _mm256_xor_ps(weights.to, sign)};
}

AVX2_INLINE struct weight_lanes sims_weights(__m256 cosine, __m256 fraction)
{
    return shorten(linear(fraction), cosine);
}

AVX2_INLINE struct weight_lanes sl_weights(__m256 cosine, __m256 fraction)
{
    __m256 opposite = _mm256_xor_ps(cosine, _mm256_set1_ps(-0.0f));
    __m256 apart = _mm256_and_ps(_mm256_cmp_ps(cosine, _mm256_setzero_ps(), _CMP_LT_OQ),
                                 _mm256_cmp_ps(opposite, _mm256_set1_ps(1 - 1e-5f), _CMP_LT_OQ));
    return shorten(bend(linear(fraction), apart, opposite, fraction), cosine);
}

AVX2_INLINE struct weight_lanes plain_weights(__m256 cosine, __m256 fraction)
{
    __m256 size = _mm256_andnot_ps(_mm256_set1_ps(-0.0f), cosine);
    __m256 apart = _mm256_cmp_ps(size, _mm256_set1_ps(0.9995f), _CMP_LE_OQ);
    return shorten(bend(linear(fraction), apart, size, fraction), cosine);
}

/* The last hundred-thousandth at either end is the key itself. */
AVX2_INLINE struct weight_lanes prime_weights(__m256 cosine, __m256 fraction)
{
    __m256 near_from = _mm256_cmp_ps(fraction, _mm256_set1_ps(1e-5f), _CMP_LE_OQ);
    __m256 near_to = _mm256_cmp_ps(fraction, _mm256_set1_ps(0.99999f), _CMP_GE_OQ);
    fraction = _mm256_andnot_ps(near_from, _mm256_blendv_ps(fraction, _mm256_set1_ps(1), near_to));
    __m256 apart = _mm256_cmp_ps(cosine, _mm256_set1_ps(0.95f), _CMP_LE_OQ);
    return bend(linear(fraction), apart, cosine, fraction);
}

/* ------------------------------------------------------------------------------------------------ in and out -- */

AVX2_INLINE struct quaternions load_quaternions(const float *from)
{
    return (struct quaternions){_mm256_loadu_ps(from), _mm256_loadu_ps(from + 8), _mm256_loadu_ps(from + 16),
                                _mm256_loadu_ps(from + 24)};
}

AVX2_INLINE __m256 load_fractions(const double *fractions)
{
    __m128 low = _mm256_cvtpd_ps(_mm256_loadu_pd(fractions));
    __m128 high = _mm256_cvtpd_ps(_mm256_loadu_pd(fractions + 4));
    return _mm256_set_m128(high, low);
}

/* From components to results: lanes 0 and 4, 1 and 5, 2 and 6, 3 and 7. */
AVX2_INLINE void transpose(struct quaternions q, __m256 pairs[4])
{
    __m256 low_xy = _mm256_unpacklo_ps(q.x, q.y), high_xy = _mm256_unpackhi_ps(q.x, q.y);
    __m256 low_zw = _mm256_unpacklo_ps(q.z, q.w), high_zw = _mm256_unpackhi_ps(q.z, q.w);
    pairs[0] = _mm256_shuffle_ps(low_xy, low_zw, 0x44);
    pairs[1] = _mm256_shuffle_ps(low_xy, low_zw, 0xee);
    pairs[2] = _mm256_shuffle_ps(high_xy, high_zw, 0x44);
    pairs[3] = _mm256_shuffle_ps(high_xy, high_zw, 0xee);
}

AVX2_INLINE void store_rotations(struct quaternions q, const uint32_t *places, float *rows)
{
    __m256 pairs[4];
    transpose(q, pairs);
    for (unsigned i = 0; i < 4; i++) {
        _mm_storeu_ps(rows + places[i], _mm256_castps256_ps128(pairs[i]));
        _mm_storeu_ps(rows + places[i + 4], _mm256_extractf128_ps(pairs[i], 1));
    }
}

AVX2_INLINE void store_three(float *to, __m128 value)
{
    _mm_storel_pi((__m64 *)(void *)to, value);
    _mm_store_ss(to + 2, _mm_movehl_ps(value, value));
}

AVX2_INLINE void store_vectors(struct quaternions v, const uint32_t *places, float *rows)
{
    __m256 pairs[4];
    transpose(v, pairs);
    for (unsigned i = 0; i < 4; i++) {
        store_three(rows + places[i], _mm256_castps256_ps128(pairs[i]));
        store_three(rows + places[i + 4], _mm256_extractf128_ps(pairs[i], 1));
    }
}

/* ------------------------------------------------------------------------------------------------- kernels -- */

AVX2_INLINE __m256 weigh(struct weight_lanes weights, __m256 a, __m256 b)
{
    return _mm256_fmadd_ps(weights.from, a, _mm256_mul_ps(weights.to, b));
}

AVX2_INLINE struct quaternions blend(struct weight_lanes weights, struct quaternions a, struct quaternions b)
{
    struct quaternions q = {weigh(weights, a.x, b.x), weigh(weights, a.y, b.y), weigh(weights, a.z, b.z),
                            weigh(weights, a.w, b.w)};
    __m256 scale = _mm256_div_ps(_mm256_set1_ps(1), _mm256_sqrt_ps(dot(q, q)));
    return (struct quaternions){_mm256_mul_ps(q.x, scale), _mm256_mul_ps(q.y, scale),
                                _mm256_mul_ps(q.z, scale), _mm256_mul_ps(q.w, scale)};
}

#define ROTATION_KERNEL(name, rule)                                                                          \
    AVX2 static void name(uint32_t blocks, const float *from, const float *to,                               \
                          const double fractions[LANES], const uint32_t *places, float *rows)                \
    {                                                                                                        \
        __m256 fraction = load_fractions(fractions);                                                         \
        for (; blocks; blocks--, from += 4 * LANES, to += 4 * LANES, places += LANES) {                      \
            struct quaternions a = load_quaternions(from), b = load_quaternions(to);                         \
            store_rotations(blend(rule(dot(a, b), fraction), a, b), places, rows);                           \
        }                                                                                                    \
    }

ROTATION_KERNEL(rotate_sims, sims_weights)
ROTATION_KERNEL(rotate_sl, sl_weights)
ROTATION_KERNEL(rotate_plain, plain_weights)

/* Single precision is not enough for arcs of nearly half a turn (of the quaternion), which occur with Prime's
 * rule only. */
#define MAX_COSINE -0.8f

AVX2 static void rotate_prime(uint32_t blocks, const float *from, const float *to,
                              const double fractions[LANES], const uint32_t *places, float *rows)
{
    __m256 fraction = load_fractions(fractions);
    for (; blocks; blocks--, from += 4 * LANES, to += 4 * LANES, places += LANES) {
        struct quaternions a = load_quaternions(from), b = load_quaternions(to);
        __m256 cosine = dot(a, b);
        if (_mm256_movemask_ps(_mm256_cmp_ps(cosine, _mm256_set1_ps(MAX_COSINE), _CMP_LT_OQ)))
            sample_kernels_scalar(POSE_RULES_PRIME).rotations(1, from, to, fractions, places, rows);
        else
            store_rotations(blend(prime_weights(cosine, fraction), a, b), places, rows);
    }
}

AVX2 static void blend_vectors(uint32_t blocks, const float *from, const float *to,
                               const double fractions[LANES], const uint32_t *places, float *rows)
{
    struct weight_lanes weights = linear(load_fractions(fractions));
    for (; blocks; blocks--, from += 3 * LANES, to += 3 * LANES, places += LANES) {
        __m256 x = weigh(weights, _mm256_loadu_ps(from), _mm256_loadu_ps(to));
        __m256 y = weigh(weights, _mm256_loadu_ps(from + 8), _mm256_loadu_ps(to + 8));
        __m256 z = weigh(weights, _mm256_loadu_ps(from + 16), _mm256_loadu_ps(to + 16));
        store_vectors((struct quaternions){x, y, z, z}, places, rows);
    }
}

bool sample_kernels_avx2(enum pose_rules rules, struct sample_kernels *kernels)
{
    static lane_kernel *const rotations[] = {
        [POSE_RULES_PLAIN] = rotate_plain, [POSE_RULES_SL] = rotate_sl,
        [POSE_RULES_SIMS] = rotate_sims,   [POSE_RULES_SIMS3] = rotate_plain,
        [POSE_RULES_PRIME] = rotate_prime, [POSE_RULES_PRIME_FRAMES] = rotate_prime,
    };
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma"))
        return false;
    *kernels = (struct sample_kernels){rotations[rules], blend_vectors};
    return true;
}

#else

bool sample_kernels_avx2(enum pose_rules rules, struct sample_kernels *kernels)
{
    (void)rules;
    (void)kernels;
    return false;
}

#endif
