/* The avatar's body in a shape: the worked numbers of its specification, on the viewer's own files. */
#include "lib/formats/sl/body/shape.h"
#include "tests/support/codecs.h"
#include "tests/support/corpus.h"
#include "tests/support/unit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_VERTICES = 2300, MAX_MATRICES = 200 };

static const char *const part_files[LAD_MESH_TYPES] = {
    "avatar_hair",       "avatar_head", "avatar_eyelashes", "avatar_upper_body",
    "avatar_lower_body", "avatar_eye",  "avatar_eye",       "avatar_skirt"};

/* Everything that a body is made of. */
static struct {
    struct arena arena;
    struct pose_error error;
    struct test_file lad_file, skeleton_file, walk_file, files[LAD_MESH_TYPES];
    const struct lad *lad;
    struct pose_document *skeleton, *walk, *parts[LAD_MESH_TYPES];
} body;

static bool load(void)
{
    char path[128];
    if (!corpus_read("sl/character/avatar_lad.xml", &body.lad_file))
        return false;
    ck_assert(corpus_read("sl/character/avatar_skeleton.xml", &body.skeleton_file));
    ck_assert(corpus_read("sl/viewer/6ed24bd8-91aa-4b12-ccc7-c97c857ab4e0.animatn", &body.walk_file));
    pose_error_init(&body.error);
    arena_init(&body.arena, NULL, 0, &body.error);
    struct decode_job job = {.arena = &body.arena, .error = &body.error};
    warning_list_init(&job.warnings, &body.arena);
    body.lad = lad_read(&job, (struct pose_bytes){body.lad_file.data, body.lad_file.size});
    ck_assert_msg(body.lad != NULL, "%s", body.error.detail);
    body.skeleton = codec_must_decode("sl-skeleton", body.skeleton_file.data, body.skeleton_file.size);
    body.walk = codec_must_decode("sl-anim", body.walk_file.data, body.walk_file.size);
    for (int i = 0; i < LAD_MESH_TYPES; i++) {
        snprintf(path, sizeof path, "sl/character/%s.llm", part_files[i]);
        ck_assert(corpus_read(path, &body.files[i]));
        body.parts[i] = codec_must_decode("sl-llm", body.files[i].data, body.files[i].size);
    }
    return true;
}

static void unload(void)
{
    for (int i = 0; i < LAD_MESH_TYPES; i++) {
        pose_document_free(body.parts[i]);
        test_file_free(&body.files[i]);
    }
    pose_document_free(body.skeleton);
    pose_document_free(body.walk);
    test_file_free(&body.lad_file);
    test_file_free(&body.skeleton_file);
    test_file_free(&body.walk_file);
    arena_release(&body.arena);
}

static float positions[MAX_VERTICES][3], normals[MAX_VERTICES][3];

/* t < 0: at rest. */
static void deform_mesh(const struct pose_mesh *mesh, const struct pose_skeleton *skeleton, double t)
{
    static const struct pose_clip rest = {.axes = POSE_AXES_SL, .rules = POSE_RULES_SL};
    struct pose_error error;
    static float rows[MAX_MATRICES * 10], matrices[MAX_MATRICES * 16];
    ck_assert(mesh && mesh->real_count <= MAX_VERTICES && skeleton->joint_count <= MAX_MATRICES);
    struct pose_sampler *sampler =
        pose_sampler_new(t < 0 ? &rest : body.walk->clips, skeleton, POSE_AXES_SL, NULL, &error);
    struct pose_skin *skin = pose_skin_new(mesh, skeleton, POSE_AXES_SL, NULL, &error);
    void *scratch = malloc(pose_deform_scratch(skin) + 1);
    pose_sample(sampler, fmax(t, 0), POSE_CLAMP, 0, rows, NULL);
    pose_model(sampler, rows, matrices);
    pose_deform(skin, matrices, positions, normals, scratch);
    free(scratch);
    pose_skin_free(skin);
    pose_sampler_free(sampler);
}

/* A part of the body in that shape; t < 0: at rest. */
static void deform(const struct shape_options *options, enum lad_mesh_type type, double t)
{
    float *weights = shape_weights(body.lad, options, &body.arena);
    const struct pose_skeleton *skeleton =
        shape_skeleton(body.lad, weights, body.skeleton->skeletons, &body.arena);
    const struct pose_mesh *mesh =
        shape_mesh(body.lad, weights, type, body.parts[type]->meshes, skeleton, &body.arena);
    deform_mesh(mesh, skeleton, t);
}

static const struct shape_options bare = {.is_bare = true}, newcomer = {0};

TEST(what_the_file_holds)
{
    if (!load())
        return;
    const struct lad *lad = body.lad;
    uint32_t drivers = 0, bones = 0, morphs = 0;
    for (uint32_t i = 0; i < lad->param_count; i++) {
        drivers += lad->params[i].is_driver;
        bones += lad->params[i].bone_count > 0;
        morphs += lad->params[i].mesh >= 0;
    }
    ck_assert_uint_eq(lad->mesh_count, 31);
    ck_assert_uint_eq(lad->mask_count, 7);
    ck_assert_uint_eq(drivers, 164);
    ck_assert_uint_eq(lad->driven_count, 359);
    ck_assert_uint_eq(morphs, 255);
    ck_assert_uint_ge(bones, 80);
    ck_assert_str_eq(lad->skeleton, "avatar_skeleton.xml");
    unload();
}

static const struct worked {
    const struct shape_options *shape;
    double t;
    enum lad_mesh_type type;
    uint32_t vertex;
    float position[3];
} worked[] = {
    {&bare, -1, LAD_HEAD, 0, {-0.069507f, 0, 1.629396f}},
    {&bare, 0.3, LAD_HEAD, 0, {-0.001854f, -0.004106f, 1.67438f}},
    {&newcomer, -1, LAD_UPPER_BODY, 0, {-0.073454f, -0.060321f, 1.144545f}},
    {&newcomer, -1, LAD_UPPER_BODY, 700, {0.079495f, -0.106578f, 1.256048f}},
    {&newcomer, -1, LAD_UPPER_BODY, 2210, {-0.07237f, -0.864533f, 1.515787f}},
    {&newcomer, -1, LAD_HEAD, 0, {-0.062508f, 0, 1.629396f}},
    {&newcomer, -1, LAD_LEFT_EYE, 0, {0.076476f, 0.049241f, 1.761529f}},
    {&newcomer, 0.3, LAD_UPPER_BODY, 0, {-0.063712f, -0.059797f, 1.193519f}},
    {&newcomer, 0.3, LAD_UPPER_BODY, 700, {0.092058f, -0.111468f, 1.290359f}},
    {&newcomer, 0.3, LAD_UPPER_BODY, 2210, {0.052418f, -0.254984f, 0.850502f}},
    {&newcomer, 0.3, LAD_HEAD, 0, {0.005044f, -0.004098f, 1.673201f}},
    {&newcomer, 0.3, LAD_LEFT_EYE, 0, {0.169184f, 0.043594f, 1.771178f}},
};

TEST_EACH(worked_vertices, COUNT(worked))
{
    if (!load())
        return;
    const struct worked *one = &worked[_i];
    deform(one->shape, one->type, one->t);
    for (int k = 0; k < 3; k++)
        ck_assert_msg(fabsf(positions[one->vertex][k] - one->position[k]) <= 2e-6f,
                      "[%d]: %.6f instead of %.6f", k, (double)positions[one->vertex][k],
                      (double)one->position[k]);
    unload();
}

/* A mesh without its avatar_lad.xml: the same as in a bare body. */
TEST(a_lone_mesh_hangs_on_the_pivots)
{
    static float wanted[MAX_VERTICES][3];
    if (!load())
        return;
    for (enum lad_mesh_type type = LAD_HAIR; type < LAD_MESH_TYPES; type++) {
        const struct pose_mesh *mesh = body.parts[type]->meshes;
        if (!mesh->influences) /* an eye */
            continue;
        deform(&bare, type, -1);
        memcpy(wanted, positions, sizeof wanted);
        deform_mesh(mesh, body.skeleton->skeletons, -1);
        for (uint32_t i = 0; i < mesh->real_count; i++) {
            for (int k = 0; k < 3; k++)
                ck_assert_float_eq_tol(positions[i][k], wanted[i][k], 1e-6f);
        }
    }
    unload();
}

/* The whole body but the skirt. */
static void box_of(const struct shape_options *shape, double t, float low[3], float high[3])
{
    for (int k = 0; k < 3; k++) {
        low[k] = INFINITY;
        high[k] = -INFINITY;
    }
    for (enum lad_mesh_type type = LAD_HAIR; type < LAD_SKIRT; type++) {
        deform(shape, type, t);
        for (uint32_t i = 0; i < body.parts[type]->meshes->real_count; i++) {
            for (int k = 0; k < 3; k++) {
                low[k] = fminf(low[k], positions[i][k]);
                high[k] = fmaxf(high[k], positions[i][k]);
            }
        }
    }
}

TEST(worked_boxes)
{
    static const struct {
        const struct shape_options *shape;
        double t;
        float low[3], high[3];
    } boxes[] = {
        {&bare, -1, {-0.14364f, -0.839406f, -0.005925f}, {0.220088f, 0.840313f, 1.886855f}},
        {&newcomer, -1, {-0.137845f, -0.893066f, -0.005925f}, {0.220088f, 0.893973f, 1.899933f}},
        {&newcomer, 0.3, {-0.19339f, -0.280714f, 0.036841f}, {0.266884f, 0.273877f, 1.931927f}},
    };
    if (!load())
        return;
    for (size_t i = 0; i < sizeof boxes / sizeof *boxes; i++) {
        float low[3], high[3];
        box_of(boxes[i].shape, boxes[i].t, low, high);
        for (int k = 0; k < 3; k++) {
            ck_assert_float_eq_tol(low[k], boxes[i].low[k], 2e-6f);
            ck_assert_float_eq_tol(high[k], boxes[i].high[k], 2e-6f);
        }
    }
    unload();
}

/* ----------------------------------------------------------------------------------------------- made files -- */

#define LAD(inner) "<linden_avatar version=\"2.0\"><skeleton file_name=\"s.xml\"/>" inner "</linden_avatar>"
#define PARAM(attributes, inner) "<param id=\"1\" name=\"a\" " attributes ">" inner "</param>"

static const struct refused {
    const char *text, *code;
} refused[] = {
    {"", "bad_xml"},
    {"<linden_skeleton/>", "bad_root"},
    {"<linden_avatar version=\"3.0\"/>", "bad_version"},
    {"<linden_avatar version=\"2.0\"></linden_avatar>", "no_skeleton"},
    {"<!DOCTYPE a [<!ENTITY b \"c\">]><linden_avatar/>", "doctype"},
    {"<linden_avatar version=\"2.0\"><skeleton file_name=\"../../etc/passwd\"/></linden_avatar>",
     "bad_file_name"},
    {"<linden_avatar version=\"2.0\"><skeleton file_name=\".hidden\"/></linden_avatar>", "bad_file_name"},
    {LAD("<mesh type=\"footMesh\" lod=\"0\" file_name=\"a.llm\"/>"), "bad_mesh_type"},
    {LAD("<mesh type=\"headMesh\" lod=\"5\" file_name=\"a.llm\"/>"), "bad_lod"},
    {LAD("<mesh type=\"headMesh\" lod=\"-1\" file_name=\"a.llm\"/>"), "bad_lod"},
    {LAD("<mesh type=\"headMesh\" lod=\"0\" file_name=\"a/b.llm\"/>"), "bad_file_name"},
    {LAD("<mesh type=\"headMesh\" lod=\"1\" file_name=\"a.llm\" reference=\"b.llm\"/>"), "no_reference"},
    {LAD("<mesh type=\"headMesh\" lod=\"0\" file_name=\"a.llm\"><param name=\"x\"/></mesh>"), "bad_id"},
    {LAD("<driver_parameters><param id=\"1\"/></driver_parameters>"), "no_name"},
    {LAD("<driver_parameters>" PARAM("sex=\"none\"", "") "</driver_parameters>"), "bad_sex"},
    {LAD("<driver_parameters>" PARAM("value_min=\"low\"", "") "</driver_parameters>"), "bad_number"},
    {LAD("<driver_parameters>" PARAM("value_max=\"nan\"", "") "</driver_parameters>"), "bad_number"},
    {"<linden_avatar version=\"2.0\"><skeleton file_name=\"s\">" PARAM(
         "", "<param_skeleton><bone name=\"mHead\" scale=\"1 2\"/></param_skeleton>") "</skeleton></"
                                                                                      "linden_avatar>",
     "bad_vector"},
};

static const struct lad *read_made(const char *text, struct arena *arena, struct pose_error *error)
{
    pose_error_init(error);
    arena_init(arena, NULL, 0, error);
    struct decode_job job = {.arena = arena, .error = error};
    warning_list_init(&job.warnings, arena);
    return lad_read(&job, (struct pose_bytes){(const uint8_t *)text, strlen(text)});
}

TEST_EACH(broken_files_are_refused, COUNT(refused))
{
    struct arena arena;
    struct pose_error error;
    ck_assert_ptr_null(read_made(refused[_i].text, &arena, &error));
    ck_assert_str_eq(error.code, refused[_i].code);
    ck_assert_uint_ge(error.line, 1);
    ck_assert_uint_le(error.offset, strlen(refused[_i].text));
    arena_release(&arena);
}

/* Drivers whose points coincide, that drive themselves, nobody, or another driver. */
TEST(odd_drivers_are_survived)
{
    static const char text[] = LAD(
        "<mesh type=\"headMesh\" lod=\"0\" file_name=\"h.llm\"><param id=\"2\" name=\"m\" value_min=\"3\" "
        "value_max=\"-1\"><param_morph/></param></mesh><driver_parameters><param id=\"1\" name=\"d\" "
        "value_default=\"9\"><param_driver><driven id=\"1\"/><driven id=\"2\" min1=\"1\" max1=\"1\" "
        "max2=\"1\" "
        "min2=\"1\"/><driven id=\"2\" min1=\"1\" max1=\"0\" max2=\"0\" min2=\"0\"/><driven id=\"77\"/>"
        "</param_driver></param></driver_parameters>");
    struct arena arena;
    struct pose_error error;
    const struct lad *lad = read_made(text, &arena, &error);
    ck_assert_msg(lad != NULL, "%s", error.detail);
    float *weights = shape_weights(lad, &newcomer, &arena);
    for (uint32_t i = 0; i < lad->param_count; i++)
        ck_assert(isfinite(weights[i]));
    arena_release(&arena);
}
