/* Samplers on skeletons: which track drives which row, what is added to what, model space, memory. */
#include "lib/sample/sampler.h"
#include "tests/support/unit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 16 };
static float rows[MOST * ROW_FLOATS], matrices[MOST * 16];

/* Tracks with one key of a translation each, (x, 0, 0), so that a row tells which track drove it. */
struct marked_clip {
    struct pose_clip clip;
    struct pose_track tracks[MOST];
    float values[MOST][4];
};

static const float at_zero[1] = {0};

static void marked_clip(struct marked_clip *test, enum pose_rules rules, uint32_t count)
{
    *test =
        (struct marked_clip){.clip = {.rules = rules, .duration = 1, .loop_out = 1, .track_count = count}};
    test->clip.tracks = test->tracks;
    for (uint32_t i = 0; i < count; i++) {
        test->values[i][0] = (float)(i + 1);
        test->tracks[i].channels[POSE_TRANSLATION] = (struct pose_channel){1, at_zero, test->values[i]};
    }
}

/* Joints in a chain, resting at (0, 10 + index, 0). */
struct chain {
    struct pose_skeleton skeleton;
    struct pose_joint joints[MOST];
};

static void chain(struct chain *test, uint32_t count, const char *const *names)
{
    *test = (struct chain){.skeleton = {.joint_count = count, .joints = test->joints, .root_joint = -1}};
    for (uint32_t i = 0; i < count; i++)
        test->joints[i] = (struct pose_joint){.name = names ? names[i] : NULL,
                                              .parent = (int32_t)i - 1,
                                              .translation = {0, (float)(10 + i), 0},
                                              .rotation = {0, 0, 0, 1},
                                              .scale = {1, 1, 1}};
}

static struct pose_sampler *new_sampler(const struct pose_clip *clip, const struct pose_skeleton *skeleton,
                                        enum pose_axes axes)
{
    struct pose_error error;
    struct pose_sampler *sampler = pose_sampler_new(clip, skeleton, axes, NULL, &error);
    ck_assert_msg(sampler != NULL, "%s", error.detail);
    return sampler;
}

/* The first number of the row's translation: which track drove it; 0 for the rest. */
static int mark(uint32_t row)
{
    return (int)rows[row * ROW_FLOATS];
}

static void expect_marks(const struct marked_clip *clip, const struct chain *chain, const int *marks)
{
    struct pose_sampler *sampler = new_sampler(&clip->clip, &chain->skeleton, POSE_AXES_GLTF);
    pose_sample(sampler, 0, POSE_CLAMP, 0, rows, NULL);
    for (uint32_t i = 0; i < chain->skeleton.joint_count; i++) {
        ck_assert_int_eq(mark(i), marks[i]);
        ck_assert_int_eq(pose_sampler_rows(sampler)[i].driven, marks[i] != 0);
    }
    pose_sampler_free(sampler);
}

/* ---------------------------------------------------------------------------------------------- without one -- */

TEST(without_a_skeleton_every_track_of_a_joint_is_a_row)
{
    struct marked_clip test;
    marked_clip(&test, POSE_RULES_SIMS3, 4);
    test.tracks[0].name = "a";
    test.tracks[1] = (struct pose_track){.name = "morphs alone"};
    test.tracks[1].channels[POSE_MORPH] = (struct pose_channel){1, at_zero, test.values[1]};
    test.tracks[2] = (struct pose_track){.name = "nothing"};
    test.tracks[3].name = "a"; /* again: a row of its own */
    test.tracks[3].channels[POSE_MORPH] = (struct pose_channel){1, at_zero, test.values[2]};
    test.tracks[3].has_id = true;
    test.tracks[3].id = 77;
    struct pose_sampler *sampler = new_sampler(&test.clip, NULL, POSE_AXES_GLTF);
    ck_assert_uint_eq(pose_sampler_row_count(sampler), 3);
    ck_assert_uint_eq(pose_sampler_morph_count(sampler), 2);
    ck_assert_uint_eq(pose_sampler_unmatched_count(sampler), 0);
    const struct pose_row *row = pose_sampler_rows(sampler);
    ck_assert_str_eq(row[0].name, "a");
    ck_assert(row[0].driven && row[0].has[0] && !row[0].has[1] && !row[0].has[2]);
    ck_assert_str_eq(row[1].name, "nothing");
    ck_assert(!row[1].driven && !row[1].has[0]);
    ck_assert_int_eq(row[2].parent, -1);
    ck_assert(row[2].has_id && row[2].id == 77);
    ck_assert_str_eq(pose_sampler_morphs(sampler)[0].name, "morphs alone");
    float morphs[2];
    pose_sample(sampler, 0.5, POSE_CLAMP, 0, rows, morphs);
    const float undriven[ROW_FLOATS] = {0, 0, 0, 0, 0, 0, 1, 1, 1, 1};
    ck_assert_mem_eq(rows + ROW_FLOATS, undriven, sizeof undriven);
    ck_assert_int_eq(mark(0), 1);
    ck_assert_int_eq(mark(2), 4);
    ck_assert_float_eq(morphs[0], 2);
    ck_assert_float_eq(morphs[1], 3);
    pose_sampler_free(sampler);
}

TEST(a_clip_of_nothing)
{
    struct pose_clip clip = {.rules = POSE_RULES_SIMS};
    struct pose_sampler *sampler = new_sampler(&clip, NULL, POSE_AXES_GLTF);
    ck_assert_uint_eq(pose_sampler_row_count(sampler), 0);
    pose_sample(sampler, 1, POSE_WRAP, POSE_MOTION, NULL, NULL);
    pose_sampler_free(sampler);
    struct chain joints;
    chain(&joints, 2, NULL);
    sampler = new_sampler(&clip, &joints.skeleton, POSE_AXES_GLTF);
    pose_sample(sampler, 1, POSE_WRAP, POSE_MOTION, rows, NULL);
    ck_assert_float_eq(rows[1], 10);
    ck_assert_float_eq(rows[ROW_FLOATS + 1], 11);
    pose_sampler_free(sampler);
}

/* ------------------------------------------------------------------------------------------------- matching -- */

TEST(names_come_before_aliases_and_case_counts)
{
    static const char *const names[] = {"mPelvis", "chest", "CHEST", "mChest"};
    static const char *const aliases[] = {"hip", "chest", NULL};
    struct chain joints;
    chain(&joints, 4, names);
    joints.joints[0].aliases = aliases;
    struct marked_clip test;
    marked_clip(&test, POSE_RULES_SL, 5);
    const char *const tracks[] = {"hip", "chest", "CHEST", "Chest", "mchest"};
    for (int i = 0; i < 5; i++)
        test.tracks[i].name = tracks[i];
    expect_marks(&test, &joints, (const int[]){1, 2, 3, 0});
    struct pose_sampler *sampler = new_sampler(&test.clip, &joints.skeleton, POSE_AXES_GLTF);
    ck_assert_uint_eq(pose_sampler_unmatched_count(sampler), 2);
    ck_assert_uint_eq(pose_sampler_unmatched(sampler)[0], 3);
    ck_assert_uint_eq(pose_sampler_unmatched(sampler)[1], 4);
    pose_sampler_free(sampler);
    ck_assert_uint_eq(pose_skeleton_match(&joints.skeleton, &test.clip), 3);
}

TEST(the_sims_look_again_without_case)
{
    static const char *const names[] = {"ROOT", "L_Hand", "l_hand", "Head"};
    struct chain joints;
    chain(&joints, 4, names);
    struct marked_clip test;
    marked_clip(&test, POSE_RULES_SIMS, 3);
    test.tracks[0].name = "root";
    test.tracks[1].name = "l_hand";
    test.tracks[2].name = "HEAD";
    expect_marks(&test, &joints, (const int[]){1, 0, 2, 3});
    test.tracks[1].name = "L_HAND"; /* of several the first */
    expect_marks(&test, &joints, (const int[]){1, 2, 0, 3});
}

TEST(prime_and_sims3_go_by_id)
{
    static const char *const names[] = {"b__ROOT__", "b__Head__", "x"};
    struct chain joints;
    chain(&joints, 3, names);
    struct marked_clip test;
    marked_clip(&test, POSE_RULES_SIMS3, 3);
    const uint32_t ids[] = {0x0f97b21b, 0xfeae6981, 0x12345678};
    for (int i = 0; i < 3; i++) {
        test.tracks[i].has_id = true;
        test.tracks[i].id = ids[i];
    }
    /* By the hash of the joint's name, whatever the track is called; then by the joint's own id. */
    test.tracks[1].name = "x";
    expect_marks(&test, &joints, (const int[]){2, 1, 0});
    test.tracks[1].name = NULL;
    joints.joints[0].has_id = true;
    joints.joints[0].id = 0x12345678;
    expect_marks(&test, &joints, (const int[]){3, 1, 0});
    test.clip.rules = POSE_RULES_PRIME;
    expect_marks(&test, &joints, (const int[]){3, 0, 0});
}

TEST(several_tracks_on_one_joint)
{
    static const char *const names[] = {"a"};
    struct chain joints;
    chain(&joints, 1, names);
    struct marked_clip test;
    for (int rules = POSE_RULES_PLAIN; rules <= POSE_RULES_PRIME_FRAMES; rules++) {
        marked_clip(&test, (enum pose_rules)rules, 4);
        for (int i = 0; i < 4; i++)
            test.tracks[i].name = "a";
        expect_marks(&test, &joints, (const int[]){rules == POSE_RULES_SL ? 1 : 4});
        if (rules == POSE_RULES_SL)
            continue;
        /* One that drives another part does not count. */
        test.tracks[3].channels[POSE_SCALE] = test.tracks[3].channels[POSE_TRANSLATION];
        test.tracks[3].channels[POSE_TRANSLATION] = (struct pose_channel){0};
        expect_marks(&test, &joints, (const int[]){3});
        ck_assert_float_eq(rows[SCALE_PLACE], 4);
    }
}

/* Second Life's viewer keeps one track a joint, whatever that has keys of. One without any keys drives nothing. */
TEST(the_first_track_of_second_life_has_the_joint_alone)
{
    static const char *const names[] = {"a"};
    struct chain joints;
    chain(&joints, 1, names);
    struct marked_clip test;
    marked_clip(&test, POSE_RULES_SL, 3);
    for (int i = 0; i < 3; i++)
        test.tracks[i].name = "a";
    test.tracks[0] = (struct pose_track){.name = "a"};
    test.tracks[1].channels[POSE_SCALE] = test.tracks[1].channels[POSE_TRANSLATION];
    test.tracks[1].channels[POSE_TRANSLATION] = (struct pose_channel){0};
    struct pose_sampler *sampler = new_sampler(&test.clip, &joints.skeleton, POSE_AXES_GLTF);
    pose_sample(sampler, 0, POSE_CLAMP, 0, rows, NULL);
    ck_assert(pose_sampler_rows(sampler)[0].driven);
    ck_assert_float_eq(rows[SCALE_PLACE], 2);
    ck_assert_int_eq(mark(0), 0); /* the third track moves nothing */
    pose_sampler_free(sampler);
}

TEST(a_track_of_morphs_is_never_unmatched)
{
    static const char *const names[] = {"a"};
    struct chain joints;
    chain(&joints, 1, names);
    struct marked_clip test;
    marked_clip(&test, POSE_RULES_SIMS3, 2);
    test.tracks[0] = (struct pose_track){.name = "a"};
    test.tracks[0].channels[POSE_MORPH] = (struct pose_channel){1, at_zero, test.values[0]};
    test.tracks[1] = (struct pose_track){.name = "b"}; /* without keys it is a joint that is not there */
    struct pose_sampler *sampler = new_sampler(&test.clip, &joints.skeleton, POSE_AXES_GLTF);
    ck_assert_uint_eq(pose_sampler_unmatched_count(sampler), 1);
    ck_assert_uint_eq(pose_sampler_unmatched(sampler)[0], 1);
    ck_assert_uint_eq(pose_sampler_morph_count(sampler), 1);
    pose_sampler_free(sampler);
    ck_assert_uint_eq(pose_skeleton_match(&joints.skeleton, &test.clip), 0);
}

/* --------------------------------------------------------------------------------------------------- motion -- */

TEST(the_pelvis_of_second_life_is_added_to_its_rest)
{
    static const char *const names[] = {"mPelvis", "mTorso"};
    struct chain joints;
    chain(&joints, 2, names);
    joints.skeleton.axes = POSE_AXES_SL;
    joints.skeleton.root_joint = 0;
    joints.joints[0].translation[1] = 0;
    joints.joints[0].translation[2] = 1.067f;
    struct marked_clip test;
    marked_clip(&test, POSE_RULES_SL, 2);
    test.clip.axes = POSE_AXES_SL;
    test.tracks[0].name = "mPelvis";
    test.tracks[1].name = "mTorso";
    test.values[0][2] = 0.040056f;
    struct pose_sampler *sampler = new_sampler(&test.clip, &joints.skeleton, POSE_AXES_GLTF);
    pose_sample(sampler, 0, POSE_CLAMP, 0, rows, NULL);
    /* x, y, z of Second Life are z, x, y of glTF. */
    ck_assert_float_eq_tol(rows[0], 0, 1e-7f);
    ck_assert_float_eq_tol(rows[1], 1.107056f, 1e-6f);
    ck_assert_float_eq_tol(rows[2], 1, 1e-7f);
    ck_assert_float_eq_tol(rows[ROW_FLOATS + 2], 2, 1e-7f); /* replaced, not added */
    pose_sampler_free(sampler);
    /* Alone the track is as it is stored. */
    sampler = new_sampler(&test.clip, NULL, POSE_AXES_SL);
    pose_sample(sampler, 0, POSE_CLAMP, 0, rows, NULL);
    ck_assert_float_eq(rows[2], 0.040056f);
    pose_sampler_free(sampler);
}

static const struct pose_value distance_value = {.kind = POSE_FLOAT, .key = "distance", .as.number = 4};
static const struct pose_value distance_extras = {.kind = POSE_OBJECT, .first = &distance_value};

TEST(the_sims_walk_by_their_distance)
{
    static const char *const names[] = {"ROOT", "PELVIS"};
    struct chain joints;
    chain(&joints, 2, names);
    joints.skeleton.axes = POSE_AXES_SIMS;
    struct marked_clip test;
    marked_clip(&test, POSE_RULES_SIMS, 1);
    test.clip.axes = POSE_AXES_SIMS;
    test.clip.duration = 2;
    test.clip.extras = &distance_extras;
    test.tracks[0].name = "ROOT";
    struct pose_sampler *sampler = new_sampler(&test.clip, &joints.skeleton, POSE_AXES_SIMS);
    pose_sample(sampler, 0.5, POSE_CLAMP, 0, rows, NULL);
    ck_assert_float_eq(rows[2], 0);
    pose_sample(sampler, 0.5, POSE_CLAMP, POSE_MOTION, rows, NULL);
    ck_assert_float_eq(rows[0], 1);
    ck_assert_float_eq(rows[2], 1);
    ck_assert_float_eq(rows[ROW_FLOATS + 2], 0);
    pose_sample(sampler, 5, POSE_CLAMP, POSE_MOTION, rows, NULL);
    ck_assert_float_eq(rows[2], 4);
    pose_sample(sampler, 5, POSE_WRAP, POSE_MOTION, rows, NULL);
    ck_assert_float_eq(rows[2], 10);
    pose_sampler_free(sampler);
    sampler = new_sampler(&test.clip, &joints.skeleton, POSE_AXES_GLTF);
    pose_sample(sampler, 1, POSE_CLAMP, POSE_MOTION, rows, NULL);
    ck_assert_float_eq_tol(rows[2], 0.6096f, 1e-6f);
    pose_sampler_free(sampler);
    /* Without a skeleton tracks are as stored. */
    sampler = new_sampler(&test.clip, NULL, POSE_AXES_SIMS);
    pose_sample(sampler, 1, POSE_CLAMP, POSE_MOTION, rows, NULL);
    ck_assert_float_eq(rows[2], 0);
    pose_sampler_free(sampler);
}

static const struct pose_value root_value = {.kind = POSE_INT, .key = "root_bone_id", .as.integer = 3};
static const struct pose_value root_extras = {.kind = POSE_OBJECT, .first = &root_value};

TEST(the_root_of_prime_moves_the_actor_alone)
{
    struct chain joints;
    chain(&joints, 2, NULL);
    struct marked_clip test;
    for (int rules = POSE_RULES_PRIME; rules <= POSE_RULES_PRIME_FRAMES; rules++) {
        marked_clip(&test, (enum pose_rules)rules, 2);
        test.clip.extras = &root_extras;
        for (int i = 0; i < 2; i++) {
            joints.joints[i].has_id = test.tracks[i].has_id = true;
            joints.joints[i].id = test.tracks[i].id = (uint32_t)(3 + i);
        }
        struct pose_sampler *sampler = new_sampler(&test.clip, &joints.skeleton, POSE_AXES_GLTF);
        ck_assert(pose_sampler_rows(sampler)[0].driven);
        pose_sample(sampler, 0.5, POSE_CLAMP, POSE_IN_PLACE, rows, NULL);
        ck_assert_int_eq(mark(0), 0);
        ck_assert_float_eq(rows[1], 10);
        ck_assert_int_eq(mark(1), 2);
        pose_sample(sampler, 0.5, POSE_CLAMP, POSE_MOTION, rows, NULL);
        ck_assert_int_eq(mark(0), 1);
        ck_assert_float_eq(rows[1], 0);
        pose_sampler_free(sampler);
        sampler = new_sampler(&test.clip, NULL, POSE_AXES_GLTF);
        pose_sample(sampler, 0.5, POSE_CLAMP, POSE_IN_PLACE, rows, NULL);
        ck_assert_int_eq(mark(0), 1);
        pose_sampler_free(sampler);
    }
}

/* ---------------------------------------------------------------------------------------------- model space -- */

/* Column-major 4x4, by the rule of each scaling, in double precision. */
static void reference_model(const struct pose_skeleton *skeleton, bool conjugate, double out[][16])
{
    double unscaled[MOST][9];
    for (uint32_t j = 0; j < skeleton->joint_count; j++) {
        const float *row = rows + j * ROW_FLOATS;
        double s = conjugate ? -1 : 1, x = s * (double)row[3], y = s * (double)row[4], z = s * (double)row[5],
               w = (double)row[6];
        double rotation[9] = {1 - 2 * (y * y + z * z), 2 * (x * y + w * z),     2 * (x * z - w * y),
                              2 * (x * y - w * z),     1 - 2 * (x * x + z * z), 2 * (y * z + w * x),
                              2 * (x * z + w * y),     2 * (y * z - w * x),     1 - 2 * (x * x + y * y)};
        int32_t parent = skeleton->joints[j].parent;
        double turn[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, linear[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1},
               origin[3] = {0};
        if (parent >= 0) {
            memcpy(turn, unscaled[parent], sizeof turn);
            for (int c = 0; c < 3; c++) {
                for (int i = 0; i < 3; i++)
                    linear[3 * c + i] = out[parent][4 * c + i];
                origin[c] = out[parent][12 + c];
            }
        }
        bool inherited = skeleton->scaling == POSE_SCALE_INHERITED;
        for (int i = 0; i < 3; i++) {
            double position = origin[i];
            for (int k = 0; k < 3; k++)
                position += linear[3 * k + i] * (double)row[k];
            out[j][12 + i] = position;
            for (int c = 0; c < 3; c++) {
                double sum = 0, plain = 0;
                for (int k = 0; k < 3; k++) {
                    sum += (inherited ? linear : turn)[3 * k + i] * rotation[3 * c + k];
                    plain += turn[3 * k + i] * rotation[3 * c + k];
                }
                out[j][4 * c + i] = sum * (double)row[SCALE_PLACE + c];
                unscaled[j][3 * c + i] = plain;
            }
        }
        out[j][3] = out[j][7] = out[j][11] = 0;
        out[j][15] = 1;
    }
}

static void fill_rows(uint32_t count)
{
    uint32_t state = 5;
    for (uint32_t i = 0; i < count * ROW_FLOATS; i++) {
        state = state * 1664525u + 1013904223u;
        rows[i] = (float)(state >> 8) / 8388608.0f - 1;
        if (i % ROW_FLOATS >= SCALE_PLACE)
            rows[i] = 1.3f + rows[i];
    }
    for (uint32_t j = 0; j < count; j++) {
        float *q = rows + j * ROW_FLOATS + ROTATION_PLACE;
        float length = sqrtf(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
        for (int i = 0; i < 4; i++)
            q[i] /= length;
    }
}

TEST(model_space_matches_the_reference)
{
    struct chain joints;
    chain(&joints, 12, NULL);
    struct pose_clip clip = {.rules = POSE_RULES_PLAIN};
    for (uint32_t j = 5; j < 12; j++)
        joints.joints[j].parent = (int32_t)(j / 3);
    joints.joints[9].parent = -1;
    for (int i = 0; i < 4; i++) {
        joints.skeleton.scaling = i % 2 ? POSE_SCALE_INHERITED : POSE_SCALE_OFFSETS;
        joints.skeleton.axes = i / 2 ? POSE_AXES_SIMS : POSE_AXES_GLTF;
        clip.axes = joints.skeleton.axes;
        struct pose_sampler *sampler = new_sampler(&clip, &joints.skeleton, clip.axes);
        double expected[MOST][16];
        fill_rows(12);
        reference_model(&joints.skeleton, clip.axes == POSE_AXES_SIMS, expected);
        pose_model(sampler, rows, matrices);
        for (uint32_t k = 0; k < 12 * 16; k++)
            ck_assert_double_eq_tol((double)matrices[k], expected[k / 16][k % 16], 3e-5);
        pose_sampler_free(sampler);
    }
}

/* The same figure in native axes and in glTF's: the matrices map onto each other. */
TEST(axes_agree_in_model_space)
{
    static const enum pose_axes all_axes[] = {POSE_AXES_SL, POSE_AXES_SIMS, POSE_AXES_PRIME};
    for (int a = 0; a < 3; a++) {
        struct chain joints;
        chain(&joints, 6, NULL);
        joints.skeleton.axes = all_axes[a];
        fill_rows(6);
        for (int j = 0; j < 6; j++) {
            memcpy(joints.joints[j].translation, rows + j * ROW_FLOATS, 3 * sizeof(float));
            memcpy(joints.joints[j].rotation, rows + j * ROW_FLOATS + 3, 4 * sizeof(float));
            memcpy(joints.joints[j].scale, rows + j * ROW_FLOATS + 7, 3 * sizeof(float));
        }
        struct pose_clip clip = {.rules = POSE_RULES_PLAIN, .axes = all_axes[a]};
        struct pose_sampler *native = new_sampler(&clip, &joints.skeleton, all_axes[a]);
        struct pose_sampler *gltf = new_sampler(&clip, &joints.skeleton, POSE_AXES_GLTF);
        float native_matrices[6 * 16];
        pose_sample(native, 0, POSE_CLAMP, 0, rows, NULL);
        pose_model(native, rows, native_matrices);
        pose_sample(gltf, 0, POSE_CLAMP, 0, rows, NULL);
        pose_model(gltf, rows, matrices);
        for (int j = 0; j < 6; j++) {
            pose_convert_axes(POSE_TRANSLATION, native_matrices + 16 * j + 12, 1, all_axes[a],
                              POSE_AXES_GLTF);
            for (int i = 0; i < 3; i++)
                ck_assert_float_eq_tol(native_matrices[16 * j + 12 + i], matrices[16 * j + 12 + i], 3e-5f);
        }
        pose_sampler_free(native);
        pose_sampler_free(gltf);
    }
}

TEST(model_space_is_finite)
{
    struct chain joints;
    chain(&joints, 8, NULL);
    struct pose_clip clip = {.rules = POSE_RULES_PLAIN};
    for (int inherited = 0; inherited < 2; inherited++) {
        joints.skeleton.scaling = inherited ? POSE_SCALE_INHERITED : POSE_SCALE_OFFSETS;
        struct pose_sampler *sampler = new_sampler(&clip, &joints.skeleton, POSE_AXES_GLTF);
        fill_rows(8);
        for (uint32_t i = 0; i < 8 * ROW_FLOATS; i++) {
            if (i % ROW_FLOATS < 3 || i % ROW_FLOATS >= SCALE_PLACE)
                rows[i] = i % 2 ? 3e38f : -3e38f;
        }
        pose_model(sampler, rows, matrices);
        for (int i = 0; i < 8 * 16; i++)
            ck_assert(isfinite(matrices[i]));
        pose_sampler_free(sampler);
    }
}

/* --------------------------------------------------------------------------------------------------- memory -- */

struct counting {
    int left; /* allocations that are still granted */
    int open;
};

static void *counting_alloc(void *user, size_t size)
{
    struct counting *counting = user;
    if (counting->left-- <= 0)
        return NULL;
    counting->open++;
    return malloc(size);
}

static void counting_free(void *user, void *memory)
{
    struct counting *counting = user;
    counting->open -= memory != NULL;
    free(memory);
}

/* A clip of every kind of channel, large enough for many chunks of memory. */
static struct pose_sampler *sampler_with(struct counting *counting, size_t memory, struct pose_error *error)
{
    enum { KEYS = 200 };
    static float times[KEYS], values[MOST][KEYS][4];
    static struct pose_track tracks[MOST];
    static const char *const names[] = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"};
    struct pose_allocator allocator = {counting_alloc, counting_free, counting};
    struct pose_options options = {.allocator = counting ? &allocator : NULL, .limits.memory = memory};
    static struct chain joints;
    chain(&joints, 12, names);
    for (int i = 0; i < 12; i++) {
        tracks[i] = (struct pose_track){.name = names[i]};
        for (int k = 0; k < KEYS; k++) {
            times[k] = (float)k;
            values[i][k][0] = (float)(i + k);
            values[i][k][3] = 1;
        }
        tracks[i].channels[POSE_ROTATION] = (struct pose_channel){KEYS, times, values[i][0]};
        tracks[i].channels[i % 2 ? POSE_MORPH : POSE_TRANSLATION] =
            (struct pose_channel){(uint32_t)(KEYS - i), times, values[i][0]};
    }
    struct pose_clip clip = {.rules = POSE_RULES_SIMS, .duration = KEYS, .track_count = 12, .tracks = tracks};
    struct pose_sampler *sampler = pose_sampler_new(&clip, &joints.skeleton, POSE_AXES_GLTF, &options, error);
    if (sampler)
        ck_assert_uint_eq(pose_sampler_unmatched_count(sampler), 0);
    pose_sampler_free(sampler);
    return sampler;
}

TEST(every_refused_allocation_is_an_error_without_a_leak)
{
    bool done = false;
    int granted = 0;
    for (; !done && granted < 1000; granted++) {
        struct counting counting = {.left = granted};
        struct pose_error error;
        done = sampler_with(&counting, 0, &error) != NULL;
        ck_assert_int_eq(counting.open, 0);
        ck_assert_int_eq(error.status, done ? POSE_OK : POSE_NO_MEMORY);
    }
    ck_assert(done && granted > 3);
}

TEST(the_limit_of_memory_holds)
{
    struct pose_error error;
    ck_assert_ptr_null(sampler_with(NULL, 20000, &error));
    ck_assert_int_eq(error.status, POSE_OVER_LIMIT);
    ck_assert_str_eq(error.limit, "memory");
    ck_assert_ptr_nonnull(sampler_with(NULL, 10000000, &error));
}

TEST(size_is_bounded_by_the_keys)
{
    enum { KEYS = 10000, TRACKS = 4 };
    static float times[TRACKS][KEYS], values[TRACKS][KEYS][4];
    struct pose_track tracks[TRACKS] = {0};
    for (int i = 0; i < TRACKS; i++) {
        for (int k = 0; k < KEYS; k++) {
            times[i][k] = (float)(k + 0.1 * i);
            values[i][k][k % 4] = 1;
        }
        tracks[i].channels[POSE_ROTATION] = (struct pose_channel){KEYS, times[i], values[i][0]};
    }
    struct pose_clip clip = {
        .rules = POSE_RULES_PLAIN, .duration = KEYS, .track_count = TRACKS, .tracks = tracks};
    struct pose_sampler *sampler = new_sampler(&clip, NULL, POSE_AXES_GLTF);
    /* A key is 20 bytes in the clip. */
    ck_assert_uint_lt(pose_sampler_size(sampler), 2 * 20 * KEYS * TRACKS);
    pose_sampler_free(sampler);
    for (int i = 1; i < TRACKS; i++)
        tracks[i].channels[POSE_ROTATION].times = times[0];
    sampler = new_sampler(&clip, NULL, POSE_AXES_GLTF);
    ck_assert_uint_lt(pose_sampler_size(sampler), 2 * 20 * KEYS * TRACKS);
    pose_sampler_free(sampler);
}
