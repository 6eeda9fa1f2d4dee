/* .skel: values, order of bones, errors and warnings, the way back; and the stand-in for the adults of The Sims. */
#include "lib/core/value.h"
#include "lib/formats/table.h"
#include "tests/support/codecs.h"
#include "tests/support/tso_files.h"
#include "tests/support/unit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char FORMAT[] = "tso-skel";

static struct pose_document *decode(const struct tso_file *file)
{
    return codec_must_decode(FORMAT, file->data, file->size);
}

static void check_comes_back(const struct tso_file *file)
{
    struct pose_document *document = decode(file);
    struct pose_content content = document_content(document);
    struct codec_losses losses;
    struct pose_buffer out = codec_must_encode(FORMAT, &content, &losses);
    ck_assert_str_eq(losses.codes, "");
    codec_check_bytes("skeleton", out.data, out.size, file->data, file->size);
    pose_buffer_free(&out);
    pose_document_free(document);
}

TEST(bones_are_read_parents_first)
{
    struct tso_file file;
    tso_make_skel(&file);
    struct pose_document *document = codec_must_decode(NULL, file.data, file.size);
    const struct pose_skeleton *skeleton = document->skeletons;
    static const char *const names[] = {"ROOT", "HIP", "HEAD"};
    static const uint32_t file_order[] = {2, 0, 1};
    ck_assert_str_eq(document->format, FORMAT);
    ck_assert_str_eq(skeleton->name, "figure");
    ck_assert(skeleton->axes == POSE_AXES_SIMS && skeleton->scaling == POSE_SCALE_OFFSETS);
    ck_assert_int_eq(skeleton->root_joint, -1);
    ck_assert_uint_eq(skeleton->joint_count, 3);
    for (int i = 0; i < 3; i++) {
        const struct pose_joint *joint = &skeleton->joints[i];
        ck_assert_str_eq(joint->name, names[i]);
        ck_assert_int_eq(joint->parent, i - 1);
        ck_assert(joint->translation[1] == (float)(i == 0 ? 3 : i));
        ck_assert(joint->rotation[1] == 0.6f && joint->rotation[3] == 0.8f && joint->scale[2] == 1);
        ck_assert_uint_eq(skeleton->file_order[i], file_order[i]);
    }
    ck_assert_uint_eq(codec_warnings(document, NULL), 0);
    pose_document_free(document);
    check_comes_back(&file);
}

TEST(joints_keep_what_bones_have)
{
    struct tso_file file;
    tso_make_skel(&file);
    tso_set_u32(&file, "bones[1].can_translate", 9);
    struct pose_document *document = decode(&file);
    struct pose_buffer text = {0};
    ck_assert(pose_json_value(&text, document->skeletons->joints[0].extras));
    static const char expected[] =
        "{\"unknown\":1,\"can_translate\":9,\"can_rotate\":true,\"can_blend\":true,"
        "\"wiggle_value\":700000,\"wiggle_power\":0.05}";
    codec_check_bytes("extras", text.data, text.size, expected, sizeof expected - 1);
    pose_buffer_free(&text);
    pose_document_free(document);
    check_comes_back(&file);
}

TEST(props_come_back)
{
    struct tso_file file;
    tso_make_skel(&file);
    size_t after = tso_at(&file, "bones[2].translation"), rest = file.size - after;
    uint8_t tail[64];
    memcpy(tail, file.data + after, rest);
    file.size = after - 1;
    tso_put_u8(&file, NULL, 2);
    tso_put_u32(&file, NULL, 2);
    for (int i = 0; i < 2; i++) {
        tso_put_u32(&file, NULL, 1);
        tso_put_text(&file, NULL, "name");
        tso_put_text(&file, NULL, "adult");
    }
    memcpy(file.data + file.size, tail, rest);
    file.size += rest;
    struct pose_document *document = decode(&file);
    const struct pose_value *props = pose_value_find(document->skeletons->joints[1].extras, "props");
    ck_assert_uint_eq(value_count(props), 2);
    ck_assert_str_eq(value_get_string(props->first->next, "name", ""), "adult");
    pose_document_free(document);
    check_comes_back(&file);
}

TEST(every_truncation_is_told)
{
    struct tso_file file;
    tso_make_skel(&file);
    for (size_t size = 0; size < file.size; size++) {
        uint8_t *part = malloc(size ? size : 1);
        struct pose_error error;
        memcpy(part, file.data, size);
        ck_assert_ptr_null(codec_decode(FORMAT, part, size, &error));
        ck_assert(!strcmp(error.code, "truncated") || !strcmp(error.code, "count_too_large"));
        ck_assert_uint_le(error.offset, size);
        free(part);
    }
}

static void name_bone(struct tso_file *file, const char *mark, const char *name)
{
    size_t at = tso_at(file, mark);
    ck_assert_uint_eq(file->data[at], strlen(name));
    memcpy(file->data + at + 1, name, strlen(name));
}

TEST(errors_name_the_bone)
{
    struct tso_file file;
    tso_make_skel(&file);
    name_bone(&file, "bones[1].name", "HEAD");
    struct pose_error error = codec_must_fail(FORMAT, file.data, file.size, "duplicate_bone");
    ck_assert_str_eq(error.field, "bones[1].name");
    ck_assert_uint_eq(error.offset, tso_at(&file, "bones[1].unknown"));

    tso_make_skel(&file);
    name_bone(&file, "bones[1].parent", "HEAD");
    error = codec_must_fail(FORMAT, file.data, file.size, "bone_cycle");
    ck_assert_str_eq(error.field, "bones[0].parent");

    tso_make_skel(&file);
    name_bone(&file, "bones[2].parent", "HEAD"); /* beside a sound root */
    error = codec_must_fail(FORMAT, file.data, file.size, "bone_cycle");
    ck_assert_str_eq(error.field, "bones[0].parent");

    tso_make_skel(&file);
    tso_set_u32(&file, "version", 2);
    codec_must_fail(FORMAT, file.data, file.size, "bad_version");

    tso_make_skel(&file);
    tso_set_f32(&file, "bones[2].rotation", NAN);
    error = codec_must_fail(FORMAT, file.data, file.size, "non_finite");
    ck_assert_str_eq(error.field, "bones[2].rotation");

    tso_make_skel(&file);
    file.data[tso_at(&file, "bone_count")] = 0xff;
    error = codec_must_fail(FORMAT, file.data, file.size, "count_too_large");
    ck_assert_str_eq(error.field, "bone_count");
    ck_assert_uint_le(codec_memory(FORMAT, file.data, file.size), 8192);
}

TEST(orphans_become_roots)
{
    struct tso_file file;
    tso_make_skel(&file);
    name_bone(&file, "bones[0].parent", "HAT");
    struct pose_document *document = decode(&file);
    ck_assert_uint_eq(codec_warnings(document, "unknown_parent"), 1);
    ck_assert_uint_eq(codec_warnings(document, "several_roots"), 1);
    ck_assert_uint_eq(codec_warnings(document, NULL), 2);
    ck_assert_str_eq(document->skeletons->joints[0].name, "HEAD");
    ck_assert_int_eq(document->skeletons->joints[0].parent, -1);
    pose_document_free(document);
    check_comes_back(&file);

    tso_make_skel(&file);
    tso_put_u8(&file, NULL, 0);
    document = decode(&file);
    ck_assert_uint_eq(codec_warnings(document, "trailing_bytes"), 1);
    pose_document_free(document);
}

TEST(limits_and_probing)
{
    struct tso_file file;
    tso_make_skel(&file);
    struct pose_source source = {.bytes = {file.data, file.size}};
    struct pose_options options = {.limits = {.joints = 2}};
    struct pose_error error;
    ck_assert_ptr_null(pose_decode(&source, &options, &error));
    ck_assert_str_eq(error.limit, "joints");
    ck_assert_int_eq(codec_probe(codec_find(FORMAT), &source), PROBE_SURE);
    source.bytes.size--;
    ck_assert_int_eq(codec_probe(codec_find(FORMAT), &source), PROBE_NO);
    source.name = "adult.SKEL";
    ck_assert_int_eq(codec_probe(codec_find(FORMAT), &source), PROBE_NAME);
}

TEST(foreign_skeletons_are_written)
{
    static const struct pose_joint joints[] = {
        {.name = "hip",
         .parent = -1,
         .translation = {0.3048f, 1, 0},
         .rotation = {0.6f, 0, 0, 0.8f},
         .scale = {1, 1, 1}},
        {.has_id = true, .id = 5, .parent = 0, .rotation = {0, 0, 0, 1}, .scale = {1, 2, 1}},
    };
    static const struct pose_skeleton skeleton = {.axes = POSE_AXES_GLTF, .joint_count = 2, .joints = joints};
    struct pose_content content = {.skeleton_count = 1, .skeletons = &skeleton};
    struct codec_losses losses;
    struct pose_buffer out = codec_must_encode(FORMAT, &content, &losses);
    ck_assert_str_eq(losses.codes, "scale_lost ");
    struct pose_document *document = codec_must_decode(FORMAT, out.data, out.size);
    const struct pose_joint *made = document->skeletons->joints;
    ck_assert_float_eq_tol(made[0].translation[0], -1, 1e-6f);
    ck_assert(made[0].rotation[0] == -0.6f && made[0].rotation[3] == 0.8f);
    ck_assert_str_eq(made[1].name, "joint_5");
    ck_assert_int_eq(made[1].parent, 0);
    ck_assert(value_get_bool(made[0].extras, "can_translate", false));
    ck_assert(!value_get_bool(made[1].extras, "can_translate", true));
    pose_document_free(document);
    pose_buffer_free(&out);

    struct pose_joint twins[] = {joints[0], joints[0]};
    struct pose_skeleton twice = {.axes = POSE_AXES_SIMS, .joint_count = 2, .joints = twins};
    struct pose_error error;
    content.skeletons = &twice;
    ck_assert(!pose_encode(FORMAT, &content, NULL, NULL, NULL, &out, &error));
    ck_assert_str_eq(error.code, "duplicate_bone");
    content.skeleton_count = 0;
    ck_assert(!pose_encode(FORMAT, &content, NULL, NULL, NULL, &out, &error));
    ck_assert_str_eq(error.code, "one_skeleton");
}

/* ---------------------------------------------------------------------------------------------- stand-in -- */

struct place {
    float position[3], rotation[4];
};

/* v turned by the conjugate of q, as stored rotations act. */
static void turn(const float q[4], const float v[3], float to[3])
{
    float t[3], u[3] = {-q[0], -q[1], -q[2]};
    for (int i = 0; i < 3; i++)
        t[i] = 2 * (u[(i + 1) % 3] * v[(i + 2) % 3] - u[(i + 2) % 3] * v[(i + 1) % 3]);
    for (int i = 0; i < 3; i++)
        to[i] = v[i] + q[3] * t[i] + u[(i + 1) % 3] * t[(i + 2) % 3] - u[(i + 2) % 3] * t[(i + 1) % 3];
}

/* The position of a joint in the space of the figure: up through its parents. */
static void rest_of(const struct pose_skeleton *skeleton, const char *name, float position[3])
{
    int32_t joint = 0;
    while (strcmp(skeleton->joints[joint].name, name))
        ck_assert_int_lt(++joint, (int32_t)skeleton->joint_count);
    memcpy(position, skeleton->joints[joint].translation, 3 * sizeof *position);
    while ((joint = skeleton->joints[joint].parent) >= 0) {
        float turned[3];
        turn(skeleton->joints[joint].rotation, position, turned);
        for (int i = 0; i < 3; i++)
            position[i] = turned[i] + skeleton->joints[joint].translation[i];
    }
}

static void check_rest(const struct pose_skeleton *skeleton, const char *name, float x, float y, float z)
{
    float position[3], expected[] = {x, y, z};
    rest_of(skeleton, name, position);
    for (int i = 0; i < 3; i++)
        ck_assert_msg(fabsf(position[i] - expected[i]) < 1e-3f, "%s: %g %g %g", name, (double)position[0],
                      (double)position[1], (double)position[2]);
}

TEST(the_stand_in_stands)
{
    unsigned index = 0;
    while (strcmp(pose_stand_in_name(index), "The Sims adult stand-in"))
        index++;
    struct pose_document *document = pose_stand_in(index, NULL, NULL);
    const struct pose_skeleton *skeleton = document->skeletons;
    ck_assert_uint_eq(skeleton->joint_count, 29);
    ck_assert(skeleton->axes == POSE_AXES_SIMS);
    check_rest(skeleton, "HEAD", 0, 4.84f, 0.03f);
    check_rest(skeleton, "L_TOE02", -0.29f, 0, 0.64f);
    check_rest(skeleton, "R_FOOT", 0.29f, 0.24f, 0);
    check_rest(skeleton, "L_HAND", -1.0171f, 2.8293f, 0.0815f);
    check_rest(skeleton, "R_HAND", 1.0171f, 2.8293f, 0.0815f);
    check_rest(skeleton, "R_FINGER0", 1.1048f, 2.5234f, 0.115f);
    pose_document_free(document);
}
