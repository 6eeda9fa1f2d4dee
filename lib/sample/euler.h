/*
 * Rotations about axes one after another, as motion capture has them: angles in degrees, the product
 * R(first) R(second) R(third) of matrices that turn column vectors. Axes are 0, 1, 2 for x, y, z.
 */
#ifndef POSE_SAMPLE_EULER_H
#define POSE_SAMPLE_EULER_H

#include <stdbool.h>
#include <stdint.h>

/* Any axes, also fewer than three or one twice; of unit length. The angles must be finite. */
void euler_to_quat(const uint8_t *axes, unsigned count, const float *degrees, float q[4]);

/*
 * The three angles about three different axes that give q (of any length but 0). Of the two ways to turn there, and of
 * whole turns more or less, those nearest to previous; previous NULL: the middle angle within +-90 degrees, the others
 * within +-180. Where only the sum of the outer angles matters, the last one stays what it was.
 */
void euler_from_quat(const uint8_t axes[3], const float q[4], const float *previous, float degrees[3]);

#endif
