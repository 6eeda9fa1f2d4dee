/* Cutting curves to a clip's range. Reduction is tested where it is used, in test_sl_anim_write.c. */
#include "lib/formats/sl/curve.h"
#include "tests/support/unit.h"

#include <math.h>
#include <string.h>

enum { MOST = 6 };

/* Cuts keys whose x is what is given, and compares what is left. */
static void expect_cut(float duration, uint32_t count, const float *times, const float *xs, uint32_t left,
                       const float *left_times, const float *left_xs)
{
    float t[MOST], values[MOST][3] = {{0}};
    memcpy(t, times, count * sizeof *t);
    for (uint32_t k = 0; k < count; k++)
        values[k][0] = xs[k];
    struct sl_curve curve = {false, count, t, values[0], 0};
    ck_assert_uint_eq(sl_curve_cut(&curve, duration, t, values[0]), left);
    for (uint32_t k = 0; k < left; k++) {
        ck_assert_float_eq(t[k], left_times[k]);
        ck_assert_float_eq_tol(values[k][0], left_xs[k], 1e-6f);
    }
}

#define FLOATS(...) ((const float[]){__VA_ARGS__})

TEST(positions)
{
    /* What is inside stays as it is. */
    expect_cut(2, 3, FLOATS(0, 1, 2), FLOATS(1, 2, 3), 3, FLOATS(0, 1, 2), FLOATS(1, 2, 3));
    expect_cut(2, 2, FLOATS(0.5f, 1), FLOATS(1, 2), 2, FLOATS(0.5f, 1), FLOATS(1, 2));
    expect_cut(2, 1, FLOATS(1), FLOATS(7), 1, FLOATS(1), FLOATS(7));
    /* Cut at one end, at the other, at both, and within one span. */
    expect_cut(2, 4, FLOATS(-3, -1, 1, 2), FLOATS(9, 0, 4, 5), 3, FLOATS(0, 1, 2), FLOATS(2, 4, 5));
    expect_cut(2, 4, FLOATS(0, 1, 3, 4), FLOATS(0, 2, 6, 9), 3, FLOATS(0, 1, 2), FLOATS(0, 2, 4));
    expect_cut(2, 3, FLOATS(-1, 1, 3), FLOATS(0, 2, 6), 3, FLOATS(0, 1, 2), FLOATS(1, 2, 4));
    expect_cut(2, 2, FLOATS(-1, 3), FLOATS(0, 4), 2, FLOATS(0, 2), FLOATS(1, 3));
    expect_cut(2, 2, FLOATS(-3e38f, 3e38f), FLOATS(0, 4), 2, FLOATS(0, 2), FLOATS(2, 2));
    /* A key exactly at an end is the end. */
    expect_cut(2, 4, FLOATS(-1, 0, 2, 3), FLOATS(9, 1, 2, 9), 2, FLOATS(0, 2), FLOATS(1, 2));
    /* All before, all after: what holds there. */
    expect_cut(2, 2, FLOATS(-2, -1), FLOATS(1, 2), 1, FLOATS(0), FLOATS(2));
    expect_cut(2, 2, FLOATS(3, 4), FLOATS(1, 2), 1, FLOATS(0), FLOATS(1));
    expect_cut(0, 2, FLOATS(-1, 1), FLOATS(0, 4), 1, FLOATS(0), FLOATS(2));
    /* The last key before the end needs no other after it. */
    expect_cut(2, 2, FLOATS(-1, 1), FLOATS(0, 4), 2, FLOATS(0, 1), FLOATS(2, 4));
}

TEST(rotations)
{
    float times[2] = {-1, 1}, values[2][4] = {{0, 0, 0, 1}, {0.6f, 0, 0, 0.8f}};
    struct sl_curve curve = {true, 2, times, values[0], 0};
    ck_assert_uint_eq(sl_curve_cut(&curve, 2, times, values[0]), 2);
    float length = sqrtf(0.3f * 0.3f + 0.9f * 0.9f);
    ck_assert_float_eq_tol(values[0][0], 0.3f / length, 1e-6f);
    ck_assert_float_eq_tol(values[0][3], 0.9f / length, 1e-6f);
    ck_assert_float_eq(values[1][0], 0.6f);
    /* A negative dot product: the short way round, on the great circle. */
    float apart[2] = {-1, 1}, turns[2][4] = {{1, 0, 0, 0}, {-0.8f, 0.6f, 0, 0}};
    struct sl_curve other = {true, 2, apart, turns[0], 0};
    sl_curve_cut(&other, 2, apart, turns[0]);
    float half = 0.5f * acosf(0.8f), sign = turns[0][0] < 0 ? -1 : 1;
    ck_assert_float_eq_tol(sign * turns[0][0], cosf(half), 1e-6f);
    ck_assert_float_eq_tol(sign * turns[0][1], -sinf(half), 1e-6f);
}
