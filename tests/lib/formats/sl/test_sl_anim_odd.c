/* Second Life's animations that are odd or hostile: every warning, and the spec's list of hostile input (section 6). */
#include "lib/core/value.h"
#include "lib/formats/sl/layout.h"
#include "lib/formats/sl/names.h"
#include "lib/model/stand_in.h"
#include "tests/support/codecs.h"
#include "tests/support/sl_files.h"
#include "tests/support/unit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const uint16_t one_key[1][4] = {{0, 40000, 32767, 32767}};

static struct pose_document *must_decode(const struct little_file *file)
{
    return codec_must_decode("sl-anim", file->bytes.data, file->bytes.size);
}

/* Decodes and releases; the test fails unless it has just this one warning. */
static void expect_only(const struct little_file *file, const char *code)
{
    struct pose_document *document = must_decode(file);
    ck_assert_msg(codec_warnings(document, code) == 1, "no %s", code);
    ck_assert_msg(codec_warnings(document, NULL) == 1, "more than %s", code);
    pose_document_free(document);
}

/* ------------------------------------------------------------------------------------------------ warnings -- */

/* One word of the example, changed: the one warning that comes of it. */
static const struct {
    size_t at;
    uint32_t word;
    const char *code;
} odd[] = {
    {SL_AT_PRIORITY, 7, "priority_capped"},
    {SL_AT_PRIORITY, 0x7fffffff, "priority_capped"},
    {SL_AT_HAND_POSE, 14, "hand_pose_range"},
    {SL_AT_JOINT_PRIORITY, 7, "joint_priority_capped"},
    {SL_AT_LOOP_OUT, 0x3d800000, "loop_outside_clip"},
    {SL_AT_LOOP_IN, 0xbd800000, "loop_outside_clip"},
    {SL_AT_EASE_IN, 0xbf000000, "negative_ease"},
    {SL_AT_EASE_OUT, 0xbf000000, "negative_ease"},
    {SL_AT_ROT_KEYS + 4, 0x7fffffff, "equal_key_times"}, /* the first key is at the end, too */
    {SL_AT_ROT_KEYS + 8, 0xffffffff, "overlong_rotation"},
    {SL_AT_POS_KEYS + 8, 0x7fff0000, "position_at_limit"},
    {SL_AT_POS_KEYS + 8, 0xffff7fff, "position_at_limit"},
    {SL_AT_NUM_CONSTRAINTS, 0xffffffff, "constraints_ignored"},
    {SL_AT_NUM_CONSTRAINTS, 11, "constraints_ignored"},
    {SL_AT_NUM_CONSTRAINTS, 0x7fffffff, "constraints_ignored"},
};

TEST_EACH(each_warning_is_given, COUNT(odd))
{
    struct little_file file = {0};
    sl_put_example(&file, false);
    little_set_u32(&file, odd[_i].at, odd[_i].word);
    expect_only(&file, odd[_i].code);
    pose_buffer_free(&file.bytes);
}

TEST(loop_points)
{
    struct little_file file = {0};
    sl_put_example(&file, false);
    little_set_f32(&file, SL_AT_LOOP_IN, 0.03f);
    little_set_f32(&file, SL_AT_LOOP_OUT, 0.01f);
    expect_only(&file, "loop_reversed");
    little_set_f32(&file, SL_AT_LOOP_IN, 3e38f);
    little_set_f32(&file, SL_AT_LOOP_OUT, -3e38f);
    struct pose_document *document = must_decode(&file);
    ck_assert_uint_eq(codec_warnings(document, "loop_reversed"), 1);
    ck_assert_uint_eq(codec_warnings(document, "loop_outside_clip"), 1);
    ck_assert_float_eq(document->clips[0].loop_in, 3e38f);
    pose_document_free(document);
    pose_buffer_free(&file.bytes);
}

TEST(bytes_that_follow)
{
    struct little_file file = {0};
    sl_put_example(&file, false);
    little_put_u8(&file, 0);
    struct pose_document *document = must_decode(&file);
    ck_assert_uint_eq(document->warning_count, 1);
    ck_assert_str_eq(document->warnings[0].code, "trailing_bytes");
    ck_assert_uint_eq(document->warnings[0].offset, 97);
    ck_assert_int_eq(document->warnings[0].severity, POSE_WARNING);
    pose_document_free(document);
    pose_buffer_free(&file.bytes);
}

/* Sorted by time, and of several keys at one time the last in the file. */
TEST(canonical_keys)
{
    static const uint16_t keys[5][4] = {
        {65535, 1000, 32767, 32767}, {0, 2000, 32767, 32767},     {30000, 3000, 32767, 32767},
        {0, 4000, 32767, 32767},     {30000, 5000, 32767, 32767},
    };
    struct little_file file = {0};
    sl_put_head(&file, 1, 1);
    sl_put_joint(&file, "mHead", keys, 5, NULL, 0);
    little_put_u32(&file, 0);
    struct pose_document *document = must_decode(&file);
    const struct pose_channel *channel = &document->clips[0].tracks[0].channels[POSE_ROTATION];
    ck_assert_uint_eq(channel->count, 3);
    ck_assert_uint_eq(document->clips[0].key_count, 3);
    static const float words[3] = {4000, 5000, 1000};
    for (int k = 0; k < 3; k++)
        ck_assert_float_eq_tol(channel->values[4 * k], words[k] / 65535 * 2 - 1, 1e-6f);
    ck_assert_uint_eq(codec_warnings(document, "unsorted_keys"), 1);
    ck_assert_uint_eq(codec_warnings(document, "equal_key_times"), 1);
    ck_assert_ptr_nonnull(strstr(codec_warning_text(document, "equal_key_times"), "5 rotation keys"));
    pose_document_free(document);
    pose_buffer_free(&file.bytes);
}

static void put_named(struct little_file *file, const char *const *names, uint32_t count)
{
    sl_put_head(file, 1, count);
    for (uint32_t i = 0; i < count; i++)
        sl_put_joint(file, names[i], one_key, 1, NULL, 0);
}

TEST(names_of_joints)
{
    static const char *const names[] = {"mHead",     "bow_and_arrow", "avatar_mHead",
                                        "Left Hand", "bow_and_arrow", "Left_Hand"};
    struct little_file file = {0};
    put_named(&file, names, 6);
    little_put_u32(&file, 0);
    struct pose_document *document = must_decode(&file);
    ck_assert_uint_eq(document->clips[0].track_count, 6);
    for (int i = 0; i < 6; i++)
        ck_assert_str_eq(document->clips[0].tracks[i].name, names[i]);
    ck_assert_uint_eq(codec_warnings(document, "unknown_joint"), 2);
    ck_assert_uint_eq(codec_warnings(document, "duplicate_joint"), 3);
    ck_assert_uint_eq(codec_warnings(document, NULL), 5);
    pose_document_free(document);
    pose_buffer_free(&file.bytes);
}

TEST(names_that_are_not_utf8)
{
    static const char *const names[] = {"caf\xe9", "caf\xc3\xa9"};
    struct little_file file = {0};
    put_named(&file, names, 2);
    little_put_u32(&file, 0);
    struct pose_document *document = must_decode(&file);
    const struct pose_track *tracks = document->clips[0].tracks;
    ck_assert_str_eq(tracks[0].name, "caf\xc3\xa9");
    ck_assert_str_eq(tracks[1].name, "caf\xc3\xa9");
    ck_assert_str_eq(value_get_string(tracks[0].extras, "name_bytes", ""), "636166e9");
    ck_assert_int_eq(value_get_int(tracks[0].extras, "priority", 0), 3);
    ck_assert_ptr_null(pose_value_find(tracks[1].extras, "name_bytes"));
    ck_assert_uint_eq(codec_warnings(document, "name_not_utf8"), 1);
    pose_document_free(document);
    pose_buffer_free(&file.bytes);
}

TEST(emotes)
{
    static const struct {
        const char *emote, *code;
    } cases[] = {{"Express_Smile", NULL}, {"Closed_Mouth", "unknown_emote"}, {"\xff\xfe", "name_not_utf8"}};
    for (size_t i = 0; i < 3; i++) {
        struct little_file file = {0};
        little_put(&file, sl_example, SL_AT_EMOTE);
        little_put_text(&file, cases[i].emote);
        little_put(&file, sl_example + SL_AT_LOOP_IN, sizeof sl_example - SL_AT_LOOP_IN);
        struct pose_document *document = must_decode(&file);
        ck_assert_uint_eq(codec_warnings(document, NULL), (uint32_t)i);
        if (cases[i].code)
            ck_assert_uint_eq(codec_warnings(document, cases[i].code), 1);
        const char *emote = value_get_string(document->clips[0].extras, "emote", "");
        ck_assert_str_eq(emote, i == 2 ? "\xc3\xbf\xc3\xbe" : cases[i].emote);
        pose_document_free(document);
        pose_buffer_free(&file.bytes);
    }
}

/* What the viewer would refuse when it sets the constraint up on its skeleton. */
TEST(constraints_that_cannot_be_set_up)
{
    static const char *const names[] = {"mWristLeft", "mElbowLeft", "strange", "mShoulderLeft", "mHead"};
    static const struct {
        unsigned chain_length;
        const char *source, *target, *code;
    } cases[] = {
        {1, "L_HAND", "GROUND", NULL},
        {1, "L_HAND", "HEAD", NULL},
        {0, "mWristLeft", "HEAD", "unknown_source_volume"},
        {0, "L_HAND", "mHead", "unknown_target_volume"},
        {2, "L_HAND", "GROUND", "undriven_chain"}, /* driven, but after a stranger */
        {0, "PELVIS", "GROUND", "undriven_chain"},
        {4, "L_HAND", "GROUND", "long_chain"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct little_file file = {0};
        put_named(&file, names, 5);
        little_put_u32(&file, 1);
        size_t at = file.bytes.size;
        sl_put_constraint(&file, cases[i].chain_length);
        memset(file.bytes.data + at + 2, 0, 16);
        memset(file.bytes.data + at + 30, 0, 16);
        memcpy(file.bytes.data + at + 2, cases[i].source, strlen(cases[i].source));
        memcpy(file.bytes.data + at + 30, cases[i].target, strlen(cases[i].target));
        struct pose_document *document = must_decode(&file);
        uint32_t others = codec_warnings(document, "unknown_joint");
        if (cases[i].code) {
            ck_assert_msg(codec_warnings(document, cases[i].code) == 1, "case %zu: no %s", i, cases[i].code);
            others += codec_warnings(document, "undriven_chain") + !!strcmp(cases[i].code, "undriven_chain");
        }
        ck_assert_uint_eq(codec_warnings(document, NULL), others);
        pose_document_free(document);
        pose_buffer_free(&file.bytes);
    }
}

/* The bone above the pelvis is one that no file may drive. */
TEST(chains_that_leave_the_skeleton)
{
    static const char *const names[] = {"mPelvis", "mHead"};
    for (unsigned length = 0; length < 3; length++) {
        struct little_file file = {0};
        put_named(&file, names, 2);
        little_put_u32(&file, 1);
        size_t at = file.bytes.size;
        sl_put_constraint(&file, length);
        memcpy(file.bytes.data + at + 2, "PELVIS\0\0\0\0\0\0\0\0\0", 16);
        struct pose_document *document = must_decode(&file);
        ck_assert_uint_eq(codec_warnings(document, "undriven_chain"), length > 0);
        ck_assert_uint_eq(codec_warnings(document, NULL), length > 0);
        pose_document_free(document);
        pose_buffer_free(&file.bytes);
    }
}

/* Eleven constraints are kept when they are sound; when not, they are bytes that follow, never an error. */
TEST(constraints_that_are_ignored)
{
    for (int spoilt = 0; spoilt < 2; spoilt++) {
        struct little_file file = {0};
        sl_put_example(&file, false);
        little_set_u32(&file, SL_AT_NUM_CONSTRAINTS, 11);
        for (int i = 0; i < 11; i++)
            sl_put_constraint(&file, 0);
        file.bytes.data[SL_AT_CONSTRAINT + 10 * 86 + 1] = spoilt ? 9 : 1; /* the type */
        struct pose_document *document = must_decode(&file);
        const struct pose_value *list = pose_value_find(document->clips[0].extras, "constraints");
        ck_assert_uint_eq(value_count(list), spoilt ? 0 : 11);
        ck_assert_uint_eq(codec_warnings(document, "constraints_ignored"), 1);
        ck_assert_uint_eq(codec_warnings(document, "trailing_bytes"), (uint32_t)spoilt);
        pose_document_free(document);
        pose_buffer_free(&file.bytes);
    }
}

/* ------------------------------------------------------------------------------------------------- hostile -- */

/* Counts that no file backs take no memory. */
TEST(counts_are_not_believed)
{
    static const uint32_t counts[] = {0x7fffffff, 0x20000001, 0x10000000, 1000000};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        struct little_file file = {0};
        sl_put_example(&file, true);
        little_set_u32(&file, SL_AT_ROT_KEYS, counts[i]);
        ck_assert_uint_lt(codec_memory("sl-anim", file.bytes.data, file.bytes.size), 65536);
        pose_buffer_free(&file.bytes);
    }
}

static char *long_text(size_t length, char c)
{
    char *text = malloc(length + 1);
    memset(text, c, length);
    text[length] = 0;
    return text;
}

TEST(long_texts_are_legal)
{
    enum { LENGTH = 1 << 20 };
    char *text = long_text(LENGTH, 'x');
    struct little_file file = {0};
    little_put(&file, sl_example, SL_AT_EMOTE);
    little_put_text(&file, text);
    little_put(&file, sl_example + SL_AT_LOOP_IN, SL_AT_NUM_JOINTS - SL_AT_LOOP_IN);
    little_put_u32(&file, 20);
    for (int i = 0; i < 20; i++) {
        text[LENGTH - 1] = (char)('a' + i % 19); /* they differ at the very end; one comes twice */
        sl_put_joint(&file, text, one_key, 1, NULL, 0);
    }
    little_put_u32(&file, 0);
    struct pose_document *document = must_decode(&file);
    ck_assert_uint_eq(strlen(document->clips[0].tracks[19].name), LENGTH);
    ck_assert_uint_eq(codec_warnings(document, "duplicate_joint"), 1);
    ck_assert_uint_eq(codec_warnings(document, "unknown_emote"), 1);
    for (uint32_t i = 0; i < document->warning_count; i++)
        ck_assert_uint_lt(strlen(document->warnings[i].message), 400);
    pose_document_free(document);
    pose_buffer_free(&file.bytes);
    free(text);
}

/* How many keys break what pose.h promises of them. */
static uint32_t count_bad_keys(const struct pose_channel *channel, uint32_t components, float duration)
{
    uint32_t bad = 0;
    for (uint32_t k = 0; k < channel->count; k++) {
        bad += !(channel->times[k] >= 0 && channel->times[k] <= duration);
        bad += k > 0 && !(channel->times[k] > channel->times[k - 1]);
        for (uint32_t c = 0; c < components; c++)
            bad += isfinite(channel->values[k * components + c]) ? 0 : 1;
    }
    return bad;
}

/* All keys at one time, in reverse order, or in no time at all: as many as one channel can have, and more. */
TEST(many_keys_at_odd_times)
{
    enum { COUNT = 70000 };
    static const float durations[] = {0, 1e-45f, 1e-38f, 1, 60};
    uint16_t(*keys)[4] = calloc(COUNT, sizeof *keys);
    for (size_t d = 0; d < sizeof durations / sizeof *durations; d++) {
        for (int reverse = 0; reverse < 2; reverse++) {
            for (unsigned k = 0; k < COUNT; k++) {
                unsigned time = reverse && k < 65536 ? 65535 - k : 5;
                keys[k][0] = (uint16_t)time;
                keys[k][1] = keys[k][2] = keys[k][3] = (uint16_t)(k * 7);
            }
            struct little_file file = {0};
            sl_put_head(&file, durations[d], 1);
            sl_put_joint(&file, "mHead", (const uint16_t(*)[4])keys, COUNT, (const uint16_t(*)[4])keys,
                         COUNT);
            little_put_u32(&file, 0);
            struct pose_document *document = must_decode(&file);
            const struct pose_channel *channels = document->clips[0].tracks[0].channels;
            ck_assert_uint_eq(count_bad_keys(&channels[POSE_ROTATION], 4, durations[d]), 0);
            ck_assert_uint_eq(count_bad_keys(&channels[POSE_TRANSLATION], 3, durations[d]), 0);
            uint32_t expected = reverse && durations[d] >= 1 ? 65536 : 1;
            if (durations[d] == 0 || durations[d] >= 1) {
                ck_assert_uint_eq(channels[POSE_ROTATION].count, expected);
                ck_assert_uint_eq(channels[POSE_TRANSLATION].count, expected);
            }
            pose_document_free(document);
            pose_buffer_free(&file.bytes);
        }
    }
    free(keys);
}

TEST(as_many_tracks_as_there_may_be)
{
    for (int same = 0; same < 2; same++) {
        struct little_file file = {0};
        sl_put_head(&file, 1, SL_TRACK_LIMIT);
        for (int i = 0; i < SL_TRACK_LIMIT; i++) {
            char name[16];
            snprintf(name, sizeof name, "joint%d", same ? 0 : i);
            sl_put_joint(&file, same ? "mHead" : name, NULL, 0, NULL, 0);
        }
        little_put_u32(&file, 0);
        struct pose_document *document = must_decode(&file);
        ck_assert_uint_eq(document->clips[0].track_count, SL_TRACK_LIMIT);
        ck_assert_uint_eq(document->clips[0].key_count, 0);
        const char *code = same ? "duplicate_joint" : "unknown_joint";
        ck_assert_uint_eq(codec_warnings(document, code),
                          WARNINGS_PER_CODE + 1); /* the last counts the others */
        pose_document_free(document);
        pose_buffer_free(&file.bytes);
    }
}

TEST(nasty_names)
{
    static const char *const names[] = {
        "",     "\"",   "<script>", "../../etc/passwd", "\x01\x1b[2J", "\xed\xa0\x80", "\xf0\x9f\x92",
        "%s%n", "mHead"};
    struct little_file file = {0};
    put_named(&file, names, 9);
    little_put_u32(&file, 0);
    struct pose_document *document = must_decode(&file);
    for (uint32_t i = 0; i < 9; i++) {
        struct pose_buffer text = {0};
        ck_assert(pose_json_string(&text, document->clips[0].tracks[i].name));
        for (size_t k = 0; k < text.size; k++)
            ck_assert(text.data[k] >= 0x20);
        pose_buffer_free(&text);
    }
    ck_assert_str_eq(document->clips[0].tracks[2].name, names[2]);
    for (uint32_t i = 0; i < document->warning_count; i++) {
        for (const char *c = document->warnings[i].message; *c; c++)
            ck_assert((unsigned char)*c >= 0x20);
    }
    pose_document_free(document);
    pose_buffer_free(&file.bytes);
}

TEST(volume_names_without_an_end)
{
    struct little_file file = {0};
    sl_put_example(&file, true);
    memset(file.bytes.data + SL_AT_CONSTRAINT + 2, 'x', 16);
    memset(file.bytes.data + SL_AT_CONSTRAINT + 30, 0xff, 16);
    struct pose_document *document = must_decode(&file);
    const struct pose_value *first = pose_value_find(document->clips[0].extras, "constraints")->first;
    ck_assert_str_eq(value_get_string(first, "source_volume", ""), "xxxxxxxxxxxxxxxx");
    ck_assert_ptr_null(pose_value_find(first, "source_volume_bytes"));
    ck_assert_str_eq(value_get_string(first, "target_volume_bytes", ""), "ffffffffffffffffffffffffffffffff");
    ck_assert_uint_eq(codec_warnings(document, "unknown_source_volume"), 1);
    ck_assert_uint_eq(codec_warnings(document, "unknown_target_volume"), 1);
    pose_document_free(document);
    pose_buffer_free(&file.bytes);
}
