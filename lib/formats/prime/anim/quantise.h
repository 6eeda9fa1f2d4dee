/*
 * Metroid Prime: values as whole numbers of 16 bits, and what a reader makes of them (prime-anim.md, 2.4 and 5).
 *
 * A rotation is three quantised arcsines of the quaternion's components and the sign of w; w itself is what is missing
 * to unit length. A vector is whole multiples of one number a file. Both ways back are computed here exactly as the
 * format has them, so that what was read is written as it was.
 */
#ifndef POSE_FORMATS_PRIME_ANIM_QUANTISE_H
#define POSE_FORMATS_PRIME_ANIM_QUANTISE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    PRIME_DIVISOR = 32767, /* steps of a quarter turn when the choice is ours */
    PRIME_STEPS = 32766,   /* of the largest vector component */
};

struct prime_rotation {
    int16_t steps[3];
    bool is_negative; /* w */
};

/*
 * The nearest one to q, which is finite and of unit length, or longer as a reader makes it. What is read from the result
 * becomes the same result again; is_exact tells that q itself already was such a rotation, up to rounding.
 */
struct prime_rotation prime_rotation_quantise(const float q[4], uint32_t divisor, bool *is_exact);
/* Whether q may be one that is longer than 1: its length then is no mistake. */
bool prime_rotation_is_long(const float q[4]);

/* How large a step has to be for these vectors of a channel: raises most, the largest component or difference between
 * neighbours so far. */
void prime_vectors_measure(const float *values, size_t count, double *most);
/* The multiplier for a largest component; 0 for 0. */
float prime_multiplier(double most);
/* All of the numbers as multiples; false when one is none of 16 bits, up to rounding to single precision. */
bool prime_vectors_are_multiples(const float *values, size_t count, float multiplier);
/* The nearest multiple. */
int16_t prime_vector_quantise(float value, float multiplier);

#endif
