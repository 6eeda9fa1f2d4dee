/* Changing axes and units: the mappings of the specs, and that rotations act alike in all of them. */
#include "lib/model/axes.h"
#include "tests/support/unit.h"

#include <math.h>
#include <string.h>

/* ------------------------------------------------------------------------------- an independent reference -- */

/* v turned by q, by the textbook rule q v q*. */
static void turn(const double q[4], const double v[3], double out[3])
{
    double t[3] = {2 * (q[1] * v[2] - q[2] * v[1]), 2 * (q[2] * v[0] - q[0] * v[2]),
                   2 * (q[0] * v[1] - q[1] * v[0])};
    out[0] = v[0] + q[3] * t[0] + q[1] * t[2] - q[2] * t[1];
    out[1] = v[1] + q[3] * t[1] + q[2] * t[0] - q[0] * t[2];
    out[2] = v[2] + q[3] * t[2] + q[0] * t[1] - q[1] * t[0];
}

static uint32_t random_state = 12345;

static float random_float(void)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (float)(random_state >> 8) / (float)(1 << 23) - 1;
}

static void random_rotation(float q[4])
{
    do {
        for (int i = 0; i < 4; i++)
            q[i] = random_float();
    } while (fabsf(q[0]) + fabsf(q[1]) + fabsf(q[2]) + fabsf(q[3]) < 0.1f);
    quat_normalise(q);
}

/* ------------------------------------------------------------------------------------------------- tests -- */

static const enum pose_axes all_axes[] = {POSE_AXES_GLTF,  POSE_AXES_SL,     POSE_AXES_SIMS,
                                          POSE_AXES_PRIME, POSE_AXES_INCHES, POSE_AXES_Z_UP};
enum { AXES_COUNT = 6 };

static void expect(enum pose_part part, enum pose_axes from, const float *values, const float *gltf)
{
    size_t count = part == POSE_ROTATION ? 4 : 3;
    float converted[4];
    memcpy(converted, values, count * sizeof(float));
    pose_convert_axes(part, converted, 1, from, POSE_AXES_GLTF);
    for (size_t i = 0; i < count; i++)
        ck_assert_float_eq_tol(converted[i], gltf[i], 1e-7f);
}

/* The mappings as the specs state them. */
TEST(stated_mappings)
{
    const float v[3] = {1, 2, 3}, q[4] = {0.1f, 0.2f, 0.3f, 0.9f};
    expect(POSE_TRANSLATION, POSE_AXES_SL, v, (float[]){2, 3, 1});
    expect(POSE_ROTATION, POSE_AXES_SL, q, (float[]){0.2f, 0.3f, 0.1f, 0.9f});
    expect(POSE_SCALE, POSE_AXES_SL, v, (float[]){2, 3, 1});
    expect(POSE_TRANSLATION, POSE_AXES_INCHES, v, (float[]){0.02540005f, 0.0508001f, 0.07620015f});
    expect(POSE_ROTATION, POSE_AXES_INCHES, q, q);
    expect(POSE_TRANSLATION, POSE_AXES_Z_UP, v, (float[]){1, 3, -2});
    expect(POSE_ROTATION, POSE_AXES_Z_UP, q, (float[]){0.1f, 0.3f, -0.2f, 0.9f});
    expect(POSE_SCALE, POSE_AXES_Z_UP, v, (float[]){1, 3, 2});
    expect(POSE_TRANSLATION, POSE_AXES_SIMS, v, (float[]){-0.3048f, 0.6096f, 0.9144f});
    expect(POSE_ROTATION, POSE_AXES_SIMS, q, (float[]){-0.1f, 0.2f, 0.3f, 0.9f});
    expect(POSE_SCALE, POSE_AXES_SIMS, v, v);
    expect(POSE_TRANSLATION, POSE_AXES_PRIME, v, (float[]){-1, 3, 2});
    expect(POSE_ROTATION, POSE_AXES_PRIME, q, (float[]){-0.1f, 0.3f, 0.2f, 0.9f});
    expect(POSE_SCALE, POSE_AXES_PRIME, v, (float[]){1, 3, 2});
    expect(POSE_TRANSLATION, POSE_AXES_GLTF, v, v);
}

/* A converted rotation turns converted vectors as the stored one turns stored vectors. */
TEST(rotations_act_alike)
{
    for (int round = 0; round < 1000; round++) {
        enum pose_axes from = all_axes[round % AXES_COUNT], to = all_axes[round / AXES_COUNT % AXES_COUNT];
        float q[4], v[3] = {random_float(), random_float(), random_float()}, turned[3];
        random_rotation(q);
        /* Stored rotations of The Sims act as their conjugate. */
        double sign = from == POSE_AXES_SIMS ? -1 : 1;
        double expected[3], got[3];
        turn((double[]){sign * (double)q[0], sign * (double)q[1], sign * (double)q[2], (double)q[3]},
             (double[]){(double)v[0], (double)v[1], (double)v[2]}, expected);
        for (int i = 0; i < 3; i++)
            turned[i] = (float)expected[i];
        pose_convert_axes(POSE_ROTATION, q, 1, from, to);
        pose_convert_axes(POSE_TRANSLATION, v, 1, from, to);
        pose_convert_axes(POSE_TRANSLATION, turned, 1, from, to);
        sign = to == POSE_AXES_SIMS ? -1 : 1;
        turn((double[]){sign * (double)q[0], sign * (double)q[1], sign * (double)q[2], (double)q[3]},
             (double[]){(double)v[0], (double)v[1], (double)v[2]}, got);
        for (int i = 0; i < 3; i++)
            ck_assert_double_eq_tol(got[i], (double)turned[i], 5e-6);
    }
}

TEST(there_and_back)
{
    for (int a = 0; a < AXES_COUNT; a++) {
        for (int b = 0; b < AXES_COUNT; b++) {
            for (enum pose_part part = POSE_TRANSLATION; part <= POSE_SCALE; part++) {
                float values[12], before[12];
                for (int i = 0; i < 12; i++)
                    values[i] = before[i] = random_float();
                size_t count = part == POSE_ROTATION ? 3 : 4;
                pose_convert_axes(part, values, count, all_axes[a], all_axes[b]);
                pose_convert_axes(part, values, count, all_axes[b], all_axes[a]);
                for (int i = 0; i < 12; i++)
                    ck_assert_float_eq_tol(values[i], before[i], 2e-7f);
            }
        }
    }
}

TEST(same_axes_change_nothing)
{
    float values[3] = {-0.0f, 1e-42f, 3e38f}, before[3];
    memcpy(before, values, sizeof values);
    pose_convert_axes(POSE_TRANSLATION, values, 1, POSE_AXES_SIMS, POSE_AXES_SIMS);
    ck_assert_mem_eq(values, before, sizeof values);
}

TEST(zero_stays_positive)
{
    float values[3] = {0, 0, 0};
    pose_convert_axes(POSE_TRANSLATION, values, 1, POSE_AXES_SIMS, POSE_AXES_GLTF);
    ck_assert(!signbit(values[0]));
}

TEST(joint_rest)
{
    struct pose_joint joint = {
        .parent = -1, .translation = {1, 2, 3}, .rotation = {0, 0, 3, 4}, .scale = {1, 1, 2}};
    struct pose_skeleton skeleton = {.axes = POSE_AXES_SL, .joint_count = 1, .joints = &joint};
    float rest[10];
    pose_joint_rest(&skeleton, 0, POSE_AXES_GLTF, rest);
    const float expected[10] = {2, 3, 1, 0, 0.6f, 0, 0.8f, 1, 2, 1};
    for (int i = 0; i < 10; i++)
        ck_assert_float_eq_tol(rest[i], expected[i], 1e-7f);
    memset(joint.rotation, 0, sizeof joint.rotation);
    pose_joint_rest(&skeleton, 0, POSE_AXES_SL, rest);
    ck_assert_float_eq(rest[6], 1);
    ck_assert_float_eq(rest[0], 1);
}

TEST(normalise)
{
    float unit[4] = {0.5f, -0.5f, 0.5f, 0.5f}, huge[4] = {3e38f, 0, 0, 3e38f}, tiny[4] = {0, 1e-45f, 0, 0};
    quat_normalise(unit);
    ck_assert_float_eq(unit[1], -0.5f);
    quat_normalise(huge);
    ck_assert_float_eq_tol(huge[0], 0.70710678f, 1e-7f);
    quat_normalise(tiny);
    ck_assert_float_eq(tiny[1], 1);
    float bad[4] = {NAN, 0, 0, 1};
    quat_normalise(bad);
    ck_assert_float_eq(bad[0], 0);
    ck_assert_float_eq(bad[3], 1);
}
