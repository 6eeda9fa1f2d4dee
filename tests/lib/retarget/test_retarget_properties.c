/* What retargeting promises of any two people, on figures made from those that the library ships. */
#include "lib/model/turn.h"
#include "pose.h"
#include "tests/support/unit.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_JOINTS = 256, ROW = 10, FRAMES = 31 };
static const double DEGREE = 0.017453292519943295;

/* ------------------------------------------------------------------------------------------------ figures -- */

/* A figure that may be changed: joints of one that is shipped. */
struct person {
    struct pose_document *document;
    struct pose_skeleton skeleton;
    struct pose_joint joints[MAX_JOINTS];
    struct pose_humanoid *humanoid;
};

static void open_person(struct person *person, const char *family)
{
    for (unsigned i = 0;; i++) {
        person->document = pose_stand_in(i, NULL, NULL);
        ck_assert_ptr_nonnull(person->document);
        if (!strcmp(pose_format_find(person->document->format)->family, family))
            break;
        pose_document_free(person->document);
    }
    person->skeleton = person->document->skeletons[0];
    ck_assert_uint_lt(person->skeleton.joint_count, MAX_JOINTS);
    memcpy(person->joints, person->skeleton.joints, person->skeleton.joint_count * sizeof *person->joints);
    person->skeleton.joints = person->joints;
    person->humanoid = NULL;
}

static void find_bones(struct person *person)
{
    struct pose_error error;
    pose_humanoid_free(person->humanoid);
    person->humanoid = pose_humanoid_new(&person->skeleton, NULL, 0, NULL, &error);
    ck_assert_msg(person->humanoid != NULL, "%s", error.detail);
}

static void close_person(struct person *person)
{
    pose_humanoid_free(person->humanoid);
    pose_document_free(person->document);
}

static uint32_t joint_of(const struct person *person, const char *name)
{
    for (uint32_t i = 0; i < person->skeleton.joint_count; i++) {
        if (!strcmp(person->joints[i].name, name))
            return i;
    }
    ck_abort_msg("no joint %s", name);
    return 0;
}

static void multiply(const double a[4], const double b[4], double out[4])
{
    const double q[4] = {a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1],
                         a[3] * b[1] - a[0] * b[2] + a[1] * b[3] + a[2] * b[0],
                         a[3] * b[2] + a[0] * b[1] - a[1] * b[0] + a[2] * b[3],
                         a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2]};
    memcpy(out, q, sizeof q);
}

static void invert(const double q[4], double out[4])
{
    for (int i = 0; i < 4; i++)
        out[i] = i < 3 ? -q[i] : q[i];
}

/* v turned by q. */
static void turn(const double q[4], const float v[3], float out[3])
{
    double inverse[4], w[4], at[4] = {(double)v[0], (double)v[1], (double)v[2], 0};
    invert(q, inverse);
    multiply(q, at, w);
    multiply(w, inverse, w);
    for (int i = 0; i < 3; i++)
        out[i] = (float)w[i];
}

static void about(int axis, double degrees, double out[4])
{
    memset(out, 0, 4 * sizeof *out);
    out[axis] = sin(degrees * DEGREE / 2);
    out[3] = cos(degrees * DEGREE / 2);
}

/* Every joint gets axes of its own: its children hang where they hung. turns: [joint_count] what each is turned by. */
static void turn_axes(struct person *person, double (*turns)[4])
{
    for (uint32_t i = person->skeleton.joint_count; i-- > 0;) {
        struct pose_joint *joint = &person->joints[i];
        double local[4], inverse[4];
        for (int k = 0; k < 4; k++)
            local[k] = (double)joint->rotation[k];
        multiply(local, turns[i], local);
        if (joint->parent >= 0) {
            invert(turns[joint->parent], inverse);
            multiply(inverse, local, local);
            turn(inverse, joint->translation, joint->translation);
        }
        for (int k = 0; k < 4; k++)
            joint->rotation[k] = (float)local[k];
    }
}

static double random_number(void)
{
    static uint64_t state = 7;
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (double)(state >> 11) / 4503599627370496.0 - 1;
}

static void random_axes(struct person *person)
{
    static double turns[MAX_JOINTS][4];
    for (uint32_t i = 0; i < person->skeleton.joint_count; i++) {
        double square = 0;
        for (int k = 0; k < 4; k++)
            square += pow(turns[i][k] = random_number(), 2);
        for (int k = 0; k < 4; k++)
            turns[i][k] /= sqrt(square);
    }
    turn_axes(person, turns);
}

/* The whole figure, about the origin. */
static void turn_whole(struct person *person, int axis, double degrees)
{
    double q[4];
    about(axis, degrees, q);
    for (uint32_t i = 0; i < person->skeleton.joint_count; i++) {
        struct pose_joint *joint = &person->joints[i];
        double local[4];
        if (joint->parent >= 0)
            continue;
        for (int k = 0; k < 4; k++)
            local[k] = (double)joint->rotation[k];
        multiply(q, local, local);
        for (int k = 0; k < 4; k++)
            joint->rotation[k] = (float)local[k];
        turn(q, joint->translation, joint->translation);
    }
}

/* --------------------------------------------------------------------------------------------------- clips -- */

/* Every joint of a person in motion, each about an axis of its own, off its rest. */
struct motion {
    struct pose_clip clip;
    struct pose_track tracks[MAX_JOINTS];
    float times[FRAMES], rotations[MAX_JOINTS][FRAMES][4], ways[FRAMES][3];
};

static void move(struct motion *motion, const struct person *person, double degrees)
{
    const struct pose_skeleton *skeleton = &person->skeleton;
    for (uint32_t k = 0; k < FRAMES; k++) {
        motion->times[k] = (float)k / 30;
        memcpy(motion->ways[k], skeleton->joints[0].translation, sizeof motion->ways[k]);
        motion->ways[k][0] += 0.05f * sinf(0.4f * (float)k);
    }
    for (uint32_t i = 0; i < skeleton->joint_count; i++) {
        double rest[4], off[4];
        for (int k = 0; k < 4; k++)
            rest[k] = (double)skeleton->joints[i].rotation[k];
        for (uint32_t k = 0; k < FRAMES; k++) {
            about((int)(i % 3), degrees * sin(0.3 * k + i), off);
            multiply(rest, off, off);
            for (int part = 0; part < 4; part++)
                motion->rotations[i][k][part] = (float)off[part];
        }
        motion->tracks[i] = (struct pose_track){.name = skeleton->joints[i].name};
        motion->tracks[i].channels[POSE_ROTATION] =
            (struct pose_channel){FRAMES, motion->times, motion->rotations[i][0]};
    }
    motion->tracks[0].channels[POSE_TRANSLATION] =
        (struct pose_channel){FRAMES, motion->times, motion->ways[0]};
    motion->clip = (struct pose_clip){.axes = skeleton->axes,
                                      .rules = POSE_RULES_PLAIN,
                                      .duration = (FRAMES - 1) / 30.0f,
                                      .loop_out = (FRAMES - 1) / 30.0f,
                                      .fps = 30,
                                      .track_count = skeleton->joint_count,
                                      .tracks = motion->tracks};
}

/* --------------------------------------------------------------------------------------------- retargeting -- */

struct carried {
    struct pose_retarget *retarget;
    float rows[MAX_JOINTS * ROW], matrices[MAX_JOINTS * 16];
    void *scratch;
};

static void carry(struct carried *carried, const struct pose_clip *clip, const struct person *from,
                  const struct person *to, const struct pose_retarget_options *wishes)
{
    struct pose_error error;
    carried->retarget = pose_retarget_new(clip, from->humanoid, to->humanoid, wishes, NULL, &error);
    ck_assert_msg(carried->retarget != NULL, "%s", error.detail);
    carried->scratch = malloc(pose_retarget_scratch(carried->retarget));
}

static void sample(struct carried *carried, double t)
{
    pose_retarget_sample(carried->retarget, t, POSE_CLAMP, 0, carried->rows, carried->scratch);
    pose_model(pose_retarget_rows(carried->retarget), carried->rows, carried->matrices);
}

static void drop(struct carried *carried)
{
    pose_retarget_free(carried->retarget);
    free(carried->scratch);
}

static const struct pose_retarget_options still = {.axes = POSE_AXES_GLTF},
                                          standing = {.flags = POSE_RETARGET_FEET, .axes = POSE_AXES_GLTF};

/* Three people and a clip of the first, which most tests want. */
struct scene {
    struct person sim, avatar, other;
    struct motion motion;
    struct carried a, b;
};

static struct scene *open_scene(void)
{
    struct scene *scene = calloc(1, sizeof *scene);
    open_person(&scene->sim, "sims");
    open_person(&scene->avatar, "sl");
    open_person(&scene->other, "sl");
    find_bones(&scene->sim);
    find_bones(&scene->avatar);
    move(&scene->motion, &scene->sim, 20);
    return scene;
}

static void close_scene(struct scene *scene)
{
    close_person(&scene->sim);
    close_person(&scene->avatar);
    close_person(&scene->other);
    free(scene);
}

/* How far places of two poses of one figure are apart, the second one's turned by q first. */
static double far_apart(const struct scene *scene, const double q[4])
{
    double worst = 0;
    for (uint32_t i = 0; i < scene->avatar.skeleton.joint_count; i++) {
        const float *a = scene->a.matrices + 16 * (size_t)i + 12;
        float b[3];
        turn(q, scene->b.matrices + 16 * (size_t)i + 12, b);
        for (int k = 0; k < 3; k++)
            worst = fmax(worst, fabs((double)a[k] - (double)b[k]));
    }
    return worst;
}

/* ---------------------------------------------------------------------------------------------- properties -- */

static void same_figure(struct scene *scene, const struct pose_retarget_options *wishes, const double q[4])
{
    const struct pose_humanoid_report *a = pose_humanoid_report(scene->avatar.humanoid);
    find_bones(&scene->other);
    const struct pose_humanoid_report *b = pose_humanoid_report(scene->other.humanoid);
    ck_assert(fabs(a->hip_height - b->hip_height) < 1e-5);
    ck_assert(fabs(a->mean_ankle - b->mean_ankle) < 1e-5);
    for (int side = 0; side < 2; side++)
        ck_assert(fabs(a->leg_lean[side] - b->leg_lean[side]) < 1e-2);
    carry(&scene->a, &scene->motion.clip, &scene->sim, &scene->avatar, wishes);
    carry(&scene->b, &scene->motion.clip, &scene->sim, &scene->other, wishes);
    for (int i = 0; i < 7; i++) {
        sample(&scene->a, i * 0.15);
        sample(&scene->b, i * 0.15);
        double apart = far_apart(scene, q);
        ck_assert_msg(apart < 2e-5, "%g m at %g", apart, i * 0.15);
    }
    drop(&scene->a);
    drop(&scene->b);
}

/* Whatever a skeleton calls its axes, its figure is the same. */
TEST_EACH(axes_of_joints_mean_nothing, 2)
{
    static const double none[4] = {0, 0, 0, 1};
    struct scene *scene = open_scene();
    random_axes(&scene->other);
    same_figure(scene, _i ? &standing : &still, none);
    close_scene(scene);
}

/* Facing another way, or on its back: the same in its own body's axes. */
TEST_EACH(how_it_lies_means_nothing, 3)
{
    /* In Second Life's axes, which the rest is in, and back in glTF's. */
    static const struct {
        int axis, back;
        double degrees;
    } turns[] = {{2, 1, 90}, {2, 1, 37}, {1, 0, 90}};
    struct scene *scene = open_scene();
    double q[4];
    turn_whole(&scene->other, turns[_i].axis, turns[_i].degrees);
    about(turns[_i].back, -turns[_i].degrees, q);
    same_figure(scene, &still, q);
    close_scene(scene);
}

/* The most that the joints of a tail are apart. */
static double tails_apart(const struct person *person, const float *a, const float *b)
{
    double worst = 0;
    for (int i = 2; i <= 6; i++) {
        char name[16];
        snprintf(name, sizeof name, "mTail%d", i);
        size_t at = 16 * (size_t)joint_of(person, name) + 12;
        for (size_t k = at; k < at + 3; k++)
            worst = fmax(worst, fabs((double)a[k] - (double)b[k]));
    }
    return worst;
}

/* Joints that are no bones follow when they are paired, whatever their axes; else they rest. */
TEST(a_paired_tail_swings)
{
    static const struct pose_joint_pair pairs[] = {{"mTail1", "mTail1"}, {"mTail2", "mTail2"},
                                                   {"mTail3", "mTail3"}, {"mTail4", "mTail4"},
                                                   {"mTail5", "mTail5"}, {"mTail6", "mTail6"}};
    struct pose_retarget_options paired = {.pairs = pairs, .pair_count = 6, .axes = POSE_AXES_GLTF};
    struct scene *scene = open_scene();
    float *rows = calloc(MAX_JOINTS, ROW * sizeof *rows),
          *matrices = calloc(MAX_JOINTS, 16 * sizeof *matrices);
    double alone = 0;
    random_axes(&scene->other);
    find_bones(&scene->other);
    move(&scene->motion, &scene->avatar, 20);
    struct pose_sampler *plain =
        pose_sampler_new(&scene->motion.clip, &scene->avatar.skeleton, POSE_AXES_GLTF, NULL, NULL);
    ck_assert_ptr_nonnull(plain);
    carry(&scene->a, &scene->motion.clip, &scene->avatar, &scene->other, &paired);
    carry(&scene->b, &scene->motion.clip, &scene->avatar, &scene->other, &still);
    for (int i = 0; i < 7; i++) {
        pose_sample(plain, i * 0.15, POSE_CLAMP, 0, rows, NULL);
        pose_model(plain, rows, matrices);
        sample(&scene->a, i * 0.15);
        sample(&scene->b, i * 0.15);
        double apart = tails_apart(&scene->avatar, matrices, scene->a.matrices);
        ck_assert_msg(apart < 2e-5, "%g m at %g", apart, i * 0.15);
        alone = fmax(alone, tails_apart(&scene->avatar, matrices, scene->b.matrices));
    }
    ck_assert_msg(alone > 0.05, "%g m", alone);
    drop(&scene->a);
    drop(&scene->b);
    pose_sampler_free(plain);
    free(rows);
    free(matrices);
    close_scene(scene);
}

/* On all fours with a person's names. */
TEST(no_quadruped)
{
    struct person dog;
    struct pose_error error;
    double q[4];
    open_person(&dog, "sl");
    about(1, 80, q);
    struct pose_joint *torso = &dog.joints[joint_of(&dog, "mTorso")];
    for (int k = 0; k < 4; k++)
        torso->rotation[k] = (float)q[k];
    ck_assert_ptr_null(pose_humanoid_new(&dog.skeleton, NULL, 0, NULL, &error));
    ck_assert_str_eq(error.code, "not_humanoid");
    ck_assert_msg(strstr(error.detail, "of the reference pose leans") != NULL, "%s", error.detail);
    close_person(&dog);
}

/* The angle between the rotations of a row in two poses, degrees. */
static double angle_between(const float *a, const float *b)
{
    double dot = 0;
    for (int k = 3; k < 7; k++)
        dot += (double)a[k] * (double)b[k];
    return 2 * acos(fmin(fabs(dot), 1)) / DEGREE;
}

/* Legs that stand 20 degrees apart, as in captures of CMU, are a pose and no build: there and back is exact. */
TEST(spread_legs)
{
    struct scene *scene = open_scene();
    struct person *wide = &scene->other;
    double q[4];
    for (int side = 0; side < 2; side++) {
        /* In Second Life's axes: straight down first, then 20 degrees outward about x. */
        struct pose_joint *knee = &wide->joints[joint_of(wide, side ? "mKneeRight" : "mKneeLeft")];
        struct pose_joint *ankle = &wide->joints[joint_of(wide, side ? "mAnkleRight" : "mAnkleLeft")];
        about(0, side ? -20 : 20, q);
        turn(q, (float[3]){0, 0, -0.49f}, knee->translation);
        turn(q, (float[3]){0, 0, -0.47f}, ankle->translation);
    }
    find_bones(wide);
    const struct pose_humanoid_report *report = pose_humanoid_report(wide->humanoid);
    for (int side = 0; side < 2; side++)
        ck_assert_msg(fabs(report->leg_lean[side] - 20) < 0.05, "%g", report->leg_lean[side]);
    static struct motion motion;
    move(&motion, &scene->avatar, 15);
    struct pose_error error;
    const struct pose_retarget_baking baking = {.fps = 30};
    carry(&scene->a, &motion.clip, &scene->avatar, wide, &still);
    struct pose_document *there = pose_retarget_bake(scene->a.retarget, &baking, NULL, NULL, NULL, &error);
    ck_assert_msg(there != NULL, "%s", error.detail);
    drop(&scene->a);
    carry(&scene->a, &motion.clip, &scene->avatar, &scene->avatar, &still);
    carry(&scene->b, &there->clips[0], wide, &scene->avatar, &still);
    static const double none[4] = {0, 0, 0, 1};
    for (int i = 0; i < 5; i++) {
        sample(&scene->a, i * 0.2);
        sample(&scene->b, i * 0.2);
        ck_assert_msg(far_apart(scene, none) < 1e-4, "%g m", far_apart(scene, none));
    }
    drop(&scene->a);
    drop(&scene->b);
    pose_document_free(there);
    close_scene(scene);
}

TEST(knees_turn_ten_degrees_at_most)
{
    struct scene *scene = open_scene();
    double worst = 0;
    carry(&scene->a, &scene->motion.clip, &scene->sim, &scene->avatar, &still);
    carry(&scene->b, &scene->motion.clip, &scene->sim, &scene->avatar, &standing);
    for (int i = 0; i < FRAMES; i++) {
        sample(&scene->a, i / 30.0);
        sample(&scene->b, i / 30.0);
        for (int side = 0; side < 2; side++) {
            size_t knee = joint_of(&scene->avatar, side ? "mKneeRight" : "mKneeLeft");
            worst = fmax(worst, angle_between(scene->a.rows + knee * ROW, scene->b.rows + knee * ROW));
        }
    }
    ck_assert_msg(worst > 0.1 && worst <= 10.001, "%g degrees", worst);
    drop(&scene->a);
    drop(&scene->b);
    close_scene(scene);
}

/* ------------------------------------------------------------------------------------------------- threads -- */

enum { THREADS = 4, MOMENTS = 64 };

struct sampling {
    const struct pose_retarget *retarget;
    unsigned step;
    uint32_t row_floats;
    float *rows; /* [MOMENTS][row_floats] */
};

/* Each in an order of its own. */
static void *sample_all(void *user)
{
    struct sampling *s = user;
    void *scratch = malloc(pose_retarget_scratch(s->retarget));
    for (unsigned i = 0; i < MOMENTS; i++) {
        unsigned at = i * s->step % MOMENTS;
        pose_retarget_sample(s->retarget, at / 60.0, POSE_CLAMP, 0, s->rows + (size_t)at * s->row_floats,
                             scratch);
    }
    free(scratch);
    return NULL;
}

TEST(any_order_any_thread)
{
    struct scene *scene = open_scene();
    struct sampling samplings[THREADS];
    pthread_t threads[THREADS];
    carry(&scene->a, &scene->motion.clip, &scene->sim, &scene->avatar, &standing);
    uint32_t floats = scene->avatar.skeleton.joint_count * ROW;
    for (unsigned i = 0; i < THREADS; i++) {
        samplings[i] = (struct sampling){scene->a.retarget, 2 * i + 1, floats,
                                         calloc((size_t)MOMENTS * floats, sizeof(float))};
        ck_assert_int_eq(pthread_create(&threads[i], NULL, sample_all, &samplings[i]), 0);
    }
    for (unsigned i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    for (unsigned i = 1; i < THREADS; i++)
        ck_assert_int_eq(
            memcmp(samplings[0].rows, samplings[i].rows, (size_t)MOMENTS * floats * sizeof(float)), 0);
    for (unsigned i = 0; i < THREADS; i++)
        free(samplings[i].rows);
    drop(&scene->a);
    close_scene(scene);
}

/* --------------------------------------------------------------------------------------------------- pairs -- */

/* A tail at the hips. */
static void grow_tail(struct person *person, const char *name, const char *hips)
{
    uint32_t count = person->skeleton.joint_count++;
    person->joints[count] = (struct pose_joint){.name = name,
                                                .parent = (int32_t)joint_of(person, hips),
                                                .translation = {0, 0.1f, 0.1f},
                                                .rotation = {0, 0, 0, 1},
                                                .scale = {1, 1, 1}};
    find_bones(person);
}

static void refuse_pairs(const struct scene *scene, const struct pose_joint_pair *pairs, uint32_t count,
                         const char *code)
{
    const struct pose_retarget_options wishes = {.pairs = pairs, .pair_count = count};
    struct pose_error error;
    ck_assert_ptr_null(pose_retarget_new(&scene->motion.clip, scene->sim.humanoid, scene->avatar.humanoid,
                                         &wishes, NULL, &error));
    ck_assert_str_eq(error.code, code);
}

TEST(tails_in_pairs)
{
    static const struct pose_joint_pair tail = {"TAIL", "mWag"};
    static const struct pose_joint_pair wrong[2] = {{"TAIL", "mWug"}, {"TEIL", "mWag"}};
    static const struct pose_joint_pair twice[2] = {{"TAIL", "mWag"}, {"HEAD", "mWag"}};
    struct scene *scene = open_scene();
    grow_tail(&scene->sim, "TAIL", "PELVIS");
    grow_tail(&scene->avatar, "mWag", "mPelvis");
    move(&scene->motion, &scene->sim, 20);
    const struct pose_retarget_options wishes = {.pairs = &tail, .pair_count = 1, .axes = POSE_AXES_GLTF};
    carry(&scene->a, &scene->motion.clip, &scene->sim, &scene->avatar, &still);
    carry(&scene->b, &scene->motion.clip, &scene->sim, &scene->avatar, &wishes);
    uint32_t at = joint_of(&scene->avatar, "mWag");
    ck_assert(!pose_sampler_rows(pose_retarget_rows(scene->a.retarget))[at].driven);
    ck_assert(pose_sampler_rows(pose_retarget_rows(scene->b.retarget))[at].driven);
    /* As far from its rest in the world as the source's is from its own, as both hang on hips that turn alike. */
    struct pose_sampler *plain =
        pose_sampler_new(&scene->motion.clip, &scene->sim.skeleton, POSE_AXES_GLTF, NULL, NULL);
    static float rows[MAX_JOINTS * ROW], matrices[MAX_JOINTS * 16], rest[MAX_JOINTS * 16],
        other_rest[MAX_JOINTS * 16];
    const struct pose_clip stands = {
        .axes = scene->sim.skeleton.axes, .rules = POSE_RULES_PLAIN, .duration = 1};
    struct pose_sampler *rests[2] = {
        pose_sampler_new(&stands, &scene->sim.skeleton, POSE_AXES_GLTF, NULL, NULL),
        pose_sampler_new(&stands, &scene->avatar.skeleton, POSE_AXES_GLTF, NULL, NULL)};
    for (int i = 0; i < 2; i++) {
        pose_sample(rests[i], 0, POSE_CLAMP, 0, rows, NULL);
        pose_model(rests[i], rows, i ? other_rest : rest);
        pose_sampler_free(rests[i]);
    }
    uint32_t from = joint_of(&scene->sim, "TAIL");
    for (int k = 0; k < 5; k++) {
        pose_sample(plain, k * 0.2, POSE_CLAMP, 0, rows, NULL);
        pose_model(plain, rows, matrices);
        sample(&scene->b, k * 0.2);
        /* R R0^-1 of both: columns of matrices, as nothing is scaled. */
        for (int c = 0; c < 3; c++) {
            for (int r = 0; r < 3; r++) {
                double a = 0, b = 0;
                for (int m = 0; m < 3; m++) {
                    a += (double)matrices[16 * from + 4 * (size_t)m + (size_t)r] *
                         (double)rest[16 * from + 4 * (size_t)m + (size_t)c];
                    b += (double)scene->b.matrices[16 * at + 4 * (size_t)m + (size_t)r] *
                         (double)other_rest[16 * at + 4 * (size_t)m + (size_t)c];
                }
                ck_assert_msg(fabs(a - b) < 1e-4, "%g instead of %g", b, a);
            }
        }
    }
    pose_sampler_free(plain);
    refuse_pairs(scene, &wrong[0], 1, "unknown_joint");
    refuse_pairs(scene, &wrong[1], 1, "unknown_joint");
    refuse_pairs(scene, twice, 2, "two_joints");
    drop(&scene->a);
    drop(&scene->b);
    close_scene(scene);
}

/* ------------------------------------------------------------------------------------------------- hostile -- */

/* Rotations of any length, bones without length, scales of nothing, no numbers: a number for each, or a refusal. */
TEST(hostile_rests)
{
    struct scene *scene = open_scene();
    static const float values[] = {0, 1e-30f, 1e30f, -1, 3e38f, NAN, INFINITY};
    for (size_t v = 0; v < sizeof values / sizeof *values; v++) {
        for (uint32_t i = 0; i < scene->avatar.skeleton.joint_count; i += 3) {
            struct pose_joint kept = scene->other.joints[i], *joint = &scene->other.joints[i];
            struct pose_error error;
            float *const parts[3] = {joint->rotation, joint->translation, joint->scale};
            for (int part = 0; part < 3; part++) {
                for (int k = 0; k < 3 + !part; k++)
                    parts[part][k] = values[v];
                struct pose_humanoid *humanoid =
                    pose_humanoid_new(&scene->other.skeleton, NULL, 0, NULL, &error);
                if (humanoid) {
                    scene->other.humanoid = humanoid;
                    carry(&scene->b, &scene->motion.clip, &scene->sim, &scene->other, &standing);
                    pose_retarget_sample(scene->b.retarget, 0.5, POSE_CLAMP, 0, scene->b.rows,
                                         scene->b.scratch);
                    for (uint32_t f = 0; f < scene->other.skeleton.joint_count * ROW; f++)
                        ck_assert_msg(isfinite(scene->b.rows[f]), "value %zu, joint %u, part %d, row %u", v,
                                      i, part, f / ROW);
                    drop(&scene->b);
                    pose_humanoid_free(humanoid);
                    scene->other.humanoid = NULL;
                } else {
                    ck_assert_str_eq(error.code, "not_humanoid");
                }
                *joint = kept;
            }
        }
    }
    close_scene(scene);
}

/* Every joint has all names of all others as aliases. */
TEST(aliases_in_circles)
{
    static const char *names[MAX_JOINTS + 1];
    struct scene *scene = open_scene();
    uint32_t count = scene->other.skeleton.joint_count;
    for (uint32_t i = 0; i < count; i++)
        names[i] = scene->other.joints[count - 1 - i].name;
    for (uint32_t i = 0; i < count; i++)
        scene->other.joints[i].aliases = names;
    find_bones(&scene->other);
    const struct pose_humanoid_report *report = pose_humanoid_report(scene->other.humanoid);
    ck_assert(report->quality == 1);
    for (uint32_t i = 0; i < report->bone_count; i++) {
        for (uint32_t k = 0; k < i; k++)
            ck_assert_uint_ne(report->bones[i].joint, report->bones[k].joint);
    }
    close_scene(scene);
}

/* Between near rotations by a series, between others by sines: both are the same. */
TEST(slerp_is_even)
{
    for (int i = 0; i <= 180; i++) {
        struct turn end = turn_about((struct vec){0.6, 0, 0.8}, i * DEGREE);
        for (int k = 0; k <= 10; k++) {
            struct turn found = turn_slerp(turn_none, end, k / 10.0);
            struct turn wanted = turn_about((struct vec){0.6, 0, 0.8}, i * DEGREE * k / 10.0);
            ck_assert_msg(fabs(turn_dot(found, wanted) - 1) < 1e-12 &&
                              fabs(found.x - wanted.x) + fabs(found.w - wanted.w) < 1e-11,
                          "%d degrees, %d tenths", i, k);
        }
    }
}
