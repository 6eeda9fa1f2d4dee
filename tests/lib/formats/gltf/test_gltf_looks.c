/* What materials show: KHR_texture_transform moves the UVs. */
#include "tests/support/codecs.h"
#include "tests/support/gltf_files.h"
#include "tests/support/unit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define NO_MOVE "\"texCoord\":0"
#define MOVE(members) "\"extensions\":{\"KHR_texture_transform\":{" members "}}"
#define IMAGE(move) "\"baseColorTexture\":{\"index\":0," move "}"
#define MATERIAL(image) "{\"pbrMetallicRoughness\":{" image "}}"

/* A grey pixel. */
#define PIXEL                                                                                                \
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR42mNo"                                           \
    "AAAAggCB2kUIOwAAAABJRU5ErkJggg=="
#define PICTURE "\"images\":[{\"uri\":\"data:image/png;base64," PIXEL "\"}],\"textures\":[{\"source\":0}]"

/* Decodes a mesh of two triangles with two UV sets: the corners (0, 0) (1, 0) (0.5, 1), and the same plus 10. material:
 * of each triangle; own: the second has vertices of its own. */
static struct pose_document *read_mesh(const char *materials, const unsigned material[2], bool own)
{
    static const float places[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0}, first[6] = {0, 0, 1, 0, 0.5f, 1},
                       second[6] = {10, 10, 11, 10, 10.5f, 11}, times[2] = {0, 1}, moves[6] = {0};
    struct gltf_file file = {0};
    char members[4000];
    for (unsigned i = 0; i < 2; i++) {
        gltf_put_floats(&file, 3, 3, places);
        gltf_put_floats(&file, 2, 3, first);
        gltf_put_floats(&file, 2, 3, second);
    }
    gltf_put_floats(&file, 1, 2, times);
    gltf_put_floats(&file, 3, 2, moves);
    unsigned k = own ? 3 : 0;
    snprintf(
        members, sizeof members,
        "\"nodes\":[{\"name\":\"n\",\"mesh\":0}],\"animations\":[{\"samplers\":[{\"input\":6,\"output\":7}],"
        "\"channels\":[{\"sampler\":0,\"target\":{\"node\":0,\"path\":\"translation\"}}]}],%s,"
        "\"materials\":[%s],\"meshes\":[{\"primitives\":["
        "{\"attributes\":{\"POSITION\":0,\"TEXCOORD_0\":1,\"TEXCOORD_1\":2},\"material\":%u},"
        "{\"attributes\":{\"POSITION\":%u,\"TEXCOORD_0\":%u,\"TEXCOORD_1\":%u},\"material\":%u}]}]",
        PICTURE, materials, material[0], k, k + 1, k + 2, material[1]);
    gltf_write(&file, false, members);
    struct pose_document *document = codec_must_decode("gltf", file.bytes.data, file.bytes.size);
    gltf_free(&file);
    ck_assert_uint_eq(document->mesh_count, 1);
    return document;
}

static const float (*set_of(const struct pose_mesh *mesh, uint32_t set))[2]
{
    return set ? mesh->further_uvs[set - 1] : mesh->uvs;
}

static void check_uv(const float uv[2], float u, float v)
{
    ck_assert_msg(fabsf(uv[0] - u) < 1e-6f && fabsf(uv[1] - v) < 1e-6f, "(%g, %g), not (%g, %g)",
                  (double)uv[0], (double)uv[1], (double)u, (double)v);
}

static bool is_warned(const struct pose_document *document)
{
    for (uint32_t i = 0; i < document->warning_count; i++) {
        if (!strcmp(document->warnings[i].code, "texture_transform"))
            return true;
    }
    return false;
}

TEST(uvs_are_scaled_then_turned_then_moved)
{
    static const struct {
        const char *material;
        float corners[3][2];
    } rows[] = {
        {MATERIAL(IMAGE(MOVE("\"offset\":[0.5,0],\"scale\":[0.5,1]"))), {{0.5f, 0}, {1, 0}, {0.75f, 1}}},
        /* The lower left quadrant, turned clockwise: an example of the extension's page. */
        {MATERIAL(IMAGE(MOVE("\"offset\":[0,1],\"rotation\":1.57079632679,\"scale\":[0.5,0.5]"))),
         {{0, 1}, {0, 0.5f}, {0.5f, 0.75f}}},
        {MATERIAL(IMAGE(MOVE("\"offset\":[0,1],\"scale\":[1,-1]"))), {{0, 1}, {1, 1}, {0.5f, 0}}},
        {MATERIAL(IMAGE(MOVE("\"rotation\":1.57079632679,\"scale\":[2,3]"))), {{0, 0}, {0, -2}, {3, -1}}},
        {MATERIAL(IMAGE(MOVE(""))), {{0, 0}, {1, 0}, {0.5f, 1}}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct pose_document *document = read_mesh(rows[i].material, (unsigned[]){0, 0}, false);
        const struct pose_mesh *mesh = document->meshes;
        ck_assert(!is_warned(document));
        ck_assert_uint_eq(mesh->materials->image_uv, 0);
        for (unsigned k = 0; k < 3; k++)
            check_uv(mesh->uvs[k], rows[i].corners[k][0], rows[i].corners[k][1]);
        pose_document_free(document);
    }
}

TEST(the_transform_names_another_set)
{
    struct pose_document *document =
        read_mesh(MATERIAL(IMAGE(MOVE("\"offset\":[1,2],\"texCoord\":1"))), (unsigned[]){0, 0}, false);
    const struct pose_mesh *mesh = document->meshes;
    ck_assert_uint_eq(mesh->materials->image_uv, 1);
    check_uv(mesh->uvs[1], 1, 0);
    check_uv(set_of(mesh, 1)[1], 12, 12);
    pose_document_free(document);
}

/* Also where the materials are as stored and moved. */
TEST(materials_that_share_vertices_get_a_set_each)
{
    static const char materials[] = MATERIAL(IMAGE(MOVE("\"offset\":[1,0]"))) "," MATERIAL(IMAGE(NO_MOVE));
    for (unsigned turned = 0; turned < 2; turned++) {
        struct pose_document *document = read_mesh(materials, (unsigned[]){turned, !turned}, false);
        const struct pose_mesh *mesh = document->meshes;
        ck_assert_uint_eq(mesh->further_uv_count, 2);
        uint32_t moved = mesh->materials[turned].image_uv, still = mesh->materials[!turned].image_uv;
        ck_assert_uint_ne(moved, still);
        check_uv(set_of(mesh, moved)[1], 2, 0);
        check_uv(set_of(mesh, still)[1], 1, 0);
        check_uv(set_of(mesh, 1)[1], 11, 10);
        pose_document_free(document);
    }
}

TEST(materials_with_vertices_of_their_own_share_the_set)
{
    struct pose_document *document = read_mesh(
        MATERIAL(IMAGE(MOVE("\"offset\":[1,0]"))) "," MATERIAL(IMAGE(NO_MOVE)), (unsigned[]){0, 1}, true);
    const struct pose_mesh *mesh = document->meshes;
    ck_assert_uint_eq(mesh->further_uv_count, 1);
    ck_assert_uint_eq(mesh->materials[0].image_uv + mesh->materials[1].image_uv, 0);
    check_uv(mesh->uvs[1], 2, 0);
    check_uv(mesh->uvs[4], 1, 0);
    pose_document_free(document);
}

TEST(an_emissive_texture_has_its_own)
{
    struct pose_document *document =
        read_mesh("{\"pbrMetallicRoughness\":{" IMAGE(NO_MOVE) "},\"emissiveTexture\":{\"index\":0," MOVE(
                      "\"offset\":[0,5]") "}}",
                  (unsigned[]){0, 0}, false);
    const struct pose_mesh *mesh = document->meshes;
    ck_assert_uint_eq(mesh->materials->image_uv, 0);
    ck_assert_uint_eq(mesh->materials->emissive_uv, 2);
    check_uv(mesh->uvs[1], 1, 0);
    check_uv(set_of(mesh, 2)[1], 1, 5);
    pose_document_free(document);
}

/* Materials of older programs; what metal and roughness say of the colour comes first. */
TEST(a_colour_by_specular_and_gloss)
{
#define GLOSS(members) "\"extensions\":{\"KHR_materials_pbrSpecularGlossiness\":{" members "}}"
#define DIFFUSE "\"diffuseFactor\":[0.5,0,0,1],\"diffuseTexture\":{\"index\":0," MOVE("\"offset\":[1,0]") "}"
    static const struct {
        const char *material;
        float red, u;
        bool has_image;
    } rows[] = {
        {"{" GLOSS(DIFFUSE) "}", 0.5f, 2, true},
        {"{\"pbrMetallicRoughness\":{\"metallicFactor\":0}," GLOSS(DIFFUSE) "}", 0.5f, 2, true},
        {"{\"pbrMetallicRoughness\":{" IMAGE(NO_MOVE) "}," GLOSS(DIFFUSE) "}", 1, 1, true},
        {"{\"pbrMetallicRoughness\":{\"baseColorFactor\":[0.25,1,1,1]}," GLOSS(DIFFUSE) "}", 0.25f, 1, false},
        {"{" GLOSS("") "}", 1, 1, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct pose_document *document = read_mesh(rows[i].material, (unsigned[]){0, 0}, false);
        const struct pose_material *material = document->meshes->materials;
        ck_assert_float_eq(material->base_color[0], rows[i].red);
        ck_assert(rows[i].has_image == (material->image != NULL));
        check_uv(document->meshes->uvs[1], rows[i].u, 0);
        pose_document_free(document);
    }
}

TEST(what_is_no_transform_is_ignored_with_a_warning)
{
    static const char *const materials[] = {
        MATERIAL(IMAGE(MOVE("\"offset\":[1e39,0]"))), MATERIAL(IMAGE(MOVE("\"offset\":[1e30,0]"))),
        MATERIAL(IMAGE(MOVE("\"scale\":[1]"))),       MATERIAL(IMAGE(MOVE("\"scale\":[1,2,3]"))),
        MATERIAL(IMAGE(MOVE("\"scale\":{\"a\":1}"))), MATERIAL(IMAGE(MOVE("\"rotation\":\"1\""))),
        MATERIAL(IMAGE(MOVE("\"rotation\":-1e300"))), MATERIAL(IMAGE(MOVE("\"texCoord\":-1"))),
        MATERIAL(IMAGE(MOVE("\"scale\":[null,1]"))),  MATERIAL(IMAGE(MOVE("\"offset\":7"))),
    };
    for (size_t i = 0; i < sizeof materials / sizeof *materials; i++) {
        struct pose_document *document = read_mesh(materials[i], (unsigned[]){0, 0}, false);
        ck_assert_msg(is_warned(document), "%s", materials[i]);
        check_uv(document->meshes->uvs[2], 0.5f, 1);
        pose_document_free(document);
    }
}

TEST(four_textures_on_the_same_vertices)
{
    char materials[2000] = "";
    for (unsigned i = 0; i < 2; i++) {
        size_t length = strlen(materials);
        snprintf(materials + length, sizeof materials - length,
                 "%s{\"pbrMetallicRoughness\":{\"baseColorTexture\":{\"index\":0,\"extensions\":"
                 "{\"KHR_texture_transform\":{\"offset\":[%u,0]}}}},\"emissiveTexture\":{\"index\":0,"
                 "\"extensions\":{\"KHR_texture_transform\":{\"offset\":[%u,0]}}}}",
                 i ? "," : "", 2 * i + 1, 2 * i + 2);
    }
    struct pose_document *document = read_mesh(materials, (unsigned[]){0, 1}, false);
    const struct pose_mesh *mesh = document->meshes;
    ck_assert(!is_warned(document));
    ck_assert_uint_eq(mesh->further_uv_count, 4);
    for (unsigned i = 0; i < 2; i++) {
        check_uv(set_of(mesh, mesh->materials[i].image_uv)[0], (float)(2 * i + 1), 0);
        check_uv(set_of(mesh, mesh->materials[i].emissive_uv)[0], (float)(2 * i + 2), 0);
    }
    pose_document_free(document);
}

static const struct pose_warning *find_warning(const struct pose_document *document, const char *code)
{
    for (uint32_t i = 0; i < document->warning_count; i++) {
        if (!strcmp(document->warnings[i].code, code))
            return &document->warnings[i];
    }
    return NULL;
}

/* The first two accessors: the keys of a clip. */
static void put_keys(struct gltf_file *file)
{
    static const float times[2] = {0, 1}, moves[6] = {0};
    gltf_put_floats(file, 1, 2, times);
    gltf_put_floats(file, 3, 2, moves);
}

/* A file of a clip of one node, and what it shows. */
static struct pose_document *read_clip(struct gltf_file *file, const char *members)
{
    char all[4000];
    snprintf(
        all, sizeof all,
        "\"nodes\":[{\"name\":\"n\",\"mesh\":0}],\"animations\":[{\"samplers\":[{\"input\":0,"
        "\"output\":1}],\"channels\":[{\"sampler\":0,\"target\":{\"node\":0,\"path\":\"translation\"}}]}],%s",
        members);
    gltf_write(file, false, all);
    struct pose_document *document = codec_must_decode("gltf", file->bytes.data, file->bytes.size);
    gltf_free(file);
    ck_assert_uint_eq(document->clip_count, 1);
    ck_assert_uint_eq(document->clips->key_count, 2);
    return document;
}

TEST(a_picture_of_an_extension_is_said_to_be_missing)
{
    static const char *const extensions[] = {"EXT_texture_webp", "KHR_texture_basisu"};
    static const float places[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0}, uvs[6] = {0};
    for (unsigned i = 0; i < 4; i++) {
        struct gltf_file file = {0};
        char members[2000];
        put_keys(&file);
        gltf_put_floats(&file, 3, 3, places);
        gltf_put_floats(&file, 2, 3, uvs);
        /* Of the last two one has a plain image beside it. */
        snprintf(
            members, sizeof members,
            "\"images\":[{\"uri\":\"a.webp\"},{\"uri\":\"data:image/png;base64,%s\"}],"
            "\"textures\":[{%s\"extensions\":{\"%s\":{\"source\":0}}}],"
            "\"materials\":[" MATERIAL(IMAGE(NO_MOVE)) "],"
                                                       "\"meshes\":[{\"primitives\":[{\"attributes\":{"
                                                       "\"POSITION\":2,\"TEXCOORD_0\":3},\"material\":0}]}]",
            PIXEL, i > 1 ? "\"source\":1," : "", extensions[i % 2]);
        struct pose_document *document = read_clip(&file, members);
        const struct pose_warning *warning = find_warning(document, "image_left_out");
        ck_assert_int_eq(warning != NULL, i < 2);
        ck_assert(!warning || strstr(warning->message, extensions[i]));
        ck_assert_int_eq(document->meshes->materials->image != NULL, i > 1);
        pose_document_free(document);
    }
}

/* Its clip is read; the 36 bytes of version 1 are less than version 0 could have. */
TEST(a_mesh_packed_otherwise_is_left_out_alone)
{
    static const struct {
        const char *mode, *word;
        uint8_t first;
    } rows[] = {{"ATTRIBUTES", "version 1", 0xa1},
                {"TRIANGLES", "ATTRIBUTES", 0xe1},
                {"INDICES", "ATTRIBUTES", 0xd1}};
    static const char *const extensions[] = {"EXT_meshopt_compression", "KHR_meshopt_compression"};
    for (unsigned i = 0; i < 6; i++) {
        struct gltf_file file = {0};
        uint8_t bytes[36] = {rows[i / 2].first};
        char view[300];
        put_keys(&file);
        gltf_put_bytes(&file, bytes, sizeof bytes);
        file.views.size--; /* its brace */
        snprintf(view, sizeof view,
                 ",\"extensions\":{\"%s\":{\"buffer\":0,\"byteOffset\":32,\"byteLength\":36,\"byteStride\":"
                 "12,\"count\":3,"
                 "\"mode\":\"%s\"}}}",
                 extensions[i % 2], rows[i / 2].mode);
        ck_assert(pose_buffer_append(&file.views, view, strlen(view)));
        gltf_put_accessor(&file, "{\"bufferView\":2,\"componentType\":5126,\"count\":3,\"type\":\"VEC3\"}");
        struct pose_document *document =
            read_clip(&file, "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":2}}]}]");
        const struct pose_warning *warning = find_warning(document, "mesh_left_out");
        ck_assert(warning && strstr(warning->message, "/bufferViews/2/extensions/") &&
                  strstr(warning->message, "accessor 2 is packed") &&
                  strstr(warning->message, rows[i / 2].word));
        ck_assert_uint_eq(document->mesh_count, 0);
        pose_document_free(document);
    }
}
