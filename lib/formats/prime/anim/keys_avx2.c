/* Reads the three fields of a key at once, and scales four rotations at once, with exactly the operations of keys.c. */
#include "lib/formats/prime/anim/keys.h"

#if PRIME_KEYS_AVX2

#include <immintrin.h>

#define AVX2 __attribute__((target("avx2")))
#define AVX2_INLINE __attribute__((target("avx2"), always_inline)) static inline

/* ---------------------------------------------------------------------------------------------- the stream -- */

/*
 * Lanes 0 to 2 are the fields of a key, and lane 3 is the sign of a rotation: a field of one bit, as a number 0 or -1, of
 * which | 1 makes 1 or -1. For others it is not used, and what is stored of it is overwritten by the next key.
 */
struct fields {
    __m256i offsets; /* of each field in the window */
    __m128i spare;   /* 32 without its width */
    __m128i ones;    /* to be set */
};

static const int32_t summed[4] = {-1, -1, -1, 0}, signs[4] = {0, 0, 0, 1}, none[4];

AVX2_INLINE __m128i load_words(const int32_t words[4])
{
    return _mm_loadu_si128((const __m128i *)(const void *)words);
}

AVX2_INLINE struct fields fields_of(const struct prime_part *part)
{
    const bool turns = part->part == POSE_ROTATION;
    const uint8_t *widths = part->widths;
    const unsigned first = turns, second = first + widths[0], third = second + widths[1];
    return (struct fields){
        .offsets = _mm256_setr_epi64x(first, second, third, 0),
        .spare = _mm_setr_epi32(32 - widths[0], 32 - widths[1], 32 - widths[2], 31),
        .ones = load_words(turns ? signs : none),
    };
}

/* The differences of a key: each field moved to the top of its lane, and back with its sign. A width of 0 gives 0. */
AVX2_INLINE __m128i differences_of(uint64_t window, const struct fields *fields)
{
    const __m256i at_bottom = _mm256_srlv_epi64(_mm256_set1_epi64x((long long)window), fields->offsets);
    const __m256i gathered =
        _mm256_permutevar8x32_epi32(at_bottom, _mm256_setr_epi32(0, 2, 4, 6, 0, 2, 4, 6));
    const __m128i at_top = _mm_sllv_epi32(_mm256_castsi256_si128(gathered), fields->spare);
    return _mm_srav_epi32(at_top, fields->spare);
}

/* Reads the keys of a part that fit in one window, one of each period. */
AVX2_INLINE void read_part(const struct prime_packed *file, struct bits bits, struct prime_part *part)
{
    const struct fields fields = fields_of(part);
    const __m128i kept = load_words(summed);
    const __m128 scale = _mm_set1_ps(part->scale);
    const unsigned numbers = part->part == POSE_ROTATION ? 4 : 3;
    __m128i values = _mm_setr_epi32(part->values[0], part->values[1], part->values[2], 0);
    for (uint32_t key = 0; key < file->keys; key++) {
        const __m128i sums =
            _mm_add_epi32(_mm_and_si128(values, kept), differences_of(bits_peek(&bits), &fields));
        values =
            _mm_or_si128(_mm_srai_epi32(_mm_slli_epi32(sums, 16), 16), fields.ones); /* 16 bits, wrapping */
        _mm_storeu_ps(part->out, _mm_mul_ps(_mm_cvtepi32_ps(values), scale));
        part->out += numbers;
        bits.at += file->bits_per_key;
    }
}

AVX2 void prime_packed_read_avx2(const struct prime_packed *file, struct prime_part *parts)
{
    struct bits bits;
    bits_init(&bits, file->stream, file->stream_words);
    for (uint32_t i = 0; i < file->part_count; i++) {
        if (parts[i].bits <= BITS_PEEK)
            read_part(file, bits, &parts[i]);
        else
            prime_part_read(file, bits, &parts[i]);
        bits.at += parts[i].bits;
    }
}

/* ----------------------------------------------------------------------------------------------- the values -- */

/* Of a key's four numbers. The last one, the sign of w, has no use. */
AVX2_INLINE __m256d sines_of(__m128 key, __m256d step)
{
    const __m256d x = _mm256_mul_pd(_mm256_cvtps_pd(key), step), square = _mm256_mul_pd(x, x);
    __m256d sum = _mm256_set1_pd(prime_sine_terms[PRIME_SINE_TERMS - 1]);
    for (int i = PRIME_SINE_TERMS - 2; i >= 1; i--)
        sum = _mm256_add_pd(_mm256_mul_pd(sum, square), _mm256_set1_pd(prime_sine_terms[i]));
    return _mm256_add_pd(x, _mm256_mul_pd(_mm256_mul_pd(x, square), sum));
}

/* sqrt(1 - x*x - y*y - z*z) of four keys, 0 where there is no root. */
AVX2_INLINE __m256d last_of(const __m256d sines[4])
{
    __m256d squares[4];
    for (int i = 0; i < 4; i++)
        squares[i] = _mm256_mul_pd(sines[i], sines[i]);
    const __m256d xz0 = _mm256_unpacklo_pd(squares[0], squares[1]),
                  xz2 = _mm256_unpacklo_pd(squares[2], squares[3]);
    const __m256d yw0 = _mm256_unpackhi_pd(squares[0], squares[1]),
                  yw2 = _mm256_unpackhi_pd(squares[2], squares[3]);
    const __m256d x = _mm256_permute2f128_pd(xz0, xz2, 0x20), z = _mm256_permute2f128_pd(xz0, xz2, 0x31);
    const __m256d y = _mm256_permute2f128_pd(yw0, yw2, 0x20);
    const __m256d rest = _mm256_sub_pd(_mm256_set1_pd(1), _mm256_add_pd(_mm256_add_pd(x, y), z));
    return _mm256_sqrt_pd(_mm256_max_pd(rest, _mm256_setzero_pd()));
}

AVX2 uint32_t prime_rotations_scale_avx2(float *keys, uint32_t count, double step)
{
    const __m256d steps = _mm256_set1_pd(step);
    const uint32_t done = count - count % 4;
    for (uint32_t k = 0; k < done; k += 4, keys += 16) {
        __m128 stored[4];
        __m256d sines[4];
        for (size_t i = 0; i < 4; i++) {
            stored[i] = _mm_loadu_ps(keys + 4 * i);
            sines[i] = sines_of(stored[i], steps);
        }
        const __m128 w = _mm256_cvtpd_ps(last_of(sines));
        const __m128 repeated[4] = {_mm_permute_ps(w, 0x00), _mm_permute_ps(w, 0x55), _mm_permute_ps(w, 0xaa),
                                    _mm_permute_ps(w, 0xff)};
        for (size_t i = 0; i < 4; i++)
            _mm_storeu_ps(keys + 4 * i,
                          _mm_blend_ps(_mm256_cvtpd_ps(sines[i]), _mm_mul_ps(stored[i], repeated[i]), 8));
    }
    return done;
}

#endif
