/* Decodes four rotation keys at a time, with exactly the operations of the scalar version. */
#include "lib/formats/sl/keys.h"

#if SL_KEYS_AVX2

#include <immintrin.h>

#define AVX2 __attribute__((target("avx2")))

/* The ranges of a key's four numbers (time, x, y, z), twice. */
struct ranges {
    __m256 span, low;
    __m256 smallest; /* values nearer to zero become zero */
};

AVX2 static struct ranges ranges_of(float duration)
{
    struct ranges ranges = {
        .span = _mm256_setr_ps(duration, 2, 2, 2, duration, 2, 2, 2),
        .low = _mm256_setr_ps(0, -1, -1, -1, 0, -1, -1, -1),
    };
    ranges.smallest = _mm256_mul_ps(ranges.span, _mm256_set1_ps(SL_STEP));
    return ranges;
}

AVX2 static inline __m256 dequantise_two(const uint8_t *from, const struct ranges *ranges)
{
    __m256i words = _mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i *)(const void *)from));
    __m256 keys = _mm256_mul_ps(_mm256_cvtepi32_ps(words), _mm256_set1_ps(SL_STEP));
    keys = _mm256_add_ps(_mm256_mul_ps(keys, ranges->span), ranges->low);
    __m256 sizes = _mm256_andnot_ps(_mm256_set1_ps(-0.0f), keys);
    return _mm256_and_ps(keys, _mm256_cmp_ps(sizes, ranges->smallest, _CMP_GE_OQ));
}

/* 1 - x*x - y*y - z*z of four keys, in double precision. */
AVX2 static inline __m256d rest_of(__m128 x, __m128 y, __m128 z)
{
    __m256d dx = _mm256_cvtps_pd(x), dy = _mm256_cvtps_pd(y), dz = _mm256_cvtps_pd(z);
    __m256d xy = _mm256_add_pd(_mm256_mul_pd(dx, dx), _mm256_mul_pd(dy, dy));
    return _mm256_sub_pd(_mm256_set1_pd(1), _mm256_add_pd(xy, _mm256_mul_pd(dz, dz)));
}

/* Stores two keys (time, x, y, z) as two quaternions; which selects their w. */
AVX2 static inline void store_two(float *values, __m256 keys, __m128 w, __m256i which)
{
    __m256 vectors = _mm256_permute_ps(keys, _MM_SHUFFLE(0, 3, 2, 1));
    __m256 spread = _mm256_permutevar8x32_ps(_mm256_castps128_ps256(w), which);
    _mm256_storeu_ps(values, _mm256_blend_ps(vectors, spread, 0x88));
}

/* False if one of the vectors is longer than 1. */
AVX2 static inline bool decode_four(const uint8_t *from, const struct ranges *ranges, float *times,
                                    float *values)
{
    __m256 a = dequantise_two(from, ranges), b = dequantise_two(from + 2 * SL_KEY_SIZE, ranges);
    /* Keys 0 and 2 are in the lower halves, 1 and 3 in the upper ones. */
    __m256 tx = _mm256_unpacklo_ps(a, b), yz = _mm256_unpackhi_ps(a, b);
    __m128 tx_even = _mm256_castps256_ps128(tx), tx_odd = _mm256_extractf128_ps(tx, 1);
    __m128 yz_even = _mm256_castps256_ps128(yz), yz_odd = _mm256_extractf128_ps(yz, 1);
    __m256d rest = rest_of(_mm_unpackhi_ps(tx_even, tx_odd), _mm_unpacklo_ps(yz_even, yz_odd),
                           _mm_unpackhi_ps(yz_even, yz_odd));
    if (_mm256_movemask_pd(rest) != 0)
        return false;
    __m128 w = _mm256_cvtpd_ps(_mm256_sqrt_pd(rest));
    _mm_storeu_ps(times, _mm_unpacklo_ps(tx_even, tx_odd));
    store_two(values, a, w, _mm256_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1));
    store_two(values + 8, b, w, _mm256_setr_epi32(2, 2, 2, 2, 3, 3, 3, 3));
    return true;
}

AVX2 uint32_t sl_rotations_decode_avx2(const uint8_t *from, uint32_t count, float duration, float *times,
                                       float *values)
{
    const struct ranges ranges = ranges_of(duration);
    uint32_t overlong = 0, i = 0;
    for (; count - i >= 4; i += 4, from += 4 * SL_KEY_SIZE, values += 16) {
        if (!decode_four(from, &ranges, times + i, values))
            overlong += sl_rotations_decode_scalar(from, 4, duration, times + i, values);
    }
    return overlong + sl_rotations_decode_scalar(from, count - i, duration, times + i, values);
}

#endif
