/* From local rows to model space, parents first. */
#include "lib/sample/sampler.h"

#include <float.h>
#include <math.h>
#include <string.h>

typedef float float4 __attribute__((vector_size(16)));

static const float identity[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};

static inline float4 load(const float *from)
{
    float4 value;
    memcpy(&value, from, sizeof value);
    return value;
}

static inline void store(float *to, float4 value)
{
    memcpy(to, &value, sizeof value);
}

static inline float4 spread(float number)
{
    return (float4){number, number, number, number};
}

/* A joint's effective rotation: stored rotations of The Sims act as their conjugate. */
static inline void read_rotation(const float *row, float sign, float q[4])
{
    q[0] = sign * row[3];
    q[1] = sign * row[4];
    q[2] = sign * row[5];
    q[3] = row[6];
}

/* The columns of a rotation matrix, each times its scale. */
static inline void make_columns(const float q[4], const float scale[3], float columns[9])
{
    float x = q[0], y = q[1], z = q[2], w = q[3];
    float x2 = x + x, y2 = y + y, z2 = z + z;
    float xx = x * x2, yy = y * y2, zz = z * z2, xy = x * y2, xz = x * z2, yz = y * z2;
    float wx = w * x2, wy = w * y2, wz = w * z2;
    columns[0] = (1 - (yy + zz)) * scale[0];
    columns[1] = (xy + wz) * scale[0];
    columns[2] = (xz - wy) * scale[0];
    columns[3] = (xy - wz) * scale[1];
    columns[4] = (1 - (xx + zz)) * scale[1];
    columns[5] = (yz + wx) * scale[1];
    columns[6] = (xz + wy) * scale[2];
    columns[7] = (yz - wx) * scale[2];
    columns[8] = (1 - (xx + yy)) * scale[2];
}

/* parent * (x, y, z, 1), without its last component. */
static inline float4 move_point(const float *parent, const float *point)
{
    return load(parent) * spread(point[0]) + load(parent + 4) * spread(point[1]) +
           load(parent + 8) * spread(point[2]) + load(parent + 12);
}

/*
 * prime-skeleton.md, 2: rotations are inherited without scale, U = U_parent * q, and a joint's matrix is U * scale.
 * As the parent's matrix is U_parent * s_parent, it moves the offset as in P = P_parent + U_parent * (s_parent *
 * off). U is stored temporarily, as a quaternion, in the last row of the matrix, which is the identity for an
 * identity matrix.
 */
static inline void place_unscaled(const float *row, const float *parent, float sign, float *matrix)
{
    float q[4], u[4];
    float columns[9];
    read_rotation(row, sign, q);
    float px = parent[3], py = parent[7], pz = parent[11], pw = parent[15];
    u[0] = pw * q[0] + px * q[3] + py * q[2] - pz * q[1];
    u[1] = pw * q[1] - px * q[2] + py * q[3] + pz * q[0];
    u[2] = pw * q[2] + px * q[1] - py * q[0] + pz * q[3];
    u[3] = pw * q[3] - px * q[0] - py * q[1] - pz * q[2];
    make_columns(u, row + SCALE_PLACE, columns);
    float4 position = move_point(parent, row);
    for (unsigned i = 0; i < 3; i++)
        store(matrix + 4 * i, (float4){columns[3 * i], columns[3 * i + 1], columns[3 * i + 2], u[i]});
    position[3] = u[3];
    store(matrix + 12, position);
}

/* glTF: M = M_parent * T * R * S. */
static inline void place_inherited(const float *row, const float *parent, float sign, float *matrix)
{
    float q[4];
    float local[9];
    read_rotation(row, sign, q);
    make_columns(q, row + SCALE_PLACE, local);
    for (unsigned i = 0; i < 3; i++)
        store(matrix + 4 * i, load(parent) * spread(local[3 * i]) +
                                  load(parent + 4) * spread(local[3 * i + 1]) +
                                  load(parent + 8) * spread(local[3 * i + 2]));
    store(matrix + 12, move_point(parent, row));
}

/* Lengths near the end of the range can add up to infinity or NaN. */
static void make_finite(float *matrix)
{
    for (unsigned i = 0; i < 16; i++) {
        if (!isfinite(matrix[i]))
            matrix[i] = isnan(matrix[i]) ? 0 : copysignf(FLT_MAX, matrix[i]);
    }
}

static inline void finish(float *matrix)
{
    float4 sum = load(matrix) + load(matrix + 4) + load(matrix + 8) + load(matrix + 12);
    sum -= sum;
    if (__builtin_expect(!(sum[0] == 0 && sum[1] == 0 && sum[2] == 0), 0))
        make_finite(matrix);
    matrix[3] = matrix[7] = matrix[11] = 0;
    matrix[15] = 1;
}

void pose_model(const struct pose_sampler *sampler, const float *rows, float *matrices)
{
    const struct pose_row *joints = sampler->rows;
    float sign = sampler->axes == POSE_AXES_SIMS ? -1 : 1;
    bool inherited = sampler->skeleton && sampler->skeleton->scaling == POSE_SCALE_INHERITED;
    for (size_t i = 0; i < sampler->row_count; i++) {
        const float *parent = joints[i].parent < 0 ? identity : matrices + (size_t)joints[i].parent * 16;
        if (inherited)
            place_inherited(rows + i * ROW_FLOATS, parent, sign, matrices + i * 16);
        else
            place_unscaled(rows + i * ROW_FLOATS, parent, sign, matrices + i * 16);
    }
    for (size_t i = 0; i < sampler->row_count; i++)
        finish(matrices + i * 16);
}
