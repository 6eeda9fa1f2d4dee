/*
 * Deformation against the algorithm of the spec, written down again in double precision and without any of its
 * shortcuts; and against the worked values on real files.
 */
#include "tests/support/codecs.h"
#include "tests/support/corpus.h"
#include "tests/support/allocators.h"
#include "tests/support/unit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FEET 0.3048
/* -------------------------------------------------------------------------------------- the same, plainly -- */

/* Where a bone is: v -> p + r v, r a row each. */
struct place {
    double r[3][3], p[3];
};

static void apply(const struct place *place, const double v[3], bool is_normal, double out[3])
{
    for (int i = 0; i < 3; i++) {
        out[i] = is_normal ? 0 : place->p[i];
        for (int k = 0; k < 3; k++)
            out[i] += place->r[i][k] * v[k];
    }
}

/* A rotation by an angle about an axis (of any length), and a place. */
static struct place make_place(double angle, double ax, double ay, double az, double x, double y, double z)
{
    double length = sqrt(ax * ax + ay * ay + az * az), s = sin(angle), c = cos(angle);
    double a[3] = {ax / length, ay / length, az / length};
    struct place place = {.p = {x, y, z}};
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++)
            place.r[i][k] = (i == k ? c : 0) + (1 - c) * a[i] * a[k];
    }
    place.r[0][1] -= s * a[2], place.r[1][0] += s * a[2];
    place.r[0][2] += s * a[1], place.r[2][0] -= s * a[1];
    place.r[1][2] -= s * a[0], place.r[2][1] += s * a[0];
    return place;
}

/* The matrix of a place, in the axes of The Sims or mirrored into glTF's. */
static void write_matrix(const struct place *place, enum pose_axes axes, float m[16])
{
    const double sign[3] = {axes == POSE_AXES_GLTF ? -1 : 1, 1, 1}, unit = axes == POSE_AXES_GLTF ? FEET : 1;
    for (int column = 0; column < 3; column++) {
        for (int row = 0; row < 3; row++)
            m[4 * column + row] = (float)(sign[row] * sign[column] * place->r[row][column]);
        m[4 * column + 3] = 0;
        m[12 + column] = (float)(unit * sign[column] * place->p[column]);
    }
    m[15] = 1;
}

static void normalise(double n[3])
{
    double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    for (int i = 0; i < 3; i++)
        n[i] = length < 1e-6 ? i == 1 : n[i] / length;
}

/* places[bone], NULL for a bone without one. out: [real + blended][6]. */
static void deform_plainly(const struct pose_mesh *mesh, const struct place *const *places, double (*out)[6])
{
    uint32_t R = mesh->real_count, total = R + mesh->blend_count;
    for (uint32_t v = 0; v < total; v++) {
        for (int i = 0; i < 3; i++) {
            out[v][i] = (double)mesh->positions[v][i];
            out[v][3 + i] = (double)mesh->normals[v][i];
        }
    }
    for (uint32_t b = 0; b < mesh->binding_count; b++) {
        const struct pose_binding *binding = &mesh->bindings[b];
        for (uint32_t v = 0; v < total; v++) {
            bool real = v >= binding->first && v < binding->first + binding->count;
            bool blended =
                v >= R + binding->blend_first && v < R + binding->blend_first + binding->blend_count;
            double stored[6];
            for (int i = 0; i < 6; i++)
                stored[i] = (double)(i < 3 ? mesh->positions[v][i] : mesh->normals[v][i - 3]);
            if ((!real && !blended) || !places[binding->bone])
                continue;
            apply(places[binding->bone], stored, false, out[v]);
            apply(places[binding->bone], stored + 3, true, out[v] + 3);
        }
    }
    for (uint32_t k = 0; k < mesh->blend_count; k++) {
        double w = mesh->blends[k].weight / 32768.0;
        double *o = out[mesh->blends[k].vertex], *b = out[R + k];
        for (int i = 0; i < 6; i++)
            o[i] = o[i] * (1 - w) + b[i] * w;
        normalise(o + 3);
    }
    for (uint32_t v = 0; v < R; v++) {
        if (out[v][3] * out[v][3] + out[v][4] * out[v][4] + out[v][5] * out[v][5] < 1e-12)
            normalise(out[v] + 3);
    }
}

/* --------------------------------------------------------------------------------------------- the subject -- */

struct result {
    struct pose_skin *skin;
    float (*positions)[3], (*normals)[3];
};

static struct result deform(const struct pose_mesh *mesh, const struct pose_skeleton *on,
                            const float *matrices, enum pose_axes axes)
{
    struct pose_error error;
    struct result result = {.skin = pose_skin_new(mesh, on, axes, NULL, &error)};
    ck_assert_msg(result.skin != NULL, "%s", error.detail);
    /* As much as is promised to suffice and no more, so that a sanitizer sees what is not. */
    void *scratch = malloc(pose_deform_scratch(result.skin));
    result.positions = malloc(mesh->real_count * sizeof *result.positions);
    result.normals = malloc(mesh->real_count * sizeof *result.normals);
    ck_assert(scratch && result.positions && result.normals);
    pose_deform(result.skin, matrices, result.positions, result.normals, scratch);
    free(scratch);
    return result;
}

static void release(struct result *result)
{
    pose_skin_free(result->skin);
    free(result->positions);
    free(result->normals);
}

static void check_against_plain(const struct pose_mesh *mesh, const struct result *result,
                                const struct place *const *bone_places, enum pose_axes axes)
{
    double(*wanted)[6] = calloc(mesh->real_count + mesh->blend_count, sizeof *wanted);
    double unit = axes == POSE_AXES_GLTF ? FEET : 1, mirror = axes == POSE_AXES_GLTF ? -1 : 1;
    ck_assert_ptr_nonnull(wanted);
    deform_plainly(mesh, bone_places, wanted);
    for (uint32_t v = 0; v < mesh->real_count; v++) {
        for (int i = 0; i < 3; i++) {
            double sign = i == 0 ? mirror : 1;
            ck_assert_double_eq_tol((double)result->positions[v][i], sign * unit * wanted[v][i], 2e-5);
            ck_assert_double_eq_tol((double)result->normals[v][i], sign * wanted[v][3 + i], 2e-5);
        }
    }
    free(wanted);
}

/* ------------------------------------------------------------------------------------------ a small figure -- */

/* Three bones; bone 1 is spelled in another case than its joint, bone 2 has none. */
static const char *const bones[] = {"ROOT", "Arm", "GHOST"};
static const struct pose_joint joints[] = {
    {.name = "arm", .parent = -1}, {.name = "ROOT", .parent = -1}, {.name = "root", .parent = -1}};
static const struct pose_skeleton skeleton = {.axes = POSE_AXES_SIMS, .joint_count = 3, .joints = joints};
static const int bone_joints[] = {1, 0, -1};

enum { REAL = 9, BLENDED = 5 };

/* Vertex 0 is blended twice, 1 to the full, 2 with weights out of range, 3 with a normal that vanishes; 4 has a zero
 * normal, 5 one of length 3; 6 is a ghost's; 7 is bound twice; 8 is bound by nobody. */
static const struct pose_blend blends[BLENDED] = {{0, 16384}, {1, 32768}, {0, 8192}, {2, 40000}, {3, 16384}};
static const struct pose_binding bindings[] = {
    {.bone = 0, .first = 0, .count = 3, .blend_first = 3, .blend_count = 2},
    {.bone = 1, .first = 3, .count = 3, .blend_first = 0, .blend_count = 3},
    {.bone = 2, .first = 6, .count = 1},
    {.bone = 1, .first = 7, .count = 1},
    {.bone = 0, .first = 7, .count = 1},
};
static const uint32_t faces[][3] = {{0, 1, 2}, {3, 4, 5}};
static float positions[REAL + BLENDED][3], normals[REAL + BLENDED][3], uvs[REAL][2];

static struct pose_mesh small_mesh(void)
{
    for (unsigned v = 0; v < REAL + BLENDED; v++) {
        double angle = 0.7 * v;
        const float position[3] = {(float)cos(angle), (float)(0.1 * v), (float)sin(angle) - 1};
        const float normal[3] = {(float)sin(angle), 0, (float)cos(angle)};
        memcpy(positions[v], position, sizeof position);
        memcpy(normals[v], normal, sizeof normal);
    }
    memset(normals[4], 0, sizeof normals[4]);
    normals[5][0] *= 3, normals[5][2] *= 3;
    return (struct pose_mesh){.axes = POSE_AXES_SIMS,
                              .bone_count = COUNT(bones),
                              .bones = bones,
                              .face_count = COUNT(faces),
                              .faces = faces,
                              .real_count = REAL,
                              .blend_count = BLENDED,
                              .uvs = (const float(*)[2])uvs,
                              .blends = blends,
                              .positions = (const float(*)[3])positions,
                              .normals = (const float(*)[3])normals,
                              .binding_count = COUNT(bindings),
                              .bindings = bindings};
}

/* Of the skeleton's joints. The arm is turned half about y against the root, so that equal bone-local normals of
 * vertex 3 and its blended one are opposite to each other. */
static void place_joints(struct place places[3])
{
    places[0] = make_place(0.4 + 3.14159265358979, 0, 1, 0, 0.5, 3, -0.25);
    places[1] = make_place(0.4, 0, 1, 0, -0.2, 1, 2);
    places[2] = make_place(1, 1, 1, 1, 9, 9, 9);
}

/* On the small skeleton. */
static struct result deform_small(const struct pose_mesh *mesh, const struct place places[3],
                                  enum pose_axes axes)
{
    float matrices[3][16];
    for (int i = 0; i < 3; i++)
        write_matrix(&places[i], axes, matrices[i]);
    return deform(mesh, &skeleton, matrices[0], axes);
}

static const enum pose_axes both_axes[] = {POSE_AXES_SIMS, POSE_AXES_GLTF};

TEST_EACH(small_figure_is_as_the_spec_says, COUNT(both_axes))
{
    struct pose_mesh mesh = small_mesh();
    struct place places[3];
    place_joints(places);
    memcpy(normals[REAL + 4], normals[3], sizeof normals[3]);
    const struct place *bone_places[COUNT(bones)] = {0};
    for (int i = 0; i < COUNT(bones); i++)
        bone_places[i] = bone_joints[i] < 0 ? NULL : &places[bone_joints[i]];
    struct result result = deform_small(&mesh, places, both_axes[_i]);
    check_against_plain(&mesh, &result, bone_places, both_axes[_i]);
    ck_assert_uint_eq(pose_skin_missing_count(result.skin), 1);
    ck_assert_uint_eq(pose_skin_missing(result.skin)[0], 2);
    release(&result);
}

/* What the comparison above would not show by itself. */
TEST(special_vertices_are_what_they_should_be)
{
    struct pose_mesh mesh = small_mesh();
    struct place places[3];
    place_joints(places);
    memcpy(normals[REAL + 4], normals[3], sizeof normals[3]);
    struct result result = deform_small(&mesh, places, POSE_AXES_SIMS);
    const float up[3] = {0, 1, 0};
    for (int i = 0; i < 3; i++) {
        ck_assert_float_eq_tol(result.normals[3][i], up[i], 1e-6f);
        ck_assert_float_eq_tol(result.normals[4][i], up[i], 1e-6f);
        ck_assert_float_eq(result.positions[6][i], positions[6][i]);
        ck_assert_float_eq(result.positions[8][i], positions[8][i]);
    }
    float length =
        sqrtf(powf(result.normals[5][0], 2) + powf(result.normals[5][1], 2) + powf(result.normals[5][2], 2));
    ck_assert_float_eq_tol(length, 3, 1e-5f);
    release(&result);
}

TEST(faces_are_wound_for_the_axes)
{
    struct pose_mesh mesh = small_mesh();
    struct pose_error error;
    struct pose_skin *native = pose_skin_new(&mesh, NULL, POSE_AXES_SIMS, NULL, &error);
    struct pose_skin *gltf = pose_skin_new(&mesh, NULL, POSE_AXES_GLTF, NULL, &error);
    ck_assert(native && gltf);
    const uint32_t rewound[][3] = {{0, 2, 1}, {3, 5, 4}};
    ck_assert_mem_eq(pose_skin_faces(native), faces, sizeof faces);
    ck_assert_mem_eq(pose_skin_faces(gltf), rewound, sizeof rewound);
    pose_skin_free(native);
    pose_skin_free(gltf);
}

TEST(without_a_skeleton_all_stays_as_stored)
{
    struct pose_mesh mesh = small_mesh();
    struct result result = deform(&mesh, NULL, NULL, POSE_AXES_GLTF);
    const struct place *none[COUNT(bones)] = {0};
    check_against_plain(&mesh, &result, none, POSE_AXES_GLTF);
    ck_assert_uint_eq(pose_skin_missing_count(result.skin), COUNT(bones));
    release(&result);
}

TEST(weights_follow_the_blends)
{
    struct pose_mesh mesh = small_mesh();
    struct pose_error error;
    struct pose_skin *skin = pose_skin_new(&mesh, &skeleton, POSE_AXES_GLTF, NULL, &error);
    ck_assert_ptr_nonnull(skin);
    uint32_t of_joints[REAL][4];
    float weights[REAL][4];
    pose_skin_weights(skin, of_joints, weights);
    /* Vertex 0: root 1, then half to the arm, then a quarter more of it: 0.375 root, 0.625 arm. */
    ck_assert_uint_eq(of_joints[0][0], 0);
    ck_assert_uint_eq(of_joints[0][1], 1);
    ck_assert_float_eq_tol(weights[0][0], 0.625f, 1e-6f);
    ck_assert_float_eq_tol(weights[0][1], 0.375f, 1e-6f);
    /* Vertex 1 goes over to the arm as a whole; 6 and 8 are nobody's; 7 is its last binding's. */
    ck_assert_uint_eq(of_joints[1][0], 0);
    ck_assert_float_eq(weights[1][0], 1);
    ck_assert_float_eq(weights[6][0], 0);
    ck_assert_float_eq(weights[8][0], 0);
    ck_assert_uint_eq(of_joints[7][0], 1);
    for (int v = 0; v < REAL; v++) {
        float sum = weights[v][0] + weights[v][1] + weights[v][2] + weights[v][3];
        ck_assert_float_eq_tol(sum, v == 6 || v == 8 ? 0 : 1, 1e-6f);
        ck_assert(weights[v][0] >= weights[v][1] && weights[v][1] >= weights[v][2]);
    }
    pose_skin_free(skin);
}

/* Many bindings that all cover everything: the work may not be their product. Ends at once, or never. */
TEST(overlapping_bindings_cost_their_number)
{
    enum { MANY = 200000 };
    struct pose_binding *many = calloc(MANY, sizeof *many);
    float(*vertices)[3] = calloc(MANY, sizeof *vertices);
    ck_assert(many && vertices);
    for (unsigned i = 0; i < MANY; i++)
        many[i] = (struct pose_binding){.bone = i % 2, .count = MANY};
    struct pose_mesh mesh = {.axes = POSE_AXES_SIMS,
                             .bone_count = 2,
                             .bones = bones,
                             .real_count = MANY,
                             .positions = (const float(*)[3])vertices,
                             .normals = (const float(*)[3])vertices,
                             .binding_count = MANY,
                             .bindings = many};
    struct place places[3];
    place_joints(places);
    struct result result = deform_small(&mesh, places, POSE_AXES_SIMS);
    /* The last binding is the arm's, joint 0. */
    ck_assert_float_eq_tol(result.positions[MANY - 1][1], 3, 1e-6f);
    release(&result);
    free(many);
    free(vertices);
}

TEST(refused_memory_is_an_error)
{
    struct pose_mesh mesh = small_mesh();
    struct pose_skin *skin = NULL;
    for (unsigned allowed = 0; !skin; allowed++) {
        unsigned left = allowed;
        struct pose_allocator allocator = allocator_of_some(&left);
        struct pose_options options = {.allocator = &allocator};
        struct pose_error error;
        skin = pose_skin_new(&mesh, &skeleton, POSE_AXES_GLTF, &options, &error);
        ck_assert(skin || error.status == POSE_NO_MEMORY);
        ck_assert_uint_lt(allowed, 100);
        if (skin) {
            pose_skin_free(skin);
            return;
        }
    }
}

/* ------------------------------------------------------------------------------------------------ corpus -- */

/* A file of the corpus, decoded; NULL when there is no corpus. */
static struct pose_document *decode_real(const char *name)
{
    struct test_file file;
    if (!corpus_read(name, &file))
        return NULL;
    struct pose_document *document = codec_must_decode(NULL, file.data, file.size);
    test_file_free(&file);
    return document;
}

/* Matrices of the rest pose, or with every joint of it turned by an angle about its y axis. */
static float *pose_joints(const struct pose_skeleton *real, float angle, enum pose_axes axes)
{
    const struct pose_clip nothing = {.axes = POSE_AXES_SIMS, .rules = POSE_RULES_SIMS};
    struct pose_error error;
    struct pose_sampler *sampler = pose_sampler_new(&nothing, real, axes, NULL, &error);
    ck_assert_msg(sampler != NULL, "%s", error.detail);
    float *rows = malloc(real->joint_count * 10 * sizeof *rows);
    float *matrices = malloc(real->joint_count * 16 * sizeof *matrices);
    ck_assert(rows && matrices);
    for (uint32_t i = 0; i < real->joint_count; i++) {
        pose_joint_rest(real, i, POSE_AXES_SIMS, rows + 10 * i);
        float *q = rows + 10 * i + 3, c = cosf(angle / 2), s = sinf(angle / 2);
        const float turned[4] = {q[0] * c - q[2] * s, q[1] * c + q[3] * s, q[2] * c + q[0] * s,
                                 q[3] * c - q[1] * s};
        memcpy(q, turned, sizeof turned);
        pose_convert_axes(POSE_TRANSLATION, rows + 10 * i, 1, POSE_AXES_SIMS, axes);
        pose_convert_axes(POSE_ROTATION, q, 1, POSE_AXES_SIMS, axes);
    }
    pose_model(sampler, rows, matrices);
    pose_sampler_free(sampler);
    free(rows);
    return matrices;
}

static struct place place_of(const float m[16])
{
    struct place place;
    for (int i = 0; i < 3; i++) {
        place.p[i] = (double)m[12 + i];
        for (int k = 0; k < 3; k++)
            place.r[i][k] = (double)m[4 * k + i];
    }
    return place;
}

/* The places of a mesh's bones on the joints of that very name. */
static void find_places(const struct pose_mesh *mesh, const struct pose_skeleton *real,
                        const struct place *places, const struct place **bone_places)
{
    for (uint32_t b = 0; b < mesh->bone_count; b++) {
        bone_places[b] = NULL;
        for (uint32_t i = 0; i < real->joint_count; i++) {
            if (!strcmp(real->joints[i].name, mesh->bones[b]))
                bone_places[b] = &places[i];
        }
    }
}

enum { MOST = 64 };

static void check_real_mesh(const char *path, const struct pose_skeleton *real, float angle)
{
    struct test_file file;
    struct place places[MOST];
    const struct place *bone_places[MOST];
    ck_assert(test_file_read(path, &file));
    struct pose_document *document = codec_must_decode(NULL, file.data, file.size);
    const struct pose_mesh *mesh = document->meshes;
    ck_assert(mesh->bone_count <= MOST && real->joint_count <= MOST);
    float *matrices = pose_joints(real, angle, POSE_AXES_SIMS);
    for (uint32_t i = 0; i < real->joint_count; i++)
        places[i] = place_of(matrices + 16 * i);
    free(matrices);
    find_places(mesh, real, places, bone_places);
    for (int i = 0; i < COUNT(both_axes); i++) {
        matrices = pose_joints(real, angle, both_axes[i]);
        struct result result = deform(mesh, real, matrices, both_axes[i]);
        check_against_plain(mesh, &result, bone_places, both_axes[i]);
        ck_assert_uint_eq(pose_skin_missing_count(result.skin), 0);
        release(&result);
        free(matrices);
    }
    pose_document_free(document);
    test_file_free(&file);
}

static const struct {
    const char *folder, *suffix;
    unsigned count;
} real_folders[] = {{"sims/sims1", ".skn", 12}, {"sims/tso/mesh", ".mesh", 21}};

TEST_EACH(real_meshes_are_as_the_spec_says, COUNT(real_folders))
{
    struct test_paths paths;
    struct pose_document *adult = decode_real("sims/sims1/adult-skeleton.cmx");
    if (!adult || !corpus_list(real_folders[_i].folder, real_folders[_i].suffix, &paths))
        return;
    ck_assert_uint_eq(paths.count, real_folders[_i].count);
    for (size_t i = 0; i < paths.count; i++) {
        check_real_mesh(paths.items[i], adult->skeletons, 0);
        check_real_mesh(paths.items[i], adult->skeletons, 0.4f);
    }
    test_paths_free(&paths);
    pose_document_free(adult);
}

static void check_vector(const float found[3], double x, double y, double z, double tolerance)
{
    const double wanted[3] = {x, y, z};
    for (int i = 0; i < 3; i++)
        ck_assert_double_eq_tol((double)found[i], wanted[i], tolerance);
}

/* The worked values of the notes on The Sims 1, section 3. */
TEST(resting_body_is_where_it_should_be)
{
    struct pose_document *adult = decode_real("sims/sims1/adult-skeleton.cmx");
    struct pose_document *body = decode_real("sims/sims1/xskin-b001mafit_01-PELVIS-BODY.skn");
    if (!adult || !body)
        return;
    float *matrices = pose_joints(adult->skeletons, 0, POSE_AXES_SIMS);
    struct result native = deform(body->meshes, adult->skeletons, matrices, POSE_AXES_SIMS);
    free(matrices);
    matrices = pose_joints(adult->skeletons, 0, POSE_AXES_GLTF);
    struct result gltf = deform(body->meshes, adult->skeletons, matrices, POSE_AXES_GLTF);
    free(matrices);
    ck_assert_uint_eq(body->meshes->real_count, 545);
    ck_assert_uint_eq(body->meshes->face_count, 606);
    check_vector(native.positions[0], -0.2978, 3.3942, -0.2703, 2e-4);
    check_vector(native.normals[0], -0.7891, 0.2967, -0.5378, 2e-4);
    check_vector(native.positions[544], -0.6889, 3.6453, 0.0339, 2e-4);
    check_vector(gltf.positions[0], 0.2978 * FEET, 3.3942 * FEET, -0.2703 * FEET, 2e-4);
    check_vector(gltf.normals[0], 0.7891, 0.2967, -0.5378, 2e-4);
    check_vector(gltf.positions[544], 0.6889 * FEET, 3.6453 * FEET, 0.0339 * FEET, 2e-4);
    release(&native);
    release(&gltf);
    pose_document_free(adult);
    pose_document_free(body);
}
