/* Angles of four rotations at once: each the very one that is found alone, frame after frame. */
#include "lib/formats/bvh/angles.h"
#include "lib/sample/euler.h"
#include "tests/support/unit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const uint8_t orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};

static uint32_t state = 12345;

static float part(void)
{
    state = state * 1664525u + 1013904223u;
    return (float)(state >> 8) / 8388608.0f - 1;
}

/* A rotation: near the last one, anywhere, by angles of a file, or locked. */
static void make_rotation(const uint8_t axes[3], const float previous[3], float q[4])
{
    float angles[3];
    const int kind = (int)(8 * (part() + 1));
    for (int k = 0; k < 3; k++) {
        if (kind < 8)
            angles[k] = previous[k] + 8 * part();
        else if (kind < 10)
            angles[k] = 400 * part();
        else if (kind < 14)
            angles[k] = roundf(1.8e6f * part()) / 1e4f;
        else
            angles[k] = roundf(4 * part()) * 45;
    }
    euler_to_quat(axes, 3, angles, q);
}

static int order_of(int frame, int shift)
{
    return (frame / 1000 + shift) % 6;
}

TEST_EACH(four_are_as_each, 3)
{
    unsigned done[6] = {0}, all[6] = {0};
    float previous[BVH_TURNS][3] = {{0}};
    for (int frame = 0; frame < 20000; frame++) {
        struct bvh_turn turns[BVH_TURNS], *each[BVH_TURNS];
        float q[BVH_TURNS][4];
        for (int i = 0; i < BVH_TURNS; i++) {
            const uint8_t *axes = orders[order_of(frame, i * _i)];
            make_rotation(axes, previous[i], q[i]);
            turns[i] = (struct bvh_turn){.axes = axes, .q = q[i]};
            memcpy(turns[i].angles, previous[i], sizeof previous[i]);
            each[i] = &turns[i];
        }
        const unsigned good = bvh_angles_fit_four(each);
        for (int i = 0; i < BVH_TURNS; i++) {
            float angles[3];
            bvh_angles_fit(turns[i].axes, 3, q[i], previous[i], angles);
            const float *expected = good >> i & 1 ? angles : previous[i];
            ck_assert_msg(!memcmp(turns[i].angles, expected, sizeof angles),
                          "%.9g %.9g %.9g, not %.9g %.9g %.9g", (double)turns[i].angles[0],
                          (double)turns[i].angles[1], (double)turns[i].angles[2], (double)expected[0],
                          (double)expected[1], (double)expected[2]);
            /* Whole turns add up. */
            for (int k = 0; k < 3; k++)
                previous[i][k] = frame % 50 ? angles[k] : 100 * part();
            done[order_of(frame, i * _i)] += good >> i & 1;
            all[order_of(frame, i * _i)]++;
        }
    }
    /* No order is left to the slow way. */
    for (int i = 0; i < 6; i++) {
        printf("%u of %u at once\n", done[i], all[i]);
        ck_assert_uint_ge(done[i], done[0] ? all[i] / 2 : 0);
    }
}
