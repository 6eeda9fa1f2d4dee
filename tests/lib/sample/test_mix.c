/* Blending poses: averages, the shorter arc, weights a row. */
#include "pose.h"
#include "tests/support/unit.h"

#include <math.h>
#include <string.h>

enum { ROW = 10 };

/* A row at (x, 0, 0), turned about z by degrees, scaled by s. */
static void make_row(float *row, float x, float degrees, float s)
{
    double half = (double)degrees * 3.14159265358979323846 / 360;
    const float made[ROW] = {x, 0, 0, 0, 0, (float)sin(half), (float)cos(half), s, s, s};
    memcpy(row, made, sizeof made);
}

static double angle_of(const float *row)
{
    double degrees = 2 * atan2((double)row[5], (double)row[6]) * 180 / 3.14159265358979323846;
    return degrees > 180 ? degrees - 360 : degrees <= -180 ? degrees + 360 : degrees;
}

static void expect_row(const float *row, float x, double degrees, float s)
{
    ck_assert_float_eq_tol(row[0], x, 1e-6f);
    ck_assert_float_eq_tol(row[7], s, 1e-6f);
    ck_assert_double_eq_tol(angle_of(row), degrees, 1e-4);
    double square = 0;
    for (int i = 3; i < 7; i++)
        square += (double)row[i] * (double)row[i];
    ck_assert_double_eq_tol(square, 1, 3e-7);
}

TEST(weights_are_normalised)
{
    float a[ROW], b[ROW], c[ROW], out[ROW];
    make_row(a, 0, 0, 1);
    make_row(b, 4, 40, 3);
    make_row(c, 8, 20, 2);
    const struct pose_layer even[] = {{a, 5, NULL}, {b, 5, NULL}};
    pose_mix(even, 2, 1, out);
    expect_row(out, 2, 20, 2);
    const struct pose_layer all[] = {{a, 1, NULL}, {b, 1, NULL}, {c, 2, NULL}};
    pose_mix(all, 3, 1, out);
    expect_row(out, 5, 20, 2);
    const struct pose_layer one[] = {{a, 0, NULL}, {b, 1e-30f, NULL}};
    pose_mix(one, 2, 1, out);
    expect_row(out, 4, 40, 3);
    const struct pose_layer huge[] = {{a, 3e38f, NULL}, {b, 3e38f, NULL}};
    pose_mix(huge, 2, 1, out);
    expect_row(out, 2, 20, 2);
}

TEST(rotations_take_the_shorter_arc)
{
    float a[ROW], b[ROW], out[ROW];
    make_row(a, 0, 170, 1);
    make_row(b, 0, -170, 1);
    const struct pose_layer layers[] = {{a, 1, NULL}, {b, 1, NULL}};
    pose_mix(layers, 2, 1, out);
    ck_assert_double_eq_tol(fabs(angle_of(out)), 180, 1e-4);
    /* The same rotation with the other sign changes nothing. */
    for (int i = 3; i < 7; i++)
        b[i] = -a[i];
    pose_mix(layers, 2, 1, out);
    expect_row(out, 0, 170, 1);
    /* Whatever the signs of three, none cancels another. */
    float c[ROW];
    make_row(a, 0, 0, 1);
    make_row(b, 0, 120, 1);
    make_row(c, 0, -120, 1);
    for (int signs = 0; signs < 8; signs++) {
        float turned[3][ROW];
        const float *const from[3] = {a, b, c};
        for (int k = 0; k < 3; k++) {
            memcpy(turned[k], from[k], sizeof turned[k]);
            for (int i = 3; i < 7; i++)
                turned[k][i] *= signs >> k & 1 ? -1 : 1;
        }
        const struct pose_layer three[] = {{turned[0], 2, NULL}, {turned[1], 1, NULL}, {turned[2], 1, NULL}};
        pose_mix(three, 3, 1, out);
        expect_row(out, 0, 0, 1);
    }
}

TEST(each_row_has_its_own_weights)
{
    float a[3 * ROW], b[3 * ROW], out[3 * ROW];
    for (int row = 0; row < 3; row++) {
        make_row(a + row * ROW, 1, 10, 1);
        make_row(b + row * ROW, 3, 30, 1);
        make_row(out + row * ROW, 77, 77, 1);
    }
    const struct pose_layer layers[] = {{a, 1, (const float[]){1, 1, 0}}, {b, 1, (const float[]){0, 3, 0}}};
    pose_mix(layers, 2, 3, out);
    expect_row(out, 1, 10, 1);
    ck_assert_float_eq_tol(out[ROW], 2.5f, 1e-6f);
    expect_row(out + 2 * ROW, 77, 77, 1); /* nobody's: left alone */
    pose_mix(layers, 0, 3, out);
    expect_row(out + 2 * ROW, 77, 77, 1);
}
