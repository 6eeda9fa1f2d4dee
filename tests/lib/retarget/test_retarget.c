/* People and retargeting against the specification's worked numbers, on the corpus. */
#include "lib/core/value.h"
#include "pose.h"
#include "tests/support/codecs.h"
#include "tests/support/corpus_folder.h"
#include "tests/support/unit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROW = 10, MOST = 400 };

/* A file of the corpus, decoded with what lies beside it. */
struct thing {
    struct test_file file;
    struct corpus_folder folder;
    struct pose_document *document;
};

static bool open_thing(const char *path, const char *folder, struct thing *thing)
{
    struct pose_error error;
    *thing = (struct thing){0};
    if (!corpus_read(path, &thing->file) || (folder && !corpus_folder_open(&thing->folder, folder)))
        return false;
    struct codec_companion none[1] = {{0}};
    thing->document = codec_decode_with(NULL, thing->file.data, thing->file.size,
                                        folder ? thing->folder.companions : none, &error);
    ck_assert_msg(thing->document != NULL, "%s: %s", path, error.detail);
    return true;
}

static void close_thing(struct thing *thing)
{
    pose_document_free(thing->document);
    test_file_free(&thing->file);
    if (thing->folder.files)
        corpus_folder_close(&thing->folder);
}

static struct pose_humanoid *person(const struct thing *thing)
{
    struct pose_error error;
    struct pose_humanoid *humanoid = pose_humanoid_new(&thing->document->skeletons[0], NULL, 0, NULL, &error);
    ck_assert_msg(humanoid != NULL, "%s", error.detail);
    return humanoid;
}

#define SL "sl/avatar_skeleton.xml"
#define ADULT "sims/sims1/adult-skeleton.cmx"
#define CHILD "sims/sims1/child-skeleton.cmx"
#define WALK "sl/viewer/6ed24bd8-91aa-4b12-ccc7-c97c857ab4e0.animatn"

/* ------------------------------------------------------------------------------------------------ figures -- */

static void near(const char *what, double got, double wanted, double tolerance)
{
    ck_assert_msg(fabs(got - wanted) <= tolerance, "%s: %.6f instead of %.6f", what, got, wanted);
}

struct figure {
    const char *path, *family;
    double h, a, ground, arms[2], lean[2];
    double spine[3], neck[2];
    uint32_t spine_count;
};

TEST_EACH(figures_as_worked, 3)
{
    static const struct figure figures[] = {
        {SL, "sl", 1.02, 0.061, 0.006, {0, 0}, {3.23, 3.43}, {0.29011, 1}, {0.76773, 1}, 2},
        {ADULT,
         "sims",
         0.91937,
         0.07768,
         -0.00165,
         {84.30, 84.30},
         {0.73, 0.74},
         {0.31154, 0.65577, 1},
         {0.51371, 1},
         3},
        {CHILD,
         "sims",
         0.69236,
         0.06796,
         -0.00022,
         {84.25, 84.24},
         {0.81, 0.82},
         {0.27383, 0.63692, 1},
         {0.53997, 1},
         3},
    };
    const struct figure *wanted = &figures[_i];
    struct thing thing;
    if (!open_thing(wanted->path, NULL, &thing))
        return;
    struct pose_humanoid *humanoid = person(&thing);
    const struct pose_humanoid_report *report = pose_humanoid_report(humanoid);
    ck_assert_str_eq(report->family, wanted->family);
    ck_assert(report->quality == 1 && report->required == 15);
    near("hip height", report->hip_height, wanted->h, 1e-4);
    near("mean ankle", report->mean_ankle, wanted->a, 1e-4);
    near("ground", report->ground, wanted->ground, 1e-4);
    for (int side = 0; side < 2; side++) {
        near("arm", report->arm_alignment[side], wanted->arms[side], 0.0051);
        near("lean", report->leg_lean[side], wanted->lean[side], 0.0051);
    }
    ck_assert_uint_eq(report->spine_count, wanted->spine_count);
    ck_assert_uint_eq(report->neck_count, 1);
    for (uint32_t i = 0; i < report->spine_count; i++)
        near("spine", report->spine[i], wanted->spine[i], 1e-4);
    for (uint32_t i = 0; i < 2; i++)
        near("neck", report->neck[i], wanted->neck[i], 1e-4);
    pose_humanoid_free(humanoid);
    close_thing(&thing);
}

/* -------------------------------------------------------------------------------------------------- poses -- */

/* A clip on one figure for another. */
struct retargeting {
    struct thing clip, from, to;
    const char *clip_name; /* NULL: the first */
    struct pose_humanoid *source, *target;
    struct pose_retarget *retarget;
    float rows[MOST * ROW], matrices[MOST * 16];
    void *scratch;
};

static bool begin(struct retargeting *r, const char *clip, const char *folder, const char *from,
                  const char *to)
{
    *r = (struct retargeting){0};
    if (!open_thing(clip, folder, &r->clip) || !open_thing(to, NULL, &r->to))
        return false;
    if (from)
        ck_assert(open_thing(from, NULL, &r->from));
    r->source = person(from ? &r->from : &r->clip);
    r->target = person(&r->to);
    return true;
}

static const struct pose_clip *clip_of(const struct retargeting *r)
{
    const struct pose_document *document = r->clip.document;
    for (uint32_t i = 0; i < document->clip_count; i++) {
        if (!r->clip_name || !strcmp(document->clips[i].name, r->clip_name))
            return &document->clips[i];
    }
    ck_abort_msg("no clip %s", r->clip_name);
    return NULL;
}

static void compile(struct retargeting *r, unsigned flags, enum pose_axes axes)
{
    struct pose_error error;
    const struct pose_retarget_options wishes = {.flags = flags, .axes = axes};
    pose_retarget_free(r->retarget);
    free(r->scratch);
    r->retarget = pose_retarget_new(clip_of(r), r->source, r->target, &wishes, NULL, &error);
    ck_assert_msg(r->retarget != NULL, "%s", error.detail);
    r->scratch = malloc(pose_retarget_scratch(r->retarget));
}

static void end(struct retargeting *r)
{
    pose_retarget_free(r->retarget);
    pose_humanoid_free(r->source);
    pose_humanoid_free(r->target);
    free(r->scratch);
    close_thing(&r->clip);
    close_thing(&r->to);
    if (r->from.document)
        close_thing(&r->from);
}

static uint32_t row_of(const struct retargeting *r, const char *name)
{
    const struct pose_sampler *rows = pose_retarget_rows(r->retarget);
    for (uint32_t i = 0; i < pose_sampler_row_count(rows); i++) {
        if (!strcmp(pose_sampler_rows(rows)[i].name, name))
            return i;
    }
    ck_abort_msg("no joint %s", name);
    return 0;
}

static uint32_t count_driven(const struct retargeting *r)
{
    const struct pose_sampler *rows = pose_retarget_rows(r->retarget);
    uint32_t count = 0;
    for (uint32_t i = 0; i < pose_sampler_row_count(rows); i++)
        count += pose_sampler_rows(rows)[i].driven;
    return count;
}

static void sample(struct retargeting *r, double t)
{
    pose_retarget_sample(r->retarget, t, POSE_CLAMP, 0, r->rows, r->scratch);
}

static void vector(const char *name, const float *got, const double *wanted, int count, double sign)
{
    for (int i = 0; i < count; i++)
        ck_assert_msg(fabs((double)got[i] - sign * wanted[i]) <= 2e-4,
                      "%s: (%.5f %.5f %.5f %.5f) instead of (%.5f %.5f %.5f %.5f)", name, (double)got[0],
                      (double)got[1], (double)got[2], (double)got[3], wanted[0], wanted[1], wanted[2],
                      wanted[3]);
}

struct wanted_turn {
    const char *joint;
    double q[4];
};

static void turns(const struct retargeting *r, const struct wanted_turn *wanted, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const float *q = r->rows + row_of(r, wanted[i].joint) * ROW + 3;
        double dot = 0;
        for (int k = 0; k < 4; k++)
            dot += (double)q[k] * wanted[i].q[k];
        vector(wanted[i].joint, q, wanted[i].q, 4, dot < 0 ? -1 : 1);
    }
}

struct wanted_place {
    const char *joint;
    double at[4];
};

/* In glTF's axes, of rows in the same. */
static void places(struct retargeting *r, const struct wanted_place *wanted, size_t count)
{
    pose_model(pose_retarget_rows(r->retarget), r->rows, r->matrices);
    for (size_t i = 0; i < count; i++)
        vector(wanted[i].joint, r->matrices + row_of(r, wanted[i].joint) * 16 + 12, wanted[i].at, 3, 1);
}

/* As Second Life's files store it. */
static void pelvis_way(const struct retargeting *r, double x, double y, double z)
{
    float way[4] = {0};
    const float *row = r->rows + row_of(r, "mPelvis") * ROW;
    float rest[10];
    pose_joint_rest(&r->to.document->skeletons[0], row_of(r, "mPelvis"), POSE_AXES_SL, rest);
    for (int i = 0; i < 3; i++)
        way[i] = row[i] - rest[i];
    vector("mPelvis", way, (double[4]){x, y, z}, 3, 1);
}

#define TURNS(r, list) turns(r, list, sizeof list / sizeof *list)
#define PLACES(r, list) places(r, list, sizeof list / sizeof *list)

static bool begin_sims_walk(struct retargeting *r)
{
    bool begun = begin(r, "sims/sims1/ross-walking-loop.cmx", "sims/sims1", ADULT, SL);
    r->clip_name = "a2o-walking-loop";
    return begun;
}

TEST(sims_walk_on_sl)
{
    static const struct wanted_turn wanted[] = {
        {"mPelvis", {0.00687, 0.07325, 0.01175, 0.99722}},
        {"mTorso", {-0.01911, -0.01185, -0.06505, 0.99763}},
        {"mChest", {-0.00141, -0.00087, -0.00481, 0.99999}},
        {"mHead", {0.02373, -0.1353, 0.08022, 0.98727}},
        {"mShoulderLeft", {-0.70198, -0.0759, -0.24443, 0.66462}},
        {"mElbowLeft", {0.00591, 0.04439, -0.19739, 0.9793}},
        {"mWristLeft", {0.01119, -0.01555, 0.1229, 0.99223}},
        {"mShoulderRight", {0.66155, 0.15218, -0.07981, 0.72995}},
        {"mHipLeft", {0.00207, -0.04078, -0.0031, 0.99916}},
        {"mKneeLeft", {-0.0002, 0.25456, 0, 0.96706}},
        {"mAnkleLeft", {-0.0468, -0.11241, 0.06776, 0.99024}},
    };
    static const struct wanted_place world[] = {
        {"mHead", {0.00968, 1.63829, 0.10194}},
        {"mWristLeft", {0.12603, 1.0956, 0.29977}},
        {"mAnkleLeft", {0.08702, 0.11469, -0.2395}},
        {"mAnkleRight", {-0.07159, 0.07088, 0.38613}},
    };
    struct retargeting *r = malloc(sizeof *r);
    if (begin_sims_walk(r)) {
        compile(r, 0, POSE_AXES_SL);
        ck_assert_uint_eq(count_driven(r), 21);
        near("scale", pose_retarget_report(r->retarget)->scale, 1.13938, 1e-5);
        sample(r, 0.25);
        pelvis_way(r, 0.04875, -0.00747, -0.04252);
        TURNS(r, wanted);
        compile(r, 0, POSE_AXES_GLTF);
        sample(r, 0.25);
        PLACES(r, world);
        end(r);
    }
    free(r);
}

TEST(sims_walk_on_sl_standing)
{
    static const struct wanted_turn wanted[] = {
        {"mPelvis", {0.00687, 0.07325, 0.01175, 0.99722}},
        {"mHipLeft", {0.00134, -0.05968, -0.00202, 0.99821}},
        {"mKneeLeft", {-0.0002, 0.25126, 0, 0.96792}},
        {"mAnkleLeft", {-0.04427, -0.09032, 0.06798, 0.9926}},
        {"mHipRight", {-0.00346, -0.2956, 0.00056, 0.95531}},
        {"mKneeRight", {-0.00003, 0.08562, 0, 0.99633}},
    };
    static const struct wanted_place world[] = {
        {"mAnkleLeft", {0.08618, 0.10167, -0.20378}},
        {"mFootLeft", {0.10076, 0.00575, -0.121}},
        {"mAnkleRight", {-0.07146, 0.0781, 0.39473}},
    };
    struct retargeting *r = malloc(sizeof *r);
    if (begin_sims_walk(r)) {
        compile(r, POSE_RETARGET_FEET, POSE_AXES_SL);
        sample(r, 0.25);
        TURNS(r, wanted);
        compile(r, POSE_RETARGET_FEET, POSE_AXES_GLTF);
        sample(r, 0.25);
        PLACES(r, world);
        end(r);
    }
    free(r);
}

/* How far the pelvis gets, in metres along each axis. */
static void gets(struct retargeting *r, double t, enum pose_wrap wrap, unsigned flags, double way[3])
{
    float first[3];
    const uint32_t at = row_of(r, "mPelvis") * ROW;
    pose_retarget_sample(r->retarget, 0, wrap, flags, r->rows, r->scratch);
    memcpy(first, r->rows + at, sizeof first);
    pose_retarget_sample(r->retarget, t, wrap, flags, r->rows, r->scratch);
    for (int i = 0; i < 3; i++)
        way[i] = (double)r->rows[at + (uint32_t)i] - (double)first[i];
}

/* Each way of sampling loses the travel that it has: a walk on the spot stays there, one that travels comes back. */
TEST(travel_of_what_is_sampled)
{
    struct retargeting *r = malloc(sizeof *r);
    if (begin_sims_walk(r)) {
        double kept[3], way[3];
        const double duration = (double)clip_of(r)->duration;
        const double distance = (double)value_get_float(clip_of(r)->extras, "distance", 0) * 0.3048 * 1.13938;
        compile(r, 0, POSE_AXES_GLTF);
        gets(r, duration, POSE_CLAMP, POSE_IN_PLACE, kept);
        near("in place", kept[2], 0, 0.05);
        gets(r, duration, POSE_CLAMP, POSE_MOTION, kept);
        near("with its distance", kept[2], distance, 0.05);
        compile(r, POSE_RETARGET_REMOVE_TRAVEL, POSE_AXES_GLTF);
        for (unsigned flags = POSE_IN_PLACE; flags <= POSE_MOTION; flags++) {
            gets(r, duration, POSE_CLAMP, flags, way);
            near("removed, x", way[0], 0, 2e-3);
            near("removed, z", way[2], 0, 2e-3);
            for (double t = 0; t < 4 * duration; t += 0.1) {
                gets(r, t, POSE_WRAP, flags, way);
                near("removed, while it loops", way[2], 0, 0.15);
            }
        }
        near("told", pose_retarget_report(r->retarget)->travel[2], kept[2], 1e-3);
        end(r);
    }
    free(r);
}

/* A target of The Sims gets the same distance, removed or not: the keys of these clips are in place. */
TEST(distance_of_sims)
{
    struct retargeting *r = malloc(sizeof *r);
    if (begin(r, "sims/sims1/ross-walking-loop.cmx", "sims/sims1", ADULT, CHILD)) {
        double distances[2];
        r->clip_name = "a2o-walking-loop";
        for (int i = 0; i < 2; i++) {
            const struct pose_retarget_baking baking = {.to = "tso-anim"};
            compile(r, i ? POSE_RETARGET_REMOVE_TRAVEL : 0, POSE_AXES_GLTF);
            struct pose_document *baked = pose_retarget_bake(r->retarget, &baking, NULL, NULL, NULL, NULL);
            ck_assert_ptr_nonnull(baked);
            distances[i] = (double)value_get_float(baked->clips->extras, "distance", 0);
            pose_document_free(baked);
        }
        ck_assert(distances[0] > 1);
        near("distance", distances[1], distances[0], 0.02);
        end(r);
    }
    free(r);
}

TEST(sl_walk_on_sims)
{
    static const struct wanted_turn wanted[] = {
        {"ROOT", {0.01961, -0.69914, -0.02306, -0.71434}},
        {"SPINE", {0.00374, 0.0113, -0.00382, -0.99992}},
        {"SPINE1", {-0.0074, -0.03035, 0.00295, -0.99951}},
        {"SPINE2", {-0.0074, -0.03035, 0.00295, -0.99951}},
        {"HEAD", {0.00917, -0.10372, 0.00162, -0.99456}},
        {"L_ARM1", {-0.00077, 0.07412, -0.50932, -0.85738}},
        {"L_ARM2", {-0.25316, 0.15891, 0.04487, -0.95323}},
        {"L_LEG", {-0.26047, -0.02344, -0.96515, 0.00936}},
        {"L_LEG1", {0.01068, 0.58913, 0.02602, -0.80755}},
    };
    static const struct wanted_place world[] = {
        {"HEAD", {-0.00477, 1.56465, 0.06397}},
        {"L_HAND", {0.22702, 0.91123, 0.08031}},
        {"L_FOOT", {0.05717, 0.27459, -0.09863}},
    };
    struct retargeting *r = malloc(sizeof *r);
    if (begin(r, WALK, NULL, SL, ADULT)) {
        compile(r, 0, POSE_AXES_SIMS);
        near("scale", pose_retarget_report(r->retarget)->scale, 0.87767, 1e-5);
        sample(r, 0.3);
        vector("ROOT", r->rows + row_of(r, "ROOT") * ROW, (double[4]){0.00357, 3.11192, -0.00872}, 3, 1);
        TURNS(r, wanted);
        compile(r, 0, POSE_AXES_GLTF);
        sample(r, 0.3);
        PLACES(r, world);
        end(r);
    }
    free(r);
}

TEST(sl_walk_on_child)
{
    static const struct wanted_turn wanted[] = {
        {"L_LEG", {-0.24513, -0.02296, -0.96917, 0.00919}},
        {"L_LEG1", {0.01032, 0.57696, 0.02618, -0.81628}},
    };
    static const struct wanted_place world[] = {{"R_FOOT", {-0.04159, 0.09477, -0.01376}}};
    struct retargeting *r = malloc(sizeof *r);
    if (begin(r, WALK, NULL, SL, CHILD)) {
        compile(r, POSE_RETARGET_FEET, POSE_AXES_SIMS);
        near("scale", pose_retarget_report(r->retarget)->scale, 0.6511, 1e-4);
        sample(r, 0.3);
        vector("ROOT", r->rows + row_of(r, "ROOT") * ROW, (double[4]){0.00269, 2.3456, -0.00438}, 3, 1);
        TURNS(r, wanted);
        compile(r, POSE_RETARGET_FEET, POSE_AXES_GLTF);
        sample(r, 0.3);
        PLACES(r, world);
        end(r);
    }
    free(r);
}

TEST(bvh_on_sl)
{
    static const struct wanted_turn wanted[] = {
        {"mPelvis", {0.00361, 0.06365, -0.00362, 0.99796}},
        {"mShoulderLeft", {-0.59409, -0.03292, -0.12733, 0.79357}},
        {"mElbowLeft", {0.06752, 0.29541, -0.18127, 0.93558}},
        {"mHipLeft", {0.00653, -0.22067, 0.02385, 0.97504}},
        {"mKneeLeft", {-0.03056, 0.60076, 0.00961, 0.79879}},
    };
    static const struct wanted_place world[] = {{"mHead", {-0.00638, 1.6865, 0.10943}}};
    struct retargeting *r = malloc(sizeof *r);
    if (begin(r, "sl/bvh/avatar_walk.bvh", NULL, NULL, SL)) {
        compile(r, 0, POSE_AXES_SL);
        near("scale", pose_retarget_report(r->retarget)->scale, 1.04489, 1e-5);
        ck_assert_uint_eq(count_driven(r), 19);
        sample(r, 0.2001);
        pelvis_way(r, 0.06309, 0.00056, 0.00629);
        TURNS(r, wanted);
        compile(r, 0, POSE_AXES_GLTF);
        sample(r, 0.2001);
        PLACES(r, world);
        end(r);
    }
    free(r);
}

TEST(nod_on_sims)
{
    static const struct wanted_turn wanted[] = {
        {"PELVIS", {0.5, 0.5, 0.5, -0.5}},
        {"HEAD", {0, -0.08819, -0.00002, -0.9961}},
    };
    static const char *const driven[] = {"ROOT", "PELVIS", "NECK", "HEAD"};
    struct retargeting *r = malloc(sizeof *r);
    if (begin(r, "sl/viewer/15dd911d-be82-2856-26db-27659b142875.animatn", NULL, SL, ADULT)) {
        compile(r, POSE_RETARGET_FEET, POSE_AXES_SIMS);
        ck_assert_uint_eq(count_driven(r), 4);
        for (int i = 0; i < 4; i++)
            ck_assert(pose_sampler_rows(pose_retarget_rows(r->retarget))[row_of(r, driven[i])].driven);
        sample(r, (double)r->clip.document->clips[0].duration / 2);
        TURNS(r, wanted);
        end(r);
    }
    free(r);
}

/* ----------------------------------------------------------------------------------------------- measures -- */

static void measured(struct retargeting *r, unsigned flags, double mean, double max, double lowest,
                     double skate)
{
    struct pose_retarget_measures m;
    compile(r, flags, POSE_AXES_GLTF);
    ck_assert(pose_retarget_measure(r->retarget, 1000, &m));
    if (mean > 0) {
        near("limbs' mean", m.limbs_mean, mean, 0.003);
        near("limbs' max", m.limbs_max, max, 0.001);
    }
    near("lowest", m.lowest_target * 100, lowest, 0.0021);
    near("skate", m.skate_max * 100, skate, 0.0006);
    ck_assert(m.head < 0.01 && m.hips < 0.01 && m.arms_max < 0.01);
}

TEST(measures)
{
    struct retargeting *r = malloc(sizeof *r);
    if (begin_sims_walk(r)) {
        measured(r, 0, 2.110, 6.213, -1.058, 1.626);
        measured(r, POSE_RETARGET_FEET, 1.626, 6.458, -0.737, 0.733);
        end(r);
    }
    if (begin(r, WALK, NULL, SL, ADULT)) {
        measured(r, 0, 0, 0, 1.502, 0.724);
        measured(r, POSE_RETARGET_FEET, 0, 0, 3.103, 0.153);
        end(r);
    }
    free(r);
}

/* ----------------------------------------------------------------------------------------------- refusals -- */

static void refused(const struct pose_skeleton *skeleton, const struct pose_bone_map *map, uint32_t count,
                    const char *code, const char *said)
{
    struct pose_error error;
    struct pose_humanoid *humanoid = pose_humanoid_new(skeleton, map, count, NULL, &error);
    ck_assert_ptr_null(humanoid);
    ck_assert_str_eq(error.code, code);
    ck_assert_msg(strstr(error.detail, said) != NULL, "%s", error.detail);
}

TEST(no_people)
{
    struct test_paths paths;
    if (!corpus_list("sims3/rigs", ".rig", &paths))
        return;
    for (size_t i = 0; i < paths.count; i++) {
        struct test_file file;
        ck_assert(test_file_read(paths.items[i], &file));
        struct pose_document *document = codec_must_decode("sims3-rig", file.data, file.size);
        refused(&document->skeletons[0], NULL, 0, "not_humanoid", "no joint was found");
        pose_document_free(document);
        test_file_free(&file);
    }
    test_paths_free(&paths);
}

/* A copy of a skeleton's joints that may be changed. */
static struct pose_joint *copy_joints(const struct pose_skeleton *from, struct pose_skeleton *to)
{
    struct pose_joint *joints = malloc(from->joint_count * sizeof *joints);
    memcpy(joints, from->joints, from->joint_count * sizeof *joints);
    *to = *from;
    to->joints = joints;
    return joints;
}

static uint32_t joint_of(const struct pose_skeleton *skeleton, const char *name)
{
    for (uint32_t i = 0; i < skeleton->joint_count; i++) {
        if (skeleton->joints[i].name && !strcmp(skeleton->joints[i].name, name))
            return i;
    }
    ck_abort_msg("no joint %s", name);
    return 0;
}

TEST(lying_on_all_fours)
{
    struct thing thing;
    struct pose_skeleton skeleton;
    if (!open_thing(SL, NULL, &thing))
        return;
    struct pose_joint *joints = copy_joints(&thing.document->skeletons[0], &skeleton);
    uint32_t torso = joint_of(&skeleton, "mTorso"), knee = joint_of(&skeleton, "mKneeLeft");
    float half = sqrtf(0.5f);
    memcpy(joints[torso].rotation, (float[4]){0, half, 0, half}, 4 * sizeof(float));
    refused(&skeleton, NULL, 0, "not_humanoid", "of the reference pose leans");
    memcpy(joints[torso].rotation, (float[4]){0, 0, 0, 1}, 4 * sizeof(float));
    memset(joints[knee].translation, 0, sizeof joints[knee].translation);
    refused(&skeleton, NULL, 0, "not_humanoid", "no length");
    joints[knee].translation[1] = NAN;
    refused(&skeleton, NULL, 0, "not_humanoid", "not a number");
    free(joints);
    close_thing(&thing);
}

TEST(maps_of_users)
{
    static const struct pose_bone_map none = {"mHead", NULL}, unknown = {"mHad", "head"},
                                      strange = {"mHead", "hed"};
    static const struct pose_bone_map twice[2] = {{"mHead", "head"}, {"mSkull", "head"}};
    static const struct pose_bone_map skull[2] = {{"mHead", NULL}, {"mSkull", "head"}};
    struct thing thing;
    if (!open_thing(SL, NULL, &thing))
        return;
    const struct pose_skeleton *skeleton = &thing.document->skeletons[0];
    refused(skeleton, &unknown, 1, "unknown_joint", "mHad");
    refused(skeleton, &strange, 1, "unknown_bone", "hed");
    refused(skeleton, twice, 2, "two_joints", "head already");
    refused(skeleton, &none, 1, "not_humanoid", "head");
    struct pose_humanoid *humanoid = pose_humanoid_new(skeleton, skull, 2, NULL, NULL);
    ck_assert_ptr_nonnull(humanoid);
    const struct pose_humanoid_report *report = pose_humanoid_report(humanoid);
    bool found = false;
    for (uint32_t i = 0; i < report->bone_count; i++)
        found |= !strcmp(report->bones[i].name, "head") && report->bones[i].how == POSE_BONE_USER &&
                 report->bones[i].joint == joint_of(skeleton, "mSkull");
    ck_assert(found && pose_is_bone("upperChest") && !pose_is_bone("mSkull"));
    pose_humanoid_free(humanoid);
    close_thing(&thing);
}

/* Names that no table knows. */
TEST(found_by_words)
{
    static const char *const names[][2] = {
        {"mPelvis", "Hip Thing"},
        {"mTorso", "Back_A"},
        {"mChest", "Back_B"},
        {"mNeck", "Neck_M"},
        {"mHead", "Head_M"},
        {"mCollarLeft", "Scapula_L"},
        {"mShoulderLeft", "Shoulder_L"},
        {"mElbowLeft", "Elbow_L"},
        {"mWristLeft", "Wrist_L"},
        {"mCollarRight", "Scapula_R"},
        {"mShoulderRight", "Shoulder_R"},
        {"mElbowRight", "Elbow_R"},
        {"mWristRight", "Wrist_R"},
        {"mHipLeft", "Leg_L"},
        {"mKneeLeft", "Shin_L"},
        {"mAnkleLeft", "Ankle_L"},
        {"mFootLeft", "Toes_L"},
        {"mHipRight", "Leg_R"},
        {"mKneeRight", "Shin_R"},
        {"mAnkleRight", "Ankle_R"},
        {"mFootRight", "Toes_R"},
    };
    struct thing thing;
    struct pose_skeleton skeleton;
    if (!open_thing(SL, NULL, &thing))
        return;
    struct pose_joint *joints = copy_joints(&thing.document->skeletons[0], &skeleton);
    for (uint32_t i = 0; i < skeleton.joint_count; i++) {
        joints[i].aliases = NULL;
        const char *name = "thing";
        for (size_t k = 0; k < sizeof names / sizeof *names; k++)
            name = joints[i].name && !strcmp(joints[i].name, names[k][0]) ? names[k][1] : name;
        joints[i].name = name;
    }
    struct pose_error error;
    struct pose_humanoid *humanoid = pose_humanoid_new(&skeleton, NULL, 0, NULL, &error);
    ck_assert_msg(humanoid != NULL, "%s", error.detail);
    const struct pose_humanoid_report *report = pose_humanoid_report(humanoid);
    ck_assert_ptr_null(report->family);
    ck_assert_uint_eq(report->required, 15);
    near("quality", report->quality, (5 * 0.8 + 10 * 0.7) / 15, 1e-9);
    near("hip height", report->hip_height, 1.02, 1e-4);
    pose_humanoid_free(humanoid);
    free(joints);
    close_thing(&thing);
}

/* A hundred thousand joints in a row, each called as what is looked for. */
TEST(hostile_names)
{
    enum { JOINTS = 65536 };
    static const char *const words[] = {"hand_l", "foot_r", "head", "hips", "mPelvis", "Spine1", "l_toe"};
    struct pose_joint *joints = calloc(JOINTS, sizeof *joints);
    for (int32_t i = 0; i < JOINTS; i++)
        joints[i] = (struct pose_joint){
            .name = words[i % 7],
            .parent = i - 1,
            .translation = {0.1f, 1, 0},
            .rotation = {0, 0, 0, 1},
            .scale = {1, 1, 1},
        };
    struct pose_skeleton skeleton = {.joint_count = JOINTS, .joints = joints, .root_joint = -1};
    refused(&skeleton, NULL, 0, "not_humanoid", "no joint was found");
    for (int32_t i = 1; i < JOINTS; i++)
        joints[i].parent = i % 200 ? i - 1 : 0;
    refused(&skeleton, NULL, 0, "not_humanoid", "");
    free(joints);
}
