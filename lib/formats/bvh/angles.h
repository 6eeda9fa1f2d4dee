/* Rotations as the angles of a BVH file. */
#ifndef POSE_FORMATS_BVH_ANGLES_H
#define POSE_FORMATS_BVH_ANGLES_H

#include <stdbool.h>
#include <stdint.h>

/* A number as it is written: on a millionth where a float can tell, and 0 without a sign. */
float bvh_tidy(float value);

/*
 * The angles about three different axes, of which the file has the first count, nearest to those of the frame before
 * (NULL: none); they are such that what reads back is written the same again. Returns the angle that is left about the
 * axes that the file does not have, in degrees.
 */
float bvh_angles_fit(const uint8_t axes[3], unsigned count, const float q[4], const float *previous,
                     float angles[3]);

#endif
