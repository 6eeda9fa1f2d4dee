/* Figures below armatures that are scaled, turned and moved: what a target without such nodes gets is the same figure. */
#include "lib/model/match.h"
#include "tests/lib/bake/bake_compare.h"
#include "tests/support/codecs.h"
#include "tests/support/one_clip.h"
#include "tests/support/unit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { JOINTS = 3, ARMATURE = 0, PELVIS = 1, TORSO = 2 };

#define HALF 0.70710678f

/* A person of SL's names whose pelvis moves, below an armature. */
struct figure {
    struct pose_joint joints[JOINTS];
    struct pose_skeleton skeleton;
    struct pose_track tracks[3];
    float values[4][8];
    struct pose_clip clip;
};

static const float times[2] = {0, 1};

static void key(struct figure *figure, uint32_t track, enum pose_part part, uint32_t count, float *values)
{
    figure->tracks[track].channels[part] = (struct pose_channel){count, times, values};
}

/* Lengths of the figure are divided by scale; turned: the armature leads from +Z up to +Y up. */
static void make(struct figure *figure, float scale, bool turned, bool skinned)
{
    const float k = 1 / scale;
    *figure = (struct figure){0};
    for (uint32_t i = 0; i < JOINTS; i++) {
        static const char *const names[] = {"Armature", "mPelvis", "mTorso"};
        figure->joints[i] = (struct pose_joint){.name = names[i],
                                                .parent = (int32_t)i - 1,
                                                .rotation = {0, 0, 0, 1},
                                                .scale = {1, 1, 1},
                                                .in_skin = i != ARMATURE && skinned};
    }
    for (int i = 0; i < 3; i++)
        figure->joints[ARMATURE].scale[i] = scale;
    if (turned)
        memcpy(figure->joints[ARMATURE].rotation, (float[4]){-HALF, 0, 0, HALF}, 16);
    memcpy(figure->joints[PELVIS].translation, turned ? (float[3]){0, 0, k} : (float[3]){0, k, 0}, 12);
    figure->joints[TORSO].translation[1] = 0.2f * k;
    figure->skeleton = (struct pose_skeleton){.axes = POSE_AXES_GLTF,
                                              .scaling = POSE_SCALE_INHERITED,
                                              .joint_count = JOINTS,
                                              .joints = figure->joints,
                                              .root_joint = -1};
    figure->skeleton.tree = skeleton_tree(&figure->skeleton);
    for (uint32_t i = 0; i < 2; i++)
        figure->tracks[i] = (struct pose_track){.name = figure->joints[i + 1].name, .node = i + 2};
    memcpy(figure->values[0],
           turned ? (float[6]){0, 0, k, 0, -0.2f * k, k} : (float[6]){0, k, 0, 0, k, 0.2f * k},
           6 * sizeof(float));
    memcpy(figure->values[1],
           turned ? (float[8]){HALF, 0, 0, HALF, HALF, 0, 0, HALF} : (float[8]){0, 0, 0, 1, 0, 0, 0, 1},
           8 * sizeof(float));
    memcpy(figure->values[2], (float[3]){0, 0.2f * k, 0.1f * k}, 3 * sizeof(float));
    key(figure, 0, POSE_TRANSLATION, 2, figure->values[0]);
    key(figure, 0, POSE_ROTATION, 2, figure->values[1]);
    key(figure, 1, POSE_TRANSLATION, 1, figure->values[2]);
    figure->clip = (struct pose_clip){.name = "w",
                                      .axes = POSE_AXES_GLTF,
                                      .duration = 1,
                                      .loop_out = 1,
                                      .tracks = figure->tracks,
                                      .track_count = 2,
                                      .tree = figure->skeleton.tree};
}

static char codes[200];

static void note_code(void *user, const struct pose_warning *warning)
{
    const size_t used = strlen(codes);
    (void)user;
    snprintf(codes + used, sizeof codes - used, "%s ", warning->code);
}

/* Clip JSON that promises metres. */
static const char in_metres[] = "json, axes=gltf";

static struct pose_document *bake(const struct figure *figure, const char *to)
{
    static const struct pose_value axes = {.kind = POSE_STRING, .key = "axes", .as.string = "gltf"},
                                   object = {.kind = POSE_OBJECT, .first = &axes};
    const bool is_json = to == in_metres;
    const struct pose_conversion conversion = {ONE_CLIP(&figure->clip, "gltf"), .to = is_json ? "json" : to,
                                               .settings = is_json ? &object : NULL,
                                               .skeleton = &figure->skeleton};
    struct pose_error error;
    codes[0] = '\0';
    struct pose_document *document = pose_bake(&conversion, NULL, note_code, NULL, &error);
    ck_assert_msg(document != NULL, "%s", error.detail);
    return document;
}

static void assert_same(const struct pose_document *a, const struct pose_document *b)
{
    ck_assert_uint_eq(a->clips->track_count, b->clips->track_count);
    for (uint32_t i = 0; i < a->clips->track_count; i++) {
        for (int part = 0; part <= POSE_SCALE; part++) {
            const struct pose_channel *x = &a->clips->tracks[i].channels[part],
                                      *y = &b->clips->tracks[i].channels[part];
            ck_assert_uint_eq(x->count, y->count);
            for (uint32_t k = 0; k < x->count * (part == POSE_ROTATION ? 4 : 3); k++)
                ck_assert_float_eq_tol(x->values[k], y->values[k], 2e-6f);
        }
    }
    ck_assert_uint_eq(a->skeleton_count, b->skeleton_count);
    for (uint32_t j = 0; a->skeleton_count && j < a->skeletons->joint_count; j++) {
        ck_assert_str_eq(a->skeletons->joints[j].name, b->skeletons->joints[j].name);
        for (int i = 0; i < 3; i++) {
            ck_assert_float_eq_tol(a->skeletons->joints[j].translation[i],
                                   b->skeletons->joints[j].translation[i], 2e-6f);
            ck_assert_float_eq(a->skeletons->joints[j].scale[i], 1);
        }
    }
}

static const char *const targets[] = {"bvh",       in_metres,   "sl-anim",   "tso-anim",
                                      "sims1-cmx", "sims1-bcf", "sims3-clip"};

TEST_EACH(centimetres_and_metres_are_alike, COUNT(targets))
{
    struct figure metres, small, large, bare;
    /* BVH and JSON have joints of any name: only a skin says what leads. */
    const size_t count = _i < 2 ? 2 : 3;
    make(&metres, 1, false, true);
    make(&small, 0.01f, false, true);
    make(&large, 4, false, true);
    make(&bare, 0.01f, false, false); /* without a skin: the names are of a game */
    struct pose_document *wanted = bake(&metres, targets[_i]);
    const struct figure *others[] = {&small, &large, &bare};
    for (size_t i = 0; i < count; i++) {
        struct pose_document *document = bake(others[i], targets[_i]);
        assert_same(wanted, document);
        pose_document_free(document);
    }
    pose_document_free(wanted);
}

/* A constant key of the armature is as good as its rest. */
TEST_EACH(turned_armatures_stand, COUNT(targets))
{
    struct figure upright, turned, keyed;
    make(&upright, 1, false, true);
    make(&turned, 0.01f, true, true);
    make(&keyed, 0.01f, true, true);
    keyed.tracks[2] = (struct pose_track){.name = "Armature", .node = 1};
    memcpy(keyed.values[3], keyed.joints[ARMATURE].scale, sizeof keyed.joints->scale);
    key(&keyed, 2, POSE_SCALE, 1, keyed.values[3]);
    keyed.clip.track_count = 3;
    struct pose_document *wanted = bake(&upright, targets[_i]), *document = bake(&turned, targets[_i]),
                         *other = bake(&keyed, targets[_i]);
    assert_same(wanted, document);
    ck_assert_ptr_null(strstr(codes, "scale_dropped "));
    for (uint32_t i = 0; i < 2; i++)
        ck_assert_float_eq_tol(other->clips->tracks[i].channels[POSE_TRANSLATION].values[0],
                               wanted->clips->tracks[i].channels[POSE_TRANSLATION].values[0], 2e-6f);
    pose_document_free(other);
    pose_document_free(document);
    pose_document_free(wanted);
}

TEST(an_uneven_scale_is_told)
{
    struct figure figure;
    make(&figure, 0.01f, false, true);
    figure.joints[ARMATURE].scale[1] = 0.02f;
    pose_document_free(bake(&figure, "sl-anim"));
    ck_assert_ptr_nonnull(strstr(codes, "uneven_scale "));
}

/* Clip JSON as stored is without loss, and glTF has nodes and scales. */
TEST(what_needs_no_folding_is_untouched)
{
    struct figure small, bare;
    make(&small, 0.01f, true, true);
    make(&bare, 1, false, false);
    struct pose_document *document = bake(&small, "json");
    ck_assert_ptr_eq(document->skeletons, &small.skeleton);
    pose_document_free(document);
    document = bake(&small, "gltf");
    ck_assert_ptr_eq(document->skeletons, &small.skeleton);
    pose_document_free(document);
    document = bake(&bare, "bvh");
    ck_assert_ptr_eq(document->skeletons, &bare.skeleton);
    pose_document_free(document);
}

/* The root of the file is the figure's, which readers of motion capture move. */
TEST(a_bvh_begins_with_the_bones)
{
    struct figure figure;
    make(&figure, 1, false, true);
    struct pose_document *document = bake(&figure, "bvh");
    ck_assert_uint_eq(document->skeletons->joint_count, JOINTS - 1);
    ck_assert_str_eq(document->skeletons->joints[0].name, "mPelvis");
    ck_assert_int_eq(document->skeletons->joints[0].parent, -1);
    pose_document_free(document);
}

/* The pelvis of a BVH for Second Life is no armature, even where it stands still: each joint keeps its own turn. */
TEST(a_still_pelvis_of_a_bvh_stays)
{
    static const char *const games[] = {"sl-anim", "sims3-clip", "tso-anim"};
    static const char text[] =
        "HIERARCHY\nROOT hip\n{\nOFFSET 0 0 0\nCHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation "
        "Yrotation\nJOINT lThigh\n{\nOFFSET 3 0 0\nCHANNELS 3 Zrotation Xrotation Yrotation\nEnd Site\n{\n"
        "OFFSET 0 -9 0\n}\n}\n}\nMOTION\nFrames: 3\nFrame Time: 0.5\n0 42 0 0 0 30 0 0 0\n"
        "0 42 0 0 0 30 0 20 0\n0 42 0 0 0 30 0 40 0\n";
    struct pose_document *bvh = codec_must_decode("bvh", text, sizeof text - 1);
    for (int i = 0; i < COUNT(games); i++) {
        const struct pose_conversion conversion = {ONE_CLIP(bvh->clips, "bvh"), .to = games[i],
                                                   .skeleton = bvh->skeletons};
        struct pose_error error;
        struct pose_document *made = pose_bake(&conversion, NULL, NULL, NULL, &error);
        ck_assert_msg(made != NULL, "%s", error.detail);
        const struct pose_track *thigh = &made->clips->tracks[made->clips->track_count - 1];
        const struct pose_channel *turn = &thigh->channels[POSE_ROTATION];
        ck_assert_uint_gt(turn->count, 1);
        /* Half of 40 degrees. */
        ck_assert_float_eq_tol(fabsf(turn->values[4 * (turn->count - 1) + 3]), 0.939693f, 1e-3f);
        pose_document_free(made);
    }
    pose_document_free(bvh);
}

/* A mirrored armature counts with its size, and figures of the joints that stay keep their joints. */
TEST(mirrored_armatures_and_figures)
{
    static const uint32_t figures[] = {0, 2, 1};
    struct figure metres, mirrored;
    make(&metres, 1, false, true);
    make(&mirrored, 0.01f, false, true);
    mirrored.joints[ARMATURE].scale[0] = -0.01f;
    mirrored.skeleton.figures = figures;
    struct pose_document *wanted = bake(&metres, "bvh"), *document = bake(&mirrored, "bvh");
    assert_same(wanted, document);
    ck_assert_ptr_nonnull(strstr(codes, "uneven_scale"));
    ck_assert_uint_eq(document->skeletons->figures[0], 2);
    ck_assert_uint_eq(document->skeletons->figures[1], 1);
    pose_document_free(wanted);
    pose_document_free(document);
}

TEST(places_without_a_number_are_refused)
{
    struct figure figure;
    struct pose_error error;
    make(&figure, 1, false, true);
    for (int i = 0; i < 3; i++)
        figure.joints[ARMATURE].scale[i] = 1e30f;
    figure.values[0][1] = 1e30f;
    const struct pose_conversion conversion = {ONE_CLIP(&figure.clip, "gltf"), .to = "bvh",
                                               .skeleton = &figure.skeleton};
    ck_assert_ptr_null(pose_bake(&conversion, NULL, NULL, NULL, &error));
    ck_assert_str_eq(error.code, "not_finite");
}
