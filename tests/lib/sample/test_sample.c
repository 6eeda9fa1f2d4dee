/*
 * Sampling: random clips of every kind against an independent reference (sample_reference.h), with both sets of
 * kernels, then the edges that the specs name.
 */
#include "lib/sample/sampler.h"
#include "tests/lib/sample/sample_reference.h"
#include "tests/support/random_numbers.h"
#include "tests/support/unit.h"

#include <float.h>
#include <stdio.h>
#include <stdlib.h>

static const enum pose_rules all_rules[] = {POSE_RULES_PLAIN, POSE_RULES_SL,    POSE_RULES_SIMS,
                                            POSE_RULES_SIMS3, POSE_RULES_PRIME, POSE_RULES_PRIME_FRAMES};
enum { RULES = 6 };

static const enum pose_axes axes_of_rules[] = {
    [POSE_RULES_PLAIN] = POSE_AXES_GLTF,  [POSE_RULES_SL] = POSE_AXES_SL,
    [POSE_RULES_SIMS] = POSE_AXES_SIMS,   [POSE_RULES_SIMS3] = POSE_AXES_GLTF,
    [POSE_RULES_PRIME] = POSE_AXES_PRIME, [POSE_RULES_PRIME_FRAMES] = POSE_AXES_PRIME,
};

/* --------------------------------------------------------------------------------------------- random clips -- */

static float random_float(void)
{
    return (float)random_below(1 << 24) / (float)(1 << 23) - 1;
}

/* Keys nearer to opposite than this (Prime blends them the long way) make single precision show. */
#define MIN_COSINE -0.9

/* A unit quaternion, near the one before so often that both ways of blending come up. */
static void random_rotation(const float *before, float q[4])
{
    float spread = (float[]){0.02f, 0.3f, 3}[random_below(3)];
    double square = 0;
    while (square < 1e-5) {
        square = 0;
        for (int i = 0; i < 4; i++) {
            q[i] = (before ? before[i] : 0) + random_float() * spread;
            square += (double)q[i] * (double)q[i];
        }
    }
    double sign = random_below(20) ? 1 : -1, cosine = 0;
    for (int i = 0; i < 4; i++) {
        q[i] = (float)((double)q[i] * sign / sqrt(square));
        cosine += before ? (double)before[i] * (double)q[i] : 0;
    }
    for (int i = 0; cosine < MIN_COSINE && i < 4; i++)
        q[i] = -q[i];
}

/* A clip and its memory. */
struct test_clip {
    struct pose_clip clip;
    struct pose_track *tracks;
    void *blocks[1024];
    unsigned block_count;
};

static void *keep(struct test_clip *test, size_t size)
{
    ck_assert_uint_lt(test->block_count, 1024);
    void *memory = calloc(1, size ? size : 1);
    ck_assert_ptr_nonnull(memory);
    return test->blocks[test->block_count++] = memory;
}

static void free_clip(struct test_clip *test)
{
    while (test->block_count)
        free(test->blocks[--test->block_count]);
}

static float *random_times(struct test_clip *test, uint32_t count)
{
    float *times = keep(test, count * sizeof *times);
    bool uniform = random_below(2), crowded = random_below(3) == 0;
    float duration = test->clip.duration, start = random_below(2) ? 0 : duration / 10;
    for (uint32_t i = 0; i < count; i++) {
        double u = count > 1 ? (double)i / (count - 1) : 0;
        if (!uniform)
            u = (i + (double)random_below(1000) / 1001) / count;
        if (crowded)
            u = pow(u, 9);
        times[i] = (float)((double)start + u * (double)(duration - start));
        if (i && times[i] <= times[i - 1])
            times[i] = nextafterf(times[i - 1], INFINITY);
    }
    return times;
}

static struct pose_channel random_channel(struct test_clip *test, enum pose_part part, uint32_t count,
                                          const float *times)
{
    uint32_t components = part == POSE_ROTATION ? 4 : part == POSE_MORPH ? 1 : 3;
    float *values = keep(test, (size_t)count * components * sizeof *values);
    bool constant = random_below(6) == 0;
    for (uint32_t k = 0; k < count; k++) {
        float *value = values + (size_t)k * components;
        if (k && constant)
            memcpy(value, value - components, components * sizeof *value);
        else if (part == POSE_ROTATION)
            random_rotation(k ? value - 4 : NULL, value);
        else
            for (uint32_t i = 0; i < components; i++)
                value[i] = random_float() * 3;
    }
    return (struct pose_channel){count, times, values};
}

/* Sims keys are stored somewhat off unit length. */
static void stretch_rotations(struct pose_track *track)
{
    struct pose_channel *channel = &track->channels[POSE_ROTATION];
    float *values = (float *)(uintptr_t)channel->values;
    for (uint32_t i = 0; i < channel->count * 4; i++)
        values[i] *= 1.0015f;
}

static char *joint_name(struct test_clip *test, uint32_t i)
{
    char *name = keep(test, 16);
    snprintf(name, 16, "joint%u", i);
    return name;
}

static void random_clip(struct test_clip *test, enum pose_rules rules, uint32_t track_count)
{
    memset(test, 0, sizeof *test);
    struct pose_clip *clip = &test->clip;
    clip->rules = rules;
    clip->axes = axes_of_rules[rules];
    clip->fps = 30;
    uint32_t frames = 2 + random_below(60);
    clip->duration =
        rules == POSE_RULES_PRIME_FRAMES ? (float)(frames - 1) / 30 : 0.5f + random_float() * 0.4f;
    clip->loop = rules == POSE_RULES_SL && random_below(2) ? POSE_LOOP_YES : POSE_LOOP_UNKNOWN;
    clip->loop_in = clip->loop == POSE_LOOP_YES ? clip->duration * 0.25f : 0;
    clip->loop_out = clip->loop == POSE_LOOP_YES ? clip->duration * 0.75f : clip->duration;
    clip->track_count = track_count;
    clip->tracks = test->tracks = keep(test, track_count * sizeof *test->tracks);
    const float *shared = random_times(test, frames);
    for (uint32_t i = 0; i < track_count; i++) {
        struct pose_track *track = &test->tracks[i];
        track->name = joint_name(test, i);
        for (enum pose_part part = 0; part < POSE_PART_COUNT; part++) {
            if (random_below(part == POSE_ROTATION ? 8 : 2) == (part == POSE_ROTATION))
                continue;
            bool share = rules == POSE_RULES_PRIME_FRAMES || random_below(2);
            uint32_t count = share ? frames : 1 + random_below(40);
            track->channels[part] =
                random_channel(test, part, count, share ? shared : random_times(test, count));
        }
        if (rules == POSE_RULES_SIMS)
            stretch_rotations(track);
    }
}

/* -------------------------------------------------------------------------------------------- the comparison -- */

static void expect_vector(const float *got, const double *expected, double tolerance)
{
    for (int i = 0; i < 3; i++) {
        if (!(fabs((double)got[i] - expected[i]) <= tolerance * fmax(1, fabs(expected[i]))))
            ck_abort_msg("%.9g instead of %.9g", (double)got[i], expected[i]);
    }
}

/* Up to sign, which no engine promises. */
static void expect_rotation(const float *got, const double *expected, double tolerance)
{
    double q[4] = {(double)got[0], (double)got[1], (double)got[2], (double)got[3]};
    double sign = reference_dot(q, expected) < 0 ? -1 : 1;
    double off = fabs(reference_dot(q, q) - 1);
    for (int i = 0; i < 4; i++)
        off = fmax(off, fabs(sign * q[i] - expected[i]));
    if (!(off <= tolerance)) /* an assertion that holds costs a system call */
        ck_abort_msg("(%g %g %g %g) is off by %g", q[0], q[1], q[2], q[3], off);
}

static void expect_finite(const float *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!isfinite(values[i]))
            ck_abort_msg("number %zu is %f", i, (double)values[i]);
    }
}

static struct pose_sampler *new_sampler(const struct pose_clip *clip, const struct pose_skeleton *skeleton,
                                        enum pose_axes axes)
{
    struct pose_error error;
    struct pose_sampler *sampler = pose_sampler_new(clip, skeleton, axes, NULL, &error);
    ck_assert_msg(sampler != NULL, "%s", error.detail);
    return sampler;
}

enum { MAX_ROWS = 300 };
static float rows[MAX_ROWS * ROW_FLOATS], other_rows[MAX_ROWS * ROW_FLOATS], morphs[MAX_ROWS];

static void check_track_row(const struct pose_clip *clip, const struct pose_track *track, enum pose_axes axes,
                            double t, enum pose_wrap wrap, const float *row, double tolerance)
{
    static const unsigned places[3] = {0, ROTATION_PLACE, SCALE_PLACE};
    for (enum pose_part part = POSE_TRANSLATION; part <= POSE_SCALE; part++) {
        double expected[4] = {part == POSE_SCALE, part == POSE_SCALE, part == POSE_SCALE, 1};
        if (track->channels[part].count) {
            reference_channel(clip, part, &track->channels[part], t, wrap, expected);
            if (axes != clip->axes)
                reference_to_gltf(clip->axes, part, expected);
        }
        if (part == POSE_ROTATION)
            expect_rotation(row + places[part], expected, tolerance);
        else
            expect_vector(row + places[part], expected, tolerance);
    }
}

static void check_moment(const struct pose_sampler *sampler, double t, enum pose_wrap wrap, double tolerance)
{
    const struct pose_clip *clip = sampler->clip;
    uint32_t row = 0, morph = 0;
    pose_sample(sampler, t, wrap, 0, rows, morphs);
    for (uint32_t i = 0; i < clip->track_count; i++) {
        const struct pose_track *track = &clip->tracks[i];
        bool drives = false;
        for (int part = 0; part < 3; part++)
            drives |= track->channels[part].count > 0;
        if (drives || !track->channels[POSE_MORPH].count)
            check_track_row(clip, track, sampler->axes, t, wrap, rows + ROW_FLOATS * row++, tolerance);
        if (track->channels[POSE_MORPH].count) {
            double expected;
            reference_channel(clip, POSE_MORPH, &track->channels[POSE_MORPH], t, wrap, &expected);
            ck_assert_double_eq_tol((double)morphs[morph++], expected, 1e-6);
        }
    }
    ck_assert_uint_eq(row, sampler->row_count);
    ck_assert_uint_eq(morph, sampler->morph_count);
}

/* A moment at or near which nothing jumps: the specs say little about the very seam of a loop. */
static bool is_seam(const struct pose_clip *clip, double t, enum pose_wrap wrap)
{
    double length = (double)(clip->rules == POSE_RULES_SL ? clip->loop_out - clip->loop_in : clip->duration);
    double start = (double)clip->loop_out;
    double past = fmod(t - start, length);
    return wrap == POSE_WRAP && (fabs(past) < 1e-4 || length - fabs(past) < 1e-4);
}

static double random_moment(const struct pose_clip *clip)
{
    const struct pose_track *track = &clip->tracks[random_below(clip->track_count)];
    const struct pose_channel *channel = &track->channels[random_below(POSE_PART_COUNT)];
    switch (random_below(4)) {
    case 0: /* on a key */
        return channel->count ? (double)channel->times[random_below(channel->count)] : 0;
    case 1: /* outside */
        return (double)random_float() * 5;
    default:
        return (double)(random_float() + 1) / 2 * (double)clip->duration;
    }
}

static void check_clip(struct pose_sampler *sampler, double tolerance)
{
    for (int moment = 0; moment < 60; moment++) {
        double t = random_moment(sampler->clip);
        enum pose_wrap wrap = random_below(2) ? POSE_WRAP : POSE_CLAMP;
        if (!is_seam(sampler->clip, t, wrap))
            check_moment(sampler, t, wrap, tolerance);
    }
}

TEST_EACH(random_clips_match_the_reference, RULES)
{
    random_state = 1;
    for (int round = 0; round < 150; round++) {
        struct test_clip test;
        random_clip(&test, all_rules[_i], 1 + random_below(40));
        struct pose_sampler *sampler =
            new_sampler(&test.clip, NULL, round % 2 ? POSE_AXES_GLTF : test.clip.axes);
        sampler->kernels = sample_kernels_scalar(test.clip.rules);
        check_clip(sampler, 5e-7);
        if (sample_kernels_avx2(test.clip.rules, &sampler->kernels))
            check_clip(sampler, 1.5e-6);
        pose_sampler_free(sampler);
        free_clip(&test);
    }
}

TEST_EACH(kernels_agree, RULES)
{
    random_state = 2;
    struct sample_kernels kernels;
    if (!sample_kernels_avx2(all_rules[_i], &kernels)) {
        fprintf(stderr, "SKIPPED: no AVX2 here\n");
        return;
    }
    for (int round = 0; round < 100; round++) {
        struct test_clip test;
        random_clip(&test, all_rules[_i], 40);
        struct pose_sampler *sampler = new_sampler(&test.clip, NULL, POSE_AXES_GLTF);
        for (int moment = 0; moment < 40; moment++) {
            double t = random_moment(&test.clip);
            sampler->kernels = kernels;
            pose_sample(sampler, t, POSE_WRAP, 0, rows, NULL);
            sampler->kernels = sample_kernels_scalar(test.clip.rules);
            pose_sample(sampler, t, POSE_WRAP, 0, other_rows, NULL);
            for (uint32_t i = 0; i < sampler->row_count * ROW_FLOATS; i++) {
                if (!(fabsf(rows[i] - other_rows[i]) <= 1e-6f))
                    ck_abort_msg("%.9g instead of %.9g", (double)rows[i], (double)other_rows[i]);
            }
        }
        pose_sampler_free(sampler);
        free_clip(&test);
    }
}

/* ------------------------------------------------------------------------------------------ hand-made clips -- */

/* One joint that turns about z by the angles (degrees), whose name is "root". */
struct turning_clip {
    struct pose_clip clip;
    struct pose_track track;
    float times[8], rotations[8][4], translations[8][3];
};

static void turning_clip(struct turning_clip *test, enum pose_rules rules, float duration, uint32_t count,
                         const float *times, const float *degrees)
{
    *test = (struct turning_clip){.track = {.name = "root"}};
    for (uint32_t k = 0; k < count; k++) {
        double half = (double)degrees[k] * 3.14159265358979323846 / 360;
        test->times[k] = times[k];
        test->rotations[k][2] = (float)sin(half);
        test->rotations[k][3] = (float)cos(half);
        test->translations[k][0] = degrees[k];
    }
    test->track.channels[POSE_ROTATION] = (struct pose_channel){count, test->times, test->rotations[0]};
    test->track.channels[POSE_TRANSLATION] = (struct pose_channel){count, test->times, test->translations[0]};
    test->clip = (struct pose_clip){
        .rules = rules, .axes = POSE_AXES_GLTF, .duration = duration, .loop_out = duration, .track_count = 1};
    test->clip.tracks = &test->track;
}

/* The angle about z in degrees, -180 ... 180. */
static double angle_of(const float *row)
{
    double degrees = 2 * atan2((double)row[5], (double)row[6]) * 180 / 3.14159265358979323846;
    return degrees > 180.0001 ? degrees - 360 : degrees < -180.0001 ? degrees + 360 : degrees;
}

static void expect_angle(const struct pose_clip *clip, double t, enum pose_wrap wrap, double degrees)
{
    struct pose_sampler *sampler = new_sampler(clip, NULL, clip->axes);
    pose_sample(sampler, t, wrap, 0, rows, NULL);
    ck_assert_double_eq_tol(angle_of(rows), degrees, 1e-4);
    pose_sampler_free(sampler);
}

static const float quarter_times[] = {0, 0.25f, 0.5f, 0.75f, 1};
static const float quarter_angles[] = {0, 1, 2, 3, 4}; /* so small that nlerp and slerp agree */

TEST(sl_plays_its_intro_then_loops)
{
    struct turning_clip test;
    turning_clip(&test, POSE_RULES_SL, 1, 5, quarter_times, quarter_angles);
    struct pose_clip *clip = &test.clip;
    /* It does not loop: from the whole length to the start. */
    expect_angle(clip, 1, POSE_WRAP, 4);
    expect_angle(clip, 1.25, POSE_WRAP, 1);
    expect_angle(clip, 9, POSE_CLAMP, 4);
    expect_angle(clip, -9, POSE_CLAMP, 0);
    clip->loop = POSE_LOOP_YES;
    clip->loop_in = 0.25f;
    clip->loop_out = 0.75f;
    expect_angle(clip, -1, POSE_WRAP, 0);
    expect_angle(clip, 0.125, POSE_WRAP, 0.5);
    expect_angle(clip, 0.75, POSE_WRAP, 3);
    expect_angle(clip, 0.8125, POSE_WRAP, 1.25);
    expect_angle(clip, 1.375, POSE_WRAP, 1.5);
    expect_angle(clip, 0.8125, POSE_CLAMP, 3.25);
    clip->loop_in = 0.75f;
    expect_angle(clip, 0.5, POSE_WRAP, 2);
    expect_angle(clip, 77, POSE_WRAP, 3);
}

TEST(sl_loop_points_anywhere)
{
    static const float points[] = {-3e38f, -FLT_MAX, -1, -0.5f, 0,     1e-45f, 0.25f,
                                   0.5f,   1,        2,  60,    3e38f, FLT_MAX};
    static const double moments[] = {-1e308, -1, 0, 1e-300, 0.3, 0.9, 1, 1.1, 59, 1e30, 3e38, 1e308};
    enum { POINTS = sizeof points / sizeof *points, MOMENTS = sizeof moments / sizeof *moments };
    struct turning_clip test;
    turning_clip(&test, POSE_RULES_SL, 1, 5, quarter_times, quarter_angles);
    test.clip.loop = POSE_LOOP_YES;
    for (int in = 0; in < POINTS; in++) {
        for (int out = 0; out < POINTS; out++) {
            test.clip.loop_in = points[in];
            test.clip.loop_out = points[out];
            struct pose_sampler *sampler = new_sampler(&test.clip, NULL, POSE_AXES_GLTF);
            for (int m = 0; m < MOMENTS; m++) {
                pose_sample(sampler, moments[m], POSE_WRAP, 0, rows, NULL);
                expect_finite(rows, ROW_FLOATS);
                ck_assert_float_ge(rows[0], 0);
                ck_assert_float_le(rows[0], 4);
            }
            pose_sampler_free(sampler);
        }
    }
}

TEST(sl_blends_straight_unless_the_keys_lie_apart)
{
    struct turning_clip test;
    turning_clip(&test, POSE_RULES_SL, 1, 2, (float[]){0, 1}, (float[]){0, 120});
    double a = 60.0 / 180 * 3.14159265358979323846;
    expect_angle(&test.clip, 0.25, POSE_CLAMP,
                 2 * atan2(0.25 * sin(a), 0.75 + 0.25 * cos(a)) * 180 / 3.14159265358979323846);
    /* A dot product below 0: spherical, and the shorter way. */
    for (int i = 0; i < 4; i++)
        test.rotations[1][i] = -test.rotations[1][i];
    expect_angle(&test.clip, 0.25, POSE_CLAMP, 30);
    /* On its last key it is that key, sign and all. */
    struct pose_sampler *sampler = new_sampler(&test.clip, NULL, POSE_AXES_GLTF);
    pose_sample(sampler, 1, POSE_CLAMP, 0, rows, NULL);
    ck_assert_float_eq_tol(rows[5], test.rotations[1][2], 1e-7f);
    pose_sampler_free(sampler);
}

TEST(sims_keys_lie_at_fractions_and_the_last_blends_into_the_first)
{
    struct turning_clip test;
    /* Times are not looked at. */
    turning_clip(&test, POSE_RULES_SIMS, 2, 4, (float[]){0, 0.1f, 0.2f, 0.3f}, (float[]){0, 1, 2, 3});
    struct pose_clip *clip = &test.clip;
    clip->axes = POSE_AXES_GLTF;
    expect_angle(clip, 0.5, POSE_CLAMP, 1);
    expect_angle(clip, 0.75, POSE_CLAMP, 1.5);
    expect_angle(clip, 1.5, POSE_CLAMP, 3);
    expect_angle(clip, 1.75, POSE_CLAMP, 3);
    expect_angle(clip, 1.75, POSE_WRAP, 1.5);
    expect_angle(clip, 2, POSE_WRAP, 0);
    expect_angle(clip, 2, POSE_CLAMP, 3);
    expect_angle(clip, -0.25, POSE_WRAP, 1.5);
    expect_angle(clip, 1e15 + 0.75, POSE_WRAP, 1.5);
    clip->duration = 0;
    expect_angle(clip, 0.5, POSE_WRAP, 0);
    expect_angle(clip, 0.5, POSE_CLAMP, 0);
}

TEST(sims_rotations_are_always_unit)
{
    struct turning_clip test;
    turning_clip(&test, POSE_RULES_SIMS, 1, 4, quarter_times, quarter_angles);
    static const float keys[4][4] = {{0, 0, 0, 0}, {0, 0, 0, -2}, {1e-30f, 0, 0, 0}, {0, 1e30f, 0, 1e30f}};
    memcpy(test.rotations, keys, sizeof keys);
    struct pose_sampler *sampler = new_sampler(&test.clip, NULL, POSE_AXES_GLTF);
    for (int i = 0; i <= 64; i++) {
        pose_sample(sampler, i / 64.0, i % 2 ? POSE_WRAP : POSE_CLAMP, 0, rows, NULL);
        double q[4] = {(double)rows[3], (double)rows[4], (double)rows[5], (double)rows[6]};
        ck_assert_double_eq_tol(reference_dot(q, q), 1, 5e-7);
    }
    pose_sample(sampler, 0, POSE_CLAMP, 0, rows, NULL);
    ck_assert_float_eq(fabsf(rows[6]), 1);
    pose_sampler_free(sampler);
}

TEST(sims3_takes_the_shorter_arc_and_wraps_by_the_duration)
{
    struct turning_clip test;
    turning_clip(&test, POSE_RULES_SIMS3, 1, 2, (float[]){0, 1}, (float[]){0, 120});
    expect_angle(&test.clip, 0.25, POSE_CLAMP, 30);
    for (int i = 0; i < 4; i++)
        test.rotations[1][i] = -test.rotations[1][i];
    expect_angle(&test.clip, 0.25, POSE_CLAMP, 30);
    expect_angle(&test.clip, 3.25, POSE_WRAP, 30);
    expect_angle(&test.clip, -0.75, POSE_WRAP, 30);
    expect_angle(&test.clip, 1, POSE_WRAP, 0);
    test.clip.duration = 0;
    expect_angle(&test.clip, 5, POSE_WRAP, 0);
}

TEST(prime_goes_the_long_way)
{
    struct turning_clip test;
    turning_clip(&test, POSE_RULES_PRIME, 1, 2, (float[]){0, 1}, (float[]){0, 270});
    expect_angle(&test.clip, 0.5, POSE_CLAMP, 135);
    /* Opposite keys, where the game divides by zero: the nearer one. */
    turning_clip(&test, POSE_RULES_PRIME, 1, 2, (float[]){0, 1}, (float[]){0, 360});
    memcpy(test.rotations[1], (float[]){0, 0, 0, -1}, sizeof test.rotations[1]);
    struct pose_sampler *sampler = new_sampler(&test.clip, NULL, POSE_AXES_GLTF);
    for (int i = 0; i <= 10; i++) {
        pose_sample(sampler, i / 10.0, POSE_CLAMP, 0, rows, NULL);
        ck_assert_float_eq_tol(rows[6], i < 5 ? 1 : -1, 1e-6f);
    }
    pose_sampler_free(sampler);
    float degrees = 340;
    turning_clip(&test, POSE_RULES_PRIME, 1, 2, (float[]){0, 1}, (float[]){0, degrees});
    expect_angle(&test.clip, 0.25, POSE_CLAMP, 85);
}

TEST(prime_frames_wrap_to_the_first)
{
    struct turning_clip test;
    turning_clip(&test, POSE_RULES_PRIME_FRAMES, 1, 4, quarter_times, quarter_angles);
    test.clip.fps = 4;
    expect_angle(&test.clip, 0.25, POSE_CLAMP, 1);
    expect_angle(&test.clip, 0.375, POSE_CLAMP, 1.5);
    /* The clip is longer than its frames: the last one blends into the first, also when held. */
    expect_angle(&test.clip, 0.875, POSE_CLAMP, 1.5);
    expect_angle(&test.clip, 0.250005, POSE_CLAMP, 1);
    expect_angle(&test.clip, 99, POSE_CLAMP, 0);
    /* The file's own interval comes before the frame rate. */
    const struct pose_value interval = {.kind = POSE_FLOAT, .key = "interval", .as.number = 0.125f};
    const struct pose_value extras = {.kind = POSE_OBJECT, .first = &interval};
    test.clip.extras = &extras;
    expect_angle(&test.clip, 0.25, POSE_CLAMP, 2);
    test.clip.extras = NULL;
    test.clip.fps = 0;
    test.clip.duration = 0.75f;
    expect_angle(&test.clip, 0.375, POSE_CLAMP, 1.5);
}

TEST(plain_clips_may_have_a_loop_range)
{
    struct turning_clip test;
    turning_clip(&test, POSE_RULES_PLAIN, 1, 5, quarter_times, quarter_angles);
    expect_angle(&test.clip, 1.25, POSE_WRAP, 1);
    test.clip.loop = POSE_LOOP_YES;
    test.clip.loop_in = 0.5f;
    expect_angle(&test.clip, 0.25, POSE_WRAP, 1);
    expect_angle(&test.clip, 1.25, POSE_WRAP, 3);
    expect_angle(&test.clip, 1.75, POSE_WRAP, 3);
}

/* --------------------------------------------------------------------------------------- what breaks numbers -- */

TEST(no_input_makes_what_is_no_number)
{
    static const float durations[] = {0, 1e-45f, 1e-38f, 1, 3e38f};
    static const double moments[] = {-1e308, -1, 0, 5e-324, 1e-45, 1e-38, 0.5, 1, 1e9, 3e38, 1e308};
    for (int r = 0; r < RULES; r++) {
        for (size_t d = 0; d < sizeof durations / sizeof *durations; d++) {
            float duration = durations[d];
            struct turning_clip test;
            uint32_t count = duration > 1e-40f ? 5 : duration > 0 ? 2 : 1;
            turning_clip(&test, all_rules[r], duration, count, quarter_times, quarter_angles);
            for (uint32_t k = 0; k < count; k++) {
                test.times[k] = count > 1 ? duration * ((float)k / (float)(count - 1)) : 0;
                test.translations[k][1] = k % 2 ? FLT_MAX : -FLT_MAX;
                test.translations[k][2] = FLT_MAX;
            }
            test.clip.axes = axes_of_rules[all_rules[r]];
            struct pose_sampler *sampler = new_sampler(&test.clip, NULL, POSE_AXES_GLTF);
            for (size_t m = 0; m < sizeof moments / sizeof *moments; m++) {
                pose_sample(sampler, moments[m], m % 2 ? POSE_WRAP : POSE_CLAMP, POSE_MOTION, rows, NULL);
                expect_finite(rows, ROW_FLOATS);
                pose_sample(sampler, moments[m], m % 2 ? POSE_CLAMP : POSE_WRAP, 0, rows, NULL);
                expect_finite(rows, ROW_FLOATS);
            }
            pose_sampler_free(sampler);
        }
    }
}

TEST(many_keys_at_nearly_one_time)
{
    enum { KEYS = 4000 };
    static float times[KEYS], values[KEYS][3];
    for (uint32_t k = 0; k < KEYS; k++) {
        uint32_t bits = 0x3f000000 + k; /* neighbours from 0.5 on */
        memcpy(&times[k], &bits, sizeof bits);
        values[k][0] = (float)k;
    }
    times[KEYS - 1] = 1e6f;
    struct pose_track track = {.channels[POSE_TRANSLATION] = {KEYS, times, values[0]}};
    struct pose_clip clip = {.rules = POSE_RULES_PLAIN, .duration = 1e6f, .track_count = 1, .tracks = &track};
    struct pose_sampler *sampler = new_sampler(&clip, NULL, POSE_AXES_GLTF);
    for (uint32_t k = 0; k < KEYS; k++) {
        pose_sample(sampler, (double)times[k], POSE_CLAMP, 0, rows, NULL);
        ck_assert_float_eq(rows[0], (float)k);
    }
    pose_sample(sampler, ((double)times[7] + (double)times[8]) / 2, POSE_CLAMP, 0, rows, NULL);
    ck_assert_float_eq(rows[0], 7.5f);
    pose_sampler_free(sampler);
}
