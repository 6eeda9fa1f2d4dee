/* 4x4 matrices, column-major, for column vectors; the last row is 0 0 0 1. */
#ifndef POSE_MODEL_MATRIX_H
#define POSE_MODEL_MATRIX_H

#include "lib/core/arena.h"
#include "lib/model/axes.h"

/* Computed in double. Returns false if there is no finite inverse; inverse is then undefined. */
bool matrix_invert(const float m[16], float inverse[16]);
/* out = a * b; out must not be a or b. */
void matrix_multiply(const float a[16], const float b[16], float out[16]);
/* Converts a matrix to other axes and units, in place. */
void matrix_convert_axes(float m[16], const struct axes_map *map);

extern const float matrix_identity[16];

/*
 * The rest matrices of a skeleton's joints in model space, in those axes: [joint_count]. Same rules as pose_model,
 * computed in double.
 */
bool matrix_rest(const struct pose_skeleton *skeleton, enum pose_axes axes, struct arena *arena,
                 float (*matrices)[16]);

#endif
