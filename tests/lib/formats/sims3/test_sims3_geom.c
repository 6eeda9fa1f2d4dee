/* GEOM, VPXY, CASP: worked examples, the way back, hostile files, and real ones where they are at hand. */
#include "tests/support/codecs.h"
#include "tests/support/corpus.h"
#include "tests/support/sims3/geom_files.h"
#include "tests/support/unit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void check_near(const float *got, float x, float y, float z)
{
    const float wanted[3] = {x, y, z};
    for (int i = 0; i < 3; i++)
        ck_assert_msg(fabsf(got[i] - wanted[i]) < 2e-6f, "[%d] is %.7f, not %.7f", i, (double)got[i],
                      (double)wanted[i]);
}

static void check_way_back(const char *format, const void *data, size_t size)
{
    struct pose_document *document = codec_must_decode(format, data, size);
    struct pose_content content = {.mesh_count = document->mesh_count,
                                   .meshes = document->meshes,
                                   .character_count = document->character_count,
                                   .characters = document->characters};
    struct pose_buffer back = codec_must_encode(format, &content, NULL);
    codec_check_bytes(format, data, size, back.data, back.size);
    pose_buffer_free(&back);
    pose_document_free(document);
}

/* ------------------------------------------------------------------------------------------ worked examples -- */

TEST(worked_geom)
{
    struct pose_document *document = codec_must_decode(NULL, geom_example, sizeof geom_example);
    const struct pose_mesh *mesh = document->meshes;
    ck_assert_str_eq(document->format, "sims3-geom");
    ck_assert_uint_eq(codec_warnings(document, NULL), 0);
    ck_assert_uint_eq(mesh->real_count, 3);
    ck_assert_uint_eq(mesh->face_count, 1);
    check_near(mesh->positions[0], 0, 1.75f, 0.125f);
    check_near(mesh->positions[2], -0.25f, 1, 0);
    check_near(mesh->normals[1], 0, 0, 1);
    ck_assert_float_eq(mesh->uvs[1][1], 0.5f);
    ck_assert_uint_eq(mesh->faces[0][1], 2);
    ck_assert_str_eq(mesh->bones[0], "b__ROOT_bind__");
    ck_assert_str_eq(mesh->bones[1], "b__Head__");
    ck_assert_uint_eq(mesh->bone_ids[0], 0x57884bb9);
    ck_assert_uint_eq(mesh->influences[1].bones[0], 1);
    ck_assert_float_eq(mesh->influences[1].weights[0], 0.75f);
    ck_assert_str_eq(mesh->materials->name, "SimSkin");
    ck_assert_str_eq(mesh->materials->image, "00B2D882-00000000-D413B1681775B1B5");
    ck_assert(mesh->materials->covers); /* a garment's image lies on skin */
    ck_assert_float_eq(mesh->materials->gain, 1.5f);
    check_near(mesh->materials->ground, 0.86f, 0.66f, 0.54f);
    pose_document_free(document);
    check_way_back("sims3-geom", geom_example, sizeof geom_example);
}

/* The root one up, the head half of that above it, which is turned a quarter about X. */
static const struct pose_joint rig_joints[2] = {
    {.name = "b__ROOT_bind__",
     .parent = -1,
     .translation = {0, 1, 0},
     .rotation = {0, 0, 0, 1},
     .scale = {1, 1, 1}},
    {.name = "b__Head__",
     .parent = 0,
     .translation = {0, 0.5f, 0},
     .rotation = {0, 0, 0, 1},
     .scale = {1, 1, 1}},
};

TEST(worked_deformation)
{
    static const float matrices[2][16] = {
        {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 1, 0, 1},
        {1, 0, 0, 0, 0, 0, 1, 0, 0, -1, 0, 0, 0, 1.5f, 0, 1},
    };
    const struct pose_skeleton rig = {.axes = POSE_AXES_GLTF, .joint_count = 2, .joints = rig_joints};
    struct pose_document *document = codec_must_decode("sims3-geom", geom_example, sizeof geom_example);
    struct pose_error error;
    struct pose_skin *skin = pose_skin_new(document->meshes, &rig, POSE_AXES_GLTF, NULL, &error);
    float positions[3][3], normals[3][3], scratch[256];
    ck_assert_msg(skin, "%s", error.detail);
    ck_assert_uint_le(pose_deform_scratch(skin), sizeof scratch);
    pose_deform(skin, &matrices[0][0], positions, normals, scratch);
    check_near(positions[0], 0, 1.375f, 0.25f);
    check_near(positions[1], 0.25f, 1.5f, 0);
    check_near(positions[2], -0.25f, 1, 0);
    check_near(normals[0], 0, -1, 0);
    check_near(normals[1], 0, -0.9486833f, 0.3162278f);
    check_near(normals[2], 0, 0, 1);
    pose_skin_free(skin);
    pose_document_free(document);
}

TEST(worked_casp)
{
    struct pose_document *document = codec_must_decode(NULL, casp_example, sizeof casp_example);
    const struct pose_character *part = document->characters;
    ck_assert_str_eq(document->format, "sims3-casp");
    ck_assert_uint_eq(codec_warnings(document, NULL), 0);
    ck_assert_str_eq(part->name, "afTop");
    ck_assert_str_eq(part->type, "part");
    struct pose_buffer text = {0};
    ck_assert(pose_json_value(&text, part->extras));
    char json[2048];
    snprintf(json, sizeof json, "%.*s", (int)text.size, (const char *)text.data);
    static const char *const wanted[] = {
        "\"clothing_type\":5",
        "\"part_types\":8",
        "\"age_and_sex\":8496",
        "\"categories\":2",
        "\"xml\":\"<p/>\"",
        "\"vpxy\":[1]",
        "{\"level\":1,\"texture\":8,\"meshes\":[1,256,32768]}",
        "\"keys\":[\"00000000-00000000-0000000000000000\",\"736884F1-00000001-00000000008C9DFC\"]"};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        ck_assert_msg(strstr(json, wanted[i]), "%s is not in %s", wanted[i], json);
    pose_buffer_free(&text);
    pose_document_free(document);
    check_way_back("sims3-casp", casp_example, sizeof casp_example);
}

TEST(lists_of_meshes)
{
    struct little_file file = {0};
    vpxy_put_sample(&file);
    struct pose_document *document = codec_must_decode(NULL, file.bytes.data, file.bytes.size);
    ck_assert_str_eq(document->format, "sims3-vpxy");
    ck_assert_uint_eq(codec_warnings(document, NULL), 0);
    ck_assert_str_eq(document->characters->type, "parts");
    pose_document_free(document);
    check_way_back("sims3-vpxy", file.bytes.data, file.bytes.size);
    pose_buffer_free(&file.bytes);
}

/* A mesh that was not read from a GEOM: the order of elements, shaders and keys are the usual ones. */
TEST(new_meshes_are_written)
{
    struct pose_document *document = codec_must_decode("sims3-geom", geom_example, sizeof geom_example);
    struct pose_mesh mesh = *document->meshes;
    mesh.extras = NULL;
    mesh.bone_ids = NULL;
    mesh.material_count = 0;
    struct pose_buffer made =
        codec_must_encode("sims3-geom", &(struct pose_content){.mesh_count = 1, .meshes = &mesh}, NULL);
    struct pose_document *back = codec_must_decode("sims3-geom", made.data, made.size);
    ck_assert_uint_eq(back->meshes->bone_ids[1], document->meshes->bone_ids[1]);
    ck_assert_uint_eq(back->meshes->material_count, 0);
    ck_assert_mem_eq(back->meshes->positions, mesh.positions, 3 * sizeof *mesh.positions);
    ck_assert_mem_eq(back->meshes->influences, mesh.influences, 3 * sizeof *mesh.influences);
    pose_document_free(back);
    pose_buffer_free(&made);
    pose_document_free(document);
}

/* -------------------------------------------------------------------------------------------------- hostile -- */

struct patch {
    const char *what;
    size_t at;
    uint32_t value;
    unsigned size; /* bytes of the value */
    const char *code, *warning;
};

#define NAN_BITS 0x7fc00000u
#define INFINITE_BITS 0x7f800000u

static const struct patch geom_patches[] = {
    {"no chunks", GEOM_AT_CHUNKS, 0, 4, "bad_count", NULL},
    {"2^32 - 1 chunks", GEOM_AT_CHUNKS, UINT32_MAX, 4, "bad_count", NULL},
    {"2^28 external keys", GEOM_AT_EXTERNALS, 1 << 28, 4, "bad_count", NULL},
    {"the index lies", GEOM_AT_POSITION, 48, 4, NULL, "rcol_index"},
    {"another container", 0, 4, 4, NULL, "rcol_version"},
    {"wrong tag", GEOM_AT_TAG, 0x4d4f4558, 4, "bad_magic", NULL},
    {"version 0", GEOM_AT_VERSION, 0, 4, "bad_version", NULL},
    {"version 14", GEOM_AT_VERSION, 14, 4, "bad_version", NULL},
    {"key table far away", GEOM_AT_TABLE, 0x7fffffff, 4, "bad_offset", NULL},
    {"key table before", GEOM_AT_TABLE, (uint32_t)-16, 4, "bad_offset", NULL},
    {"key table's size", GEOM_AT_TABLE + 4, 40, 4, NULL, "key_table_size"},
    {"2^28 keys", GEOM_AT_KEYS, 1 << 28, 4, "bad_count", NULL},
    {"more keys than bytes", GEOM_AT_KEYS, 3, 4, "truncated", NULL},
    {"material size", GEOM_AT_MATERIAL_SIZE, UINT32_MAX, 4, "truncated", NULL},
    {"material tag", GEOM_AT_MATERIAL, 0, 4, NULL, "bad_material"},
    {"material count", GEOM_AT_MATERIAL + 12, 257, 4, NULL, "bad_material"},
    {"material offset", GEOM_AT_MATERIAL + 28, 0x7fffffff, 4, NULL, "bad_material"},
    {"texture", GEOM_AT_MATERIAL + 32, 9, 4, NULL, "texture_index"},
    {"2^32 - 1 vertices", GEOM_AT_VERTEX_COUNT, UINT32_MAX, 4, "bad_count", NULL},
    {"2^20 - 1 vertices", GEOM_AT_VERTEX_COUNT, (1 << 20) - 1, 4, "truncated", NULL},
    {"2^32 - 1 elements", GEOM_AT_ELEMENT_COUNT, UINT32_MAX, 4, "bad_count", NULL},
    {"no elements", GEOM_AT_ELEMENT_COUNT, 0, 4, "no_positions", NULL},
    {"an element of 0 bytes", GEOM_AT_ELEMENTS + 8, 0, 1, "element_size", NULL},
    {"an element of 13 bytes", GEOM_AT_ELEMENTS + 8, 13, 1, "element_size", NULL},
    {"an element of another type", GEOM_AT_ELEMENTS + 9 + 4, 3, 4, NULL, "element_type"},
    {"no position", GEOM_AT_ELEMENTS, 6, 4, "no_positions", NULL},
    {"unknown element", GEOM_AT_ELEMENTS + 9, 77, 4, NULL, "unknown_element"},
    {"position twice", GEOM_AT_ELEMENTS + 9, 1, 4, NULL, "repeated_element"},
    {"bones without weights", GEOM_AT_ELEMENTS + 36, 77, 4, NULL, "half_a_skin"},
    {"NaN position", GEOM_AT_VERTICES + 4, NAN_BITS, 4, "non_finite", NULL},
    {"infinite weight", GEOM_AT_WEIGHTS, INFINITE_BITS, 4, "non_finite", NULL},
    {"position 3e30", GEOM_AT_VERTICES, 0x72177617, 4, NULL, "huge"},
    {"2^32 - 1 groups", GEOM_AT_GROUPS, UINT32_MAX, 4, "bad_count", NULL},
    {"no groups", GEOM_AT_GROUPS, 0, 4, "bad_count", NULL},
    {"3 bytes an index", GEOM_AT_INDEX_SIZE, 3, 1, "bad_index_size", NULL},
    {"2^32 - 4 indices", GEOM_AT_INDEX_COUNT, (uint32_t)-4, 4, "truncated", NULL},
    {"index = vertices", GEOM_AT_INDICES, 3, 2, "bad_index", NULL},
    {"index 65535", GEOM_AT_INDICES + 2, 65535, 2, "bad_index", NULL},
    {"2^32 - 1 bones", GEOM_AT_BONE_COUNT, UINT32_MAX, 4, "bad_count", NULL},
    {"1000 bones", GEOM_AT_BONE_COUNT, 1000, 4, "truncated", NULL},
    {"skin controller", GEOM_AT_CONTROLLER, 99, 4, NULL, "skin_controller_index"},
    {"negative weight", GEOM_AT_WEIGHTS + 4, 0xbf000000, 4, NULL, "negative_weight"},
    {"a weight of 3", GEOM_AT_WEIGHTS, 0x40400000, 4, NULL, "weight_sum"},
    {"no weight", GEOM_AT_WEIGHTS, 0, 4, NULL, "no_weight"},
    {"a weight of no bone", GEOM_AT_WEIGHTS - 4, 7, 1, NULL, "joint_index"},
};

static const struct patch casp_patches[] = {
    {"version 0", 0, 0, 4, "bad_version", NULL},
    {"another version", 0, 20, 4, NULL, "casp_version"},
    {"table past the end", CASP_AT_TABLE, 0x7fffffff, 4, "bad_offset", NULL},
    {"table within the presets", CASP_AT_TABLE, 8, 4, "truncated", NULL},
    {"table before its place", CASP_AT_TABLE, 0x59 - 1, 4, "truncated", NULL},
    {"2^32 - 1 presets", CASP_AT_PRESETS, UINT32_MAX, 4, "bad_count", NULL},
    {"preset of 2^31 characters", CASP_AT_PRESET_LENGTH, 1u << 31, 4, "truncated", NULL},
    {"key 200", 0x47, 200, 1, NULL, "key_index"},
    {"clothing type", CASP_AT_CLOTHING, 0x1234, 4, NULL, "clothing_type"},
    {"species", CASP_AT_CLOTHING + 8, 0x2f30, 4, NULL, "species"},
    {"name of five bytes", CASP_AT_NAME, 0xffffffff, 4, "bad_string", NULL},
    {"odd name", CASP_AT_NAME, 9, 1, "bad_string", NULL},
};

static void put_value(uint8_t *to, uint32_t value, unsigned size)
{
    for (unsigned i = 0; i < size; i++)
        to[i] = (uint8_t)(value >> 8 * i);
}

static void check_patch(const char *format, const void *data, size_t size, const struct patch *patch)
{
    uint8_t bytes[512];
    struct pose_error error;
    ck_assert_uint_le(size, sizeof bytes);
    memcpy(bytes, data, size);
    put_value(bytes + patch->at, patch->value, patch->size);
    struct pose_document *document = codec_decode(format, bytes, size, &error);
    if (patch->code)
        ck_assert_msg(!document && !strcmp(error.code, patch->code), "%s: %s, %s", patch->what,
                      document ? "read" : error.code, document ? "" : error.detail);
    else
        ck_assert_msg(document && codec_warnings(document, patch->warning), "%s: %s", patch->what,
                      document ? "no such warning" : error.detail);
    pose_document_free(document);
}

TEST_EACH(hostile_geoms, COUNT(geom_patches))
{
    check_patch("sims3-geom", geom_example, sizeof geom_example, &geom_patches[_i]);
}

TEST_EACH(hostile_casps, COUNT(casp_patches))
{
    check_patch("sims3-casp", casp_example, sizeof casp_example, &casp_patches[_i]);
}

TEST(every_truncation_is_told)
{
    struct little_file file = {0};
    vpxy_put_sample(&file);
    for (size_t size = 0; size < sizeof geom_example; size++) {
        struct pose_error error;
        ck_assert_ptr_null(codec_decode("sims3-geom", geom_example, size, &error));
    }
    for (size_t size = 0; size < sizeof casp_example; size++) {
        struct pose_error error;
        ck_assert_ptr_null(codec_decode("sims3-casp", casp_example, size, &error));
    }
    for (size_t size = 0; size < file.bytes.size; size++) {
        struct pose_error error;
        ck_assert_ptr_null(codec_decode("sims3-vpxy", file.bytes.data, size, &error));
    }
    pose_buffer_free(&file.bytes);
}

TEST(bytes_after_the_end)
{
    uint8_t bytes[sizeof geom_example + 8] = {0};
    memcpy(bytes, geom_example, sizeof geom_example);
    struct pose_document *document = codec_must_decode("sims3-geom", bytes, sizeof bytes);
    ck_assert_uint_eq(codec_warnings(document, "trailing_bytes"), 1);
    ck_assert_uint_eq(codec_warnings(document, "rcol_index"), 1);
    pose_document_free(document);
}

TEST(a_table_that_was_moved)
{
    enum { MORE = 4 };
    uint8_t bytes[sizeof geom_example + MORE] = {0};
    memcpy(bytes, geom_example, GEOM_AT_KEYS);
    memcpy(bytes + GEOM_AT_KEYS + MORE, geom_example + GEOM_AT_KEYS, sizeof geom_example - GEOM_AT_KEYS);
    bytes[GEOM_AT_TABLE] += MORE;
    struct pose_document *document = codec_must_decode("sims3-geom", bytes, sizeof bytes);
    ck_assert_uint_eq(codec_warnings(document, "key_table_moved"), 1);
    ck_assert_str_eq(document->meshes->materials->image, "00B2D882-00000000-D413B1681775B1B5");
    pose_document_free(document);
}

TEST(hostile_lists)
{
    enum { CHUNK = 44, ENTRIES = 60, MARK = 79, BOUNDS = 80 };
    static const struct patch patches[] = {
        {"version", CHUNK + 4, 3, 4, "bad_version", NULL},
        {"table outside", CHUNK + 8, 0x7fffffff, 4, "bad_offset", NULL},
        {"kind 7", ENTRIES + 1, 7, 1, "bad_kind", NULL},
        {"255 entries", ENTRIES, 255, 1, "bad_kind", NULL},
        {"index 4000", ENTRIES + 4, 4000, 4, NULL, "key_index"},
        {"mark", MARK, 3, 1, "bad_kind", NULL},
        {"NaN bounds", BOUNDS, NAN_BITS, 4, "non_finite", NULL},
    };
    struct little_file file = {0};
    vpxy_put_sample(&file);
    for (size_t i = 0; i < sizeof patches / sizeof *patches; i++)
        check_patch("sims3-vpxy", file.bytes.data, file.bytes.size, &patches[i]);
    pose_buffer_free(&file.bytes);
}

/* --------------------------------------------------------------------------------------------- real files -- */

static const struct real {
    const char *file;
    uint32_t vertices, faces, bones;
    float low[3], high[3];
} reals[] = {
    {"afBodyDressSunbelt_lod1_0x00000000D9DBB6AB",
     2496,
     3962,
     60,
     {-0.717811f, 0.183107f, -0.143039f},
     {0.717811f, 1.675300f, 0.126892f}},
    {"afBodyDressSunbelt_lod1_1_0x000000001C81CA1B",
     12,
     8,
     7,
     {-0.140238f, 1.473090f, 0.014081f},
     {-0.097561f, 1.536090f, 0.048777f}},
    {"afBodyDressSunbelt_lod2_0x00000000D9DBB6A8", 1406, 1966, 27, {0}, {0}},
    {"afBodyDressSunbelt_lod3_0x00000000D9DBB6A9", 806, 852, 23, {0}, {0}},
    {"afTopBlouseOffShoulder_lod1_0x0000000086E31257",
     2011,
     3140,
     51,
     {-0.717811f, 0.968446f, -0.133653f},
     {0.717811f, 1.675300f, 0.126892f}},
};

static void check_box(const struct pose_mesh *mesh, const struct real *real)
{
    for (int i = 0; i < 3 && real->high[1] > 0; i++) {
        float low = INFINITY, high = -INFINITY;
        for (uint32_t v = 0; v < mesh->real_count; v++) {
            low = fminf(low, mesh->positions[v][i]);
            high = fmaxf(high, mesh->positions[v][i]);
        }
        ck_assert_float_eq_tol(low, real->low[i], 2e-6f);
        ck_assert_float_eq_tol(high, real->high[i], 2e-6f);
    }
}

TEST_EACH(real_meshes, COUNT(reals))
{
    char path[160];
    struct test_file file;
    snprintf(path, sizeof path, "sims3/meshes/dress/%s.simgeom", reals[_i].file);
    if (!corpus_read(path, &file))
        return;
    struct pose_document *document = codec_must_decode(NULL, file.data, file.size);
    const struct pose_mesh *mesh = document->meshes;
    ck_assert_uint_eq(codec_warnings(document, NULL), 0);
    ck_assert_uint_eq(mesh->real_count, reals[_i].vertices);
    ck_assert_uint_eq(mesh->face_count, reals[_i].faces);
    ck_assert_uint_eq(mesh->bone_count, reals[_i].bones);
    check_box(mesh, &reals[_i]);
    if (_i == 1) {
        check_near(mesh->positions[0], -0.133393f, 1.50195f, 0.023534f);
        check_near(mesh->normals[0], -0.298715f, 0.200728f, 0.932994f);
        ck_assert_float_eq_tol(mesh->uvs[0][0], 0.180496f, 1e-6f);
        ck_assert_uint_eq(mesh->vertex_ids[0], 6660);
        ck_assert_str_eq(mesh->bones[mesh->influences[0].bones[0]], "b__R_Clavicle__");
        ck_assert_str_eq(mesh->bones[mesh->influences[0].bones[3]], "b__R_ShoulderTwist__");
        ck_assert_float_eq_tol(mesh->influences[0].weights[0], 0.7775f, 1e-6f);
    }
    pose_document_free(document);
    check_way_back("sims3-geom", file.data, file.size);
    test_file_free(&file);
}

TEST(real_lists)
{
    static const char *const files[] = {
        "dress/736884F1_00000001_00000000008C9DFC", "objects/736884F1-00000001-00000000004CCCDB",
        "objects/736884F1-00000001-000000000077D115", "objects/736884F1-00000001-189D58428C1ACEA6"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char path[160];
        struct test_file file;
        snprintf(path, sizeof path, "sims3/meshes/%s.vpxy", files[i]);
        if (!corpus_read(path, &file))
            return;
        struct pose_document *document = codec_must_decode(NULL, file.data, file.size);
        ck_assert_str_eq(document->format, "sims3-vpxy");
        ck_assert_uint_eq(codec_warnings(document, NULL), 0);
        pose_document_free(document);
        check_way_back("sims3-vpxy", file.data, file.size);
        test_file_free(&file);
    }
}

TEST(of_the_sims_4)
{
    struct test_file file;
    if (!corpus_read("sims3/meshes/other/sims4-WaistFiller.simgeom", &file))
        return;
    struct pose_error error = codec_must_fail(NULL, file.data, file.size, "bad_version");
    ck_assert_msg(strstr(error.detail, "The Sims 4"), "%s", error.detail);
    test_file_free(&file);
}
