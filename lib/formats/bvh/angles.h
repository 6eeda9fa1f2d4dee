/* Rotations as the Euler angles of a BVH file. */
#ifndef POSE_FORMATS_BVH_ANGLES_H
#define POSE_FORMATS_BVH_ANGLES_H

#include <stdbool.h>
#include <stdint.h>

/* Rounds a number for output: to a millionth where a float resolves it; zero is never negative. */
float bvh_tidy(float value);

/*
 * The angles about three different axes, of which the file has the first count, nearest to those of the previous
 * frame (NULL: none), chosen so that reading and writing them again gives the same text. Returns the angle left
 * about the axes that the file does not have, in degrees.
 */
float bvh_angles_fit(const uint8_t axes[3], unsigned count, const float q[4], const float *previous,
                     float angles[3]);

enum { BVH_TURNS = 4 };

struct bvh_turn {
    const uint8_t *axes; /* three different ones, all in the file */
    const float *q;
    float angles[3]; /* those of the previous frame, which become those of this one */
};

/* bvh_angles_fit for four at once, where that is faster (turns may repeat). Returns those it has done, as bits: their
 * angles are the very same. The others are unchanged. */
unsigned bvh_angles_fit_four(struct bvh_turn *const turns[BVH_TURNS]);

#endif
