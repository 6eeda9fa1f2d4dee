/*
 * Keys of Metroid Prime's packed clips: from the stream of bits to values. Each function has two implementations, of which
 * the processor decides; their results are identical to the bit.
 */
#ifndef POSE_FORMATS_PRIME_ANIM_KEYS_H
#define POSE_FORMATS_PRIME_ANIM_KEYS_H

#include "lib/core/bytes/bits.h"
#include "lib/formats/prime/anim/clip.h"

/* Numbers behind the last key that may be overwritten. */
enum { PRIME_SPARE = 1 };

/*
 * Reads the played keys of part_count parts from the stream, in file order: stored numbers times the part's scale, of
 * rotations followed by the sign of w. There is room for the keys and PRIME_SPARE in their out, which is moved behind the
 * keys. The parts' values are used up.
 */
void prime_packed_read(const struct prime_packed *file, struct prime_part *parts);
void prime_packed_read_scalar(const struct prime_packed *file, struct prime_part *parts);
/* The keys of one part, of which the first begins at bits. */
void prime_part_read(const struct prime_packed *file, struct bits bits, struct prime_part *part);

/* Stored rotations, each three numbers and the sign of w, become unit quaternions in place (prime-anim.md, 2.4). */
void prime_rotations_scale(float *keys, uint32_t count, uint32_t divisor);
void prime_rotations_scale_scalar(float *keys, uint32_t count, uint32_t divisor);

/* The sine of a number of at most that size is the series below up to x^21, whose remainder is below 3e-18: within an ulp.
 * The C library's takes three times as long, and cannot be vectorised. */
#define PRIME_SHORT_ANGLE 1.6
enum { PRIME_SINE_TERMS = 11 };
extern const double prime_sine_terms[PRIME_SINE_TERMS];
/* The angle of one step. */
static inline double prime_step(uint32_t divisor)
{
    return 1.57079632679489661923 / divisor;
}

#if defined(__x86_64__) && defined(__GNUC__)
#define PRIME_KEYS_AVX2 1
void prime_packed_read_avx2(const struct prime_packed *file, struct prime_part *parts);
/* Only for angles that are short; returns how many keys are done. */
uint32_t prime_rotations_scale_avx2(float *keys, uint32_t count, double step);
#else
#define PRIME_KEYS_AVX2 0
#endif

#endif
