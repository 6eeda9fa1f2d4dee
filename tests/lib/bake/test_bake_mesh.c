/* Meshes below armatures that are scaled and turned: games get the same mesh as of a figure in metres. */
#include "lib/model/match.h"
#include "tests/support/codecs.h"
#include "tests/support/unit.h"

#include <math.h>
#include <string.h>

enum { JOINTS = 3, VERTICES = 8, FACES = 12 };

#define HALF 0.70710678f

struct figure {
    struct pose_joint joints[JOINTS];
    struct pose_skeleton skeleton;
    float positions[VERTICES][3], normals[VERTICES][3], inverse[JOINTS][16];
    struct pose_influences influences[VERTICES];
    struct pose_mesh mesh;
};

static const char *const names[JOINTS] = {"Armature", "PELVIS", "SPINE"};
static const uint32_t numbers[JOINTS] = {1, 2, 3};
static const uint32_t faces[FACES][3] = {{0, 1, 3}, {0, 3, 2}, {4, 6, 7}, {4, 7, 5}, {0, 4, 5}, {0, 5, 1},
                                         {2, 3, 7}, {2, 7, 6}, {0, 2, 6}, {0, 6, 4}, {1, 5, 7}, {1, 7, 3}};

/* The armature's scale; the file's own lengths are divided by it. The bind pose is in these lengths, as FBX has it. */
static void make(struct figure *figure, float scale, bool turned)
{
    const float k = 1 / scale;
    *figure = (struct figure){0};
    for (int32_t i = 0; i < JOINTS; i++)
        figure->joints[i] = (struct pose_joint){
            .name = names[i], .parent = i - 1, .rotation = {0, 0, 0, 1}, .scale = {1, 1, 1}};
    memcpy(figure->joints[0].scale, (float[3]){scale, scale, scale}, 12);
    if (turned) {
        memcpy(figure->joints[0].rotation, (float[4]){-HALF, 0, 0, HALF}, 16);
        memcpy(figure->joints[1].rotation, (float[4]){HALF, 0, 0, HALF}, 16);
    }
    figure->joints[1].translation[turned ? 2 : 1] = k;
    figure->joints[2].translation[1] = 0.5f * k;
    figure->skeleton = (struct pose_skeleton){.axes = POSE_AXES_GLTF,
                                              .scaling = POSE_SCALE_INHERITED,
                                              .joint_count = JOINTS,
                                              .joints = figure->joints,
                                              .root_joint = -1};
    figure->skeleton.tree = skeleton_tree(&figure->skeleton);
    for (int i = 0; i < JOINTS; i++) {
        for (int c = 0; c < 16; c += 5)
            figure->inverse[i][c] = 1;
        figure->inverse[i][13] = i == 0 ? 0 : i == 1 ? -k : -1.5f * k;
    }
    for (int v = 0; v < VERTICES; v++) {
        const float at[3] = {v & 4 ? 0.2f : -0.2f, v & 2 ? 1.9f : 0.9f, v & 1 ? 0.1f : -0.1f};
        for (int c = 0; c < 3; c++)
            figure->positions[v][c] = at[c] * k;
        figure->normals[v][0] = v & 4 ? 1 : -1;
        figure->influences[v] = (struct pose_influences){.bones = {v & 2 ? 2 : 1}, .weights = {1}};
    }
    figure->mesh = (struct pose_mesh){.name = "box",
                                      .axes = POSE_AXES_GLTF,
                                      .space = POSE_SPACE_BIND,
                                      .bone_count = JOINTS,
                                      .bones = names,
                                      .bone_joints = numbers,
                                      .tree = figure->skeleton.tree,
                                      .face_count = FACES,
                                      .faces = faces,
                                      .real_count = VERTICES,
                                      .positions = (const float(*)[3])figure->positions,
                                      .normals = (const float(*)[3])figure->normals,
                                      .influences = figure->influences,
                                      .inverse_binds = (const float(*)[16])figure->inverse};
}

static void convert(const struct figure *figure, const char *to, struct pose_mesh_files *files)
{
    const struct pose_mesh_conversion conversion = {
        .to = to, .mesh = &figure->mesh, .skeleton = &figure->skeleton, .name = "box"};
    struct pose_error error;
    ck_assert_msg(pose_mesh_convert(&conversion, NULL, NULL, NULL, files, &error), "%s", error.detail);
}

static void assert_same_mesh(const struct pose_mesh *a, const struct pose_mesh *b)
{
    ck_assert_uint_eq(a->real_count, b->real_count);
    ck_assert_uint_eq(a->blend_count, b->blend_count);
    for (uint32_t v = 0; v < a->real_count + a->blend_count; v++) {
        for (int c = 0; c < 3; c++) {
            ck_assert_float_eq_tol(a->positions[v][c], b->positions[v][c], 1e-4f);
            ck_assert_float_eq_tol(a->normals[v][c], b->normals[v][c], 1e-4f);
        }
    }
}

static const char *const targets[] = {"tso-mesh", "sims1-skn", "sims1-bmf", "sims3-geom", "prime-cmdl"};

TEST_EACH(armatures_do_not_change_the_mesh, COUNT(targets))
{
    static const struct {
        float scale;
        bool turned;
    } others[] = {{0.01f, false}, {0.0254f, false}, {4, false}, {100, false}, {0.01f, true}};
    for (size_t i = 0; i < COUNT(others); i++) {
        struct figure metres, other;
        struct pose_mesh_files wanted, made;
        make(&metres, 1, others[i].turned);
        make(&other, others[i].scale, others[i].turned);
        convert(&metres, targets[_i], &wanted);
        convert(&other, targets[_i], &made);
        ck_assert_uint_eq(made.count, wanted.count);
        struct pose_document *a =
            codec_must_decode(targets[_i], made.files[0].bytes.data, made.files[0].bytes.size);
        struct pose_document *b =
            codec_must_decode(targets[_i], wanted.files[0].bytes.data, wanted.files[0].bytes.size);
        assert_same_mesh(a->meshes, b->meshes);
        pose_document_free(a);
        pose_document_free(b);
        pose_mesh_files_free(&wanted);
        pose_mesh_files_free(&made);
    }
}

/* Metroid Prime's file beside it holds the places of bones. */
TEST(the_bones_of_prime_are_where_they_were)
{
    struct figure metres, small;
    struct pose_mesh_files files[2];
    make(&metres, 1, false);
    make(&small, 0.01f, false);
    convert(&metres, "prime-cmdl", &files[0]);
    convert(&small, "prime-cmdl", &files[1]);
    unsigned compared = 0;
    for (uint32_t i = 1; i < files[0].count; i++) {
        if (!strstr(files[0].files[i].name, ".cinf"))
            continue;
        struct pose_document *a =
            codec_must_decode("prime-cinf", files[0].files[i].bytes.data, files[0].files[i].bytes.size);
        struct pose_document *b =
            codec_must_decode("prime-cinf", files[1].files[i].bytes.data, files[1].files[i].bytes.size);
        for (uint32_t j = 0; j < a->skeletons->joint_count; j++) {
            for (int c = 0; c < 3; c++)
                ck_assert_float_eq_tol(a->skeletons->joints[j].translation[c],
                                       b->skeletons->joints[j].translation[c], 1e-5f);
        }
        compared += a->skeletons->joint_count;
        pose_document_free(a);
        pose_document_free(b);
    }
    ck_assert_uint_ge(compared, JOINTS);
    pose_mesh_files_free(&files[0]);
    pose_mesh_files_free(&files[1]);
}
