/* number_text.c with AVX2: four floats at once, byte for byte the same text. */
#include "lib/core/numbers/numbers.h"

#if defined(__x86_64__) && defined(__GNUC__)

#include "lib/core/numbers/float_bits.h"
#include "lib/core/numbers/number_place.h"
#include "lib/core/powers_of_ten.h"

#include <immintrin.h>

#define AVX2 __attribute__((target("avx2")))
#define AVX2_INLINE __attribute__((target("avx2"), always_inline)) static inline

enum { LANES = 4 };

/* Nine digits of each, as place_digits takes them. */
struct four {
    uint64_t first[LANES], rest[LANES];
    int32_t exponent[LANES];
};

/* floor(number / 10^k) by its reciprocal, rounded up; exact for numbers below 2^32. */
#define TENTH(number) _mm256_srli_epi64(_mm256_mul_epu32(number, lanes(0xcccccccd)), 35)
#define TEN_THOUSANDTH(number) _mm256_srli_epi64(_mm256_mul_epu32(number, lanes(3518437209)), 45)
#define HUNDRED_MILLIONTH(number) _mm256_srli_epi64(_mm256_mul_epu32(number, lanes(1441151881)), 57)

AVX2_INLINE __m256i lanes(uint64_t value)
{
    return _mm256_set1_epi64x((long long)value);
}

/* Of numbers without a sign. */
AVX2_INLINE __m256i is_greater(__m256i a, __m256i b)
{
    const __m256i top = lanes(UINT64_C(1) << 63);
    return _mm256_cmpgt_epi64(_mm256_xor_si256(a, top), _mm256_xor_si256(b, top));
}

/* As a signed integer: for 0 and what is not finite it is of no use, and does no harm. */
struct parts {
    __m128i mantissa, scale, is_lower_closer; /* mantissa * 2^scale; -1: yes */
};

AVX2_INLINE struct parts take_apart(const float *values)
{
    const __m128i bits =
        _mm_and_si128(_mm_loadu_si128((const __m128i *)(const void *)values), _mm_set1_epi32(0x7fffffff));
    const __m128i exponent = _mm_srli_epi32(bits, MANTISSA_BITS);
    const __m128i fraction = _mm_and_si128(bits, _mm_set1_epi32((1 << MANTISSA_BITS) - 1));
    return (struct parts){
        .mantissa = _mm_or_si128(fraction, _mm_set1_epi32(1 << MANTISSA_BITS)),
        .scale = _mm_sub_epi32(exponent, _mm_set1_epi32(EXPONENT_BIAS)),
        .is_lower_closer = _mm_and_si128(_mm_cmpeq_epi32(fraction, _mm_setzero_si128()),
                                         _mm_cmpgt_epi32(exponent, _mm_set1_epi32(1))),
    };
}

/* See shortest in number_text.c, line by line: the digits, and in *k the exponent of the last one. */
AVX2_INLINE __m256i shortest(struct parts parts, __m128i *k)
{
    const __m128i closer = _mm_and_si128(parts.is_lower_closer, _mm_set1_epi32(512));
    *k = _mm_srai_epi32(_mm_sub_epi32(_mm_mullo_epi32(parts.scale, _mm_set1_epi32(1233)), closer), 12);
    const __m128i n = _mm_sub_epi32(_mm_setzero_si128(), *k);
    const __m128i log2 = _mm_srai_epi32(_mm_mullo_epi32(n, _mm_set1_epi32(217706)), 16);
    const __m128i shift = _mm_add_epi32(_mm_add_epi32(parts.scale, log2), _mm_set1_epi32(1));
    const __m256i power = _mm256_i32gather_epi64((const long long *)(const void *)powers_of_ten,
                                                 _mm_sub_epi32(n, _mm_set1_epi32(POWER_FIRST)), 8);
    const __m256i scaled = _mm256_cvtepu32_epi64(_mm_sllv_epi32(parts.mantissa, shift));
    /* The product of 64 by 32 bits. */
    const __m256i low = _mm256_mul_epu32(power, scaled),
                  high = _mm256_mul_epu32(_mm256_srli_epi64(power, 32), scaled),
                  sum = _mm256_add_epi64(high, _mm256_srli_epi64(low, 32));
    const __m256i whole = _mm256_srli_epi64(sum, 32);
    const __m256i fraction = _mm256_srli_epi64(_mm256_blend_epi32(_mm256_slli_epi64(sum, 32), low, 0x55), 4);
    const __m256i tens = _mm256_mul_epu32(TENTH(whole), lanes(10));
    const __m256i ones = _mm256_add_epi64(_mm256_slli_epi64(_mm256_sub_epi64(whole, tens), 60), fraction);

    const __m256i left = _mm256_cvtepu32_epi64(_mm_sub_epi32(_mm_set1_epi32(5), shift));
    const __m256i half = _mm256_srlv_epi64(power, left);
    const __m256i is_closer = _mm256_cvtepi32_epi64(parts.is_lower_closer);
    const __m256i lower_half = _mm256_blendv_epi8(half, _mm256_srli_epi64(half, 1), is_closer);
    const __m256i is_odd = _mm256_cvtepi32_epi64(
        _mm_cmpeq_epi32(_mm_and_si128(parts.mantissa, _mm_set1_epi32(1)), _mm_set1_epi32(1)));
    const __m256i slack = _mm256_blendv_epi8(lanes(ROUNDING), lanes(-ROUNDING), is_odd);
    const __m256i is_not_down = is_greater(ones, _mm256_add_epi64(lower_half, slack)),
                  is_not_up =
                      is_greater(_mm256_sub_epi64(lanes(10 * UNIT), ones), _mm256_add_epi64(half, slack));
    const __m256i middle =
        _mm256_blendv_epi8(lower_half, lanes(UNIT / 2), _mm256_cmpgt_epi64(lower_half, lanes(UNIT / 2)));
    const __m256i even = _mm256_add_epi64(fraction, _mm256_and_si256(whole, lanes(1)));
    const __m256i nearest = _mm256_sub_epi64(whole, _mm256_cmpgt_epi64(even, middle));
    const __m256i round = _mm256_add_epi64(tens, _mm256_andnot_si256(is_not_up, lanes(10)));
    return _mm256_blendv_epi8(round, nearest, _mm256_and_si256(is_not_down, is_not_up));
}

/* Eight digits as bytes, see spread_digits in number_text.c. */
AVX2_INLINE __m256i spread(__m256i number)
{
    const __m256i quotient = TEN_THOUSANDTH(number);
    const __m256i rest = _mm256_sub_epi64(number, _mm256_mul_epu32(quotient, lanes(10000)));
    const __m256i fours = _mm256_or_si256(quotient, _mm256_slli_epi64(rest, 32));
    const __m256i hundreds = _mm256_srli_epi32(_mm256_mullo_epi32(fours, _mm256_set1_epi32(5243)), 19);
    const __m256i under = _mm256_sub_epi32(fours, _mm256_mullo_epi32(hundreds, _mm256_set1_epi32(100)));
    const __m256i twos = _mm256_or_si256(hundreds, _mm256_slli_epi32(under, 16));
    const __m256i tens = _mm256_srli_epi16(_mm256_mullo_epi16(twos, _mm256_set1_epi16(103)), 10);
    const __m256i ones = _mm256_sub_epi16(twos, _mm256_mullo_epi16(tens, _mm256_set1_epi16(10)));
    return _mm256_or_si256(tens, _mm256_slli_epi16(ones, 8));
}

AVX2_INLINE void find_digits(const float *values, struct four *four)
{
    __m128i k;
    __m256i digits = shortest(take_apart(values), &k);
    /* Nine digits of seven to nine. */
    const __m256i is_short = _mm256_cmpgt_epi64(lanes(100000000), digits),
                  is_shorter = _mm256_cmpgt_epi64(lanes(10000000), digits);
    const __m256i factor =
        _mm256_blendv_epi8(_mm256_blendv_epi8(lanes(1), lanes(10), is_short), lanes(100), is_shorter);
    digits = _mm256_mul_epu32(digits, factor);
    const __m256i missing = _mm256_add_epi64(is_short, is_shorter);
    const __m128i narrow = _mm256_castsi256_si128(
        _mm256_permutevar8x32_epi32(missing, _mm256_setr_epi32(0, 2, 4, 6, 0, 2, 4, 6)));
    const __m256i first = HUNDRED_MILLIONTH(digits);
    const __m256i rest = spread(_mm256_sub_epi64(digits, _mm256_mul_epu32(first, lanes(100000000))));
    _mm256_storeu_si256((__m256i *)(void *)four->first, first);
    _mm256_storeu_si256((__m256i *)(void *)four->rest, rest);
    _mm_storeu_si128((__m128i *)(void *)four->exponent,
                     _mm_add_epi32(_mm_add_epi32(k, _mm_set1_epi32(8)), narrow));
}

AVX2_INLINE char *put_one(float value, const struct four *four, unsigned lane, char *at)
{
    const uint32_t bits = bits_of_float(value), size = bits & 0x7fffffff;
    *at = '-';
    at += bits >> 31;
    if (place_digit(at, float_of_bits(size)))
        return at + 1;
    if (__builtin_expect(!(size >> MANTISSA_BITS), 0)) /* subnormal: it may have fewer digits */
        return at + pose_float_text(float_of_bits(size), at);
    return at + place_digits(at, (uint32_t)four->first[lane], four->rest[lane], four->exponent[lane]);
}

AVX2 static size_t write_fours(const float *values, size_t count, char *text)
{
    char *at = text;
    for (size_t begin = 0; begin < count; begin += LANES) {
        const size_t left = count - begin, some = left < LANES ? left : LANES;
        float few[LANES] = {0};
        struct four four;
        if (some < LANES)
            memcpy(few, values + begin, some * sizeof *few);
        find_digits(some < LANES ? few : values + begin, &four);
        for (unsigned i = 0; i < some; i++) {
            at = put_one(values[begin + i], &four, i, at);
            *at++ = ',';
        }
    }
    return (size_t)(at - text);
}

number_writer *number_texts_avx2(void)
{
    return __builtin_cpu_supports("avx2") ? write_fours : NULL;
}

#else

number_writer *number_texts_avx2(void)
{
    return NULL;
}

#endif
