/*
 * Euler angles, as used in motion capture: angles in degrees, the product R(first) R(second) R(third) of matrices
 * for column vectors. Axes are 0, 1, 2 for x, y, z.
 */
#ifndef POSE_SAMPLE_EULER_H
#define POSE_SAMPLE_EULER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Any axes: there may be fewer than three, or repeated ones. q has unit length. The angles must be finite. */
void euler_to_quat(const uint8_t *axes, unsigned count, const float *degrees, float q[4]);
/* The same, bit for bit, for rows of four floats: the first count (at most 3) are the angles, and become the
 * quaternion. */
void euler_to_quats(const uint8_t *axes, unsigned count, float *rows, size_t row_count);

/*
 * The angles about three different axes that give q (of any non-zero length). Of both solutions, and of any whole
 * turns, chooses those nearest to previous; previous NULL: the middle angle within +-90 degrees, the others within
 * +-180. In gimbal lock the last angle keeps its previous value.
 */
void euler_from_quat(const uint8_t axes[3], const float q[4], const float *previous, float degrees[3]);

#endif
