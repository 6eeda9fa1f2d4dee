/* Reading glTF: the container, accessors, nodes, interpolations, names. Values are worked out by hand. */
#include "lib/core/value.h"
#include "tests/support/codecs.h"
#include "tests/support/gltf_files.h"
#include "tests/support/unit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const float three_times[] = {0, 0.5f, 2};
static const float three_places[] = {1, 2, 3, 4, 5, 6, -7, -8, 1e-7f};

#define ONE_NODE "\"nodes\":[{\"name\":\"hip\"}]"

/* An animation of node 0 with one channel. */
static const char *animate(const char *path, const char *interpolation, unsigned input, unsigned output)
{
    static char text[400];
    snprintf(text, sizeof text,
             ONE_NODE
             ",\"animations\":[{\"name\":\"go\",\"channels\":[{\"sampler\":0,\"target\":{\"node\":0,"
             "\"path\":\"%s\"}}],\"samplers\":[{\"input\":%u,\"output\":%u,\"interpolation\":\"%s\"}]}]",
             path, input, output, interpolation);
    return text;
}

static struct pose_document *must_read(const struct gltf_file *file)
{
    return codec_must_decode(NULL, file->bytes.data, file->bytes.size);
}

static const struct pose_channel *only_channel(const struct pose_document *document, enum pose_part part)
{
    ck_assert_uint_eq(document->clip_count, 1);
    ck_assert_uint_eq(document->clips[0].track_count, 1);
    return &document->clips[0].tracks[0].channels[part];
}

/* ------------------------------------------------------------------------------------------- containers -- */

TEST_EACH(both_containers_hold_the_same, 2)
{
    struct gltf_file file = {0};
    unsigned times = gltf_put_floats(&file, 1, 3, three_times),
             places = gltf_put_floats(&file, 3, 3, three_places);
    gltf_write(&file, _i, animate("translation", "LINEAR", times, places));
    struct pose_document *document = must_read(&file);
    const struct pose_channel *channel = only_channel(document, POSE_TRANSLATION);
    const struct pose_clip *clip = document->clips;
    ck_assert_str_eq(document->format, "gltf");
    ck_assert_str_eq(clip->name, "go");
    ck_assert(clip->axes == POSE_AXES_GLTF && clip->rules == POSE_RULES_PLAIN && !clip->origin);
    ck_assert(clip->duration == 2 && clip->fps == 0 && clip->loop == POSE_LOOP_UNKNOWN &&
              clip->loop_out == 2);
    ck_assert_str_eq(clip->tracks[0].name, "hip");
    ck_assert(!clip->tracks[0].has_id);
    ck_assert_uint_eq(channel->count, 3);
    ck_assert_mem_eq(channel->times, three_times, sizeof three_times);
    ck_assert_mem_eq(channel->values, three_places, sizeof three_places);
    ck_assert_uint_eq(clip->key_count, 3);
    pose_document_free(document);
    gltf_free(&file);
}

/* A .gltf whose buffer lies beside it. */
TEST(one_file_beside_it_is_found)
{
    static const char json[] =
        "{\"asset\":{\"version\":\"2.0\"},\"nodes\":[{}],\"buffers\":[{\"uri\":\"walk.bin\",\"byteLength\":"
        "16}],"
        "\"bufferViews\":[{\"buffer\":0,\"byteLength\":16}],"
        "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"type\":\"SCALAR\",\"count\":1},"
        "{\"bufferView\":0,\"byteOffset\":4,\"componentType\":5126,\"type\":\"VEC3\",\"count\":1}],"
        "\"animations\":[{\"channels\":[{\"sampler\":0,\"target\":{\"node\":0,\"path\":\"scale\"}}],"
        "\"samplers\":[{\"input\":0,\"output\":1}]}]}";
    float numbers[4] = {0, 2, 3, 4};
    struct codec_companion beside[] = {{"walk.bin", {(const uint8_t *)numbers, sizeof numbers}}, {NULL, {0}}};
    struct pose_error error;
    struct pose_document *document = codec_decode_with("gltf", json, strlen(json), beside, &error);
    ck_assert_msg(document, "%s", error.detail);
    ck_assert_mem_eq(only_channel(document, POSE_SCALE)->values, numbers + 1, 12);
    ck_assert_str_eq(document->clips[0].companion, "walk.bin");
    pose_document_free(document);
    codec_must_fail("gltf", json, strlen(json), "external_uri");
}

TEST(no_animation_is_no_clip)
{
    static const char json[] = "{\"asset\":{\"version\":\"2.0\"},\"meshes\":[{}]}";
    struct pose_document *document = codec_must_decode(NULL, json, strlen(json));
    ck_assert_uint_eq(document->clip_count + document->skeleton_count, 0);
    ck_assert_uint_eq(codec_warnings(document, "no_animation"), 1);
    ck_assert_uint_eq(codec_warnings(document, "unused_meshes"), 1);
    pose_document_free(document);
}

/* -------------------------------------------------------------------------------------------- accessors -- */

static const struct {
    unsigned type;
    const char *bytes;
    float values[4]; /* what a VEC4 of it says: from section 3.11 */
} normalised[] = {
    {5120, "\x7f\x80\x81\x00", {1, -1, -1, 0}},
    {5121, "\xff\x33\x00\x66", {1, 0.2f, 0, 0.4f}},
    {5122, "\xff\x7f\x00\x80\x01\x80\x00\x00", {1, -1, -1, 0}},
    {5123, "\xff\xff\x33\x33\x00\x00\x66\x66", {1, 0.2f, 0, 0.4f}},
};

TEST_EACH(integers_are_normalised, 4)
{
    struct gltf_file file = {0};
    char accessor[200];
    unsigned times = gltf_put_floats(&file, 1, 1, three_times);
    snprintf(accessor, sizeof accessor,
             "{\"bufferView\":%u,\"componentType\":%u,\"normalized\":true,\"count\":1,\"type\":\"VEC4\"}",
             gltf_put_bytes(&file, normalised[_i].bytes, normalised[_i].type < 5122 ? 4 : 8),
             normalised[_i].type);
    gltf_write(&file, true, animate("rotation", "LINEAR", times, gltf_put_accessor(&file, accessor)));
    struct pose_document *document = must_read(&file);
    /* A rotation is brought to unit length then. */
    const float *q = normalised[_i].values;
    float length = sqrtf(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    for (int c = 0; c < 4; c++)
        ck_assert_float_eq_tol(only_channel(document, POSE_ROTATION)->values[c], q[c] / length, 1e-7f);
    pose_document_free(document);
    gltf_free(&file);
}

/* Times and places in one view, a key each 16 bytes. */
TEST(strides_are_followed)
{
    static const float rows[] = {0, 1, 2, 3, 1, 4, 5, 6, 3, 7, 8, 9};
    struct gltf_file file = {0};
    gltf_put_bytes(&file, rows, sizeof rows);
    file.views.size--; /* its bracket */
    pose_buffer_append(&file.views, ",\"byteStride\":16}", 17);
    unsigned times =
        gltf_put_accessor(&file, "{\"bufferView\":0,\"componentType\":5126,\"count\":3,\"type\":\"SCALAR\"}");
    unsigned places = gltf_put_accessor(
        &file, "{\"bufferView\":0,\"byteOffset\":4,\"componentType\":5126,\"count\":3,\"type\":\"VEC3\"}");
    gltf_write(&file, true, animate("translation", "LINEAR", times, places));
    struct pose_document *document = must_read(&file);
    const struct pose_channel *channel = only_channel(document, POSE_TRANSLATION);
    for (int k = 0; k < 3; k++) {
        ck_assert(channel->times[k] == rows[4 * k]);
        ck_assert_mem_eq(channel->values + 3 * k, rows + 4 * k + 1, 12);
    }
    pose_document_free(document);
    gltf_free(&file);
}

/* Zeros, of which one is replaced. */
TEST(sparse_accessors_are_filled_in)
{
    static const uint16_t index = 1;
    static const float place[] = {5, 6, 7}, expected[] = {0, 0, 0, 5, 6, 7, 0, 0, 0};
    struct gltf_file file = {0};
    char accessor[300];
    unsigned times = gltf_put_floats(&file, 1, 3, three_times);
    unsigned indices = gltf_put_bytes(&file, &index, 2), values = gltf_put_bytes(&file, place, sizeof place);
    snprintf(accessor, sizeof accessor,
             "{\"componentType\":5126,\"count\":3,\"type\":\"VEC3\",\"sparse\":{\"count\":1,\"indices\":{"
             "\"bufferView\":"
             "%u,\"componentType\":5123},\"values\":{\"bufferView\":%u}}}",
             indices, values);
    gltf_write(&file, false, animate("translation", "LINEAR", times, gltf_put_accessor(&file, accessor)));
    struct pose_document *document = must_read(&file);
    ck_assert_mem_eq(only_channel(document, POSE_TRANSLATION)->values, expected, sizeof expected);
    pose_document_free(document);
    gltf_free(&file);
}

/* ---------------------------------------------------------------------------------------- interpolations -- */

/* One row of the pose of a clip without a skeleton. */
static void sample(const struct pose_document *document, double t, float row[10])
{
    struct pose_sampler *sampler = pose_sampler_new(document->clips, NULL, POSE_AXES_GLTF, NULL, NULL);
    ck_assert_uint_eq(pose_sampler_row_count(sampler), 1);
    pose_sample(sampler, t, POSE_CLAMP, POSE_IN_PLACE, row, NULL);
    pose_sampler_free(sampler);
}

TEST(steps_hold_until_the_next_key)
{
    struct gltf_file file = {0};
    float row[10];
    unsigned times = gltf_put_floats(&file, 1, 3, three_times),
             places = gltf_put_floats(&file, 3, 3, three_places);
    gltf_write(&file, true, animate("translation", "STEP", times, places));
    struct pose_document *document = must_read(&file);
    static const double at[] = {0, 0.25, 0.499999, 0.5, 1.25, 1.99999, 2};
    static const int key[] = {0, 0, 0, 1, 1, 1, 2};
    for (int i = 0; i < 7; i++) {
        sample(document, at[i], row);
        ck_assert_msg(!memcmp(row, three_places + 3 * key[i], 12), "at %g: %g", at[i], (double)row[0]);
    }
    pose_document_free(document);
    gltf_free(&file);
}

/* The formula of appendix C, once more. */
static double hermite(double s, double v0, double b0, double v1, double a1)
{
    return (2 * s * s * s - 3 * s * s + 1) * v0 + (s * s * s - 2 * s * s + s) * b0 +
           (-2 * s * s * s + 3 * s * s) * v1 + (s * s * s - s * s) * a1;
}

TEST(splines_are_followed)
{
    /* in-tangent, value, out-tangent of two keys, 2 s apart */
    static const float times[] = {1, 3}, keys[18] = {9, 9, 9, 0, 1, 2, 3, -4, 0, 0, 2, -1, 1, 0, 5, 9, 9, 9};
    struct gltf_file file = {0};
    float row[10];
    unsigned input = gltf_put_floats(&file, 1, 2, times), output = gltf_put_floats(&file, 3, 6, keys);
    gltf_write(&file, true, animate("translation", "CUBICSPLINE", input, output));
    struct pose_document *document = must_read(&file);
    for (int i = 0; i <= 1000; i++) {
        double s = i / 1000.0;
        sample(document, 1 + 2 * s, row);
        for (int c = 0; c < 3; c++) {
            double expected = hermite(s, (double)keys[3 + c], 2 * (double)keys[6 + c], (double)keys[12 + c],
                                      2 * (double)keys[9 + c]);
            ck_assert_msg(fabs((double)row[c] - expected) < 1e-4, "at %g: %g, not %g", s, (double)row[c],
                          expected);
        }
    }
    ck_assert_uint_lt(document->clips[0].key_count, 400);
    pose_document_free(document);
    gltf_free(&file);
}

TEST(splines_of_rotations_are_followed)
{
    static const float times[] = {0, 1};
    static const float keys[24] = {0,    0,    0,    0,    0, 0, 0, 1, 0.8f, -0.5f, 0.1f, 0.2f,
                                   0.3f, 0.2f, 0.9f, 0.4f, 0, 1, 0, 0, 0,    0,     0,    0};
    struct gltf_file file = {0};
    float row[10];
    unsigned input = gltf_put_floats(&file, 1, 2, times), output = gltf_put_floats(&file, 4, 6, keys);
    gltf_write(&file, true, animate("rotation", "CUBICSPLINE", input, output));
    struct pose_document *document = must_read(&file);
    for (int i = 0; i <= 1000; i++) {
        double s = i / 1000.0, q[4], square = 0, dot = 0;
        for (int c = 0; c < 4; c++) {
            q[c] = hermite(s, (double)keys[4 + c], (double)keys[8 + c], (double)keys[16 + c],
                           (double)keys[12 + c]);
            square += q[c] * q[c];
        }
        sample(document, s, row);
        for (int c = 0; c < 4; c++)
            dot += q[c] / sqrt(square) * (double)row[3 + c];
        double off = 2 * sqrt(fmax(0, 2 - 2 * fabs(dot)));
        ck_assert_msg(off < 1e-4 || fabs(dot) > 1 - 1e-7, "at %g: off by %g", s, off);
    }
    pose_document_free(document);
    gltf_free(&file);
}

/* --------------------------------------------------------------------------------------------- the tree -- */

static const struct {
    const char *interpolation;
    float times[3], first; /* of x at 0 */
    uint32_t count;
} early[] = {
    {"LINEAR", {-1, 1, 3}, 4, 3},    {"STEP", {-1, 1, 3}, 2, 5},    {"LINEAR", {-1, 0, 3}, 6, 2},
    {"LINEAR", {-3, -2, -1}, 12, 1}, {"STEP", {-3, -2, -1}, 12, 1},
};

/* Keys before 0, as exporters write them: the clip begins at 0 with the value there. */
TEST_EACH(keys_before_zero_are_cut, sizeof early / sizeof *early)
{
    static const float values[9] = {2, 0, 0, 6, 0, 0, 12, 0, 0};
    struct gltf_file file = {0};
    unsigned input = gltf_put_floats(&file, 1, 3, early[_i].times),
             output = gltf_put_floats(&file, 3, 3, values);
    gltf_write(&file, true, animate("translation", early[_i].interpolation, input, output));
    struct pose_document *document = must_read(&file);
    const struct pose_channel *channel = only_channel(document, POSE_TRANSLATION);
    ck_assert_uint_eq(channel->count, early[_i].count);
    ck_assert(channel->times[0] == 0);
    ck_assert(channel->values[0] == early[_i].first);
    ck_assert(document->clips[0].duration == (early[_i].times[2] > 0 ? early[_i].times[2] : 0));
    ck_assert_uint_eq(codec_warnings(document, "negative_times"), 1);
    pose_document_free(document);
    gltf_free(&file);
}

/* A spline from -1 to 1 s whose value at 0 its tangents decide. */
TEST(splines_before_zero_are_cut)
{
    static const float times[2] = {-1, 1};
    static const float keys[18] = {[6] = 4, [9] = -4};
    struct gltf_file file = {0};
    unsigned input = gltf_put_floats(&file, 1, 2, times), output = gltf_put_floats(&file, 3, 6, keys);
    gltf_write(&file, true, animate("translation", "CUBICSPLINE", input, output));
    struct pose_document *document = must_read(&file);
    const struct pose_channel *channel = only_channel(document, POSE_TRANSLATION);
    ck_assert(channel->times[0] == 0);
    ck_assert(fabsf(channel->values[0] - 2) < 1e-4f);
    pose_document_free(document);
    gltf_free(&file);
}

static const struct {
    const char *pointer;
    bool is_read;
} pointers[] = {
    {"/nodes/0/scale", true},
    {"/nodes/1/scale", false},
    {"/nodes/00/scale", false},
    {"/nodes/4294967296/scale", false},
    {"/nodes//scale", false},
    {"/nodes/-0/scale", false},
    {"/nodes/0/scale/0", false},
    {"/nodes/0", false},
    {"/materials/0/alphaCutoff", false},
    {"/nodes/0/extensions/KHR_node_visibility/visible", false},
    {"/meshes/0/weights", false},
    {"/nodes/0/scale/", false},
    {"nodes/0/scale", false},
    {"", false},
};

/* KHR_animation_pointer at what a channel moves anyway; others are named and left out, required or not. */
TEST_EACH(pointers_at_nodes_are_channels, 2 * sizeof pointers / sizeof *pointers)
{
    struct gltf_file file = {0};
    const char *pointer = pointers[_i / 2].pointer;
    const bool is_read = pointers[_i / 2].is_read;
    unsigned times = gltf_put_floats(&file, 1, 3, three_times),
             places = gltf_put_floats(&file, 3, 3, three_places);
    char json[600];
    snprintf(json, sizeof json,
             ONE_NODE "%s,\"animations\":[{\"channels\":[{\"sampler\":0,\"target\":{\"path\":\"pointer\","
                      "\"extensions\":{\"KHR_animation_pointer\":{\"pointer\":\"%s\"}}}}],"
                      "\"samplers\":[{\"input\":%u,\"output\":%u}]}]",
             _i % 2 ? ",\"extensionsRequired\":[\"KHR_animation_pointer\"]" : "", pointer, times, places);
    gltf_write(&file, true, json);
    struct pose_document *document = must_read(&file);
    ck_assert_uint_eq(codec_warnings(document, "channel_ignored"), !is_read);
    ck_assert_uint_eq(document->clips[0].track_count, is_read);
    if (is_read)
        ck_assert_uint_eq(only_channel(document, POSE_SCALE)->count, 3);
    else
        ck_assert_ptr_nonnull(strstr(document->warnings[0].message, pointer));
    pose_document_free(document);
    gltf_free(&file);
}

/* A channel and a pointer at the same, and a pointer beside a "node" that it does not mean. */
TEST(a_pointer_and_a_channel)
{
    struct gltf_file file = {0};
    unsigned times = gltf_put_floats(&file, 1, 3, three_times),
             places = gltf_put_floats(&file, 3, 3, three_places);
    char json[900];
    snprintf(
        json, sizeof json,
        "\"nodes\":[{\"name\":\"a\"},{\"name\":\"b\"}],\"extensionsRequired\":[\"KHR_animation_pointer\"],"
        "\"animations\":[{\"channels\":[{\"sampler\":0,\"target\":{\"node\":0,\"path\":\"scale\"}},"
        "{\"sampler\":0,\"target\":{\"path\":\"pointer\",\"extensions\":{\"KHR_animation_pointer\":{"
        "\"pointer\":\"/nodes/0/scale\"}}}},"
        "{\"sampler\":0,\"target\":{\"node\":0,\"path\":\"pointer\",\"extensions\":{"
        "\"KHR_animation_pointer\":{\"pointer\":\"/nodes/1/translation\"}}}}],"
        "\"samplers\":[{\"input\":%u,\"output\":%u}]}]",
        times, places);
    gltf_write(&file, true, json);
    struct pose_document *document = must_read(&file);
    ck_assert_uint_eq(codec_warnings(document, "repeated_channel"), 1);
    ck_assert_uint_eq(document->clips[0].track_count, 2);
    ck_assert_str_eq(document->clips[0].tracks[0].name, "a");
    ck_assert_uint_eq(document->clips[0].tracks[0].channels[POSE_SCALE].count, 3);
    ck_assert_str_eq(document->clips[0].tracks[1].name, "b");
    ck_assert_uint_eq(document->clips[0].tracks[1].channels[POSE_TRANSLATION].count, 3);
    pose_document_free(document);
    gltf_free(&file);
}

TEST(joints_have_all_that_is_above_them)
{
    struct gltf_file file = {0};
    unsigned times = gltf_put_floats(&file, 1, 1, three_times),
             places = gltf_put_floats(&file, 3, 1, three_places);
    ck_assert(times == 0 && places == 1);
    /* 2 is above 1 is above 0; 3 has nothing to do with it; the matrix turns by 90° about z, doubles, and moves */
    gltf_write(
        &file, true,
        "\"nodes\":[{\"name\":\"tip\",\"translation\":[0,0,1]},{\"name\":\"mid\",\"children\":[0],"
        "\"matrix\":[0,2,0,0,-2,0,0,0,0,0,2,0,5,6,7,1]},{\"name\":\"top\",\"children\":[1]},{\"name\":"
        "\"lamp\"}],"
        "\"skins\":[{\"name\":\"suit\",\"joints\":[1]}],"
        "\"animations\":[{\"channels\":[{\"sampler\":0,\"target\":{\"node\":0,\"path\":\"translation\"}}],"
        "\"samplers\":[{\"input\":0,\"output\":1}]}]");
    struct pose_document *document = must_read(&file);
    ck_assert_uint_eq(document->skeleton_count, 1);
    const struct pose_skeleton *skeleton = document->skeletons;
    ck_assert_str_eq(skeleton->name, "suit");
    ck_assert(skeleton->axes == POSE_AXES_GLTF && skeleton->scaling == POSE_SCALE_INHERITED);
    ck_assert_uint_eq(skeleton->joint_count, 3);
    ck_assert_str_eq(skeleton->joints[0].name, "top");
    ck_assert_str_eq(skeleton->joints[1].name, "mid");
    ck_assert_str_eq(skeleton->joints[2].name, "tip");
    ck_assert(skeleton->joints[0].parent == -1 && skeleton->joints[1].parent == 0 &&
              skeleton->joints[2].parent == 1);
    const struct pose_joint *mid = &skeleton->joints[1];
    ck_assert(mid->translation[0] == 5 && mid->translation[2] == 7 && mid->scale[0] == 2 &&
              mid->scale[2] == 2);
    ck_assert_float_eq_tol(mid->rotation[2], (float)M_SQRT1_2, 1e-6f);
    ck_assert_float_eq_tol(mid->rotation[3], (float)M_SQRT1_2, 1e-6f);
    pose_document_free(document);
    gltf_free(&file);
}

/* Column-major; which way it turns, and what it scales by. */
static const struct {
    const char *matrix;
    float rotation[4], scale[3];
    const char *warning;
} matrices[] = {
    {"1,0,0,0, 0,-1,0,0, 0,0,-1,0, 0,0,0,1", {1, 0, 0, 0}, {1, 1, 1}, NULL},
    {"-1,0,0,0, 0,1,0,0, 0,0,-1,0, 0,0,0,1", {0, 1, 0, 0}, {1, 1, 1}, NULL},
    {"-1,0,0,0, 0,1,0,0, 0,0,1,0, 0,0,0,1", {0, 0, 0, 1}, {-1, 1, 1}, NULL},
    {"0,0,0,0, 0,1,0,0, 0,0,1,0, 0,0,0,1", {0, 0, 0, 1}, {0, 1, 1}, NULL},
    {"1,0,0,0, 0.5,1,0,0, 0,0,1,0, 0,0,0,1", {0, 0, 0, 1}, {1, 1.118034f, 1}, "sheared_matrix"},
};

TEST_EACH(matrices_are_taken_apart, COUNT(matrices))
{
    char json[400];
    snprintf(json, sizeof json,
             "{\"asset\":{\"version\":\"2.0\"},\"nodes\":[{\"matrix\":[%s]}],\"skins\":[{\"joints\":[0]}]}",
             matrices[_i].matrix);
    struct pose_document *document = codec_must_decode("gltf", json, strlen(json));
    const struct pose_joint *joint = document->skeletons->joints;
    ck_assert_uint_eq(codec_warnings(document, "sheared_matrix"), matrices[_i].warning != NULL);
    for (int c = 0; c < 3; c++)
        ck_assert_float_eq_tol(joint->scale[c], matrices[_i].scale[c], 1e-6f);
    for (int c = 0; c < 4 && !matrices[_i].warning; c++)
        ck_assert_float_eq_tol(joint->rotation[c], matrices[_i].rotation[c], 1e-6f);
    pose_document_free(document);
}

static const struct {
    const char *name, *expected;
    int64_t id;
} names[] = {
    {"joint_17", "joint_17", 17},
    {"joint_4294967295", "joint_4294967295", 4294967295},
    {"joint_4294967296", "joint_4294967296", -1},
    {"joint_", "joint_", -1},
    {"joint_1a", "joint_1a", -1},
    {"joint_01", "joint_01", -1},
    {"", NULL, -1},
};

TEST_EACH(numbers_in_names_are_ids, COUNT(names))
{
    char json[400];
    for (int ours = 0; ours < 2; ours++) {
        snprintf(
            json, sizeof json,
            "{\"asset\":{\"version\":\"2.0\"},\"nodes\":[{\"name\":\"%s\"}],\"skins\":[{\"joints\":[0]}]%s}",
            names[_i].name, ours ? ",\"scenes\":[{\"extras\":{\"posed\":{}}}]" : "");
        struct pose_document *document = codec_must_decode("gltf", json, strlen(json));
        const struct pose_joint *joint = document->skeletons->joints;
        const char *expected = ours && names[_i].id >= 0 ? NULL : names[_i].expected;
        ck_assert_pstr_eq(joint->name, expected);
        ck_assert(joint->has_id == (names[_i].id >= 0));
        ck_assert(!joint->has_id || joint->id == names[_i].id);
        pose_document_free(document);
    }
}

/* ---------------------------------------------------------------------------------------------- the clips -- */

TEST(weights_become_a_track_a_target)
{
    static const float weights[] = {0, 1, 0.25f, 0.75f, 0.5f, 0.5f};
    struct gltf_file file = {0};
    gltf_put_floats(&file, 1, 3, three_times);
    gltf_put_floats(&file, 1, 6, weights);
    gltf_write(
        &file, true,
        "\"nodes\":[{\"name\":\"face\",\"mesh\":0}],\"meshes\":[{\"extras\":{\"targetNames\":[\"smile\"]}}],"
        "\"animations\":[{\"channels\":[{\"sampler\":0,\"target\":{\"node\":0,\"path\":\"weights\"}}],"
        "\"samplers\":[{\"input\":0,\"output\":1}]}]");
    struct pose_document *document = must_read(&file);
    const struct pose_clip *clip = document->clips;
    ck_assert_uint_eq(document->skeleton_count, 0);
    ck_assert_uint_eq(clip->track_count, 2);
    ck_assert_str_eq(clip->tracks[0].name, "smile");
    ck_assert_str_eq(clip->tracks[1].name, "face.1");
    for (int k = 0; k < 3; k++) {
        ck_assert(clip->tracks[0].channels[POSE_MORPH].values[k] == weights[2 * k]);
        ck_assert(clip->tracks[1].channels[POSE_MORPH].values[k] == weights[2 * k + 1]);
    }
    ck_assert_uint_eq(clip->key_count, 6);
    pose_document_free(document);
    gltf_free(&file);
}

TEST(animations_are_clips_and_share_times)
{
    struct gltf_file file = {0};
    gltf_put_floats(&file, 1, 3, three_times);
    gltf_put_floats(&file, 3, 3, three_places);
    gltf_write(&file, true,
               "\"nodes\":[{\"name\":\"a\"},{\"name\":\"b\"}],\"animations\":["
               "{\"name\":\"one\",\"channels\":[{\"sampler\":0,\"target\":{\"node\":1,\"path\":\"scale\"}},"
               "{\"sampler\":0,\"target\":{\"node\":0,\"path\":\"translation\"}},"
               "{\"sampler\":0,\"target\":{\"node\":1,\"path\":\"scale\"}},{\"sampler\":0,\"target\":{"
               "\"path\":\"pointer\"}}],"
               "\"samplers\":[{\"input\":0,\"output\":1}]},{\"channels\":[],\"samplers\":[]}]");
    struct pose_document *document = must_read(&file);
    ck_assert_uint_eq(document->clip_count, 2);
    const struct pose_clip *one = &document->clips[0], *none = &document->clips[1];
    ck_assert_uint_eq(one->track_count, 2);
    ck_assert_str_eq(one->tracks[0].name, "b");
    ck_assert_str_eq(one->tracks[1].name, "a");
    ck_assert_ptr_eq(one->tracks[0].channels[POSE_SCALE].times,
                     one->tracks[1].channels[POSE_TRANSLATION].times);
    ck_assert(!none->name && !none->track_count && none->duration == 0);
    ck_assert_uint_eq(codec_warnings(document, "repeated_channel"), 1);
    ck_assert_uint_eq(codec_warnings(document, "channel_ignored"), 1);
    pose_document_free(document);
    gltf_free(&file);
}
