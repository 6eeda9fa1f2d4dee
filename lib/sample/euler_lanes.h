/*
 * Sines, cosines and arc tangents of four doubles at once with AVX2, and a test whether a result that is off by less
 * than an error gives the float that the C library's would: so that what is written does not depend on the machine.
 */
#ifndef POSE_SAMPLE_EULER_LANES_H
#define POSE_SAMPLE_EULER_LANES_H

#if defined(__x86_64__) && defined(__GNUC__)

#define EULER_LANES 1

#include <immintrin.h>
#include <stdbool.h>

#define LANES_AVX2 __attribute__((target("avx2,fma")))
#define LANES_INLINE __attribute__((target("avx2,fma"), always_inline)) static inline

static inline bool lanes_are_there(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

LANES_INLINE __m256d lanes_set(double value)
{
    return _mm256_set1_pd(value);
}

LANES_INLINE __m256d lanes_size(__m256d x)
{
    return _mm256_andnot_pd(lanes_set(-0.0), x);
}

/* A polynomial, the highest power first. */
LANES_INLINE __m256d lanes_polynomial(__m256d x, const double *factors, unsigned count)
{
    __m256d sum = lanes_set(factors[0]);
    for (unsigned i = 1; i < count; i++)
        sum = _mm256_fmadd_pd(sum, x, lanes_set(factors[i]));
    return sum;
}

/* Of radians up to 10^5, within 1e-15. */
LANES_INLINE void lanes_sine_cosine(__m256d x, __m256d *sine, __m256d *cosine)
{
    /* Taylor's, for a quarter of a turn about 0: what is left out is below 1e-16. */
    static const double sines[] = {1.0 / 355687428096000,
                                   -1.0 / 1307674368000,
                                   1.0 / 6227020800,
                                   -1.0 / 39916800,
                                   1.0 / 362880,
                                   -1.0 / 5040,
                                   1.0 / 120,
                                   -1.0 / 6,
                                   1},
                        cosines[] = {1.0 / 20922789888000,
                                     -1.0 / 87178291200,
                                     1.0 / 479001600,
                                     -1.0 / 3628800,
                                     1.0 / 40320,
                                     -1.0 / 720,
                                     1.0 / 24,
                                     -1.0 / 2,
                                     1};
    const __m256d quarters = _mm256_round_pd(_mm256_mul_pd(x, lanes_set(0.63661977236758134308)),
                                             _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
    __m256d rest = _mm256_fnmadd_pd(quarters, lanes_set(1.57079632679489661923), x);
    rest = _mm256_fnmadd_pd(quarters, lanes_set(6.123233995736766036e-17), rest);
    const __m256d square = _mm256_mul_pd(rest, rest);
    const __m256d s = _mm256_mul_pd(lanes_polynomial(square, sines, sizeof sines / sizeof *sines), rest),
                  c = lanes_polynomial(square, cosines, sizeof cosines / sizeof *cosines);
    const __m256i quarter = _mm256_cvtepi32_epi64(_mm256_cvtpd_epi32(quarters)),
                  next = _mm256_add_epi64(quarter, _mm256_set1_epi64x(1));
    /* The sign that blends look at, and that changes, is the top bit. */
    const __m256d odd = _mm256_castsi256_pd(_mm256_slli_epi64(quarter, 63)), minus = lanes_set(-0.0),
                  turned = _mm256_castsi256_pd(_mm256_slli_epi64(quarter, 62)),
                  next_turned = _mm256_castsi256_pd(_mm256_slli_epi64(next, 62));
    *sine = _mm256_xor_pd(_mm256_blendv_pd(s, c, odd), _mm256_and_pd(turned, minus));
    *cosine = _mm256_xor_pd(_mm256_blendv_pd(c, s, odd), _mm256_and_pd(next_turned, minus));
}

/* atan2, within 1e-15; not of two zeros. */
LANES_INLINE __m256d lanes_arc_tangent(__m256d y, __m256d x)
{
    /* Of sqrt(x) / sqrt(x) up to the square of tan(pi / 8): Chebyshev's interpolation, within 2e-18. */
    static const double factors[] = {
        -0.017805395704537507381, 0.037965256099576568431, -0.050351024039430294125, 0.058468782857870010961,
        -0.066629518120618369597, 0.076920453307659118451, -0.090908968090564377814, 0.11111110744919395758,
        -0.14285714279250239667,  0.19999999999940891408,  -0.33333333333333121163,  0.99999999999999999874};
    const __m256d width = lanes_size(x), height = lanes_size(y), minus = lanes_set(-0.0);
    const __m256d small = _mm256_min_pd(width, height), large = _mm256_max_pd(width, height);
    const __m256d steep = _mm256_cmp_pd(height, width, _CMP_GT_OQ),
                  beyond =
                      _mm256_cmp_pd(small, _mm256_mul_pd(large, lanes_set(0.41421356237309503)), _CMP_GT_OQ);
    /* Beyond pi / 8 from pi / 4 on. */
    const __m256d over = _mm256_blendv_pd(small, _mm256_sub_pd(small, large), beyond),
                  under = _mm256_blendv_pd(large, _mm256_add_pd(small, large), beyond);
    const __m256d ratio = _mm256_div_pd(over, under), square = _mm256_mul_pd(ratio, ratio);
    __m256d angle = _mm256_mul_pd(lanes_polynomial(square, factors, sizeof factors / sizeof *factors), ratio);
    angle = _mm256_add_pd(angle, _mm256_and_pd(beyond, lanes_set(0.78539816339744830962)));
    angle = _mm256_blendv_pd(angle, _mm256_sub_pd(lanes_set(1.57079632679489661923), angle), steep);
    angle = _mm256_blendv_pd(angle, _mm256_sub_pd(lanes_set(3.14159265358979323846), angle), x);
    return _mm256_or_pd(angle, _mm256_and_pd(y, minus));
}

/* The lanes that round to one float, wherever in an error around it the true value is. */
LANES_INLINE __m256d lanes_steady(__m256d value, double error)
{
    const __m128 low = _mm256_cvtpd_ps(_mm256_sub_pd(value, lanes_set(error))),
                 high = _mm256_cvtpd_ps(_mm256_add_pd(value, lanes_set(error)));
    return _mm256_cmp_pd(_mm256_cvtps_pd(low), _mm256_cvtps_pd(high), _CMP_EQ_OQ);
}

/* q times the rotation about an axis, of which the sine and cosine of half of it are given; j and k are those after the
 * axis. As in euler.c. */
LANES_INLINE void lanes_turn(__m256d *i, __m256d *j, __m256d *k, __m256d *w, __m256d s, __m256d c)
{
    const __m256d i_was = *i, j_was = *j, k_was = *k, w_was = *w;
    *i = _mm256_add_pd(_mm256_mul_pd(i_was, c), _mm256_mul_pd(w_was, s));
    *j = _mm256_add_pd(_mm256_mul_pd(j_was, c), _mm256_mul_pd(k_was, s));
    *k = _mm256_sub_pd(_mm256_mul_pd(k_was, c), _mm256_mul_pd(j_was, s));
    *w = _mm256_sub_pd(_mm256_mul_pd(w_was, c), _mm256_mul_pd(i_was, s));
}

#endif

#endif
