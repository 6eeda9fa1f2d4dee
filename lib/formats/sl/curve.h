/*
 * Keys of one kind as a curve, with the interpolation of Second Life's viewer: between rotations with a dot product of
 * 0 or more the normalised straight line, else the great circle on the shorter way; between positions the line.
 */
#ifndef POSE_FORMATS_SL_CURVE_H
#define POSE_FORMATS_SL_CURVE_H

#include <stdbool.h>
#include <stdint.h>

/* Keys of one kind. Rotations must be as a file holds them: of unit length, w >= 0. Times ascend strictly. */
struct sl_curve {
    bool is_rotation;
    uint32_t count;
    const float *times;
    const float *values; /* [count][4], or [count][3] */
    double tolerance;    /* of what may be dropped: radians or metres; 0: 0.05 degrees, 0.5 mm */
};

/*
 * Brings keys outside of [0, duration] to its ends, with the values that the curve has there, in place; times and values
 * are those of the curve. Returns how many keys are left, at least 1 of 1 or more.
 */
uint32_t sl_curve_cut(const struct sl_curve *curve, float duration, float *times, float *values);

/* True when no key is further from the first than the tolerance. */
bool sl_curve_is_constant(const struct sl_curve *curve);
/* Writes the indices of the keys to be kept, the first and the last among them; returns how many. kept: [count].
 * O(n log n) in the keys. */
uint32_t sl_curve_reduce(const struct sl_curve *curve, uint32_t *kept);

#endif
