/* Engines' rotations as glTF's: how far off at most, and with how few keys. */
#include "lib/formats/gltf/write/curve.h"
#include "lib/formats/gltf/write/path.h"
#include "tests/support/unit.h"

#include <math.h>
#include <string.h>

/* What single precision leaves of a key: its components are off by up to half of 2^-24, twice that as a rotation. */
#define ROUNDING 6e-7

static void slerp(const float *a, const float *b, double fraction, double out[4])
{
    double cosine = 0, away = 0;
    for (int i = 0; i < 4; i++)
        cosine += (double)a[i] * (double)b[i];
    for (int i = 0; i < 4; i++) /* of its square; exact where the cosine is not */
        away += ((double)b[i] - copysign(1, cosine) * (double)a[i]) *
                ((double)b[i] - copysign(1, cosine) * (double)a[i]);
    double angle = 2 * asin(fmin(sqrt(away) / 2, 1)), whole = sin(angle);
    double from = whole > 0 ? sin(angle * (1 - fraction)) / whole : 1 - fraction;
    double to = whole > 0 ? sin(angle * fraction) / whole : fraction;
    for (int i = 0; i < 4; i++)
        out[i] = from * (double)a[i] + copysign(to, cosine) * (double)b[i];
}

static double apart(const double *a, const float *b)
{
    double same = 0, opposite = 0;
    for (int i = 0; i < 4; i++) {
        same += (a[i] - (double)b[i]) * (a[i] - (double)b[i]);
        opposite += (a[i] + (double)b[i]) * (a[i] + (double)b[i]);
    }
    return 2 * sqrt(fmin(same, opposite));
}

/* The farthest that a curve is from the engine's way between two keys, looked at in so many places. */
static double stray(enum pose_rules rules, float keys[2][4], const struct gltf_curve *curve)
{
    enum { PLACES = 800 };
    struct gltf_path path;
    double worst = 0;
    gltf_path_init(&path, rules, keys[0], keys[1]);
    for (uint32_t i = 0, at = 0; i < PLACES; i += LANES) {
        double fractions[LANES], there[4];
        float way[LANES][4];
        for (uint32_t lane = 0; lane < LANES; lane++)
            fractions[lane] = (i + lane) / (double)PLACES;
        gltf_path_follow(&path, fractions, way);
        for (uint32_t lane = 0; lane < LANES; lane++) {
            while (at + 2 < curve->count && (double)curve->times[at + 1] <= fractions[lane])
                at++;
            double from = (double)curve->times[at], span = (double)curve->times[at + 1] - from;
            slerp(curve->values + 4 * (size_t)at, curve->values + 4 * (size_t)(at + 1),
                  (fractions[lane] - from) / span, there);
            worst = fmax(worst, apart(there, way[lane]));
        }
    }
    return worst;
}

/* Keys at that angle (of quaternions), the second that much longer: the keys that its curve has between the two. */
static uint32_t expect_near(enum pose_rules rules, double angle, double longer, float tolerance)
{
    static const float ends[2] = {0, 1};
    float keys[2][4] = {{0.48f, 0, 0.64f, 0.6f}, {0}}, values[2][4], spare[4 * 16];
    const double aside[4] = {0.8, 0, 0, -0.64}; /* not at a right angle yet */
    double along = 0, length = 0, across[4];
    for (int i = 0; i < 4; i++)
        along += aside[i] * (double)keys[0][i];
    for (int i = 0; i < 4; i++) {
        across[i] = aside[i] - along * (double)keys[0][i];
        length += across[i] * across[i];
    }
    for (int i = 0; i < 4; i++)
        keys[1][i] =
            (float)(longer * (cos(angle) * (double)keys[0][i] + sin(angle) * across[i] / sqrt(length)));
    struct arena arena;
    struct pose_clip clip = {.rules = rules, .duration = 1};
    struct gltf_curve curve = {.arena = &arena, .spare = spare, .spare_count = 16};
    arena_init(&arena, allocator_default(), 1 << 20, NULL);
    memcpy(values, keys, sizeof values);
    ck_assert(gltf_curve_rotations(&curve, &clip, ends, values[0], 2, tolerance));
    ck_assert_uint_eq(curve.count, curve.added_count + 2);
    double off = stray(rules, keys, &curve);
    ck_assert_msg(off <= (double)tolerance * 1.002 + ROUNDING,
                  "rules %d, angle %g, length %g, %u keys: %g for %g", rules, angle, longer, curve.count, off,
                  (double)tolerance);
    uint32_t added = curve.added_count;
    arena_release(&arena);
    return added;
}

TEST(never_farther_than_allowed)
{
    static const float tolerances[] = {1e-6f, 3e-6f, 1e-5f, 5e-5f};
    static const double lengths[] = {1, 1.0001, 0.999, 1.05};
    for (int t = 0; t < 4; t++) {
        /* Farther apart, more pieces than there may be would be needed. */
        double most = cbrt((double)tolerances[t] * 4 * 90 * 90);
        for (double angle = 0.003; angle < fmin(most, 1.57); angle *= 1.07) {
            expect_near(POSE_RULES_SL, angle, 1, tolerances[t]);
            expect_near(POSE_RULES_PRIME, angle, 1, tolerances[t]);
            for (int l = 0; l < 4; l++)
                expect_near(POSE_RULES_SIMS, angle, lengths[l], tolerances[t]);
        }
        /* The long way round. */
        for (double angle = 1.6; angle < 3.1; angle += 0.1)
            expect_near(POSE_RULES_PRIME, angle, 1, tolerances[t]);
    }
}

/* Interpolation strays by angle^3 / sqrt(972) undivided, and by a quarter of it with two more keys. */
TEST(no_more_keys_than_it_takes)
{
    static const enum pose_rules rules[] = {POSE_RULES_SL, POSE_RULES_SIMS, POSE_RULES_PRIME};
    for (int i = 0; i < 3; i++) {
        double limit = cbrt(1e-5 * sqrt(972));
        ck_assert_uint_eq(expect_near(rules[i], limit * 0.99, 1, 1e-5f), 0);
        ck_assert_uint_eq(expect_near(rules[i], limit * 1.01, 1, 1e-5f), 2);
        ck_assert_uint_eq(expect_near(rules[i], limit * 1.5, 1, 1e-5f), 2);
        ck_assert_uint_eq(expect_near(rules[i], limit * 1.6, 1, 1e-5f), 4);
    }
    /* On the arc anyway. */
    ck_assert_uint_eq(expect_near(POSE_RULES_SL, 2.5, 1, 1e-6f), 0);
    ck_assert_uint_eq(expect_near(POSE_RULES_PRIME, 1.2, 1, 1e-6f), 0);
    ck_assert_uint_eq(expect_near(POSE_RULES_PLAIN, 1.2, 1, 1e-6f), 0);
}

/* Who reads a file and writes it again gets the same bytes. */
TEST(no_zero_is_negative)
{
    static const enum pose_rules rules[] = {POSE_RULES_PLAIN, POSE_RULES_SL, POSE_RULES_SIMS,
                                            POSE_RULES_PRIME};
    static const float ends[2] = {0, 1};
    for (int i = 0; i < 4; i++) {
        float keys[2][4] = {{-0.0f, 1, -0.0f, 0}, {-0.0f, 0.8f, -0.0f, -0.6f}}, spare[4 * 16];
        struct arena arena;
        struct pose_clip clip = {.rules = rules[i], .duration = 1};
        struct gltf_curve curve = {.arena = &arena, .spare = spare, .spare_count = 16};
        arena_init(&arena, allocator_default(), 1 << 20, NULL);
        ck_assert(gltf_curve_rotations(&curve, &clip, ends, keys[0], 2, 1e-4f));
        for (uint32_t k = 0; k < 4 * curve.count; k++)
            ck_assert(curve.values[k] != 0 || !signbit(curve.values[k]));
        arena_release(&arena);
    }
}
