#include "lib/core/numbers/floats.h"

#include <stdbool.h>
#include <string.h>

/* clang cannot ask the processor for F16C in all of its versions that are in use. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define HAS_F16C
#include <immintrin.h>
#endif

/* Known at compile time, so only one of the branches below is compiled. */
#define HOST_IS_LITTLE (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)

void floats_from_le(float *to, const uint8_t *from, size_t count)
{
    if (!count)
        return;
    memcpy(to, from, count * sizeof *to);
    for (size_t i = 0; !HOST_IS_LITTLE && i < count; i++) {
        uint32_t bits;
        memcpy(&bits, &to[i], sizeof bits);
        bits = __builtin_bswap32(bits);
        memcpy(&to[i], &bits, sizeof bits);
    }
}

void floats_to_le(uint8_t *to, const float *from, size_t count)
{
    if (!count)
        return;
    memcpy(to, from, count * sizeof *from);
    for (size_t i = 0; !HOST_IS_LITTLE && i < count; i++) {
        uint32_t bits;
        memcpy(&bits, to + 4 * i, sizeof bits);
        bits = __builtin_bswap32(bits);
        memcpy(to + 4 * i, &bits, sizeof bits);
    }
}

static uint16_t half_of(float value)
{
    enum { LARGEST = 0x7bff, NOT_A_NUMBER = 0x7e00 };
    const uint32_t smallest = 0x38800000, one_half = 0x3f000000; /* the bits of 2^-14 and 0.5 */
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    const uint16_t sign = (uint16_t)(bits >> 16 & 0x8000);
    bits &= 0x7fffffff;
    if (bits > 0x7f800000)
        return (uint16_t)(sign | NOT_A_NUMBER);
    if (bits < smallest) {
        /* Beside 0.5 the last bit of a float is 2^-24, the step of the smallest halves: the addition rounds. */
        float sum;
        memcpy(&sum, &bits, sizeof sum);
        sum += 0.5f;
        memcpy(&bits, &sum, sizeof bits);
        return (uint16_t)(sign | (bits - one_half));
    }
    /* The exponent's bias is 15 instead of 127; 13 bits go, and half of the last that stays is added first. */
    bits = bits - (112u << 23) + 0xfff + (bits >> 13 & 1);
    bits >>= 13;
    return (uint16_t)(sign | (bits > LARGEST ? (uint32_t)LARGEST : bits));
}

#ifdef HAS_F16C

/* As half_of, eight at once; returns how many it did. */
__attribute__((target("avx,f16c"))) static size_t put_eights(uint8_t *to, const float *from, size_t count)
{
    const __m256 largest = _mm256_set1_ps(65504), sign = _mm256_set1_ps(-0.0f),
                 not_a_number = _mm256_castsi256_ps(_mm256_set1_epi32(0x7fc00000));
    size_t done = 0;
    for (; done + 8 <= count; done += 8) {
        const __m256 values = _mm256_loadu_ps(from + done), signs = _mm256_and_ps(sign, values),
                     sizes = _mm256_andnot_ps(sign, values),
                     is_nan = _mm256_cmp_ps(sizes, sizes, _CMP_UNORD_Q);
        const __m256 kept = _mm256_blendv_ps(_mm256_min_ps(sizes, largest), not_a_number, is_nan);
        const __m128i halves = _mm256_cvtps_ph(_mm256_or_ps(kept, signs), _MM_FROUND_TO_NEAREST_INT);
        _mm_storeu_si128((__m128i *)(void *)(to + 2 * done), halves);
    }
    return done;
}

static bool has_eights(void)
{
    return __builtin_cpu_supports("avx") && __builtin_cpu_supports("f16c");
}

#else

static size_t put_eights(uint8_t *to, const float *from, size_t count)
{
    (void)to, (void)from, (void)count;
    return 0;
}

static bool has_eights(void)
{
    return false;
}

#endif

void floats_to_halves_le(uint8_t *to, const float *from, size_t count)
{
    for (size_t i = has_eights() ? put_eights(to, from, count) : 0; i < count; i++) {
        const uint16_t half = half_of(from[i]);
        to[2 * i] = (uint8_t)half;
        to[2 * i + 1] = (uint8_t)(half >> 8);
    }
}

/*
 * True if any is NaN or infinity. Their exponents are all ones, so adding one carries into the sign bit. Uses only
 * additions and ors, so that the compiler can vectorise it.
 */
static bool has_non_finite(const float *values, size_t count)
{
    uint32_t carries = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        carries |= (bits & 0x7fffffff) + 0x00800000;
    }
    return carries >> 31;
}

size_t floats_find_non_finite(const float *values, size_t count)
{
    enum { BLOCK = 4096 };
    for (size_t block = 0; block < count; block += BLOCK) {
        size_t size = count - block < BLOCK ? count - block : BLOCK;
        if (!has_non_finite(values + block, size))
            continue;
        for (size_t i = block; i < block + size; i++) {
            if (has_non_finite(values + i, 1))
                return i;
        }
    }
    return count;
}
