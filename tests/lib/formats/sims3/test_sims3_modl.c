/* Object models (MODL, MLOD): every field of a made one, hostile files, and real ones where they are at hand. */
#include "tests/support/codecs.h"
#include "tests/support/corpus.h"
#include "tests/support/sims3/modl_files.h"
#include "tests/support/unit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void check_near(const float *got, float x, float y, float z, float tolerance)
{
    const float wanted[3] = {x, y, z};
    for (int i = 0; i < 3; i++)
        ck_assert_msg(fabsf(got[i] - wanted[i]) < tolerance, "[%d] is %.7f, not %.7f", i, (double)got[i],
                      (double)wanted[i]);
}

/* _i 1: as a list of levels, 0: the level alone. */
TEST_EACH(every_field, 2)
{
    struct modl_made made = {0};
    modl_make(&made, _i);
    struct pose_document *document = codec_must_decode(NULL, made.file.bytes.data, made.file.bytes.size);
    const struct pose_mesh *mesh = document->meshes;
    ck_assert_str_eq(document->format, _i ? "sims3-modl" : "sims3-mlod");
    ck_assert_uint_eq(codec_warnings(document, NULL), 0);
    ck_assert_uint_eq(mesh->real_count, 8);
    ck_assert_uint_eq(mesh->face_count, 3); /* of the second part one look alone */
    ck_assert_uint_eq(mesh->primitive_count, 2);
    ck_assert_uint_eq(mesh->primitives[1].face_first, 2);
    ck_assert_uint_eq(mesh->primitives[1].face_count, 1);
    ck_assert_uint_eq(mesh->faces[2][0], 4);
    ck_assert_uint_eq(mesh->faces[1][2], 3);
    check_near(mesh->positions[6], 0.5f, 0.25f, -0.5f, 1e-6f);
    check_near(mesh->normals[0], 0, 1, 0, 1e-6f);
    ck_assert_float_eq(mesh->uvs[1][0], 1);
    ck_assert_float_eq(mesh->uvs[2][1], 0.5f);
    ck_assert_str_eq(mesh->bones[1], "b__Head__");
    ck_assert_float_eq(mesh->influences[0].weights[0], 1);
    ck_assert_uint_eq(mesh->influences[4].bones[1], 3); /* each part has bones of its own */
    ck_assert_float_eq(mesh->influences[4].weights[1], 0.4f);
    for (int i = 0; i < 2; i++)
        ck_assert_str_eq(mesh->materials[i].image, "00B2D882-00000000-D413B1681775B1B5");
    pose_document_free(document);
    pose_buffer_free(&made.file.bytes);
}

/* Where the first part's row begins. */
enum { PARTS = 12 };

static const struct patch {
    const char *what;
    int chunk; /* MODL_CHUNKS: of the container */
    size_t at;
    uint32_t value;
    const char *code, *warning;
} patches[] = {
    {"a chunk outside", MODL_CHUNKS, 20 + 16 * 9, 0x7fffffff, "bad_offset", NULL},
    {"a chunk in the header", MODL_CHUNKS, 20 + 16 * 9, 40, "bad_offset", NULL},
    {"version of the list", MODL_LIST, 4, 0x99, "bad_version", NULL},
    {"2^32 - 1 levels", MODL_LIST, 8, UINT32_MAX, "truncated", NULL},
    {"NaN bounds", MODL_LIST, 12, 0x7fc00000, "non_finite", NULL},
    {"2^32 - 1 more bounds", MODL_LIST, 36, UINT32_MAX, "truncated", NULL},
    {"a level of nothing", MODL_LIST, 48, 0x99, "bad_reference", NULL},
    {"a level that is another chunk", MODL_LIST, 48, 0x10000001, "bad_reference", NULL},
    {"a level that is elsewhere", MODL_LIST, 48, 0x30000001, NULL, "level_elsewhere"},
    {"a level of no key", MODL_LIST, 48, 0x30000009, "bad_reference", NULL},
    {"version of the level", MODL_LEVEL, 4, 1, "bad_version", NULL},
    {"2^32 - 1 parts", MODL_LEVEL, 8, UINT32_MAX, "bad_count", NULL},
    {"a part past the end", MODL_LEVEL, PARTS, UINT32_MAX, "truncated", NULL},
    {"a part of 4 bytes", MODL_LEVEL, PARTS, 4, "truncated", NULL},
    {"a material of nothing", MODL_LEVEL, PARTS + 8, 0x99, "bad_reference", NULL},
    {"a material of kind 2", MODL_LEVEL, PARTS + 8, 0x20000001, "bad_reference", NULL},
    {"a material that is a buffer", MODL_LEVEL, PARTS + 8, 0x10000003, "bad_reference", NULL},
    {"no layout", MODL_LEVEL, PARTS + 12, 0, NULL, NULL},
    {"no indices", MODL_LEVEL, PARTS + 20, 0, "bad_reference", NULL},
    {"lines", MODL_LEVEL, PARTS + 24, 2, NULL, "primitive_type"},
    {"2^28 vertices", MODL_LEVEL, PARTS + 44, 1 << 28, "bad_count", NULL},
    {"vertices at 2^32 - 16", MODL_LEVEL, PARTS + 28, (uint32_t)-16, "truncated", NULL},
    {"9 vertices", MODL_LEVEL, PARTS + 44, 9, "truncated", NULL},
    {"2 vertices", MODL_LEVEL, PARTS + 44, 2, "bad_index", NULL},
    {"first index", MODL_LEVEL, PARTS + 36, 4000, "truncated", NULL},
    {"2^32 - 1 triangles", MODL_LEVEL, PARTS + 48, UINT32_MAX, "truncated", NULL},
    {"2^32 - 1 bones", MODL_LEVEL, PARTS + 80, UINT32_MAX, "truncated", NULL},
    {"a material of another tag", MODL_MATERIAL, 28, 0, NULL, "bad_material"},
    {"a key that is none", MODL_MATERIAL, 76, 0x30000007, NULL, "texture_index"},
    {"stride 0", MODL_LAYOUT, 8, 0, "element_size", NULL},
    {"an element outside the stride", MODL_LAYOUT, 8, 27, "element_size", NULL},
    {"2^32 - 1 elements", MODL_LAYOUT, 12, UINT32_MAX, "bad_count", NULL},
    {"format 99", MODL_LAYOUT, 20, 99 << 16, "unsupported", NULL},
    {"no position", MODL_LAYOUT, 20, 0x00070006, "no_positions", NULL},
    {"vertex buffer's version", MODL_VERTICES, 4, 0, "bad_version", NULL},
    {"vertex buffer's flags", MODL_VERTICES, 8, 4, "unsupported", NULL},
    {"index buffer's flags", MODL_INDICES, 8, 8, "unsupported", NULL},
    {"not differences", MODL_INDICES, 8, 0, "bad_index", NULL},
    {"2^32 - 1 bones of a skin", MODL_SKIN, 8, UINT32_MAX, "truncated", NULL},
    {"an infinite matrix", MODL_SKIN, 24, 0x7f800000, "non_finite", NULL},
    {"a set that names itself", MODL_SET, 12, 0x10000006, "cycle", NULL},
    {"a set of nothing", MODL_SET, 12, 0, "bad_reference", NULL},
};

TEST_EACH(hostile, COUNT(patches))
{
    const struct patch *patch = &patches[_i];
    struct modl_made made = {0};
    struct pose_error error;
    modl_make(&made, true);
    little_set_u32(&made.file, (patch->chunk < MODL_CHUNKS ? made.at[patch->chunk] : 0) + patch->at,
                   patch->value);
    struct pose_document *document =
        codec_decode("sims3-modl", made.file.bytes.data, made.file.bytes.size, &error);
    if (patch->code)
        ck_assert_msg(!document && !strcmp(error.code, patch->code), "%s: %s, %s", patch->what,
                      document ? "read" : error.code, document ? "" : error.detail);
    else
        ck_assert_msg(document && (!patch->warning || codec_warnings(document, patch->warning)), "%s: %s",
                      patch->what, document ? "no such warning" : error.detail);
    pose_document_free(document);
    pose_buffer_free(&made.file.bytes);
}

TEST(every_truncation_is_told)
{
    struct modl_made made = {0};
    modl_make(&made, true);
    for (size_t size = 0; size < made.file.bytes.size; size++) {
        struct pose_error error;
        ck_assert_ptr_null(codec_decode("sims3-modl", made.file.bytes.data, size, &error));
    }
    pose_buffer_free(&made.file.bytes);
}

/* The finest level is a file of its own, called by its key. */
TEST(a_level_beside_it)
{
    struct modl_made made = {0}, level = {0};
    struct pose_error error;
    modl_make(&made, true);
    modl_make(&level, false);
    little_set_u32(&made.file, made.at[MODL_LIST] + 48, 0x30000001);
    struct codec_companion beside[] = {
        {"00B2D882-00000000-D413B1681775B1B5.mlod", {level.file.bytes.data, level.file.bytes.size}},
        {.name = NULL}};
    struct pose_document *document =
        codec_decode_with("sims3-modl", made.file.bytes.data, made.file.bytes.size, beside, &error);
    ck_assert_msg(document != NULL, "%s", error.detail);
    ck_assert_uint_eq(codec_warnings(document, NULL), 0);
    ck_assert_uint_eq(document->meshes->real_count, 8);
    pose_document_free(document);
    pose_buffer_free(&made.file.bytes);
    pose_buffer_free(&level.file.bytes);
}

static const struct real {
    const char *file;
    uint32_t vertices, faces;
    bool is_elsewhere;
} reals[] = {
    {"01661233-00000001-00000000004CCCDB.modl", 1848, 1168, false},
    {"01661233-00000001-000000000077D115.modl", 56, 54, false},
    {"01661233-00000001-00000000009C65F1.modl", 540, 434, true},
    {"01661233-00000001-189D58428C1ACEA6.modl", 116, 156, false},
    {"01D10F34-00000000-00000000009C65F1.mlod", 540, 434, false},
    {"01D10F34-00010000-00000000004CCCDB.mlod", 0, 0, false},
};

TEST_EACH(real_models, COUNT(reals))
{
    char path[160];
    struct test_file file;
    snprintf(path, sizeof path, "sims3/meshes/objects/%s", reals[_i].file);
    if (!corpus_read(path, &file))
        return;
    struct pose_document *document = codec_must_decode(NULL, file.data, file.size);
    ck_assert_uint_eq(document->meshes->real_count, reals[_i].vertices);
    ck_assert_uint_eq(document->meshes->face_count, reals[_i].faces);
    ck_assert_uint_eq(codec_warnings(document, "level_elsewhere"), reals[_i].is_elsewhere);
    ck_assert_uint_eq(codec_warnings(document, "empty"), !reals[_i].faces);
    ck_assert_uint_eq(codec_warnings(document, NULL), (unsigned)reals[_i].is_elsewhere + !reals[_i].faces);
    pose_document_free(document);
    test_file_free(&file);
}

/* The worked vertices of an object with seven joints, on its own rig: one joint turned a quarter about Y. */
TEST(real_deformation)
{
    enum { MAX_JOINTS = 32 };
    static const struct {
        uint32_t vertex;
        float at[3];
    } worked[] = {{0, {0.024491f, 0.027666f, -0.001075f}},
                  {50, {0.028764f, 0.001612f, -0.046288f}},
                  {115, {0.024724f, 0.002342f, -0.008028f}}};
    struct test_file file, rig_file;
    if (!corpus_read("sims3/meshes/objects/01661233-00000001-189D58428C1ACEA6.modl", &file) ||
        !corpus_read("sims3/rigs/8EAF13DE-00000000-6EE886E80C45C5F0.rig", &rig_file))
        return;
    struct pose_document *model = codec_must_decode(NULL, file.data, file.size);
    struct pose_document *rig = codec_must_decode(NULL, rig_file.data, rig_file.size);
    const struct pose_clip rest = {.axes = POSE_AXES_GLTF};
    struct pose_error error;
    struct pose_sampler *sampler = pose_sampler_new(&rest, rig->skeletons, POSE_AXES_GLTF, NULL, &error);
    struct pose_skin *skin = pose_skin_new(model->meshes, rig->skeletons, POSE_AXES_GLTF, NULL, &error);
    float rows[MAX_JOINTS * 10], matrices[MAX_JOINTS * 16], positions[116][3], normals[116][3];
    ck_assert(sampler && skin && rig->skeletons->joint_count <= MAX_JOINTS);
    void *scratch = malloc(pose_deform_scratch(skin) + 1);
    pose_sample(sampler, 0, POSE_CLAMP, 0, rows, NULL);
    for (int turned = 0; turned < 2; turned++) {
        pose_model(sampler, rows, matrices);
        pose_deform(skin, matrices, positions, normals, scratch);
        for (size_t i = 0; i < sizeof worked / sizeof *worked; i++) {
            const float *at = turned ? worked[i].at : model->meshes->positions[worked[i].vertex];
            check_near(positions[worked[i].vertex], at[0], at[1], at[2], 2e-6f);
        }
        for (uint32_t i = 0; i < rig->skeletons->joint_count; i++) {
            if (!strcmp(rig->skeletons->joints[i].name, "_bind_0_"))
                memcpy(rows + 10 * (size_t)i + 3, (const float[]){0, 0.7071068f, 0, 0.7071068f},
                       4 * sizeof *rows);
        }
    }
    free(scratch);
    pose_skin_free(skin);
    pose_sampler_free(sampler);
    pose_document_free(rig);
    pose_document_free(model);
    test_file_free(&rig_file);
    test_file_free(&file);
}
