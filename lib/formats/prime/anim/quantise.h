/*
 * Metroid Prime: values as 16-bit integers, and what a reader makes of them (prime-anim.md, 2.4 and 5).
 *
 * A rotation is three quantised arcsines of the quaternion's components and the sign of w; w follows from the
 * unit length. Vectors are integer multiples of one number per file. Decoding is computed here exactly as the
 * format defines it, so that what was read is written unchanged.
 */
#ifndef POSE_FORMATS_PRIME_ANIM_QUANTISE_H
#define POSE_FORMATS_PRIME_ANIM_QUANTISE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    PRIME_DIVISOR = 32767, /* steps per quarter turn if we choose */
    PRIME_STEPS = 32766,   /* for the largest vector component */
};

struct prime_rotation {
    int16_t steps[3];
    bool is_negative; /* w */
};

/*
 * The nearest one to q, which is finite and of unit length, or longer as a reader may produce. Reading the
 * result and quantising it again gives the same result; is_exact is set if q already was such a rotation, up to
 * rounding.
 */
struct prime_rotation prime_rotation_quantise(const float q[4], uint32_t divisor, bool *is_exact);
/* Whether q may be one that reads back longer than 1, so that its length is not an error. */
bool prime_rotation_is_long(const float q[4]);

/* Determines the step size for the vectors of a channel: raises *most to their largest component or difference
 * between neighbours. */
void prime_vectors_measure(const float *values, size_t count, double *most);
/* The multiplier for a largest component; 0 for 0. */
float prime_multiplier(double most);
/* Whether all numbers are 16-bit multiples, up to rounding to single precision. */
bool prime_vectors_are_multiples(const float *values, size_t count, float multiplier);
/* The nearest multiple. */
int16_t prime_vector_quantise(float value, float multiplier);

#endif
