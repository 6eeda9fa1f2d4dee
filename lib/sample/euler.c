#include "lib/sample/euler.h"
#include "lib/core/numbers/angles.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#define DEGREE (3.14159265358979323846 / 180)

/* The cosine of the middle angle below which there is gimbal lock. */
#define LOCKED 1e-7

/* q times the rotation about one axis. */
static void turn(double q[4], unsigned axis, double degrees)
{
    double half = degrees * DEGREE / 2, s = angle_sine(half), c = angle_cosine(half);
    unsigned j = (axis + 1) % 3, k = (axis + 2) % 3;
    double i_was = q[axis], j_was = q[j], k_was = q[k], w_was = q[3];
    q[axis] = i_was * c + w_was * s;
    q[j] = j_was * c + k_was * s;
    q[k] = k_was * c - j_was * s;
    q[3] = w_was * c - i_was * s;
}

void euler_to_quat(const uint8_t *axes, unsigned count, const float *degrees, float q[4])
{
    double product[4] = {0, 0, 0, 1};
    for (unsigned i = 0; i < count; i++)
        turn(product, axes[i], (double)degrees[i]);
    for (unsigned i = 0; i < 4; i++)
        q[i] = (float)product[i];
}

static void matrix_of(const float q[4], double m[3][3])
{
    double square = 0;
    for (unsigned i = 0; i < 4; i++)
        square += (double)q[i] * (double)q[i];
    double scale = 2 / square, x = (double)q[0], y = (double)q[1], z = (double)q[2], w = (double)q[3];
    const double rows[3][3] = {
        {1 - scale * (y * y + z * z), scale * (x * y - z * w), scale * (x * z + y * w)},
        {scale * (x * y + z * w), 1 - scale * (x * x + z * z), scale * (y * z - x * w)},
        {scale * (x * z - y * w), scale * (y * z + x * w), 1 - scale * (x * x + y * y)}};
    memcpy(m, rows, sizeof rows);
}

/* The angle plus whole turns that is nearest to the other. */
static double unwrap(double angle, double near)
{
    return angle + 360 * round((near - angle) / 360);
}

/* Replaces angles by the same rotation that is nearest to previous. */
static void choose_nearest(double angles[3], const float *previous)
{
    double other[3] = {angles[0] + 180, 180 - angles[1], angles[2] + 180}, distance = 0, other_distance = 0;
    for (unsigned i = 0; i < 3; i++) {
        double near = (double)previous[i];
        angles[i] = unwrap(angles[i], near);
        other[i] = unwrap(other[i], near);
        distance += fabs(angles[i] - near);
        other_distance += fabs(other[i] - near);
    }
    if (other_distance < distance)
        memcpy(angles, other, sizeof other);
}

void euler_from_quat(const uint8_t axes[3], const float q[4], const float *previous, float degrees[3])
{
    unsigned a = axes[0], b = axes[1], c = axes[2];
    double m[3][3], angles[3], sign = (a + 1) % 3 == b ? 1 : -1;
    matrix_of(q, m);
    double cosine = hypot(m[a][a], m[a][b]);
    angles[1] = atan2(sign * m[a][c], cosine);
    if (cosine > LOCKED) {
        angles[0] = atan2(-sign * m[b][c], m[c][c]);
        angles[2] = atan2(-sign * m[a][b], m[a][a]);
    } else {
        /* After undoing the last rotation, the rest is a rotation about the first axis. */
        angles[2] = previous ? (double)previous[2] * DEGREE : 0;
        double s = sign * sin(angles[2]), t = cos(angles[2]);
        angles[0] = atan2(sign * (s * m[c][a] + t * m[c][b]), s * m[b][a] + t * m[b][b]);
    }
    for (unsigned i = 0; i < 3; i++)
        angles[i] /= DEGREE;
    if (previous)
        choose_nearest(angles, previous);
    for (unsigned i = 0; i < 3; i++)
        degrees[i] = (float)angles[i];
}
