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

/* Nine digits of each: bytes for the shuffles of rows, the digits after the first one, and the exponent of that. */
struct four {
    uint8_t bytes[LANES][NUMBER_CELL];
    uint64_t rest[LANES]; /* as bytes 0 ... 9, the leading one lowest */
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
    const __m256i low = _mm256_or_si256(rest, lanes(UINT64_C(0x3030303030303030))),
                  high = _mm256_or_si256(first, lanes(UINT64_C(0x2d2e3030))); /* "-.0", and the first digit */
    const __m256i even = _mm256_unpacklo_epi64(low, high), odd = _mm256_unpackhi_epi64(low, high);
    _mm_storeu_si128((__m128i *)(void *)four->bytes[0], _mm256_castsi256_si128(even));
    _mm_storeu_si128((__m128i *)(void *)four->bytes[1], _mm256_castsi256_si128(odd));
    _mm_storeu_si128((__m128i *)(void *)four->bytes[2], _mm256_extracti128_si256(even, 1));
    _mm_storeu_si128((__m128i *)(void *)four->bytes[3], _mm256_extracti128_si256(odd, 1));
    _mm256_storeu_si256((__m256i *)(void *)four->rest, rest);
    _mm_storeu_si128((__m128i *)(void *)four->exponent,
                     _mm_add_epi32(_mm_add_epi32(k, _mm_set1_epi32(8)), narrow));
}

/* ------------------------------------------------------------------------------------------------- as text -- */

enum { FIRST_EXPONENT = -3, ROWS = 12, DIGITS = 9 };

/*
 * Which byte of struct four stands where, by the exponent: plain notation as place_digits has it. The text begins with
 * the second byte, or of negative numbers with the first.
 */
enum { O = DIGITS, P, M, N = 0x80 }; /* "0", ".", "-", nothing; 8 is the first digit */
static const uint8_t rows[ROWS][2 * NUMBER_CELL] = {
    {M, O, P, O, O, 8, 0, 1, 2, 3, 4, 5, 6, 7, N, N, N}, {M, O, P, O, 8, 0, 1, 2, 3, 4, 5, 6, 7, N, N, N, N},
    {M, O, P, 8, 0, 1, 2, 3, 4, 5, 6, 7, N, N, N, N, N}, {M, 8, P, 0, 1, 2, 3, 4, 5, 6, 7, N, N, N, N, N, N},
    {M, 8, 0, P, 1, 2, 3, 4, 5, 6, 7, N, N, N, N, N, N}, {M, 8, 0, 1, P, 2, 3, 4, 5, 6, 7, N, N, N, N, N, N},
    {M, 8, 0, 1, 2, P, 3, 4, 5, 6, 7, N, N, N, N, N, N}, {M, 8, 0, 1, 2, 3, P, 4, 5, 6, 7, N, N, N, N, N, N},
    {M, 8, 0, 1, 2, 3, 4, P, 5, 6, 7, N, N, N, N, N, N}, {M, 8, 0, 1, 2, 3, 4, 5, P, 6, 7, N, N, N, N, N, N},
    {M, 8, 0, 1, 2, 3, 4, 5, 6, P, 7, N, N, N, N, N, N}, {M, 8, 0, 1, 2, 3, 4, 5, 6, 7, P, N, N, N, N, N, N},
};

/* Bytes of the text by how many digits count, without a sign: after "0.00", or with a point where some come after it. */
#define FRACTION(zeros)                                                                                      \
    {                                                                                                        \
        0, zeros + 2, zeros + 3, zeros + 4, zeros + 5, zeros + 6, zeros + 7, zeros + 8, zeros + 9,           \
            zeros + 10                                                                                       \
    }
#define LENGTH(whole, digits) ((digits) > (whole) ? (digits) + 1 : (whole))
#define WHOLE(n)                                                                                             \
    {                                                                                                        \
        0, LENGTH(n, 1), LENGTH(n, 2), LENGTH(n, 3), LENGTH(n, 4), LENGTH(n, 5), LENGTH(n, 6), LENGTH(n, 7), \
            LENGTH(n, 8), LENGTH(n, 9)                                                                       \
    }
static const uint8_t row_lengths[ROWS][16] = {
    FRACTION(3), FRACTION(2), FRACTION(1), WHOLE(1), WHOLE(2), WHOLE(3),
    WHOLE(4),    WHOLE(5),    WHOLE(6),    WHOLE(7), WHOLE(8), WHOLE(9),
};

/* Where numbers that are not zero wait for others, since four are written at once. */
struct waiting {
    uint32_t count;
    float values[NUMBER_BLOCK + LANES];
    uint32_t places[NUMBER_BLOCK + LANES]; /* of their cells */
};

AVX2_INLINE void write_one(float value, const struct four *four, unsigned lane, struct number_cells *cells,
                           uint32_t place)
{
    const unsigned row = (unsigned)(four->exponent[lane] - FIRST_EXPONENT), sign = bits_of_float(value) >> 31;
    char *const text = cells->text[place];
    if (__builtin_expect(row >= ROWS,
                         0)) { /* with an exponent; all subnormal ones, which may have fewer digits */
        cells->length[place] = (uint8_t)pose_float_text(value, text);
        return;
    }
    const __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)four->bytes[lane]),
                  order = _mm_loadu_si128((const __m128i *)(const void *)(rows[row] + 1 - sign));
    _mm_storeu_si128((__m128i *)(void *)text, _mm_shuffle_epi8(bytes, order));
    cells->length[place] = (uint8_t)(row_lengths[row][significant_digits(four->rest[lane])] + sign);
}

/* Without a branch on what a number is, which could not be foretold. */
static void sort_out_zeros(const float *values, size_t count, struct number_cells *cells,
                           struct waiting *waiting)
{
    static const char zeros[2][NUMBER_CELL] = {"0", "-0"};
    uint32_t at = 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t bits = bits_of_float(values[i]), sign = bits >> 31;
        memcpy(cells->text[i], zeros[sign], NUMBER_CELL);
        cells->length[i] = (uint8_t)(1 + sign);
        waiting->values[at] = values[i];
        waiting->places[at] = i;
        at += bits << 1 != 0;
    }
    waiting->count = at;
    for (unsigned i = 0; i < LANES; i++)
        waiting->values[at + i] = 1;
}

AVX2 static void write_cells(const float *values, size_t count, struct number_cells *cells)
{
    struct waiting waiting;
    sort_out_zeros(values, count, cells, &waiting);
    for (uint32_t begin = 0; begin < waiting.count; begin += LANES) {
        const uint32_t left = waiting.count - begin, some = left < LANES ? left : LANES;
        struct four four;
        find_digits(waiting.values + begin, &four);
        for (unsigned i = 0; i < some; i++)
            write_one(waiting.values[begin + i], &four, i, cells, waiting.places[begin + i]);
    }
}

number_cell_writer *number_cells_avx2(void)
{
    return __builtin_cpu_supports("avx2") ? write_cells : NULL;
}

#else

number_cell_writer *number_cells_avx2(void)
{
    return NULL;
}

#endif
