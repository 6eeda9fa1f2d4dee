/* Broken and hostile glTF: each is refused with a JSON pointer (or the byte) as the place, and takes little memory. */
#include "tests/support/codecs.h"
#include "tests/support/gltf_files.h"
#include "tests/support/unit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEAD "{\"asset\":{\"version\":\"2.0\"},"
/* 16 zero bytes in one view, and an animation of one channel whose output is to be filled in. */
#define BUFFER "\"buffers\":[{\"byteLength\":16,\"uri\":\"data:;base64,AAAAAAAAAAAAAAAAAAAAAA==\"}],"
#define VIEW BUFFER "\"bufferViews\":[{\"buffer\":0,\"byteLength\":16}],"
#define GO(path)                                                                                             \
    "\"nodes\":[{}],\"animations\":[{\"channels\":[{\"sampler\":0,\"target\":{\"node\":0,\"path\":\"" path   \
    "\"}}],\"samplers\":[{\"input\":0,\"output\":1}]}],"
#define MOVE GO("translation")
#define TIME "{\"bufferView\":0,\"componentType\":5126,\"count\":1,\"type\":\"SCALAR\"}"
/* An output that is as given but for its type. */
#define OUTPUT(members) HEAD VIEW MOVE "\"accessors\":[" TIME ",{\"type\":\"VEC3\"," members "}]}"

static const struct {
    const char *json, *code, *pointer;
} refused[] = {
    /* the file */
    {"{\"asset\":{\"version\":\"1.0\"}}", "gltf_version", "/asset/version"},
    {"{\"asset\":{\"version\":\"2.0\",\"minVersion\":\"2.1\"}}", "gltf_version", "/asset/minVersion"},
    {"{\"asset\":{}}", "missing_member", "/asset"},
    {"[1]", "bad_member", ""},
    {HEAD "\"extensionsRequired\":[\"KHR_materials_unlit\",\"EXT_unheard_of\"]}", "extension",
     "/extensionsRequired/1"},
    {HEAD "\"nodes\":{}}", "bad_member", "/nodes"},
    /* nodes */
    {HEAD "\"nodes\":[7]}", "bad_member", "/nodes/0"},
    {HEAD "\"nodes\":[{\"children\":[0]}]}", "node_cycle", "/nodes/0/children"},
    {HEAD "\"nodes\":[{},{\"children\":[2]},{\"children\":[3]},{\"children\":[1]}]}", "node_cycle",
     "/nodes/1/children"},
    {HEAD "\"nodes\":[{},{\"children\":[0]},{\"children\":[0]}]}", "two_parents", "/nodes/2/children/0"},
    {HEAD "\"nodes\":[{\"children\":[-1]}]}", "bad_index", "/nodes/0/children/0"},
    {HEAD "\"nodes\":[{},{\"children\":[0,2]}]}", "bad_index", "/nodes/1/children/1"},
    {HEAD "\"nodes\":[{\"children\":[0.5]}]}", "bad_index", "/nodes/0/children/0"},
    {HEAD "\"nodes\":[{\"rotation\":[0,0,0,0]}]}", "zero_quaternion", "/nodes/0/rotation"},
    {HEAD "\"nodes\":[{\"translation\":[0,1e39,0]}]}", "bad_number", "/nodes/0/translation"},
    {HEAD "\"nodes\":[{\"scale\":[0,1]}]}", "bad_number", "/nodes/0/scale"},
    {HEAD "\"nodes\":[{\"matrix\":[3e38,3e38,0,0,0,1,0,0,0,0,1,0,0,0,0,1]}]}", "bad_number",
     "/nodes/0/matrix"},
    {HEAD "\"nodes\":[{\"mesh\":0}]}", "bad_index", "/nodes/0/mesh"},
    {HEAD "\"nodes\":[{}],\"skins\":[{\"joints\":[0,1]}]}", "bad_index", "/skins/0/joints/1"},
    {HEAD "\"nodes\":[{}],\"skins\":[{}]}", "missing_member", "/skins/0"},
    /* what our own writer keeps of clips without keys */
    {HEAD "\"extras\":{\"posed\":{\"clips\":7}}}", "bad_member", "/extras/posed/clips"},
    {HEAD "\"extras\":{\"posed\":{\"clips\":[{\"version\":1},7]}}}", "bad_member", "/extras/posed/clips/1"},
    {HEAD "\"extras\":{\"posed\":{\"clips\":[{\"version\":1,\"events\":[{\"type\":\"step\"}]}]}}}",
     "missing_member", "/extras/posed/clips/0/events/0"},
    {HEAD "\"extras\":{\"posed\":{\"clips\":[{\"version\":1,\"duration\":1,\"joints\":[{\"rotation\":"
          "{\"times\":[0],\"values\":[[0,0,0,1]]}}]}]}}}",
     "bad_member", "/extras/posed/clips/0/joints"},
    /* animations */
    {HEAD "\"animations\":[{\"channels\":[{}],\"samplers\":[]}]}", "missing_member",
     "/animations/0/channels/0/target"},
    {HEAD VIEW "\"nodes\":[{}],\"animations\":[{\"channels\":[{\"sampler\":1,\"target\":{\"node\":0,\"path\":"
               "\"scale\"}}]"
               ",\"samplers\":[{}]}]}",
     "bad_index", "/animations/0/channels/0/sampler"},
    {HEAD "\"nodes\":[{}],\"animations\":[{\"channels\":[{\"sampler\":0,\"target\":{\"node\":1,\"path\":"
          "\"scale\"}}]}]}",
     "bad_index", "/animations/0/channels/0/node"},
    {HEAD "\"nodes\":[{}],\"animations\":[{\"channels\":[{\"sampler\":0,\"target\":{\"node\":0,\"path\":"
          "\"scale\"}}],"
          "\"samplers\":[{\"interpolation\":\"SMOOTH\"}]}]}",
     "bad_interpolation", "/animations/0/samplers/0/interpolation"},
    {HEAD VIEW MOVE "\"accessors\":[" TIME "]}", "bad_index", "/animations/0/samplers/0/output"},
    /* accessors */
    {OUTPUT("\"bufferView\":0,\"componentType\":5126,\"count\":2"), "count_mismatch",
     "/animations/0/samplers/0/output"},
    {OUTPUT("\"bufferView\":0,\"componentType\":5126,\"count\":1,\"byteOffset\":8"), "outside_view",
     "/accessors/1/count"},
    {OUTPUT("\"bufferView\":0,\"componentType\":5126,\"count\":1,\"byteOffset\":-4"), "bad_number",
     "/accessors/1/byteOffset"},
    {OUTPUT("\"bufferView\":0,\"componentType\":5126,\"count\":1,\"byteOffset\":9007199254740992"),
     "outside_view", "/accessors/1/count"},
    {OUTPUT("\"bufferView\":0,\"componentType\":5126,\"count\":-1"), "bad_number", "/accessors/1/count"},
    {OUTPUT("\"bufferView\":0,\"componentType\":5126,\"count\":1e300"), "bad_number", "/accessors/1/count"},
    {OUTPUT("\"bufferView\":0,\"componentType\":5130,\"count\":1"), "bad_component_type",
     "/accessors/1/componentType"},
    {OUTPUT("\"bufferView\":1,\"componentType\":5126,\"count\":1"), "bad_index", "/accessors/1/bufferView"},
    {HEAD VIEW GO("rotation") "\"accessors\":[" TIME
                              ",{\"type\":\"VEC3\",\"componentType\":5126,\"count\":1}]}",
     "bad_type", "/accessors/1/type"},
    {HEAD VIEW GO("rotation") "\"accessors\":[" TIME
                              ",{\"type\":\"VEC4\",\"bufferView\":0,\"componentType\":5126,\"count\":1}]}",
     "zero_quaternion", "/accessors/1"},
    {HEAD VIEW MOVE "\"accessors\":[{\"componentType\":5126,\"count\":4294967296,\"type\":\"SCALAR\"}," TIME
                    "]}",
     "over_limit", "/accessors/0"},
    {OUTPUT("\"componentType\":5126,\"count\":1,\"sparse\":{\"count\":2}"), "bad_sparse",
     "/accessors/1/sparse/count"},
    {OUTPUT("\"componentType\":5126,\"count\":1,\"sparse\":{\"count\":1}"), "missing_member",
     "/accessors/1/sparse/indices"},
    {OUTPUT("\"componentType\":5126,\"count\":1,\"sparse\":{\"count\":1,\"indices\":{\"bufferView\":0,"
            "\"componentType\":5126}}"),
     "bad_component_type", "/accessors/1/sparse/indices/componentType"},
    {OUTPUT("\"componentType\":5126,\"count\":2,\"sparse\":{\"count\":2,\"indices\":{\"bufferView\":0,"
            "\"componentType\":5121},"
            "\"values\":{\"bufferView\":0}}"),
     "count_mismatch", "/animations/0/samplers/0/output"},
    /* views and buffers */
    {HEAD BUFFER "\"bufferViews\":[{\"buffer\":0,\"byteLength\":17}]," MOVE "\"accessors\":[" TIME "," TIME
                 "]}",
     "outside_buffer", "/bufferViews/0/byteLength"},
    {HEAD BUFFER "\"bufferViews\":[{\"buffer\":0,\"byteOffset\":16,\"byteLength\":4}]," GO(
         "weights") "\"accessors\":[" TIME "," TIME "]}",
     "outside_buffer", "/bufferViews/0/byteLength"},
    {HEAD BUFFER "\"bufferViews\":[{\"buffer\":0,\"byteOffset\":17,\"byteLength\":0}]," GO(
         "weights") "\"accessors\":[" TIME "," TIME "]}",
     "outside_buffer", "/bufferViews/0/byteOffset"},
    {HEAD BUFFER "\"bufferViews\":[{\"buffer\":0,\"byteLength\":16,\"byteStride\":2}]," GO(
         "weights") "\"accessors\":[" TIME "," TIME "]}",
     "bad_stride", "/bufferViews/0/byteStride"},
    {HEAD "\"buffers\":[{\"byteLength\":17,\"uri\":\"data:;base64,AAAAAAAAAAAAAAAAAAAAAA==\"}],"
          "\"bufferViews\":[{\"buffer\":0,\"byteLength\":4}]," GO("weights") "\"accessors\":[" TIME "," TIME
                                                                             "]}",
     "truncated", "/buffers/0/byteLength"},
    {HEAD "\"buffers\":[{\"byteLength\":3,\"uri\":\"data:;base64,AA*A\"}],"
          "\"bufferViews\":[{\"buffer\":0,\"byteLength\":3}]," GO("weights") "\"accessors\":[" TIME "," TIME
                                                                             "]}",
     "bad_base64", "/buffers/0/uri"},
    {HEAD "\"buffers\":[{\"byteLength\":3,\"uri\":\"data:;base64,AAAAA\"}],"
          "\"bufferViews\":[{\"buffer\":0,\"byteLength\":3}]," GO("weights") "\"accessors\":[" TIME "," TIME
                                                                             "]}",
     "bad_base64", "/buffers/0/uri"},
    {HEAD "\"buffers\":[{\"byteLength\":3,\"uri\":\"data:text/plain,abc\"}],"
          "\"bufferViews\":[{\"buffer\":0,\"byteLength\":3}]," GO("weights") "\"accessors\":[" TIME "," TIME
                                                                             "]}",
     "data_uri", "/buffers/0/uri"},
    {HEAD "\"buffers\":[{\"byteLength\":3,\"uri\":\"../passwd\"}],"
          "\"bufferViews\":[{\"buffer\":0,\"byteLength\":3}]," GO("weights") "\"accessors\":[" TIME "," TIME
                                                                             "]}",
     "external_uri", "/buffers/0/uri"},
    {HEAD "\"buffers\":[{\"byteLength\":3}],\"bufferViews\":[{\"buffer\":0,\"byteLength\":3}]," GO(
         "weights") "\"accessors\":[" TIME "," TIME "]}",
     "no_buffer", "/buffers/0"},
};

TEST_EACH(each_is_refused_at_its_place, COUNT(refused))
{
    const char *json = refused[_i].json;
    struct pose_error error;
    struct pose_document *document = codec_decode("gltf", json, strlen(json), &error);
    ck_assert_msg(!document, "read: %s", json);
    ck_assert_msg(!strcmp(error.code, refused[_i].code) && !strcmp(error.field, refused[_i].pointer),
                  "%s, %s: %s", error.code, error.field, error.detail);
    ck_assert_uint_lt(codec_memory("gltf", json, strlen(json)), 100000);
}

/* ------------------------------------------------------------------------------------------------- values -- */

static const struct {
    float times[3], place;
    const char *code, *pointer;
} bad_numbers[] = {
    {{0, NAN, 2}, 0, "not_finite", "/accessors/0"}, {{0, 1, INFINITY}, 0, "not_finite", "/accessors/0"},
    {{-1, -2, 1}, 0, "bad_times", "/accessors/0"},  {{0, 2, 1}, 0, "bad_times", "/accessors/0"},
    {{0, 1, 2}, NAN, "not_finite", "/accessors/1"}, {{0, 1, 2}, -INFINITY, "not_finite", "/accessors/1"},
};

TEST_EACH(bad_numbers_are_refused, COUNT(bad_numbers))
{
    float places[9] = {0};
    struct gltf_file file = {0};
    places[8] = bad_numbers[_i].place;
    gltf_put_floats(&file, 1, 3, bad_numbers[_i].times);
    gltf_put_floats(&file, 3, 3, places);
    gltf_write(&file, true,
               "\"nodes\":[{}],\"animations\":[{\"channels\":[{\"sampler\":0,\"target\":{\"node\":0,\"path\":"
               "\"scale\"}}],"
               "\"samplers\":[{\"input\":0,\"output\":1}]}]");
    struct pose_error error = codec_must_fail("gltf", file.bytes.data, file.bytes.size, bad_numbers[_i].code);
    ck_assert_str_eq(error.field, bad_numbers[_i].pointer);
    gltf_free(&file);
}

/* A spline that leaves what a float can hold between its keys, and one that no number of keys can follow. */
TEST(wild_splines_are_held)
{
    static const float times[] = {0, 3};
    float keys[18] = {0};
    struct gltf_file file = {0};
    keys[6] = 3e38f;
    gltf_put_floats(&file, 1, 2, times);
    unsigned wild = gltf_put_floats(&file, 3, 6, keys);
    keys[6] = 1e9f;
    ck_assert_uint_eq(gltf_put_floats(&file, 3, 6, keys), wild + 1);
    for (unsigned i = 0; i < 2; i++) {
        char json[300];
        snprintf(json, sizeof json,
                 "\"nodes\":[{}],\"animations\":[{\"channels\":[{\"sampler\":0,\"target\":{\"node\":0,"
                 "\"path\":\"scale\"}}],"
                 "\"samplers\":[{\"input\":0,\"output\":%u,\"interpolation\":\"CUBICSPLINE\"}]}]",
                 wild + i);
        gltf_write(&file, true, json);
        struct pose_error error;
        struct pose_document *document = codec_decode("gltf", file.bytes.data, file.bytes.size, &error);
        if (document) {
            ck_assert_uint_eq(codec_warnings(document, "spline_simplified"), 1);
            ck_assert_uint_le(document->clips->key_count, 4097);
        } else {
            ck_assert_str_eq(error.code, "not_finite");
        }
        ck_assert(i == 0 || document);
        pose_document_free(document);
    }
    gltf_free(&file);
}

/* --------------------------------------------------------------------------------------------- containers -- */

/* A word of a sound GLB, changed. */
static const struct {
    size_t at;
    uint32_t word;
    const char *code;
} chunks[] = {
    {4, 1, "gltf_version"},
    {8, 11, "truncated"},
    {8, 100000, "truncated"},
    {12, 0xffffffff, "truncated"},
    {12, 0, "truncated"},
    {12, 1000, "truncated"},
    {16, 0x004e4942, "no_json_chunk"},
};

TEST_EACH(lying_chunks_are_refused, COUNT(chunks))
{
    struct pose_buffer file = {0};
    gltf_wrap(&file, HEAD "\"nodes\":[]}", NULL);
    pose_document_free(codec_must_decode("gltf", file.data, file.size));
    for (int i = 0; i < 4; i++)
        file.data[chunks[_i].at + (size_t)i] = (uint8_t)(chunks[_i].word >> 8 * i);
    struct pose_error error = codec_must_fail("gltf", file.data, file.size, chunks[_i].code);
    ck_assert(error.status == POSE_UNSUPPORTED || error.offset <= file.size);
    pose_buffer_free(&file);
}

TEST(a_glb_without_chunks_is_refused)
{
    static const uint8_t file[] = {'g', 'l', 'T', 'F', 2, 0, 0, 0, 12, 0, 0, 0};
    codec_must_fail("gltf", file, sizeof file, "no_json_chunk");
}

/* ------------------------------------------------------------------------------------------------ amounts -- */

/* before, count times the piece, after. */
static char *repeat(const char *before, const char *piece, size_t count, const char *after)
{
    size_t length = strlen(piece), at = strlen(before);
    char *text = malloc(at + length * count + strlen(after) + 1);
    ck_assert_ptr_nonnull(text);
    memcpy(text, before, at);
    for (size_t i = 0; i < count; i++, at += length)
        memcpy(text + at, piece, length);
    strcpy(text + at, after);
    return text;
}

TEST(deep_json_is_refused)
{
    char *text = repeat(HEAD "\"extras\":", "[", 1000000, "");
    struct pose_error error = codec_must_fail("gltf", text, strlen(text), "too_deep");
    ck_assert(error.offset != POSE_NO_OFFSET && error.offset < 200);
    ck_assert_uint_lt(codec_memory("gltf", text, strlen(text)), 100000);
    free(text);
}

TEST(a_syntax_error_has_its_line)
{
    static const char json[] = "{\"asset\":{\"version\":\"2.0\"},\n \"nodes\":[{}],\n \"skins\" []}";
    struct pose_error error = codec_must_fail("gltf", json, strlen(json), "bad_json");
    ck_assert_uint_eq(error.line, 3);
    ck_assert(error.offset > 40 && error.offset < strlen(json));
}

/* Decodes with that much memory; the code of the refusal, "" when it is read. */
static const char *try(const char *text, size_t memory, char code[40])
{
    struct pose_options options = {.limits.memory = memory};
    struct pose_source source = {.bytes = {(const uint8_t *)text, strlen(text)}, .format = "gltf"};
    struct pose_error error;
    struct pose_document *document = pose_decode(&source, &options, &error);
    snprintf(code, 40, "%s", document ? "" : error.limit[0] ? error.limit : error.code);
    pose_document_free(document);
    return code;
}

TEST(amounts_are_bounded)
{
    char code[40];
    char *animations = repeat(HEAD "\"animations\":[{\"channels\":[]}", ",{}", 1000000, "]}");
    ck_assert_str_eq(try(animations, 0, code), "entries");
    ck_assert_str_eq(try(animations, 1 << 20, code), "memory");
    free(animations);
    char *nodes = repeat(HEAD "\"skins\":[{\"joints\":[0]}],\"nodes\":[{}", ",{}", 100000, "]}");
    ck_assert_str_eq(try(nodes, 0, code), "");
    ck_assert_str_eq(try(nodes, 1 << 20, code), "memory");
    free(nodes);
    char *joints = repeat(HEAD "\"nodes\":[{\"children\":[1]},{}", ",{}", 0, "]}");
    ck_assert_str_eq(try(joints, 0, code), "");
    free(joints);
    char *uri =
        repeat(HEAD "\"buffers\":[{\"byteLength\":3,\"uri\":\"data:;base64,", "AAAA", 1000000, "\"}]}");
    ck_assert_str_eq(try(uri, 1 << 20, code), "memory");
    ck_assert_str_eq(try(uri, 0, code), ""); /* nothing asks for it */
    free(uri);
}

/* Many channels of few bytes: what each adds is counted. */
TEST(overlapping_accessors_are_counted)
{
    enum { KEYS = 10000, CHANNELS = 1000 };
    static float times[KEYS], places[3 * KEYS];
    struct gltf_file file = {0};
    for (int i = 0; i < KEYS; i++)
        times[i] = (float)i;
    gltf_put_floats(&file, 1, KEYS, times);
    gltf_put_floats(&file, 3, KEYS, places);
    char *nodes = repeat("\"nodes\":[{}", ",{}", CHANNELS,
                         "],\"animations\":[{\"samplers\":[{\"input\":0,\"output\":1}],\"channels\":[");
    struct pose_buffer members = {0};
    pose_buffer_append(&members, nodes, strlen(nodes));
    for (int i = 0; i < CHANNELS; i++) {
        char channel[100];
        int length =
            snprintf(channel, sizeof channel, "%s{\"sampler\":0,\"target\":{\"node\":%d,\"path\":\"scale\"}}",
                     i ? "," : "", i);
        pose_buffer_append(&members, channel, (size_t)length);
    }
    pose_buffer_append(&members, "]}]", 4);
    gltf_write(&file, true, (const char *)members.data);
    struct pose_error error = codec_must_fail("gltf", file.bytes.data, file.bytes.size, "over_limit");
    ck_assert_str_eq(error.limit, "keys");
    ck_assert_str_eq(error.field, "/accessors/0");
    pose_buffer_free(&members);
    free(nodes);
    gltf_free(&file);
}
