/* Models of Metroid Prime: what they hold, and the hostile ones of prime-cmdl.md 8 by their names there. */
#include "tests/support/codecs.h"
#include "tests/support/prime/models.h"
#include "tests/support/unit.h"

#include <math.h>
#include <string.h>

static const char FORMAT[] = "prime-cmdl";

static struct pose_document *must_decode(const struct prime_made *made)
{
    return codec_must_decode(FORMAT, made->bytes.data, made->bytes.size);
}

static void expect3(const float *got, double x, double y, double z)
{
    const double wanted[3] = {x, y, z};
    for (int i = 0; i < 3; i++)
        ck_assert_double_eq_tol((double)got[i], wanted[i], 1e-6);
}

TEST(small_models_are_read)
{
    static const uint32_t versions[] = {1, 2, 3, 4};
    for (int i = 0; i < 4; i++) {
        struct prime_made made;
        prime_make_model(&made, versions[i], NULL);
        struct pose_document *document = must_decode(&made);
        const struct pose_mesh *mesh = document->meshes;
        ck_assert_uint_eq(codec_warnings(document, NULL), 0);
        ck_assert_int_eq(mesh->space, POSE_SPACE_BIND);
        ck_assert_int_eq(mesh->axes, POSE_AXES_PRIME);
        ck_assert_uint_eq(mesh->face_count, 3);
        ck_assert_uint_eq(mesh->primitive_count, 2);
        ck_assert_uint_eq(mesh->primitives[0].face_count, 2);
        ck_assert_uint_eq(mesh->primitives[1].material, 1);
        /* The second surface has no second UVs, so its corners are other vertices. */
        ck_assert_uint_eq(mesh->real_count, 7);
        ck_assert_uint_eq(mesh->vertex_ids[5], 2);
        ck_assert_uint_eq(mesh->vertex_slots != NULL, i >= 2);
        expect3(mesh->positions[2], 1, 0, 1);
        expect3(mesh->normals[2], 0, -0.6, 0.8);
        ck_assert_float_eq(mesh->uvs[1][0], 1);
        ck_assert_uint_eq(mesh->further_uv_count, 1);
        ck_assert_float_eq(mesh->further_uvs[0][1][1], 0);
        ck_assert_str_eq(pose_value_find(mesh->extras, "game")->as.string, i < 2 ? "mp1" : "mp2");
        ck_assert_int_eq(pose_value_find(mesh->extras, "material_sets") != NULL, i != 0);
        pose_document_free(document);
        pose_buffer_free(&made.bytes);
    }
}

TEST(strips_turn_every_other_face)
{
    struct prime_made made;
    prime_make_model(&made, 2, NULL);
    struct pose_document *document = must_decode(&made);
    static const uint32_t wanted[2][3] = {{0, 1, 2}, {1, 3, 2}};
    ck_assert_mem_eq(document->meshes->faces, wanted, sizeof wanted);
    pose_document_free(document);
    pose_buffer_free(&made.bytes);
}

static struct pose_document *decode_primitive(unsigned opcode, unsigned count)
{
    static const float positions[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                          {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
    static const struct made_corner corners[8] = {{0, 0, 0, 0, 0}, {1, 1, 1, 1, 0}, {2, 2, 2, 2, 0},
                                                  {3, 3, 3, 3, 0}, {4, 4, 4, 4, 0}, {5, 5, 5, 5, 0},
                                                  {6, 6, 6, 6, 0}, {7, 7, 7, 7, 0}};
    const struct made_primitive primitive = {opcode, count, corners};
    const struct made_surface surface = {0, -1, 1, &primitive};
    const struct made_material material = {.attributes = 2,
                                           .blend_source = 1}; /* byte indices of positions alone */
    const uint32_t no_texture = 0;
    const struct made_model model = {.version = 2,
                                     .set_count = 1,
                                     .textures = &no_texture,
                                     .material_count = 1,
                                     .materials = &material,
                                     .position_count = 8,
                                     .positions = positions,
                                     .normals = positions,
                                     .surface_count = 1,
                                     .surfaces = &surface};
    struct prime_made made = {0};
    made_put_model(&made, &model, NULL);
    struct pose_document *document = must_decode(&made);
    pose_buffer_free(&made.bytes);
    return document;
}

TEST(primitives_become_triangles)
{
    static const struct {
        unsigned opcode, count;
        uint32_t faces, first[3][3];
        bool is_odd;
    } rows[] = {
        {0x80, 8, 4, {{0, 1, 2}, {0, 2, 3}, {4, 5, 6}}, false},
        {0x80, 6, 2, {{0, 1, 2}, {0, 2, 3}}, true},
        {0x90, 6, 2, {{0, 1, 2}, {3, 4, 5}}, false},
        {0x98, 5, 3, {{0, 1, 2}, {1, 3, 2}, {2, 3, 4}}, false},
        {0xa0, 5, 3, {{0, 1, 2}, {0, 2, 3}, {0, 3, 4}}, false},
        {0xa8, 4, 0, {{0}}, false},
        {0xb0, 4, 0, {{0}}, false},
        {0xb8, 4, 0, {{0}}, false},
        {0xa0, 2, 0, {{0}}, true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct pose_document *document = decode_primitive(rows[i].opcode, rows[i].count);
        const struct pose_mesh *mesh = document->meshes;
        ck_assert_uint_eq(mesh->face_count, rows[i].faces);
        for (uint32_t k = 0; k < rows[i].faces && k < 3; k++)
            ck_assert_mem_eq(mesh->faces[k], rows[i].first[k], sizeof rows[i].first[k]);
        ck_assert_uint_eq(codec_warnings(document, "odd_primitive"), rows[i].is_odd);
        ck_assert_ptr_null(mesh->normals);
        pose_document_free(document);
    }
}

TEST(materials_are_interpreted)
{
    struct prime_made made;
    prime_make_model(&made, 4, NULL);
    struct pose_document *document = must_decode(&made);
    const struct pose_material *first = &document->meshes->materials[0], *second = first + 1;
    ck_assert_str_eq(first->image, "0000AA01");
    ck_assert_uint_eq(first->image_uv, 0);
    ck_assert_str_eq(first->emissive_image, "0000AA02");
    ck_assert_uint_eq(first->emissive_uv, 1);
    ck_assert_float_eq(first->emissive[2], 1);
    ck_assert_int_eq(first->alpha, POSE_OPAQUE);
    ck_assert(!first->two_sided);
    /* No picture: the constant is the colour, and the alpha of the last stage. */
    ck_assert_ptr_null(second->image);
    ck_assert_int_eq(second->alpha, POSE_BLEND);
    expect3(second->base_color, 0.2, 0.4, 0.8);
    ck_assert_double_eq_tol((double)second->base_color[3], 128 / 255.0, 1e-6);
    pose_document_free(document);
    pose_buffer_free(&made.bytes);
}

static struct pose_document *decode_changed(uint32_t version, const struct made_change *changes)
{
    struct prime_made made;
    prime_make_model(&made, version, changes);
    struct pose_document *document = must_decode(&made);
    pose_buffer_free(&made.bytes);
    return document;
}

TEST(flags_of_materials_count)
{
    struct pose_document *document =
        decode_changed(2, (const struct made_change[]){{"material_flags", 0x1003 | 0x20}, {NULL, 0}});
    ck_assert_int_eq(document->meshes->materials[0].alpha, POSE_MASK);
    ck_assert_float_eq(document->meshes->materials[0].cutoff, 64.0f / 255);
    pose_document_free(document);
    /* An occluder is never drawn. */
    document = decode_changed(2, (const struct made_change[]){{"material_flags", 0x1003 | 0x200}, {NULL, 0}});
    ck_assert_uint_eq(document->meshes->primitive_count, 1);
    ck_assert_uint_eq(document->meshes->face_count, 1);
    pose_document_free(document);
    /* A lightmap in the first stage is looked at last. */
    document = decode_changed(2, (const struct made_change[]){{"material_flags", 0x1003 | 0x800}, {NULL, 0}});
    ck_assert_str_eq(document->meshes->materials[0].image, "0000AA02");
    pose_document_free(document);
}

TEST(short_normals_are_normalised)
{
    struct pose_document *document = decode_changed(2, (const struct made_change[]){{"flags", 0}, {NULL, 0}});
    pose_document_free(document);
    static const float positions[3][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    static const float normals[3][3] = {{0, 0, 1}, {0, 0.6f, 0.8f}, {0.5f, 0, 0}};
    static const uint16_t short_uvs[3][2] = {{0, 0x8000}, {0x4000, 0xffff}, {1, 2}};
    static const struct made_corner corners[3] = {{0, 0, 0, 0, 0}, {1, 1, 1, 0, 0}, {2, 2, 2, 0, 0}};
    static const struct made_primitive primitive = {0x92, 3, corners};
    static const struct made_surface surface = {0, -1, 1, &primitive};
    const struct made_material material = {.flags = 0x2000, .attributes = 0x30f, .blend_source = 1};
    const uint32_t no_texture = 0;
    const struct made_model model = {.version = 2,
                                     .flags = 6,
                                     .set_count = 1,
                                     .textures = &no_texture,
                                     .material_count = 1,
                                     .materials = &material,
                                     .position_count = 3,
                                     .positions = positions,
                                     .normals = normals,
                                     .short_uv_count = 3,
                                     .short_uvs = short_uvs,
                                     .surface_count = 1,
                                     .surfaces = &surface};
    struct prime_made made = {0};
    made_put_model(&made, &model, NULL);
    document = must_decode(&made);
    ck_assert_uint_eq(codec_warnings(document, NULL), 0);
    ck_assert_double_eq_tol((double)document->meshes->normals[1][2], 0.8, 1e-4);
    expect3(document->meshes->normals[2], 1, 0, 0);
    ck_assert_float_eq(document->meshes->uvs[0][1], 1);
    ck_assert_float_eq(document->meshes->uvs[1][0], 0.5f);
    pose_document_free(document);
    pose_buffer_free(&made.bytes);
}

/* ------------------------------------------------------------------------------------------------- refused -- */

static const struct hostile {
    const char *name;
    uint32_t version;
    struct made_change changes[4];
    const char *code;
} hostile[] = {
    {"magic", 2, {{"magic", 0xdeadbabf}}, "bad_magic"},
    {"dkcr", 2, {{"magic", 0x9381000a}}, "unsupported_version"},
    {"version_0", 2, {{"version", 0}}, "unsupported_version"},
    {"version_5", 2, {{"version", 5}}, "unsupported_version"},
    {"version_6", 2, {{"version", 6}}, "unsupported_version"},
    {"box_nan", 2, {{"box", 0x7fc00000}}, "not_finite"},
    {"sections_4g", 2, {{"section_count", 0xffffffff}}, "bad_count"},
    {"sections_0", 2, {{"section_count", 0}}, "bad_count"},
    {"section_sizes_wrap", 2, {{"section_size", 0xffffffe0}}, "truncated"},
    {"sets_0", 2, {{"set_count", 0}}, "bad_count"},
    {"sets_4g", 2, {{"set_count", 0xffffffff}}, "bad_count"},
    {"sets_65", 2, {{"set_count", 65}}, "bad_count"},
    {"textures_4g", 2, {{"texture_count", 0xffffffff}}, "bad_count"},
    {"materials_4g", 2, {{"material_count", 0xffffffff}}, "bad_count"},
    {"material_end_0", 2, {{"material_end", 0}}, "bad_offset"},
    {"material_end_past_section", 2, {{"material_end", 0x10000}}, "bad_offset"},
    {"material_end_early", 2, {{"material_end", 8}}, "truncated"},
    {"materials_share_bytes", 2, {{"material_end", 100}, {"material_end", 100}}, "bad_offset"},
    {"material_textures_9", 2, {{"material_texture_count", 9}}, "bad_count"},
    {"material_texture_index", 2, {{"material_texture", 2}}, "bad_index"},
    {"vertex_flags_0", 2, {{"attributes", 0}}, "bad_vertex_format"},
    {"vertex_position_direct", 2, {{"attributes", 0x30d}}, "bad_vertex_format"},
    {"vertex_tex7", 2, {{"attributes", 0x00c0030f}}, "bad_vertex_format"},
    {"vertex_matrix_in_mp1", 2, {{"attributes", 0x0100030f}}, "bad_vertex_format"},
    {"konst_4g", 2, {{"konst_count", 0xffffffff}}, "bad_count"},
    {"konst_5", 2, {{"konst_count", 5}}, "bad_count"},
    {"blend_factor_8", 2, {{"blend_source", 8}}, "bad_value"},
    {"blend_destination_8", 2, {{"blend_destination", 8}}, "bad_value"},
    {"indirect_index", 2, {{"indirect", 1}}, "bad_index"},
    {"channels_4g", 2, {{"channel_count", 0xffffffff}}, "bad_count"},
    {"stages_17", 2, {{"stage_count", 17}}, "bad_count"},
    {"stages_16_cut", 2, {{"stage_count", 16}}, "truncated"},
    {"coords_9", 2, {{"coordinate_count", 9}}, "bad_count"},
    {"uv_size_0", 2, {{"uv_size", 0}}, "bad_count"},
    {"uv_size_4g", 2, {{"uv_size", 0xffffffff}}, "bad_count"},
    {"uv_count_11", 2, {{"uv_count", 11}}, "bad_count"},
    {"uv_value_nan", 2, {{"uv_value", 0x7fc00000}}, "not_finite"},
    {"surfaces_4g", 2, {{"surface_count", 0xffffffff}}, "bad_count"},
    {"surfaces_more_than_sections", 2, {{"surface_count", 3}}, "bad_count"},
    {"surface_material", 2, {{"surface_material", 2}}, "bad_index"},
    {"surface_center_inf", 2, {{"center", 0x7f800000}}, "not_finite"},
    {"surface_normal_nan", 4, {{"surface_normal", 0x7fc00000}}, "not_finite"},
    {"surface_extra_4g", 2, {{"extra_size", 0xffffffff}}, "bad_count"},
    {"display_list_size", 2, {{"list_size", 0x80010000}}, "truncated"},
    {"opcode_call_list", 2, {{"opcode", 0x40}}, "bad_opcode"},
    {"opcode_bp", 2, {{"opcode", 0x61}}, "bad_opcode"},
    {"opcode_cp", 2, {{"opcode", 0x08}}, "bad_opcode"},
    {"opcode_88", 2, {{"opcode", 0x88}}, "bad_opcode"},
    {"vertex_format_3", 2, {{"opcode", 0x9b}}, "bad_opcode"},
    {"vertex_format_5", 2, {{"opcode", 0x9d}}, "bad_opcode"},
    {"vertex_count_65535", 2, {{"corner_count", 65535}}, "truncated"},
    {"position_index", 2, {{"corner_position", 65535}}, "bad_index"},
    {"normal_index", 2, {{"corner_normal", 65535}}, "bad_index"},
    {"texcoord_index", 2, {{"corner_uv", 65535}}, "bad_index"},
    {"color_without_array",
     2,
     {{"attributes", 0x33f}, {"attributes", 0x30f}, {"attributes", 0x33f}},
     "bad_index"},
    {"short_texcoord_without_array", 2, {{"material_flags", 0x3003}}, "bad_index"},
    {"position_nan", 2, {{"position", 0x7fc00000}}, "not_finite"},
    {"used_normal_inf", 2, {{"normal", 0xff800000}}, "not_finite"},
    {"used_uv_nan", 2, {{"uv", 0x7fc00000}}, "not_finite"},
};

TEST_EACH(hostile_models_are_refused, COUNT(hostile))
{
    const struct hostile *row = &hostile[_i];
    struct prime_made made;
    prime_make_model(&made, row->version, row->changes);
    struct pose_error error = codec_must_fail(FORMAT, made.bytes.data, made.bytes.size, row->code);
    ck_assert_msg(error.offset <= made.bytes.size, "%s: %s", row->name, error.detail);
    ck_assert_uint_lt(codec_memory(FORMAT, made.bytes.data, made.bytes.size), 1 << 20);
    pose_buffer_free(&made.bytes);
}

/* The second set's first material has other vertices than the first one's. */
TEST(sets_that_disagree_are_refused)
{
    struct prime_made made;
    prime_make_model(&made, 2, NULL);
    static const uint8_t attributes[] = {0, 0, 0x0f, 0x0f};
    uint8_t *first = memmem(made.bytes.data, made.bytes.size, attributes, sizeof attributes);
    ck_assert_ptr_nonnull(first);
    size_t left = made.bytes.size - (size_t)(first + 4 - made.bytes.data);
    uint8_t *second = memmem(first + 4, left, attributes, sizeof attributes);
    ck_assert_ptr_nonnull(second);
    second[2] = 0x03;
    codec_must_fail(FORMAT, made.bytes.data, made.bytes.size, "bad_vertex_format");
    pose_buffer_free(&made.bytes);
}

TEST(trailing_bytes_are_refused)
{
    struct prime_made made;
    prime_make_model(&made, 2, NULL);
    for (int i = 0; i < 63; i++)
        made_put_u8(&made, 0xff);
    pose_document_free(must_decode(&made));
    made_put_u8(&made, 0xff);
    codec_must_fail(FORMAT, made.bytes.data, made.bytes.size, "trailing");
    made.bytes.size -= 2;
    made_put_u8(&made, 1);
    codec_must_fail(FORMAT, made.bytes.data, made.bytes.size, "trailing");
    pose_buffer_free(&made.bytes);
}

TEST(every_truncation_is_told)
{
    struct prime_made made;
    prime_make_model(&made, 4, NULL);
    for (size_t size = 0; size < made.bytes.size; size++) {
        struct pose_error error;
        struct pose_document *document = codec_decode(FORMAT, made.bytes.data, size, &error);
        ck_assert_msg(!document, "%zu bytes are enough", size);
        ck_assert_msg(!strcmp(error.code, "truncated") || !strcmp(error.code, "bad_count"), "%zu: %s", size,
                      error.detail);
    }
    pose_buffer_free(&made.bytes);
}

TEST(a_forced_game_must_agree)
{
    struct prime_made made;
    struct pose_error error;
    prime_make_model(&made, 2, NULL);
    struct pose_source source = {
        .bytes = {made.bytes.data, made.bytes.size}, .format = FORMAT, .game = "mp2"};
    ck_assert_ptr_null(pose_decode(&source, NULL, &error));
    ck_assert_str_eq(error.code, "wrong_game");
    pose_buffer_free(&made.bytes);
}

/* What is odd and can be drawn all the same. */
TEST(oddities_are_told)
{
    static const struct {
        uint32_t version;
        struct made_change change;
        const char *warning;
    } rows[] = {
        {2, {"flags", 0x100}, "unknown_flags"},
        {2, {"box", 0x40000000}, "bad_box"},
        {2, {"surface_offset", 1}, "surface_offset"},
        {2, {"list_size", 0x80000001}, "list_size"},
        {2, {"slot", 7}, "stage_without"},
        {2, {"uv_type", 9}, "unknown_uv_animation"},
        {2, {"opcode", 0x99}, "vertex_format"},
        {4, {"matrix", 4}, "matrix_byte"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct pose_document *document =
            decode_changed(rows[i].version, (const struct made_change[]){rows[i].change, {NULL, 0}});
        ck_assert_msg(codec_warnings(document, rows[i].warning) == 1, "%s", rows[i].warning);
        ck_assert_uint_eq(document->meshes->face_count, 3);
        pose_document_free(document);
    }
}
