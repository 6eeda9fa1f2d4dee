/*
 * Axes and units: values are kept as stored in the file; this is the only step that converts them.
 *
 * Each system differs from glTF's by an order of the axes, signs and a unit (formats' specs, sections on axes and
 * glTF):
 *
 *     SL      x_gltf =  y   y_gltf = z   z_gltf = x    metres
 *     SIMS    x_gltf = -x   y_gltf = y   z_gltf = z    feet, 0.3048 m
 *     PRIME   x_gltf = -x   y_gltf = z   z_gltf = y    taken as metres
 *     INCHES  the same                                 inches of 0.02540005 m, as Second Life's viewer takes them
 *     Z_UP    x_gltf =  x   y_gltf = z   z_gltf = -y   taken as metres
 *
 * The vector part of a rotation is mapped the same way: SL's and Prime's maps are rotations; the mirror of Sims
 * would turn (x, y, z, w) into (x, -y, -z, w), but stored rotations act as their conjugate, which makes it (-x, y,
 * z, w).
 */
#ifndef POSE_MODEL_AXES_H
#define POSE_MODEL_AXES_H

#include <stdbool.h>
#include "pose.h"

/* One system in terms of another: to[i] = sign[i] * unit * from[source[i]]. */
struct axes_map {
    uint8_t source[3];
    bool negate[3];
    double unit; /* applies to translations */
};

struct axes_map axes_map_between(enum pose_axes from, enum pose_axes to);

/* Normalises a quaternion; gives the identity if its length is 0. One that has unit length up to rounding is
 * unchanged. */
void quat_normalise(float q[4]);

/* The squared length, and whether it is 1 up to rounding: that of a unit quaternion in single precision has an error
 * of up to about 2^-23. */
static inline double quat_square(const float q[4])
{
    return (double)q[0] * (double)q[0] + (double)q[1] * (double)q[1] + (double)q[2] * (double)q[2] +
           (double)q[3] * (double)q[3];
}

static inline bool quat_is_unit(double square)
{
    return __builtin_fabs(square - 1) <= 2.5e-7;
}

/* The cosine of the angle between unit quaternions. */
static inline double quat_dot(const float a[4], const float b[4])
{
    return (double)a[0] * (double)b[0] + (double)a[1] * (double)b[1] + (double)a[2] * (double)b[2] +
           (double)a[3] * (double)b[3];
}

#endif
