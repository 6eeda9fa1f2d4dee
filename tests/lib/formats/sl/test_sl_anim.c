/*
 * Reading Second Life's animations: the spec's worked example byte by byte, each of its error codes, the old form.
 * Warnings and hostile input are in test_sl_anim_odd.c.
 */
#include "lib/core/value.h"
#include "tests/support/codecs.h"
#include "tests/support/sl_files.h"
#include "tests/support/unit.h"

#include <stdlib.h>
#include <string.h>

static const uint16_t one_key[1][4] = {{0, 40000, 32767, 32767}};

static struct pose_document *must_decode(const struct little_file *file)
{
    return codec_must_decode("sl-anim", file->bytes.data, file->bytes.size);
}

/* ---------------------------------------------------------------------------------------- the worked example -- */

static void check_channel(const struct pose_channel *channel, uint32_t components, const float *value)
{
    ck_assert_uint_eq(channel->count, 2);
    ck_assert_float_eq(channel->times[0], 0);
    ck_assert_float_eq(channel->times[1], 0.041666668f);
    for (uint32_t i = 0; i < 2 * components; i++)
        ck_assert_float_eq_tol(channel->values[i], value[i % components], 1e-9f);
}

TEST(worked_example)
{
    struct little_file file = {0};
    sl_put_example(&file, false);
    struct pose_document *document = codec_must_decode(NULL, file.bytes.data, file.bytes.size);
    ck_assert_str_eq(document->format, "sl-anim");
    ck_assert_uint_eq(document->clip_count, 1);
    ck_assert_uint_eq(codec_warnings(document, NULL), 0);
    const struct pose_clip *clip = &document->clips[0];
    ck_assert_ptr_null(clip->name);
    ck_assert_int_eq(clip->axes, POSE_AXES_SL);
    ck_assert_int_eq(clip->rules, POSE_RULES_SL);
    ck_assert_float_eq(clip->duration, 0.041666668f);
    ck_assert_float_eq(clip->fps, 0);
    ck_assert_uint_eq(clip->frame_count, 0);
    ck_assert_int_eq(clip->loop, POSE_LOOP_YES);
    ck_assert_float_eq(clip->loop_in, 0);
    ck_assert_float_eq(clip->loop_out, 0.041666668f);
    ck_assert_uint_eq(clip->track_count, 1);
    ck_assert_uint_eq(clip->key_count, 4);
    const struct pose_track *track = &clip->tracks[0];
    ck_assert_str_eq(track->name, "mPelvis");
    ck_assert(!track->has_id);
    check_channel(&track->channels[POSE_ROTATION], 4, (float[]){0, 0, 0, 1});
    check_channel(&track->channels[POSE_TRANSLATION], 3, (float[]){0, 0, -0.024796009f});
    struct pose_buffer text = {0};
    pose_json_value(&text, clip->extras);
    pose_json_value(&text, track->extras);
    pose_buffer_append(&text, "", 1);
    ck_assert_str_eq(
        (char *)text.data,
        "{\"version\":\"1.0\",\"base_priority\":6,\"emote\":\"\",\"ease_in\":0.8,\"ease_out\":0.8,"
        "\"hand_pose\":0,\"constraints\":[]}{\"priority\":6}");
    pose_buffer_free(&text);
    pose_document_free(document);
    pose_buffer_free(&file.bytes);
}

TEST(constraints_are_kept)
{
    struct little_file file = {0};
    sl_put_head(&file, 1, 3);
    sl_put_joint(&file, "mWristLeft", one_key, 1, NULL, 0);
    sl_put_joint(&file, "lForeArm", one_key, 1, NULL, 0);
    sl_put_joint(&file, "mHead", one_key, 1, NULL, 0);
    little_put_u32(&file, 2);
    sl_put_constraint(&file, 1);
    size_t second = file.bytes.size;
    sl_put_constraint(&file, 0);
    memcpy(file.bytes.data + second + 2 + 28, "GROUND\0_LEG", 11);
    struct pose_document *document = must_decode(&file);
    ck_assert_uint_eq(codec_warnings(document, NULL), 0);
    const struct pose_value *list = pose_value_find(document->clips[0].extras, "constraints");
    ck_assert_uint_eq(value_count(list), 2);
    struct pose_buffer text = {0};
    pose_json_value(&text, list->first->next);
    pose_buffer_append(&text, "", 1);
    ck_assert_str_eq(
        (char *)text.data,
        "{\"chain_length\":0,\"type\":1,\"source_volume\":\"L_HAND\",\"source_offset\":[1,2,3],"
        "\"target_volume\":\"GROUND\",\"target_volume_bytes\":\"47524f554e44005f4c45470000000000\","
        "\"target_offset\":[4,5,6],\"target_dir\":[7,8,9],\"ease_in_start\":10,\"ease_in_stop\":11,"
        "\"ease_out_start\":12,\"ease_out_stop\":13}");
    ck_assert_ptr_null(pose_value_find(list->first, "target_volume_bytes"));
    pose_buffer_free(&text);
    pose_document_free(document);
    pose_buffer_free(&file.bytes);
}

/* -------------------------------------------------------------------------------------------------- errors -- */

#define NAN_BITS 0x7fc00000u
#define INFINITY_BITS 0x7f800000u
#define MINUS_ONE 0xffffffffu

/* One word of the example with a constraint, spoilt: what comes of it. */
static const struct {
    size_t at;
    uint32_t word;
    const char *code;
    const char *field;
    uint64_t offset; /* 0: that of the word */
} broken[] = {
    {SL_AT_VERSION, 2, "bad_version", "version", 0},
    {SL_AT_VERSION, 0x00000000, "bad_version", "version", 0},
    {SL_AT_VERSION, 0x00010001, "bad_version", "version", 0},
    {SL_AT_PRIORITY, 0xfffffffe, "bad_priority", "base_priority", 0},
    {SL_AT_PRIORITY, 0x80000000, "bad_priority", "base_priority", 0},
    {SL_AT_DURATION, 0xbf800000, "bad_duration", "duration", 0},
    {SL_AT_DURATION, NAN_BITS, "bad_duration", "duration", 0},
    {SL_AT_DURATION, INFINITY_BITS, "bad_duration", "duration", 0},
    {SL_AT_DURATION, 0x42700001, "too_long", "duration", 0},
    {SL_AT_LOOP_IN, NAN_BITS, "not_finite", "loop_in", 0},
    {SL_AT_LOOP_OUT, INFINITY_BITS, "not_finite", "loop_out", 0},
    {SL_AT_EASE_IN, NAN_BITS, "not_finite", "ease_in", 0},
    {SL_AT_EASE_OUT, 0xff800000, "not_finite", "ease_out", 0},
    {SL_AT_HAND_POSE, 15, "bad_hand_pose", "hand_pose", 0},
    {SL_AT_HAND_POSE, MINUS_ONE, "bad_hand_pose", "hand_pose", 0},
    {SL_AT_NUM_JOINTS, 0, "no_joints", "num_joints", 0},
    {SL_AT_NUM_JOINTS, 217, "too_many_joints", "num_joints", 0},
    {SL_AT_NUM_JOINTS, MINUS_ONE, "too_many_joints", "num_joints", 0},
    {SL_AT_JOINT_PRIORITY, 0xfffffffe, "bad_joint_priority", "joints[0].priority", 0},
    {SL_AT_ROT_KEYS, MINUS_ONE, "bad_key_count", "joints[0].rot_keys", 0},
    {SL_AT_POS_KEYS, 0x80000000, "bad_key_count", "joints[0].pos_keys", 0},
    {SL_AT_ROT_KEYS, 0x7fffffff, "truncated", "joints[0].rot_keys", 0},
    {SL_AT_ROT_KEYS, 0x20000001, "truncated", "joints[0].rot_keys", 0},
    {SL_AT_POS_KEYS, 0x20000001, "truncated", "joints[0].pos_keys", 0},
    {SL_AT_POS_KEYS, 14, "truncated", "joints[0].pos_keys", 0},
    {SL_AT_NUM_CONSTRAINTS, 2, "truncated", "constraints[1].chain_length", 183},
    {SL_AT_CONSTRAINT, 0x4c5f0200, "bad_constraint", "constraints[0].type", SL_AT_CONSTRAINT + 1},
    {SL_AT_CONSTRAINT, 0x4c5f0102, "bad_constraint", "constraints[0].chain_length", 0},
    {SL_AT_CONSTRAINT + 18, NAN_BITS, "not_finite", "constraints[0].source_offset", 0},
    {SL_AT_CONSTRAINT + 50, NAN_BITS, "not_finite", "constraints[0].target_offset", 0},
    {SL_AT_CONSTRAINT + 66, INFINITY_BITS, "not_finite", "constraints[0].target_dir", 0},
    {SL_AT_CONSTRAINT + 70, NAN_BITS, "not_finite", "constraints[0].ease_in_start", 0},
    {SL_AT_CONSTRAINT + 82, NAN_BITS, "not_finite", "constraints[0].ease_out_stop", 0},
};

TEST_EACH(each_error_has_its_place, COUNT(broken))
{
    struct little_file file = {0};
    sl_put_example(&file, true);
    little_set_u32(&file, broken[_i].at, broken[_i].word);
    struct pose_error error = codec_must_fail("sl-anim", file.bytes.data, file.bytes.size, broken[_i].code);
    ck_assert_int_eq(error.status, POSE_BAD_DATA);
    ck_assert_str_eq(error.field, broken[_i].field);
    ck_assert_uint_eq(error.offset, broken[_i].offset ? broken[_i].offset : broken[_i].at);
    ck_assert_ptr_nonnull(strstr(error.detail, broken[_i].field));
    pose_buffer_free(&file.bytes);
}

TEST(errors_are_sentences)
{
    struct little_file file = {0};
    sl_put_example(&file, false);
    little_set_u32(&file, SL_AT_ROT_KEYS, 20);
    struct pose_error error = codec_must_fail("sl-anim", file.bytes.data, file.bytes.size, "truncated");
    ck_assert_str_eq(error.detail,
                     "joints[0].rot_keys at byte 53: 20 keys of 8 bytes promised, 40 bytes left");
    pose_buffer_free(&file.bytes);
}

TEST(a_duration_just_over_the_limit_is_told_apart)
{
    struct little_file file = {0};
    sl_put_example(&file, false);
    little_set_u32(&file, SL_AT_DURATION, 0x42700001);
    struct pose_error error = codec_must_fail("sl-anim", file.bytes.data, file.bytes.size, "too_long");
    ck_assert_str_eq(error.detail, "duration at byte 8: 60.0000038 seconds, more than 60");
    pose_buffer_free(&file.bytes);
}

TEST(forbidden_and_unterminated_names)
{
    static const char *const forbidden[] = {"mRoot", "mScreen"};
    for (int i = 0; i < 2; i++) {
        struct little_file file = {0};
        sl_put_head(&file, 1, 1);
        sl_put_joint(&file, forbidden[i], one_key, 1, NULL, 0);
        little_put_u32(&file, 0);
        struct pose_error error =
            codec_must_fail("sl-anim", file.bytes.data, file.bytes.size, "forbidden_joint");
        ck_assert_str_eq(error.field, "joints[0].name");
        ck_assert_uint_eq(error.offset, 41);
        pose_buffer_free(&file.bytes);
    }
    struct little_file file = {0};
    sl_put_head(&file, 1, 1);
    little_put(&file, "mHead", 5);
    struct pose_error error =
        codec_must_fail("sl-anim", file.bytes.data, file.bytes.size, "unterminated_string");
    ck_assert_str_eq(error.field, "joints[0].name");
    pose_buffer_free(&file.bytes);
    struct little_file emote = {0};
    little_put(&emote, sl_example, 12);
    little_put(&emote, "Express", 7);
    error = codec_must_fail("sl-anim", emote.bytes.data, emote.bytes.size, "unterminated_string");
    ck_assert_str_eq(error.field, "emote_name");
    ck_assert_uint_eq(error.offset, 12);
    pose_buffer_free(&emote.bytes);
}

/* Every shorter file fails at the place where it ends, and never as something else. */
TEST(truncated_at_every_byte)
{
    struct little_file file = {0};
    sl_put_example(&file, true);
    for (size_t size = 0; size < file.bytes.size; size++) {
        uint8_t *copy = malloc(size ? size : 1); /* so that AddressSanitizer sees the end */
        memcpy(copy, file.bytes.data, size);
        struct pose_error error;
        ck_assert_ptr_null(codec_decode("sl-anim", copy, size, &error));
        ck_assert(!strcmp(error.code, "truncated") || !strcmp(error.code, "unterminated_string"));
        ck_assert_uint_le(error.offset, size);
        free(copy);
    }
    pose_buffer_free(&file.bytes);
}

TEST(limits)
{
    struct little_file file = {0};
    sl_put_example(&file, false);
    struct pose_source source = {.bytes = {file.bytes.data, file.bytes.size}};
    struct pose_error error;
    ck_assert_ptr_null(pose_decode(&source, &(struct pose_options){.limits.keys = 3}, &error));
    ck_assert_int_eq(error.status, POSE_OVER_LIMIT);
    ck_assert_str_eq(error.limit, "keys");
    struct pose_document *document = pose_decode(&source, &(struct pose_options){.limits.keys = 4}, &error);
    ck_assert_ptr_nonnull(document);
    pose_document_free(document);
    struct little_file two = {0};
    sl_put_head(&two, 1, 2);
    sl_put_joint(&two, "mHead", one_key, 1, NULL, 0);
    sl_put_joint(&two, "mNeck", one_key, 1, NULL, 0);
    little_put_u32(&two, 0);
    source.bytes = (struct pose_bytes){two.bytes.data, two.bytes.size};
    ck_assert_ptr_null(pose_decode(&source, &(struct pose_options){.limits.joints = 1}, &error));
    ck_assert_str_eq(error.limit, "joints");
    static const uint16_t keys[1000][4];
    struct little_file many = {0};
    sl_put_head(&many, 1, 1);
    sl_put_joint(&many, "mHead", keys, 1000, NULL, 0);
    little_put_u32(&many, 0);
    source.bytes = (struct pose_bytes){many.bytes.data, many.bytes.size};
    ck_assert_ptr_null(pose_decode(&source, &(struct pose_options){.limits.memory = 20000}, &error));
    ck_assert_int_eq(error.status, POSE_OVER_LIMIT);
    ck_assert_str_eq(error.limit, "memory");
    pose_buffer_free(&many.bytes);
    pose_buffer_free(&two.bytes);
    pose_buffer_free(&file.bytes);
}

/* ------------------------------------------------------------------------------------------------- probing -- */

static const char *detect(const struct little_file *file, const char *name)
{
    struct pose_source source = {.name = name, .bytes = {file->bytes.data, file->bytes.size}};
    const char *format = pose_detect(&source);
    return format ? format : "none";
}

TEST(detection)
{
    struct little_file file = {0};
    sl_put_example(&file, true);
    ck_assert_str_eq(detect(&file, NULL), "sl-anim");
    ck_assert_str_eq(detect(&file, "a.dat"), "sl-anim");
    /* Bad values do not hide what the file is, only its structure does. */
    little_set_u32(&file, SL_AT_DURATION, NAN_BITS);
    ck_assert_str_eq(detect(&file, "a.dat"), "sl-anim");
    little_put_u8(&file, 0);
    ck_assert_str_eq(detect(&file, "a.dat"), "none");
    ck_assert_str_eq(detect(&file, "x/A.ANIM"), "sl-anim");
    ck_assert_str_eq(detect(&file, "a.animatn"), "sl-anim");
    little_set_u32(&file, SL_AT_VERSION, 0x00010000); /* of the old form, by its first word */
    ck_assert_str_eq(detect(&file, "a.anim"), "sl-anim");
    little_set_u32(&file, SL_AT_VERSION, 0x02000000);
    ck_assert_str_ne(detect(&file, "a.anim"), "sl-anim");
    ck_assert_str_eq(detect(&file, "a.animatn"), "sl-anim"); /* nobody else's extension */
    pose_buffer_free(&file.bytes);
}

/* So that it is refused for its version, and not as a file of no known format. */
TEST(another_version_is_ours_by_its_layout)
{
    static const uint32_t versions[] = {2, 0x00010001, 0x00020000, 0xffffffff, 0};
    struct little_file file = {0};
    sl_put_example(&file, true);
    for (size_t i = 0; i < sizeof versions / sizeof *versions; i++) {
        little_set_u32(&file, SL_AT_VERSION, versions[i]);
        ck_assert_str_eq(detect(&file, "a.anim"), "sl-anim");
        ck_assert_str_eq(detect(&file, "a.animatn"), "sl-anim");
        ck_assert_str_ne(detect(&file, "a.dat"), "sl-anim");
        ck_assert_str_ne(detect(&file, NULL), "sl-anim");
    }
    little_put_u8(&file, 0);
    ck_assert_str_ne(detect(&file, "a.dat"), "sl-anim");
    file.bytes.size = 3; /* not even a version */
    ck_assert_str_eq(detect(&file, "a.animatn"), "sl-anim");
    ck_assert_str_eq(detect(&file, "a.anim"), "none");
    pose_buffer_free(&file.bytes);
}

/* ------------------------------------------------------------------------------------------------ old form -- */

TEST(old_form)
{
    struct little_file file = {0};
    sl_put_head(&file, 2, 1);
    little_set_u32(&file, 0, 0x10000); /* version 0.1 */
    little_put_text(&file, "mHead");
    little_put_u32(&file, 3);
    little_put_u32(&file, 2);
    const float rotations[8] = {0.5f, 10, 20, 30, 1.5f, 0, 0, 90}, positions[4] = {1, 0.5f, -6, 2};
    for (int i = 0; i < 8; i++)
        little_put_f32(&file, rotations[i]);
    little_put_u32(&file, 1);
    size_t position_at = file.bytes.size;
    for (int i = 0; i < 4; i++)
        little_put_f32(&file, positions[i]);
    little_put_u32(&file, 0);
    ck_assert_str_eq(detect(&file, NULL), "sl-anim");
    struct pose_document *document = must_decode(&file);
    const struct pose_track *track = &document->clips[0].tracks[0];
    const float *q = track->channels[POSE_ROTATION].values;
    ck_assert_uint_eq(track->channels[POSE_ROTATION].count, 2);
    ck_assert_float_eq(track->channels[POSE_ROTATION].times[1], 1.5f);
    const float expected[4] = {0.12767944f, 0.14487813f, 0.26853582f, 0.94371432f};
    for (int i = 0; i < 4; i++)
        ck_assert_float_eq_tol(q[i], expected[i], 1e-7f);
    ck_assert_float_eq(track->channels[POSE_TRANSLATION].values[1], -5);
    ck_assert_uint_eq(codec_warnings(document, "position_at_limit"), 1);
    ck_assert_uint_eq(codec_warnings(document, NULL), 1);
    ck_assert_str_eq(value_get_string(document->clips[0].extras, "version", ""), "0.1");
    pose_document_free(document);
    little_set_f32(&file, position_at, 2.5f); /* a time behind the end is no error in this form */
    document = must_decode(&file);
    ck_assert_uint_eq(codec_warnings(document, "key_outside_clip"), 1);
    ck_assert_float_eq(document->clips[0].tracks[0].channels[POSE_TRANSLATION].times[0], 0);
    pose_document_free(document);
    little_set_u32(&file, position_at + 8, NAN_BITS);
    struct pose_error error = codec_must_fail("sl-anim", file.bytes.data, file.bytes.size, "not_finite");
    ck_assert_str_eq(error.field, "joints[0].pos_keys");
    ck_assert_uint_eq(error.offset, position_at + 8);
    pose_buffer_free(&file.bytes);
}
