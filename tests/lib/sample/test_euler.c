/* Angles about axes one after another: worked values, all orders, and angles that only their sum gives. */
#include "lib/sample/euler.h"
#include "tests/support/unit.h"

#include <math.h>
#include <string.h>

#define DEGREE (3.14159265358979323846 / 180)

/* The product of matrices, by the textbook. */
static void matrix_of(const uint8_t *axes, unsigned count, const float *degrees, double m[3][3])
{
    double product[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (unsigned n = 0; n < count; n++) {
        unsigned j = (axes[n] + 1u) % 3, k = (axes[n] + 2u) % 3;
        double c = cos((double)degrees[n] * DEGREE), s = sin((double)degrees[n] * DEGREE);
        for (unsigned row = 0; row < 3; row++) {
            double x = product[row][j], y = product[row][k];
            product[row][j] = x * c + y * s;
            product[row][k] = y * c - x * s;
        }
    }
    memcpy(m, product, sizeof product);
}

static void expect_rotation(const uint8_t *axes, unsigned count, const float *degrees, const float q[4])
{
    double m[3][3], x = (double)q[0], y = (double)q[1], z = (double)q[2], w = (double)q[3];
    matrix_of(axes, count, degrees, m);
    const double n[3][3] = {{1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)},
                            {2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)},
                            {2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)}};
    for (int row = 0; row < 3; row++) {
        for (int column = 0; column < 3; column++)
            ck_assert_double_eq_tol(m[row][column], n[row][column], 3e-6);
    }
}

TEST(worked_values)
{
    float q[4];
    euler_to_quat((const uint8_t[]){1}, 1, (const float[]){90}, q);
    ck_assert_float_eq_tol(q[1], 0.70710678f, 1e-7f);
    ck_assert_float_eq_tol(q[3], 0.70710678f, 1e-7f);
    /* The spec of Second Life's clips: (10, 20, 30) as qx qy qz. */
    const float expected[4] = {0.12767944f, 0.14487813f, 0.26853582f, 0.94371432f};
    euler_to_quat((const uint8_t[]){0, 1, 2}, 3, (const float[]){10, 20, 30}, q);
    for (int i = 0; i < 4; i++)
        ck_assert_float_eq_tol(q[i], expected[i], 1e-7f);
    euler_to_quat(NULL, 0, NULL, q);
    ck_assert_float_eq(q[3], 1);
}

static const uint8_t orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};

/* All angles in steps, those among them where the middle one is 90 degrees. */
TEST_EACH(orders_there_and_back, 6)
{
    const uint8_t *axes = orders[_i];
    for (int n = 0; n < 25 * 25 * 25; n++) {
        const float angles[3] = {(float)(n % 25) * 15 - 180, (float)(n / 25 % 25) * 15 - 180,
                                 (float)(n / 625) * 15 - 180};
        float q[4], back[3], near[3];
        euler_to_quat(axes, 3, angles, q);
        expect_rotation(axes, 3, angles, q);
        euler_from_quat(axes, q, NULL, back);
        expect_rotation(axes, 3, back, q);
        ck_assert(fabsf(back[1]) <= 90 && fabsf(back[0]) <= 180 && fabsf(back[2]) <= 180);
        /* Told what they were, the very same angles: the other way to turn there, and whole turns, are known. */
        const float before[3] = {angles[0] + 722, angles[1] + 1, angles[2] - 361};
        euler_from_quat(axes, q, before, near);
        expect_rotation(axes, 3, near, q);
        for (int i = 0; i < 3 && fabs(fabs((double)angles[1]) - 90) > 1; i++)
            ck_assert_float_eq_tol(near[i], angles[i] + (i == 0 ? 720.0f : i == 2 ? -360.0f : 0.0f), 1e-3f);
    }
}

TEST(any_axes)
{
    const uint8_t axes[3] = {2, 0, 2};
    const float angles[3] = {40, -70, 125};
    float q[4];
    for (unsigned count = 0; count <= 3; count++) {
        euler_to_quat(axes, count, angles, q);
        expect_rotation(axes, count, angles, q);
    }
}

TEST(locked_axes_keep_the_last_angle)
{
    float q[4], back[3];
    const float previous[3] = {0, 89, 33};
    euler_to_quat(orders[0], 3, (const float[]){20, 90, 10}, q);
    euler_from_quat(orders[0], q, previous, back);
    expect_rotation(orders[0], 3, back, q);
    ck_assert_float_eq_tol(back[1], 90, 0.05f);
}

/* Angles as files have them: rounded, zeros of both signs, right angles, far turns, and any. */
static float make_angle(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    const uint32_t kind = *state >> 28;
    *state = *state * 1664525u + 1013904223u;
    const float part = (float)(*state >> 8) / 8388608.0f - 1;
    switch (kind) {
    case 0:
        return part < 0 ? -0.0f : 0.0f;
    case 1:
        return roundf(part * 8) * 45;
    case 2:
        return part * 4e6f;
    case 3:
        return part * 1e-5f;
    case 4:
    case 5:
        return part * 180;
    default:
        return roundf(part * 1.8e6f) / 1e4f;
    }
}

TEST_EACH(many_are_as_each, 6)
{
    enum { ROWS = 10003 };
    static float rows[ROWS][4], angles[ROWS][4];
    uint32_t state = 1u + (uint32_t)_i;
    for (unsigned count = 0; count <= 3; count++) {
        for (int row = 0; row < ROWS; row++) {
            for (int k = 0; k < 4; k++)
                angles[row][k] = make_angle(&state);
        }
        memcpy(rows, angles, sizeof rows);
        euler_to_quats(orders[_i], count, rows[0], ROWS);
        for (int row = 0; row < ROWS; row++) {
            float q[4];
            euler_to_quat(orders[_i], count, angles[row], q);
            ck_assert_msg(!memcmp(q, rows[row], sizeof q), "%.9g %.9g %.9g: %.9g %.9g %.9g %.9g",
                          (double)angles[row][0], (double)angles[row][1], (double)angles[row][2],
                          (double)rows[row][0], (double)rows[row][1], (double)rows[row][2],
                          (double)rows[row][3]);
        }
    }
    euler_to_quats(orders[0], 3, NULL, 0);
}
