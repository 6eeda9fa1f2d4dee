#include "lib/model/matrix.h"

#include <float.h>
#include <math.h>
#include <string.h>

const float matrix_identity[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};

bool matrix_invert(const float m[16], float inverse[16])
{
    double a[3][3], out[12];
    for (unsigned row = 0; row < 3; row++) {
        for (unsigned column = 0; column < 3; column++)
            a[row][column] = (double)m[4 * column + row];
    }
    double minors[3][3];
    for (unsigned i = 0; i < 3; i++) {
        for (unsigned k = 0; k < 3; k++)
            minors[i][k] = a[(i + 1) % 3][(k + 1) % 3] * a[(i + 2) % 3][(k + 2) % 3] -
                           a[(i + 1) % 3][(k + 2) % 3] * a[(i + 2) % 3][(k + 1) % 3];
    }
    double whole = a[0][0] * minors[0][0] + a[0][1] * minors[0][1] + a[0][2] * minors[0][2];
    for (unsigned row = 0; row < 3; row++) {
        out[9 + row] = 0;
        for (unsigned column = 0; column < 3; column++) {
            out[3 * column + row] = minors[column][row] / whole;
            out[9 + row] -= out[3 * column + row] * (double)m[12 + column];
        }
    }
    bool finite = true;
    for (unsigned i = 0; i < 12; i++) {
        inverse[4 * (i / 3) + i % 3] = (float)out[i];
        finite &= isfinite((float)out[i]);
    }
    inverse[3] = inverse[7] = inverse[11] = 0;
    inverse[15] = 1;
    return finite;
}

void matrix_multiply(const float a[16], const float b[16], float out[16])
{
    for (unsigned column = 0; column < 4; column++) {
        for (unsigned row = 0; row < 4; row++) {
            float sum = 0;
            for (unsigned i = 0; i < 4; i++)
                sum += a[4 * i + row] * b[4 * column + i];
            out[4 * column + row] = sum;
        }
    }
}

void matrix_convert_axes(float m[16], const struct axes_map *map)
{
    float from[16];
    memcpy(from, m, sizeof from);
    for (unsigned column = 0; column < 4; column++) {
        const float *source = from + 4 * (column < 3 ? map->source[column] : 3);
        double unit = column < 3 ? 1 : map->unit;
        for (unsigned row = 0; row < 3; row++) {
            bool turns = map->negate[row] != (column < 3 && map->negate[column]);
            double value = unit * (double)source[map->source[row]];
            m[4 * column + row] = (float)(turns ? 0 - value : value);
        }
    }
}

/* ------------------------------------------------------------------------------------------------------ rest -- */

/* The columns of q's rotation matrix. */
static void rotate(const double q[4], double columns[3][3])
{
    double x = q[0], y = q[1], z = q[2], w = q[3];
    columns[0][0] = 1 - 2 * (y * y + z * z), columns[0][1] = 2 * (x * y + w * z);
    columns[0][2] = 2 * (x * z - w * y), columns[1][0] = 2 * (x * y - w * z);
    columns[1][1] = 1 - 2 * (x * x + z * z), columns[1][2] = 2 * (y * z + w * x);
    columns[2][0] = 2 * (x * z + w * y), columns[2][1] = 2 * (y * z - w * x);
    columns[2][2] = 1 - 2 * (x * x + y * y);
}

struct place {
    double columns[4][3]; /* of the joint's matrix */
    double turns[3][3];   /* the same without scale, for skeletons whose scale is not inherited */
};

static void multiply(double (*a)[3], double (*b)[3], double (*out)[3])
{
    for (unsigned column = 0; column < 3; column++) {
        for (unsigned row = 0; row < 3; row++) {
            out[column][row] = 0;
            for (unsigned i = 0; i < 3; i++)
                out[column][row] += a[i][row] * b[column][i];
        }
    }
}

static void place_joint(const float rest[10], bool inherits, double sign, struct place *parent,
                        struct place *place)
{
    double local[3][3];
    const double q[4] = {sign * (double)rest[3], sign * (double)rest[4], sign * (double)rest[5],
                         (double)rest[6]};
    rotate(q, local);
    multiply(inherits ? parent->columns : parent->turns, local, place->turns);
    for (unsigned row = 0; row < 3; row++) {
        double sum = parent->columns[3][row];
        for (unsigned i = 0; i < 3; i++) {
            sum += parent->columns[i][row] * (double)rest[i];
            place->columns[i][row] = place->turns[i][row] * (double)rest[7 + i];
        }
        place->columns[3][row] = sum;
    }
}

static float held(double value)
{
    return isnan(value) ? 0 : (float)fmin(fmax(value, (double)-FLT_MAX), (double)FLT_MAX);
}

bool matrix_rest(const struct pose_skeleton *skeleton, enum pose_axes axes, struct arena *arena,
                 float (*matrices)[16])
{
    struct place root = {.columns = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
                         .turns = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    struct place *places = ARENA_NEW(arena, struct place, skeleton->joint_count);
    bool inherits = skeleton->scaling == POSE_SCALE_INHERITED;
    for (uint32_t i = 0; places && i < skeleton->joint_count; i++) {
        int32_t parent = skeleton->joints[i].parent;
        float rest[10];
        pose_joint_rest(skeleton, i, axes, rest);
        place_joint(rest, inherits, axes == POSE_AXES_SIMS ? -1 : 1, parent < 0 ? &root : &places[parent],
                    &places[i]);
        for (unsigned k = 0; k < 12; k++)
            matrices[i][4 * (k / 3) + k % 3] = held(places[i].columns[k / 3][k % 3]);
        matrices[i][3] = matrices[i][7] = matrices[i][11] = 0;
        matrices[i][15] = 1;
    }
    return places != NULL;
}
