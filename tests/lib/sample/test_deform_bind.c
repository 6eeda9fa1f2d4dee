/* Meshes in the space of the model: skinned by up to four bones, with morphs, in any axes, and as glTF has them. */
#include "lib/core/arena.h"
#include "lib/model/matrix.h"
#include "tests/support/codecs.h"
#include "tests/support/unit.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { VERTICES = 5, BONES = 3 };

static const float positions[VERTICES][3] = {
    {0, 1, 0}, {0.5f, 2, 0.25f}, {-0.5f, 2, 0}, {0, 3, 1}, {2, 2, 2}};
static const float normals[VERTICES][3] = {{0, 0, 1}, {0, 0.6f, 0.8f}, {1, 0, 0}, {0, 2, 0}, {0, 0, 0}};
static const float uvs[VERTICES][2] = {{0, 0}, {1, 0}, {0, 1}, {1, 1}, {0.5f, 0.5f}};
static const float more[VERTICES][2] = {{0.25f, 0}, {1, 0}, {0, 1}, {1, 1}, {0.5f, 0.5f}};
static const float (*const further[1])[2] = {more};
static const uint8_t colors[VERTICES][4] = {{255, 0, 0, 255}, {0, 255, 0, 255}, {1, 2, 3, 4}};
static const uint32_t faces[3][3] = {{0, 1, 2}, {1, 3, 2}, {1, 4, 3}};
static const char *const names[BONES] = {"root", "arm", "nowhere"};
/* A whole one; two; a sum of 2, one twice and one that is no bone; on a bone without a joint; none. */
static const struct pose_influences influences[VERTICES] = {
    {{0, 0, 0, 0}, {1, 0, 0, 0}},       {{0, 1, 99, 0}, {0.25f, 0.75f, 0, 0}},
    {{1, 0, 1, 7}, {0.5f, 1, 0.5f, 3}}, {{2, 1, 0, 0}, {0.5f, 0.5f, 0, 0}},
    {{1, 0, 0, 0}, {-1, 1e-7f, 0, 0}},
};
static const uint32_t moved[2] = {1, 3};
static const float moves[2][3] = {{0, 0.5f, 0}, {1, 0, 0}}, turns[2][3] = {{0.1f, 0, 0}, {0, 0, 0}};
static const struct pose_morph_target morphs[1] = {
    {.name = "Smile", .count = 2, .vertices = moved, .positions = moves, .normals = turns}};
static const struct pose_material materials[2] = {
    {.name = "coat", .base_color = {1, 1, 1, 1}, .image = "12345678"},
    {.name = "glass",
     .base_color = {1, 0.5f, 0.25f, 0.5f},
     .image = "12345678",
     .image_uv = 1,
     .alpha = POSE_BLEND,
     .two_sided = true,
     .emissive = {1, 1, 1},
     .emissive_image = "12345678"},
};
static const struct pose_primitive primitives[2] = {{0, 0, 2}, {1, 2, 1}};

static struct pose_mesh make_mesh(void)
{
    return (struct pose_mesh){.name = "body",
                              .space = POSE_SPACE_BIND,
                              .bone_count = BONES,
                              .bones = names,
                              .face_count = 3,
                              .faces = faces,
                              .real_count = VERTICES,
                              .positions = positions,
                              .normals = normals,
                              .uvs = uvs,
                              .further_uv_count = 1,
                              .further_uvs = further,
                              .colors = colors,
                              .influences = influences,
                              .primitive_count = 2,
                              .primitives = primitives,
                              .material_count = 2,
                              .materials = materials,
                              .morph_count = 1,
                              .morphs = morphs};
}

/* The arm is turned at rest, so that its inverse bind matrix is more than a move. */
static const struct pose_joint joints[2] = {
    {.name = "root", .parent = -1, .translation = {0, 1, 0}, .rotation = {0, 0, 0, 1}, .scale = {1, 1, 1}},
    {.name = "arm",
     .parent = 0,
     .translation = {0, 1, 0},
     .rotation = {0, 0.70710678f, 0, 0.70710678f},
     .scale = {1, 1, 1}},
};
static const struct pose_skeleton skeleton = {
    .name = "two", .scaling = POSE_SCALE_INHERITED, .joint_count = 2, .joints = joints, .root_joint = -1};

struct shape {
    float positions[VERTICES][3], normals[VERTICES][3];
};

static struct shape deform_on(const struct pose_skeleton *figure, const struct pose_mesh *mesh,
                              enum pose_axes axes, const float (*matrices)[16], const float *weights)
{
    struct pose_error error;
    struct shape shape;
    struct pose_skin *skin = pose_skin_new(mesh, figure, axes, NULL, &error);
    ck_assert_msg(skin != NULL, "%s", error.detail);
    void *scratch = malloc(pose_deform_scratch(skin));
    pose_deform_morphed(skin, matrices[0], weights, shape.positions, shape.normals, scratch);
    free(scratch);
    pose_skin_free(skin);
    return shape;
}

static struct shape deform(const struct pose_mesh *mesh, enum pose_axes axes, const float (*matrices)[16],
                           const float *weights)
{
    return deform_on(&skeleton, mesh, axes, matrices, weights);
}

static void find_rest(enum pose_axes axes, float (*matrices)[16])
{
    struct arena arena;
    arena_init(&arena, NULL, 0, NULL);
    ck_assert(matrix_rest(&skeleton, axes, &arena, matrices));
    arena_release(&arena);
}

static void expect3(const float *got, double x, double y, double z)
{
    const double wanted[3] = {x, y, z};
    for (int i = 0; i < 3; i++)
        ck_assert_double_eq_tol((double)got[i], wanted[i], 1e-6);
}

TEST(rest_moves_nothing)
{
    struct pose_mesh mesh = make_mesh();
    float rest[2][16];
    find_rest(POSE_AXES_GLTF, rest);
    struct shape shape = deform(&mesh, POSE_AXES_GLTF, (const float(*)[16])rest, NULL);
    for (int v = 0; v < VERTICES; v++)
        expect3(shape.positions[v], (double)positions[v][0], (double)positions[v][1],
                (double)positions[v][2]);
    expect3(shape.normals[1], 0, 0.6, 0.8);
    expect3(shape.normals[3], 0, 1, 0); /* to unit length */
    expect3(shape.normals[4], 0, 0, 0); /* and one that says nothing as it is */
}

/* At rest a vertex is off by as much as the pivot is; the arm is turned, and its pivot is not. */
TEST(pivots_stand_for_the_rest_pose)
{
    static const float pivots[2][3] = {{0, 1.25f, 0}, {0.5f, 2, 0}};
    struct pose_mesh mesh = make_mesh();
    struct pose_skeleton figure = skeleton;
    float rest[2][16];
    figure.pivots = pivots;
    find_rest(POSE_AXES_GLTF, rest);
    struct shape shape = deform_on(&figure, &mesh, POSE_AXES_GLTF, (const float(*)[16])rest, NULL);
    expect3(shape.positions[0], 0, 0.75, 0);
    /* (0.5, 1.75, 0.25) by a quarter, (0.25, 2, 0) by the rest. */
    expect3(shape.positions[1], 0.25 * 0.5 + 0.75 * 0.25, 0.25 * 1.75 + 0.75 * 2, 0.25 * 0.25);
    expect3(shape.positions[4], 2, 2, 2);
}

static void bind_to(const struct pose_mesh *mesh, const struct pose_skeleton *figure, float bind[16])
{
    struct pose_error error;
    struct pose_skin *skin = pose_skin_new(mesh, figure, POSE_AXES_GLTF, NULL, &error);
    ck_assert_msg(skin != NULL, "%s", error.detail);
    memcpy(bind, pose_skin_inverse_binds(skin)[0], 16 * sizeof *bind);
    pose_skin_free(skin);
}

/* In other units as well, but not for a mesh of another family or with matrices of its own. */
TEST(pivots_are_of_the_skeletons_axes)
{
    static const float pivots[2][3] = {{10, 20, 30}, {0, 0, 0}};
    static const float own[BONES][16] = {
        {[0] = 1, [5] = 1, [10] = 1, [13] = -7, [15] = 1}, {[15] = 1}, {[15] = 1}};
    struct pose_mesh mesh = make_mesh();
    struct pose_skeleton figure = skeleton;
    float bind[16];
    figure.axes = mesh.axes = POSE_AXES_INCHES;
    figure.pivots = pivots;
    bind_to(&mesh, &figure, bind);
    float place[3] = {-10, -20, -30}, rest[3] = {0, -1, 0};
    pose_convert_axes(POSE_TRANSLATION, place, 1, POSE_AXES_INCHES, POSE_AXES_GLTF);
    pose_convert_axes(POSE_TRANSLATION, rest, 1, POSE_AXES_INCHES, POSE_AXES_GLTF);
    ck_assert(fabsf(place[0]) > 0.2f);
    expect3(bind + 12, (double)place[0], (double)place[1], (double)place[2]);
    mesh.axes = POSE_AXES_GLTF;
    bind_to(&mesh, &figure, bind);
    expect3(bind + 12, (double)rest[0], (double)rest[1], (double)rest[2]);
    mesh.inverse_binds = own;
    bind_to(&mesh, &figure, bind);
    expect3(bind + 12, 0, -7, 0);
}

/* The root goes up by 1, and the arm turns back to how its parent stands: -90 degrees about y around (0, 2, 0). */
TEST(bones_share_a_vertex)
{
    struct pose_mesh mesh = make_mesh();
    const float pose[2][16] = {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 2, 0, 1},
                               {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 2, 0, 1}};
    struct shape shape = deform(&mesh, POSE_AXES_GLTF, pose, NULL);
    expect3(shape.positions[0], 0, 2, 0);
    /* (0.5, 3, 0.25) by a quarter, (-0.25, 2, 0.5) by the rest. */
    expect3(shape.positions[1], 0.25 * 0.5 + 0.75 * -0.25, 2.25, 0.25 * 0.25 + 0.75 * 0.5);
    /* Halves of (-0.5, 3, 0) and (0, 2, -0.5). */
    expect3(shape.positions[2], -0.25, 2.5, -0.25);
    /* Half where it was, half at (-1, 3, 0). */
    expect3(shape.positions[3], -0.5, 3, 0.5);
    expect3(shape.positions[4], 2, 2, 2);
    /* (1, 0, 0) and (0, 0, 1), to unit length. */
    expect3(shape.normals[2], sqrt(0.5), 0, sqrt(0.5));
}

TEST(other_axes_are_the_same_pose)
{
    struct pose_mesh mesh = make_mesh();
    float rest[2][16];
    mesh.axes = POSE_AXES_PRIME;
    struct axes_map map = axes_map_between(POSE_AXES_GLTF, POSE_AXES_PRIME);
    float native[2][16], turned[2][16];
    find_rest(POSE_AXES_GLTF, rest);
    rest[1][12] += 1;
    memcpy(turned, rest, sizeof turned);
    memcpy(native, rest, sizeof native);
    for (int i = 0; i < 2; i++)
        matrix_convert_axes(native[i], &map);
    struct shape in_gltf = deform(&mesh, POSE_AXES_GLTF, (const float(*)[16])turned, NULL);
    struct shape in_prime = deform(&mesh, POSE_AXES_PRIME, (const float(*)[16])native, NULL);
    for (int v = 0; v < VERTICES; v++) {
        pose_convert_axes(POSE_TRANSLATION, in_prime.positions[v], 1, POSE_AXES_PRIME, POSE_AXES_GLTF);
        expect3(in_gltf.positions[v], (double)in_prime.positions[v][0], (double)in_prime.positions[v][1],
                (double)in_prime.positions[v][2]);
    }
}

TEST(morphs_come_first)
{
    struct pose_mesh mesh = make_mesh();
    const float half = 0.5f, pose[2][16] = {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 1, 0, 1},
                                            {0, 0, -1, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 2, 0, 1}};
    struct shape shape = deform(&mesh, POSE_AXES_GLTF, pose, &half);
    expect3(shape.positions[1], 0.5, 2.25, 0.25);
    expect3(shape.positions[3], 0.5, 3, 1);
    double length = sqrt(0.05 * 0.05 + 1);
    expect3(shape.normals[1], 0.05 / length, 0.6 / length, 0.8 / length);
}

/* A matrix that stretches across a normal leans it the other way. */
TEST(normals_by_cofactors)
{
    struct pose_mesh mesh = make_mesh();
    const float pose[2][16] = {{2, 0, 0, 0, 0, 1, 0, 0, 0, 0, 4, 0, 0, 1, 0, 1},
                               {2, 0, 0, 0, 0, 1, 0, 0, 0, 0, 4, 0, 0, 2, 0, 1}};
    const struct pose_influences on_root[VERTICES] = {
        {{0}, {1}}, {{0}, {1}}, {{0}, {1}}, {{0}, {1}}, {{0}, {1}}};
    mesh.influences = on_root;
    struct shape plain = deform(&mesh, POSE_AXES_GLTF, pose, NULL);
    expect3(plain.normals[1], 0, 0.6 / sqrt(0.36 + 10.24), 3.2 / sqrt(0.36 + 10.24));
    mesh.cofactor_normals = true;
    struct shape turned = deform(&mesh, POSE_AXES_GLTF, pose, NULL);
    expect3(turned.normals[1], 0, 0.6 / sqrt(0.36 + 0.04), 0.2 / sqrt(0.36 + 0.04));
}

TEST(ids_find_joints_before_names)
{
    static const struct pose_joint by_id[2] = {
        {.name = "arm", .parent = -1, .has_id = true, .id = 7, .rotation = {0, 0, 0, 1}, .scale = {1, 1, 1}},
        {.name = "root", .parent = 0, .has_id = true, .id = 9, .rotation = {0, 0, 0, 1}, .scale = {1, 1, 1}},
    };
    static const uint32_t ids[BONES] = {7, 9, 3};
    const struct pose_skeleton numbered = {.joint_count = 2, .joints = by_id, .root_joint = -1};
    struct pose_mesh mesh = make_mesh();
    mesh.bone_ids = ids;
    struct pose_error error;
    struct pose_skin *skin = pose_skin_new(&mesh, &numbered, POSE_AXES_GLTF, NULL, &error);
    ck_assert_ptr_nonnull(skin);
    ck_assert_int_eq(pose_skin_joint(skin, 0), 0);
    ck_assert_int_eq(pose_skin_joint(skin, 1), 1);
    ck_assert_int_eq(pose_skin_joint(skin, 2), -1);
    ck_assert_uint_eq(pose_skin_missing_count(skin), 1);
    pose_skin_free(skin);
}

/* ----------------------------------------------------------------------------------------------- as glTF -- */

static json_t *read_glb(const struct pose_buffer *glb)
{
    uint32_t length = 0;
    memcpy(&length, glb->data + 12, sizeof length);
    json_error_t error;
    json_t *root = json_loadb((const char *)glb->data + 20, length, 0, &error);
    ck_assert_msg(root != NULL, "%s", error.text);
    return root;
}

static const uint8_t pixels[2][4] = {{255, 0, 0, 255}, {0, 255, 0, 128}};

TEST(glb_has_it_all)
{
    struct pose_mesh mesh = make_mesh();
    const struct pose_image image = {
        .name = "12345678", .width = 2, .height = 1, .pixels = pixels, .has_alpha = true, .clamps = true};
    const struct pose_content content = {.skeleton_count = 1,
                                         .skeletons = &skeleton,
                                         .mesh_count = 1,
                                         .meshes = &mesh,
                                         .image_count = 1,
                                         .images = &image};
    struct codec_losses losses;
    struct pose_buffer glb = codec_must_encode("gltf", &content, &losses);
    ck_assert_str_eq(losses.codes, "missing_bone ");
    json_t *root = read_glb(&glb), *shape = json_array_get(json_object_get(root, "meshes"), 0);
    json_t *list = json_object_get(shape, "primitives"), *first = json_array_get(list, 0);
    ck_assert_uint_eq(json_array_size(list), 2);
    ck_assert(json_equal(json_object_get(first, "attributes"),
                         json_object_get(json_array_get(list, 1), "attributes")));
    ck_assert_uint_eq(json_object_size(json_object_get(first, "attributes")), 7);
    ck_assert_uint_eq(json_array_size(json_object_get(first, "targets")), 1);
    ck_assert_str_eq(json_string_value(
                         json_array_get(json_object_get(json_object_get(shape, "extras"), "targetNames"), 0)),
                     "Smile");
    json_t *glass = json_array_get(json_object_get(root, "materials"), 1);
    ck_assert_str_eq(json_string_value(json_object_get(glass, "alphaMode")), "BLEND");
    ck_assert(json_is_true(json_object_get(glass, "doubleSided")));
    json_t *base = json_object_get(json_object_get(glass, "pbrMetallicRoughness"), "baseColorTexture");
    ck_assert_int_eq(json_integer_value(json_object_get(base, "texCoord")), 1);
    ck_assert_uint_eq(json_array_size(json_object_get(root, "images")), 1);
    ck_assert_uint_eq(json_array_size(json_object_get(root, "samplers")), 2);
    ck_assert_uint_eq(json_array_size(json_object_get(root, "skins")), 1);
    json_decref(root);
    pose_buffer_free(&glb);
}

/* One that says itself where its bones are bound gets a skin of its own. */
TEST(glb_with_bind_matrices)
{
    static const float binds[BONES][16] = {{2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 2, 0, 0, -2, 0, 1},
                                           {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, -2, 0, 1},
                                           {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}};
    struct pose_mesh mesh = make_mesh();
    mesh.inverse_binds = binds;
    const struct pose_content content = {
        .skeleton_count = 1, .skeletons = &skeleton, .mesh_count = 1, .meshes = &mesh};
    struct pose_buffer glb = codec_must_encode("gltf", &content, NULL);
    json_t *root = read_glb(&glb), *skins = json_object_get(root, "skins");
    ck_assert_uint_eq(json_array_size(skins), 2);
    ck_assert_uint_eq(json_array_size(json_object_get(json_array_get(skins, 1), "joints")), 3);
    json_t *node = json_array_get(json_object_get(root, "nodes"), 3);
    ck_assert_int_eq(json_integer_value(json_object_get(node, "skin")), 1);
    json_decref(root);
    pose_buffer_free(&glb);
    float rest[2][16];
    find_rest(POSE_AXES_GLTF, rest);
    struct shape shape = deform(&mesh, POSE_AXES_GLTF, (const float(*)[16])rest, NULL);
    expect3(shape.positions[0], 0, 1, 0); /* 1 + 2 * (1 - 1) */
    expect3(shape.positions[1], 0.25 * 1 + 0.75 * 0.25, 0.25 * 3 + 0.75 * 2, 0.25 * 0.5 + 0.75 * -0.5);
}

TEST(indices_of_others_are_checked)
{
    static const struct pose_primitive bad_primitive = {2, 0, 1};
    static const uint32_t out_of_order[2] = {3, 1};
    struct pose_mesh mesh = make_mesh();
    struct pose_morph_target morph = morphs[0];
    struct pose_error error;
    struct pose_buffer out = {0};
    const struct pose_content content = {.mesh_count = 1, .meshes = &mesh};
    mesh.primitive_count = 1;
    mesh.primitives = &bad_primitive;
    ck_assert(!pose_encode("gltf", &content, NULL, NULL, NULL, &out, &error));
    ck_assert_str_eq(error.code, "bad_primitive");
    mesh = make_mesh();
    mesh.further_uv_count = 0;
    ck_assert(!pose_encode("gltf", &content, NULL, NULL, NULL, &out, &error));
    ck_assert_str_eq(error.code, "bad_material");
    mesh = make_mesh();
    mesh.morphs = &morph;
    morph.vertices = out_of_order;
    ck_assert(!pose_encode("gltf", &content, NULL, NULL, NULL, &out, &error));
    ck_assert_str_eq(error.code, "bad_morph");
}

/* A model's list of materials may hold some that it does not show, for vertices that it does not have. */
TEST(a_material_that_shows_nothing_may_name_any_set)
{
    const struct pose_material listed[4] = {materials[0],
                                            materials[1],
                                            {.name = "unused", .image = "a", .image_uv = 7},
                                            {.name = "empty", .emissive_image = "a", .emissive_uv = 9}};
    struct pose_primitive list[3] = {primitives[0], primitives[1], {3, 0, 0}};
    struct pose_mesh mesh = make_mesh();
    struct pose_error error;
    struct pose_buffer out = {0};
    const struct pose_content content = {.mesh_count = 1, .meshes = &mesh};
    mesh.material_count = 4;
    mesh.materials = listed;
    mesh.primitive_count = 3;
    mesh.primitives = list;
    ck_assert_msg(pose_encode("gltf", &content, NULL, NULL, NULL, &out, &error), "%s", error.detail);
    pose_buffer_free(&out);
    list[2] = (struct pose_primitive){3, 0, 1};
    ck_assert(!pose_encode("gltf", &content, NULL, NULL, NULL, &out, &error));
    ck_assert_str_eq(error.code, "bad_material");
    list[2] = (struct pose_primitive){1, 0, 1};
    mesh.primitive_count = 0; /* all by the first */
    ck_assert_msg(pose_encode("gltf", &content, NULL, NULL, NULL, &out, &error), "%s", error.detail);
    pose_buffer_free(&out);
}
