/*
 * Keys of one kind as a curve, interpolated as Second Life's viewer does: rotations with a dot product of 0 or
 * more by normalised lerp, others by slerp along the shorter arc; positions linearly.
 */
#ifndef POSE_FORMATS_SL_CURVE_H
#define POSE_FORMATS_SL_CURVE_H

#include <stdbool.h>
#include <stdint.h>

/* Keys of one kind. Rotations as in a file: unit length, w >= 0. Times ascend strictly. */
struct sl_curve {
    bool is_rotation;
    uint32_t count;
    const float *times;
    const float *values; /* [count][4], or [count][3] */
    double tolerance;    /* for dropping keys: radians or metres; 0: 0.05 degrees, 0.5 mm */
};

/*
 * Moves keys outside [0, duration] to its ends, with the curve's values there, in place; times and values are
 * the curve's own arrays. Returns how many keys are left; at least 1 if there was any.
 */
uint32_t sl_curve_cut(const struct sl_curve *curve, float duration, float *times, float *values);

/* True if every key is within the tolerance of the first. */
bool sl_curve_is_constant(const struct sl_curve *curve);
/* Writes the indices of the keys to keep, including the first and the last; returns how many. kept: [count]. O(n
 * log n) in the keys. */
uint32_t sl_curve_reduce(const struct sl_curve *curve, uint32_t *kept);

#endif
