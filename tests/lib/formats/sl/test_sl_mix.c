/* Mixing as Second Life does it: the worked examples of its specification, and commands that are odd but legal. */
#include "pose.h"
#include "tests/support/codecs.h"
#include "tests/support/corpus.h"
#include "tests/support/unit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROW = 10, MAX_JOINTS = 400 };

static float rows[MAX_JOINTS * ROW];

/* --------------------------------------------------------------------------------- real clips on the skeleton -- */

enum { WALK, STAND, HELLO, PEACE, CLIPS };

static const char *const clip_files[CLIPS] = {
    "sl/viewer/6ed24bd8-91aa-4b12-ccc7-c97c857ab4e0.animatn",
    "sl/viewer/15468e00-3400-bb66-cecc-646d7c14458e.animatn",
    "sl/viewer/9b29cd61-c45b-5689-ded2-91756b8d76a9.animatn",
    "sl/viewer/b312b10e-65ab-a0a4-8b3c-1326ea8e3ed9.animatn",
};

static struct test_file files[CLIPS + 1];
static struct pose_document *documents[CLIPS + 1];

static bool load(void)
{
    if (!corpus_read("sl/avatar_skeleton.xml", &files[CLIPS]))
        return false;
    documents[CLIPS] = codec_must_decode("sl-skeleton", files[CLIPS].data, files[CLIPS].size);
    for (int i = 0; i < CLIPS; i++) {
        ck_assert(corpus_read(clip_files[i], &files[i]));
        documents[i] = codec_must_decode("sl-anim", files[i].data, files[i].size);
    }
    return true;
}

static void unload(void)
{
    for (int i = 0; i <= CLIPS; i++) {
        pose_document_free(documents[i]);
        test_file_free(&files[i]);
    }
}

static const struct pose_skeleton *avatar(void)
{
    return documents[CLIPS]->skeletons;
}

static struct pose_sl_layer layer_of(int clip, double start, double stop)
{
    return (struct pose_sl_layer){
        .clip = documents[clip]->clips, .start = start, .stop = stop, .priority = -1};
}

static struct pose_sl_mix *mix_of(const struct pose_sl_layer *layers, uint32_t count,
                                  const struct pose_skeleton *skeleton, struct pose_sl_mix_options how)
{
    struct pose_error error;
    pose_error_init(&error);
    how.axes = skeleton->axes;
    struct pose_sl_mix *mix = pose_sl_mix_new(layers, count, skeleton, &how, NULL, &error);
    ck_assert_msg(mix != NULL, "%s", error.detail);
    return mix;
}

static void sample(const struct pose_sl_mix *mix, double t)
{
    void *scratch = malloc(pose_sl_mix_scratch(mix));
    ck_assert_ptr_nonnull(scratch);
    pose_sl_mix_sample(mix, t, rows, scratch);
    free(scratch);
}

static uint32_t joint_of(const struct pose_skeleton *skeleton, const char *name)
{
    for (uint32_t i = 0; i < skeleton->joint_count; i++) {
        if (!strcmp(skeleton->joints[i].name, name))
            return i;
    }
    ck_abort_msg("no joint %s", name);
    return 0;
}

static void expect(const char *name, double t, const float *got, const double *wanted, unsigned count,
                   double sign)
{
    for (unsigned i = 0; i < count; i++)
        ck_assert_msg(fabs((double)got[i] - sign * wanted[i]) <= 1.1e-5,
                      "%s at %g, part %u: %.6f instead of %.6f", name, t, i, (double)got[i],
                      sign * wanted[i]);
}

/* A rotation of the pose that was sampled last. */
static void expect_rotation(const char *name, double t, double x, double y, double z, double w)
{
    const float *got = rows + joint_of(avatar(), name) * ROW + 3;
    double wanted[4] = {x, y, z, w}, dot = 0;
    for (unsigned i = 0; i < 4; i++)
        dot += (double)got[i] * wanted[i];
    expect(name, t, got, wanted, 4, dot < 0 ? -1 : 1);
}

/* mPelvis as the clips store it: off its rest. */
static void expect_pelvis(double t, double x, double y, double z)
{
    uint32_t joint = joint_of(avatar(), "mPelvis");
    const float *rest = avatar()->joints[joint].translation, *row = rows + joint * ROW;
    const float got[3] = {row[0] - rest[0], row[1] - rest[1], row[2] - rest[2]};
    expect("mPelvis", t, got, (double[]){x, y, z}, 3, 1);
}

static void expect_weights(const struct pose_sl_mix *mix, double t, uint32_t count, const double *weights)
{
    struct pose_sl_playing playing[POSE_SL_LAYERS];
    ck_assert_uint_eq(pose_sl_mix_playing(mix, t, playing), count);
    for (uint32_t i = 0; i < count; i++)
        ck_assert_msg(fabs(playing[i].weight - weights[i]) < 1.1e-6, "weight %u at %g: %g", i, t,
                      playing[i].weight);
}

static double morph_at(const struct pose_sl_mix *mix, double t, const char *name)
{
    struct pose_sl_morph morphs[POSE_SL_MORPHS];
    uint32_t count = pose_sl_mix_morphs(mix, t, morphs);
    for (uint32_t i = 0; i < count; i++) {
        if (!strcmp(morphs[i].name, name))
            return (double)morphs[i].weight;
    }
    return -1;
}

TEST(walk_stand_and_hello)
{
    static const struct {
        double t;
        uint32_t count;
        double weights[3], pelvis[3], turn[4], hip[4], shoulder[4];
    } worked[] = {
        {0.1,
         1,
         {0.5},
         {0, -0.000267, -0.007515},
         {0.001785, 0.050294, 0.018769, 0.998556},
         {-0.004691, 0.222806, -0.012301, 0.974774},
         {0.565697, 0.060433, -0.201095, 0.79743}},
        {1.1,
         2,
         {1, 0.259259},
         {0, -0.00061, -0.007325},
         {0.003296, 0.055604, 0.016846, 0.998305},
         {-0.003053, 0.135087, 0.00114, 0.990828},
         {0.429343, -0.115116, -0.124947, 0.887018}},
        {2.6,
         3,
         {1, 0.583036, 0.104},
         {0, -0.000381, 0.031051},
         {-0.003616, 0.06154, 0.003585, 0.998092},
         {-0.007004, -0.181234, 0.038895, 0.982646},
         {0.22454, -0.317221, 0.100261, 0.915915}},
        {3.2,
         2,
         {0.5, 1},
         {0.003946, -0.001066, 0.027822},
         {0.002623, 0.033684, -0.009971, 0.999379},
         {0.011453, -0.185903, -0.003719, 0.982494},
         {0.59012, 0.110707, 0.018604, 0.799473}},
        {4,
         1,
         {1},
         {0.010876, 0.000606, 0.010045},
         {0.010437, 0.003736, 0.008563, 0.999902},
         {0.00734, -0.017724, -0.085523, 0.996152},
         {0.595556, 0.051959, 0.001087, 0.801631}},
    };
    if (!load())
        return;
    const struct pose_sl_layer layers[] = {layer_of(WALK, 0, 3), layer_of(STAND, 2.5, INFINITY),
                                           layer_of(HELLO, 1, INFINITY)};
    struct pose_sl_mix *mix = mix_of(layers, 3, avatar(), (struct pose_sl_mix_options){0});
    for (size_t i = 0; i < sizeof worked / sizeof *worked; i++) {
        double t = worked[i].t;
        const double *q = worked[i].turn;
        expect_weights(mix, t, worked[i].count, worked[i].weights);
        sample(mix, t);
        expect_pelvis(t, worked[i].pelvis[0], worked[i].pelvis[1], worked[i].pelvis[2]);
        expect_rotation("mPelvis", t, q[0], q[1], q[2], q[3]);
        q = worked[i].hip;
        expect_rotation("mHipLeft", t, q[0], q[1], q[2], q[3]);
        q = worked[i].shoulder;
        expect_rotation("mShoulderRight", t, q[0], q[1], q[2], q[3]);
    }
    static const double smile[][2] = {{1.1, 0.259259}, {2, 1}, {2.6, 0.944606}, {3.2, 0.393586}};
    for (size_t i = 0; i < sizeof smile / sizeof *smile; i++) {
        ck_assert_double_eq_tol(morph_at(mix, smile[i][0], "Express_Toothsmile"), smile[i][1], 1e-6);
        ck_assert_double_eq_tol(morph_at(mix, smile[i][0], "Express_Closed_Mouth"), 1 - smile[i][1], 1e-6);
    }
    pose_sl_mix_free(mix);
    unload();
}

TEST(what_nothing_drives_keeps_its_last_value)
{
    if (!load())
        return;
    const struct pose_sl_layer walk = layer_of(WALK, 0, 1);
    struct pose_sl_mix *mix = mix_of(&walk, 1, avatar(), (struct pose_sl_mix_options){0});
    sample(mix, 1.2);
    expect_weights(mix, 1.2, 1, (double[]){0.5});
    expect_rotation("mHipLeft", 1.2, 0.006516, -0.220533, 0.023819, 0.975067);
    for (double t = 1.4; t < 2000; t *= 10) {
        sample(mix, t);
        expect_rotation("mHipLeft", t, 0, -0.284993, 0.020462, 0.958311);
        expect_pelvis(t, 0, -0.002365, 0.018082);
    }
    pose_sl_mix_free(mix);

    mix = mix_of(&walk, 1, avatar(), (struct pose_sl_mix_options){.avatar_base = true});
    sample(mix, 0.1);
    expect_pelvis(0.1, 0, -0.000134, -0.003758);
    sample(mix, 1.2);
    expect_pelvis(1.2, 0, -0.000191, 0.015526);
    sample(mix, 9);
    expect_pelvis(9, 0, 0, 0);
    expect_rotation("mPelvis", 9, 0, 0.061723, -0.027146, 0.997724);
    pose_sl_mix_free(mix);

    mix = mix_of(&walk, 1, avatar(), (struct pose_sl_mix_options){.rest_undriven = true});
    sample(mix, 9);
    expect_pelvis(9, 0, 0, 0);
    expect_rotation("mHipLeft", 9, 0, 0, 0, 1);
    pose_sl_mix_free(mix);
    unload();
}

TEST(a_clip_started_again_plays_beside_itself)
{
    if (!load())
        return;
    const struct pose_sl_layer layers[] = {layer_of(PEACE, 0, INFINITY), layer_of(PEACE, 1.75, INFINITY)};
    struct pose_sl_mix *mix = mix_of(layers, 2, avatar(), (struct pose_sl_mix_options){0});
    sample(mix, 1.8);
    expect_weights(mix, 1.8, 2, (double[]){0.740741, 0.15625});
    expect_rotation("mShoulderRight", 1.8, 0.547664, -0.061507, 0.205264, 0.808794);
    expect_rotation("mElbowRight", 1.8, -0.001806, 0.294878, 0.226145, 0.928387);
    sample(mix, 1.9);
    expect_weights(mix, 1.9, 2, (double[]){0.259259, 0.84375});
    expect_rotation("mElbowRight", 1.9, -0.004437, 0.222026, 0.311986, 0.923769);
    pose_sl_mix_free(mix);
    unload();
}

TEST(an_additive_layer_is_added)
{
    if (!load())
        return;
    struct pose_sl_layer layers[] = {layer_of(WALK, 0, INFINITY), layer_of(PEACE, 0.5, INFINITY)};
    layers[1].additive = true;
    struct pose_sl_mix *mix = mix_of(layers, 2, avatar(), (struct pose_sl_mix_options){0});
    sample(mix, 0.6);
    expect_rotation("mShoulderRight", 0.6, 0.760792, -0.059347, 0.236155, 0.601584);
    sample(mix, 1.5);
    expect_rotation("mShoulderRight", 1.5, 0.694975, -0.466596, 0.441015, 0.323733);
    pose_sl_mix_free(mix);
    unload();
}

/* ------------------------------------------------------------------------------------------------- made clips -- */

static const struct pose_joint two_joints[] = {
    {.name = "mPelvis", .parent = -1, .rotation = {0, 0, 0, 1}, .scale = {1, 1, 1}},
    {.name = "mTorso", .parent = 0, .rotation = {0, 0, 0, 1}, .scale = {1, 1, 1}},
};
static const struct pose_skeleton one = {
    .axes = POSE_AXES_SL, .joint_count = 1, .joints = two_joints, .root_joint = 0};
static const struct pose_skeleton two = {
    .axes = POSE_AXES_SL, .joint_count = 2, .joints = two_joints, .root_joint = 0};

/* A clip that turns the one joint, with its numbers. */
struct made {
    struct pose_clip clip;
    struct pose_track track;
    struct pose_value extras[5], priority;
    struct pose_value track_extras;
    float times[1], values[4];
};

static void number(struct pose_value *value, const char *key, float number)
{
    *value = (struct pose_value){.kind = POSE_FLOAT, .key = key, .as.number = number};
}

static void make(struct made *made, float duration, float in, float out, float ease_in, float ease_out,
                 int64_t base, int64_t priority, int64_t hand)
{
    *made = (struct made){.values = {0, 0, 0, 1}};
    number(&made->extras[0], "ease_in", ease_in);
    number(&made->extras[1], "ease_out", ease_out);
    made->extras[2] = (struct pose_value){.kind = POSE_INT, .key = "base_priority", .as.integer = base};
    made->extras[3] = (struct pose_value){.kind = POSE_INT, .key = "hand_pose", .as.integer = hand};
    for (int i = 0; i < 3; i++)
        made->extras[i].next = &made->extras[i + 1];
    made->extras[4] = (struct pose_value){.kind = POSE_OBJECT, .first = made->extras};
    made->priority = (struct pose_value){.kind = POSE_INT, .key = "priority", .as.integer = priority};
    made->track_extras = (struct pose_value){.kind = POSE_OBJECT, .first = &made->priority};
    made->track = (struct pose_track){.name = "mPelvis", .extras = &made->track_extras};
    made->track.channels[POSE_ROTATION] = (struct pose_channel){1, made->times, made->values};
    made->clip = (struct pose_clip){.axes = POSE_AXES_SL,
                                    .rules = POSE_RULES_SL,
                                    .duration = duration,
                                    .loop = out >= 0 || in >= 0 ? POSE_LOOP_YES : POSE_LOOP_NO,
                                    .loop_in = in,
                                    .loop_out = out,
                                    .track_count = 1,
                                    .tracks = &made->track,
                                    .extras = &made->extras[4]};
}

static struct pose_sl_layer play(const struct made *made, double start, double stop)
{
    return (struct pose_sl_layer){.clip = &made->clip, .start = start, .stop = stop, .priority = -1};
}

TEST(the_greatest_joint_priority_has_the_hands)
{
    struct made fist, point;
    make(&fist, 10, -1, -1, 0, 0, 0, 3, 3);
    make(&point, 10, -1, -1, 0, 0, 4, -1, 2);
    point.track.name = "mTorso"; /* on the same joint it would cover the fist */
    const struct pose_sl_layer layers[] = {play(&fist, 1, INFINITY), play(&point, 1, INFINITY)};
    struct pose_sl_mix *mix = mix_of(layers, 2, &two, (struct pose_sl_mix_options){0});
    ck_assert_double_eq_tol(morph_at(mix, 0.5, "Hands_Relaxed"), 1, 1e-6);
    ck_assert_double_eq_tol(morph_at(mix, 1.1, "Hands_Fist"), 0.5, 1e-6);
    ck_assert_double_eq_tol(morph_at(mix, 1.1, "Hands_Relaxed"), 0.5, 1e-6);
    ck_assert_double_eq_tol(morph_at(mix, 2, "Hands_Fist"), 1, 1e-6);
    ck_assert_double_eq(morph_at(mix, 2, "Hands_Point"), -1);
    pose_sl_mix_free(mix);
}

TEST(six_states_at_most_newer_ones_first)
{
    struct made clips[9];
    struct pose_sl_layer layers[9];
    static const int32_t stack[] = {8, 5, 2, 7, 4, 1};
    struct pose_sl_share shares[POSE_SL_STACK];
    bool held[2];
    for (int i = 0; i < 9; i++) {
        make(&clips[i], 10, -1, -1, 0, 0, 0, i % 3, 0);
        layers[i] = play(&clips[i], i * 0.1, INFINITY);
    }
    struct pose_sl_mix *mix = mix_of(layers, 9, &one, (struct pose_sl_mix_options){0});
    struct pose_sl_moment moment;
    pose_sl_mix_moment(mix, 2, &moment);
    ck_assert_uint_eq(pose_sl_mix_explain(mix, &moment, 0, shares, held), 6);
    for (int i = 0; i < 6; i++)
        ck_assert_int_eq(shares[i].layer, stack[i]);
    ck_assert_double_eq(shares[0].shares[POSE_ROTATION], 1);
    ck_assert_double_eq(shares[1].shares[POSE_ROTATION], 0);
    ck_assert_double_eq(shares[0].shares[POSE_TRANSLATION], -1);
    pose_sl_mix_free(mix);
}

TEST(a_loop_plays_its_round_and_its_outro_first)
{
    struct made clip;
    struct pose_sl_playing playing[POSE_SL_LAYERS];
    make(&clip, 3, 1, 2, 0, 0.5f, 0, 0, 0);
    const struct pose_sl_layer layer = play(&clip, 0, 4.25);
    struct pose_sl_mix *mix = mix_of(&layer, 1, &one, (struct pose_sl_mix_options){0});
    static const double worked[][3] = {{4.25, 1, 1.25}, {5, 1, 2}, {5.5, 1, 2.5}, {5.75, 0.5, 2.75}};
    for (size_t i = 0; i < sizeof worked / sizeof *worked; i++) {
        ck_assert_uint_eq(pose_sl_mix_playing(mix, worked[i][0], playing), 1);
        ck_assert_double_eq_tol(playing[0].weight, worked[i][1], 1e-9);
        ck_assert_double_eq_tol(playing[0].playhead, worked[i][2], 1e-9);
    }
    ck_assert_double_eq_tol(pose_sl_mix_end(mix), 6, 1e-9);
    ck_assert_uint_eq(pose_sl_mix_playing(mix, 6.001, playing), 0);
    pose_sl_mix_free(mix);
}

/* Every number of a file may be odd; whatever it is, a pose is finite and its playheads are in the clip. */
TEST(odd_numbers_are_survived)
{
    static const float durations[] = {0, 1, 60}, loops[] = {-5, -1e-30f, 0, 1e-30f, 0.5f, 1, 2, 3e38f};
    static const float eases[] = {-1, 0, 0.7f, 3e38f};
    for (size_t d = 0; d < 3; d++) {
        for (size_t k = 0; k < 8 * 8 * 4 * 4; k++) {
            struct made clip, other;
            make(&clip, durations[d], loops[k % 8], loops[k / 8 % 8], eases[k / 64 % 4], eases[k / 256], -1,
                 INT32_MAX, 14);
            make(&other, 1, -1, -1, 0.2f, 0.2f, 9, -1, -7);
            clip.clip.loop = k % 3 ? POSE_LOOP_YES : POSE_LOOP_NO;
            struct pose_sl_layer layers[POSE_SL_LAYERS];
            for (int i = 0; i < POSE_SL_LAYERS; i++)
                layers[i] =
                    play(i % 4 ? &clip : &other, i / 2 * 0.25, i % 3 ? i / 2 * 0.25 + i % 2 : INFINITY);
            layers[5].offset = 1e6;
            layers[7].immediate = layers[9].additive = true;
            struct pose_sl_mix *mix = mix_of(layers, POSE_SL_LAYERS, &one, (struct pose_sl_mix_options){0});
            for (double t = 0; t < 2e6; t = t * 3 + 0.1) {
                struct pose_sl_playing playing[POSE_SL_LAYERS];
                sample(mix, t);
                for (unsigned i = 0; i < ROW; i++)
                    ck_assert(isfinite(rows[i]));
                uint32_t count = pose_sl_mix_playing(mix, t, playing);
                for (uint32_t i = 0; i < count; i++)
                    ck_assert(playing[i].weight >= 0 && playing[i].weight <= 1 && playing[i].playhead >= 0 &&
                              playing[i].playhead <= 60);
            }
            pose_sl_mix_free(mix);
        }
    }
}

/* A clip of ten seconds that holds the pelvis at x and turns it by an angle about z. */
static void make_held(struct made *made, float ease_in, float ease_out, int64_t priority,
                      const float place[3], double angle)
{
    make(made, 10, -1, -1, ease_in, ease_out, 0, priority, 0);
    made->values[2] = (float)sin(angle / 2);
    made->values[3] = (float)cos(angle / 2);
    made->track.channels[POSE_TRANSLATION] = (struct pose_channel){1, made->times, (float *)place};
}

static void expect_place(const struct pose_sl_mix *mix, double t, double x, double angle)
{
    sample(mix, t);
    ck_assert_msg(fabs((double)rows[0] - x) <= 1e-5, "x at %g: %g instead of %g", t, (double)rows[0], x);
    double got = 2 * atan2((double)rows[5], (double)rows[6]);
    ck_assert_msg(fabs(got - angle) <= 1e-4, "angle at %g: %g instead of %g", t, got, angle);
}

/* The normal layer holds 0.5 m and 0.4 rad until it ends, what is added is 0.97 m and 0.3 rad. */
static const float held_place[] = {0.5f, 0, 0}, added_place[] = {0.97f, 0, 0}, small_place[] = {0.1f, 0, 0};

TEST(what_is_added_counts_once_when_the_layer_below_ends)
{
    static const float eases[] = {0, 0.5f};
    for (int i = 0; i < 4; i++) {
        struct made normal, added;
        make_held(&normal, eases[i % 2], eases[i % 2], 0, held_place, 0.4);
        make_held(&added, 0.5f, 0.5f, 0, added_place, 0.3);
        struct pose_sl_layer layers[] = {play(&normal, 0, 2), play(&added, 0, 4)};
        layers[0].immediate = i >= 2;
        layers[1].additive = true;
        struct pose_sl_mix *mix = mix_of(layers, 2, &one, (struct pose_sl_mix_options){0});
        expect_place(mix, 0.25, 0.5 + 0.97 / 2, 0.55);
        static const double times[] = {1, 1.999, 2, 2.001, 2.25, 2.499, 2.501, 3, 4};
        for (size_t k = 0; k < sizeof times / sizeof *times; k++)
            expect_place(mix, times[k], 1.47, 0.7);
        expect_place(mix, 4.25, 0.5 + 0.97 / 2, 0.55); /* it eases out above what is held */
        expect_place(mix, 4.6, 0.5, 0.4);
        expect_place(mix, 100, 0.5, 0.4);
        pose_sl_mix_free(mix);
    }
}

TEST(several_layers_are_added_once_to_what_is_held)
{
    struct made normal, below, added, small;
    make_held(&normal, 0, 0, 2, held_place, 0.4);
    make_held(&below, 0, 0, 1, small_place, -0.2);
    make_held(&added, 0, 0, 4, added_place, 0.3);
    make_held(&small, 0, 0, 3, small_place, 0.1);
    struct pose_sl_layer layers[] = {play(&normal, 0, 2), play(&below, 0, 3), play(&added, 0, INFINITY),
                                     play(&small, 1, INFINITY)};
    layers[2].additive = layers[3].additive = true;
    struct pose_sl_mix *mix = mix_of(layers, 4, &one, (struct pose_sl_mix_options){0});
    expect_place(mix, 0.5, 1.47, 0.7);
    expect_place(mix, 1.5, 1.57, 0.8);
    expect_place(mix, 2.001, 0.1 + 1.07, -0.2 + 0.4); /* the layer of lower priority drives it now */
    expect_place(mix, 3.001, 0.1 + 1.07, -0.2 + 0.4);
    expect_place(mix, 9, 0.1 + 1.07, -0.2 + 0.4);
    expect_place(mix, 10.5, 0.1 + 0.1, -0.2 + 0.1); /* the first ended, the second plays until 11 */
    expect_place(mix, 11.5, 0.1, -0.2);
    pose_sl_mix_free(mix);
}

TEST(what_a_normal_layer_covers_is_added_once_it_has_ended)
{
    struct made normal, added;
    make_held(&normal, 0, 0.5f, 3, held_place, 0.4);
    make_held(&added, 0, 0, 0, added_place, 0.3);
    struct pose_sl_layer layers[] = {play(&normal, 0, 2), play(&added, 0, INFINITY)};
    layers[1].additive = true;
    struct pose_sl_mix *mix = mix_of(layers, 2, &one, (struct pose_sl_mix_options){0});
    expect_place(mix, 1, 0.5, 0.4);
    expect_place(mix, 2.25, 0.5 + 0.97 / 2, 0.55);
    expect_place(mix, 2.4999, 1.47, 0.7);
    expect_place(mix, 2.501, 1.47, 0.7);
    expect_place(mix, 5, 1.47, 0.7);
    pose_sl_mix_free(mix);
}

TEST(two_starts_at_one_moment_show_the_second)
{
    struct made clip;
    struct pose_sl_playing playing[POSE_SL_LAYERS];
    make(&clip, 10, -1, -1, 0, 1, 0, 0, 0);
    const struct pose_sl_layer layers[] = {play(&clip, 1, INFINITY), play(&clip, 1, INFINITY)};
    struct pose_sl_mix *mix = mix_of(layers, 2, &one, (struct pose_sl_mix_options){0});
    ck_assert_uint_eq(pose_sl_mix_playing(mix, 1.5, playing), 2);
    ck_assert_double_eq(playing[0].weight, 0);
    ck_assert_double_eq(playing[1].weight, 1);
    ck_assert_uint_eq(pose_sl_mix_playing(mix, 3, playing), 1);
    ck_assert_uint_eq(playing[0].layer, 1);
    pose_sl_mix_free(mix);
}

TEST(bad_layers_are_refused)
{
    struct made clip;
    struct pose_error error;
    make(&clip, 1, -1, -1, 0, 0, 0, 0, 0);
    struct pose_sl_layer bad[5];
    for (int i = 0; i < 5; i++)
        bad[i] = play(&clip, 1, 2);
    bad[0].start = -1;
    bad[1].stop = 0.5;
    bad[2].offset = NAN;
    bad[3].priority = 7;
    bad[4].start = INFINITY;
    for (int i = 0; i < 5; i++) {
        pose_error_init(&error);
        ck_assert_ptr_null(pose_sl_mix_new(&bad[i], 1, &one, NULL, NULL, &error));
        ck_assert_str_eq(error.code, "bad_layer");
    }
    pose_error_init(&error);
    ck_assert_ptr_null(pose_sl_mix_new(bad, 0, &one, NULL, NULL, &error));
    clip.clip.rules = POSE_RULES_PLAIN;
    struct pose_sl_layer foreign = play(&clip, 0, 1);
    pose_error_init(&error);
    ck_assert_ptr_null(pose_sl_mix_new(&foreign, 1, &one, NULL, NULL, &error));
}
