/* Character files of The Sims 1 as text and in binary: fields, numbers, errors with their lines, companions, the way back. */
#include "lib/core/value.h"
#include "lib/formats/table.h"
#include "tests/support/codecs.h"
#include "tests/support/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char CMX[] = "sims1-cmx", BCF[] = "sims1-bcf";

/* A skeleton of two bones, a suit of a skin, a skill of two motions; its rows are the fields of a record each. */
static const char *const figure[] = {"// Character File.",
                                     "version 300",
                                     /* 2 */ "1",
                                     "figure",
                                     "2",
                                     /* 5 */ "ROOT",
                                     "NULL",
                                     "1",
                                     "1",
                                     "name",
                                     "adult",
                                     "| -5.88894e-005 3 0.5 |",
                                     "| 0 0.6 0 0.8 |",
                                     "1",
                                     "1",
                                     "0",
                                     "700000",
                                     "0.05",
                                     /* 18 */ "HEAD",
                                     "ROOT",
                                     "0",
                                     "| 0 2 0 |",
                                     "| 0 0 0 1 |",
                                     "0",
                                     "1",
                                     "1",
                                     "0",
                                     "0",
                                     /* 28 */ "1",
                                     "b001",
                                     "1",
                                     "1",
                                     "2",
                                     "age",
                                     "old",
                                     "size",
                                     "",
                                     "1",
                                     "HEAD",
                                     "xskin-hat",
                                     "4",
                                     "1",
                                     "1",
                                     "a",
                                     "b",
                                     /* 45 */ "1",
                                     "a2o-test",
                                     "xskill-a2o-TEST",
                                     "1000",
                                     "2.5",
                                     "1",
                                     "2",
                                     "4",
                                     "2",
                                     /* 54 */ "ROOT",
                                     "2",
                                     "1000",
                                     "1",
                                     "1",
                                     "0",
                                     "0",
                                     "1",
                                     "1",
                                     "canblend",
                                     "0",
                                     "1",
                                     "2",
                                     "100",
                                     "1",
                                     "footstep",
                                     "1",
                                     "500",
                                     "2",
                                     "xevt",
                                     "7",
                                     "sound",
                                     "door",
                                     /* 77 */ "HEAD",
                                     "2",
                                     "1000",
                                     "0",
                                     "1",
                                     "-1",
                                     "2",
                                     "0",
                                     "0"};

enum { LINES = sizeof figure / sizeof *figure };

/* Keys: x 0 and 1, y 10, z 20; rotations all 0, 0.6, 0, 0.8. */
static const uint8_t keys[] = {0xff, 0,    0,    0,    0,    0xff, 0, 0, 0x80, 0x3f, /* x */
                               0xff, 0,    0,    0x20, 0x41, 0xfe, 0, 0,             /* y */
                               0xff, 0,    0,    0xa0, 0x41, 0xfe, 0, 0,             /* z */
                               0xff, 0,    0,    0,    0,    0xfe, 2, 0,             /* x */
                               0xff, 0x9a, 0x99, 0x19, 0x3f, 0xfe, 2, 0,             /* y */
                               0xff, 0,    0,    0,    0,    0xfe, 2, 0,             /* z */
                               0xff, 0xcd, 0xcc, 0x4c, 0x3f, 0xfe, 2, 0};            /* w */

static struct codec_companion companions[] = {{"XSKILL-a2o-test.cfp", {keys, sizeof keys}},
                                              {NULL, {NULL, 0}}};

/* The text of the figure with another line in place of one (NULL: none). */
static const char *text_with(int line, const char *other)
{
    static char text[4096];
    text[0] = 0;
    for (int i = 0; i < LINES; i++)
        sprintf(text + strlen(text), "%s\r\n", i == line && other ? other : figure[i]);
    return text;
}

static struct pose_document *decode(const char *text)
{
    struct pose_error error;
    struct pose_document *document = codec_decode_with(NULL, text, strlen(text), companions, &error);
    ck_assert_msg(document != NULL, "%s: %s", error.code, error.detail);
    return document;
}

/* ------------------------------------------------------------------------------------------------ reading -- */

TEST(skeletons_are_read)
{
    struct pose_document *document = decode(text_with(0, NULL));
    ck_assert_str_eq(document->format, CMX);
    ck_assert_uint_eq(codec_warnings(document, NULL), 0);
    ck_assert_uint_eq(document->skeleton_count, 1);
    const struct pose_skeleton *skeleton = document->skeletons;
    ck_assert_str_eq(skeleton->name, "figure");
    ck_assert_uint_eq(skeleton->joint_count, 2);
    ck_assert_str_eq(skeleton->joints[1].name, "HEAD");
    ck_assert_int_eq(skeleton->joints[1].parent, 0);
    ck_assert(skeleton->joints[0].translation[0] == -5.88894e-005f);
    ck_assert(skeleton->joints[0].rotation[1] == 0.6f && skeleton->joints[0].rotation[3] == 0.8f);
    codec_check_json(skeleton->joints[0].extras,
                     "{\"props\":[{\"name\":\"adult\"}],\"can_translate\":true,"
                     "\"can_rotate\":true,\"can_blend\":false,\"wiggle_value\":700000,"
                     "\"wiggle_power\":0.05}");
    pose_document_free(document);
}

TEST(suits_are_read)
{
    struct pose_document *document = decode(text_with(0, NULL));
    ck_assert_uint_eq(document->character_count, 1);
    ck_assert_str_eq(document->characters->name, "b001");
    ck_assert_str_eq(document->characters->type, "suit");
    codec_check_json(
        document->characters->extras,
        "{\"type\":1,\"props\":[[{\"age\":\"old\"},{\"size\":\"\"}]],\"skins\":[{\"bone\":\"HEAD\","
        "\"mesh\":\"xskin-hat\",\"flags\":4,\"props\":[{\"a\":\"b\"}]}]}");
    pose_document_free(document);
}

TEST(skills_are_read_with_their_keys)
{
    struct pose_document *document = decode(text_with(0, NULL));
    const struct pose_clip *clip = document->clips;
    ck_assert_uint_eq(document->clip_count, 1);
    ck_assert_str_eq(clip->name, "a2o-test");
    ck_assert_str_eq(clip->companion, "xskill-a2o-TEST.cfp");
    ck_assert(clip->duration == 1 && clip->fps == 30 && clip->frame_count == 2);
    ck_assert(clip->axes == POSE_AXES_SIMS && clip->rules == POSE_RULES_SIMS);
    ck_assert_uint_eq(clip->key_count, 6);
    const struct pose_channel *translation = &clip->tracks[0].channels[POSE_TRANSLATION];
    const struct pose_channel *rotation = &clip->tracks[1].channels[POSE_ROTATION];
    static const float places[] = {0, 10, 20, 1, 10, 20};
    ck_assert_mem_eq(translation->values, places, sizeof places);
    ck_assert(translation->times[1] == 0.5f && rotation->values[5] == 0.6f && rotation->values[7] == 0.8f);
    codec_check_json(clip->extras, "{\"duration_ms\":1000,\"distance\":2.5,\"is_moving\":true,"
                                   "\"file\":\"xskill-a2o-TEST\"}");
    codec_check_json(clip->tracks[0].extras, "{\"props\":[[{\"canblend\":\"0\"}]]}");
    ck_assert_ptr_null(clip->tracks[1].extras);
    ck_assert_uint_eq(clip->event_count, 3);
    ck_assert(clip->events[2].time == 0.5f);
    ck_assert_str_eq(clip->events[2].type, "sound");
    codec_check_json(clip->events[2].fields, "{\"value\":\"door\",\"joint\":\"ROOT\"}");
    pose_document_free(document);
}

TEST(props_of_motions_are_lists_of_pairs)
{
    struct pose_document *document = decode(text_with(62, "2\r\nname\r\nadult"));
    codec_check_json(document->clips->tracks[0].extras,
                     "{\"props\":[[{\"name\":\"adult\"},{\"canblend\":\"0\"}]]}");
    pose_document_free(document);
}

TEST(a_skill_without_its_keys)
{
    const char *text = text_with(0, NULL);
    struct pose_document *document = codec_must_decode(CMX, text, strlen(text));
    const struct pose_clip *clip = document->clips;
    ck_assert_uint_eq(codec_warnings(document, "no_cfp"), 1);
    ck_assert_uint_eq(codec_warnings(document, NULL), 1);
    ck_assert_str_eq(clip->warnings[0].code, "no_cfp");
    ck_assert_str_eq(clip->companion, "xskill-a2o-TEST.cfp");
    ck_assert_uint_eq(clip->key_count, 0);
    ck_assert_uint_eq(clip->track_count, 2);
    ck_assert_uint_eq(clip->event_count, 3);
    ck_assert(clip->duration == 1);
    pose_document_free(document);
}

static struct pose_error decode_keys(const uint8_t *bytes, size_t size, struct pose_document **document)
{
    struct codec_companion own[] = {{"xskill-A2O-test.CFP", {bytes, size}}, {NULL, {NULL, 0}}};
    const char *text = text_with(0, NULL);
    struct pose_error error;
    *document = codec_decode_with(CMX, text, strlen(text), own, &error);
    return error;
}

TEST(keys_that_do_not_fit)
{
    struct pose_document *document;
    uint8_t bytes[sizeof keys + 2];
    memcpy(bytes, keys, sizeof keys);
    bytes[sizeof keys] = bytes[sizeof keys + 1] = 126;
    decode_keys(bytes, sizeof bytes, &document);
    ck_assert_uint_eq(codec_warnings(document, "trailing_bytes"), 1);
    ck_assert_uint_eq(document->clips->warnings[0].offset, sizeof keys);
    pose_document_free(document);
    struct pose_error error = decode_keys(bytes, sizeof keys - 1, &document);
    ck_assert_ptr_null(document);
    ck_assert_str_eq(error.code, "truncated");
    ck_assert_str_eq(error.field, "xskill-a2o-TEST.cfp.rotations[1].w");
    ck_assert_uint_eq(error.offset, sizeof keys - 3);
    ck_assert_uint_eq(error.line, 0);
}

TEST(counts_are_no_memory)
{
    static const struct {
        int line;
        const char *other, *code;
    } cases[] = {
        {51, "2000000000", "truncated"}, {52, "2000000000", "truncated"}, {51, "-1", "count_too_large"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *text = text_with(cases[i].line, cases[i].other);
        struct pose_error error;
        ck_assert_ptr_null(codec_decode_with(CMX, text, strlen(text), companions, &error));
        ck_assert_str_eq(error.code, cases[i].code);
    }
    /* Without the .cfp nothing needs them. */
    const char *text = text_with(51, "2000000000");
    ck_assert_uint_le(codec_memory(CMX, text, strlen(text)), 65536);
    ck_assert_uint_le(codec_memory(CMX, "version 300\n2000000000\n", 22), 8192);
    ck_assert_uint_le(codec_memory(BCF, "\0\0\0\0\0\0\0\x7f\0\0\0\0", 12), 8192);
}

TEST(keys_are_limited)
{
    const char *text = text_with(0, NULL);
    struct pose_source source = {
        .bytes = {(const uint8_t *)text, strlen(text)}, .find = codec_find_companion, .user = companions};
    struct pose_options options = {.limits = {.keys = 5}};
    struct pose_error error;
    ck_assert_ptr_null(pose_decode(&source, &options, &error));
    ck_assert_str_eq(error.limit, "keys");
    options.limits = (struct pose_limits){.joints = 1};
    ck_assert_ptr_null(pose_decode(&source, &options, &error));
    ck_assert_str_eq(error.limit, "joints");
}

/* ------------------------------------------------------------------------------------------ lines of text -- */

/* Lines that mean the same as those of the figure. */
static const struct {
    int line;
    const char *other;
} same[] = {
    {0, "//\r\n\r\n  // more\r\n"},
    {1, "VERSION 300"},
    {1, "300"},
    {1, "  Version\t300  "},
    {2, "\r\n// one skeleton\r\n 1"},
    {5, "  ROOT  "},
    {11, "-5.88894E-05 3.0 .5"},
    {11, "|-5.88894e-5 3 0.5|"},
    {11, "| -0.0000588894 +3 5e-1"},
    {16, "7e5"},
    {55, "+2"},
};

TEST_EACH(lines_may_be_written_otherwise, COUNT(same))
{
    struct pose_document *a = decode(text_with(0, NULL));
    const char *text = text_with(same[_i].line, same[_i].other);
    struct pose_error error;
    struct pose_document *b = codec_decode_with(CMX, text, strlen(text), companions, &error);
    ck_assert_msg(b != NULL, "%s", error.detail);
    struct pose_content contents[] = {document_content(a), document_content(b)};
    struct pose_buffer first = codec_must_encode(CMX, &contents[0], NULL);
    struct pose_buffer second = codec_must_encode(CMX, &contents[1], NULL);
    codec_check_bytes(same[_i].other, second.data, second.size, first.data, first.size);
    pose_buffer_free(&first);
    pose_buffer_free(&second);
    pose_document_free(a);
    pose_document_free(b);
}

TEST(line_feeds_alone_will_do)
{
    char *text = strdup(text_with(0, NULL)), *to = text;
    for (const char *from = text; *from; from++) {
        if (*from != '\r')
            *to++ = *from;
    }
    to[-1] = 0; /* not even after the last line */
    struct pose_document *document = decode(text);
    ck_assert_uint_eq(document->clips->key_count, 6);
    pose_document_free(document);
    free(text);
}

static const struct {
    int line;
    const char *other, *code, *field;
} failures[] = {
    {1, "version 200", "bad_version", "version"},
    {1, "version", "bad_version", "version"},
    {1, "skeletons", "bad_version", "version"},
    {1, "version 300 beta", "bad_number", ""},
    {2, "one", "bad_number", "skeleton_count"},
    {2, "1.5", "bad_number", "skeleton_count"},
    {2, "1 1", "bad_number", ""},
    {2, "-1", "count_too_large", "skeleton_count"},
    {2, "2147483647", "count_too_large", "skeleton_count"},
    {2, "2147483648", "bad_number", "skeleton_count"},
    {4, "90", "count_too_large", "skeletons[0].bone_count"},
    {7, "3000", "count_too_large", "skeletons[0].bones[0].prop_count"},
    {8, "400", "count_too_large", "skeletons[0].bones[0].props[0].pair_count"},
    {11, "| 0 0 |", "bad_number", "skeletons[0].bones[0].translation"},
    {11, "| 0 0 0 0 |", "bad_number", "skeletons[0].bones[0]"},
    {11, "| 0 1.#QNAN 0 |", "non_finite", "skeletons[0].bones[0].translation"},
    {12, "| 0 0 -1.#IND 1 |", "non_finite", "skeletons[0].bones[0].rotation"},
    {16, "1.#INF", "non_finite", "skeletons[0].bones[0].wiggle_value"},
    {17, "1e39", "non_finite", "skeletons[0].bones[0].wiggle_power"},
    {18, "ROOT", "duplicate_bone", "skeletons[0].bones[1].name"},
    {6, "HEAD", "bone_cycle", "skeletons[0].bones[0].parent"},
    {37, "99", "count_too_large", "suits[0].skin_count"},
    {40, "pelvis", "bad_number", "suits[0].skins[0].flags"},
    {48, "nan", "non_finite", "skills[0].duration"},
    {51, "-4", "count_too_large", "skills[0].translation_count"},
    {52, "-2147483648", "count_too_large", "skills[0].rotation_count"},
    {53, "40", "count_too_large", "skills[0].motion_count"},
    {55, "-2", "count_too_large", "skills[0].motions[0].frame_count"},
    {61, "1000", "count_too_large", "skills[0].motions[0].props_list_count"},
    {65, "-100", "count_too_large", "skills[0].motions[0].time_props_list_count"},
    {66, "100", "count_too_large", "skills[0].motions[0].time_props_lists[0].time_prop_count"},
    {68, "100", "count_too_large", "skills[0].motions[0].time_props_lists[0].time_props[0].pair_count"},
    {85, "1", "count_too_large", "skills[0].motions[1].time_props_list_count"},
};

TEST_EACH(failures_say_their_line, COUNT(failures))
{
    const char *text = text_with(failures[_i].line, failures[_i].other);
    struct pose_error error;
    ck_assert_ptr_null(codec_decode_with(CMX, text, strlen(text), companions, &error));
    ck_assert_msg(!strcmp(error.code, failures[_i].code), "%s: %s", error.code, error.detail);
    ck_assert_str_eq(error.field, failures[_i].field);
    bool at_bone = !strcmp(error.code, "duplicate_bone") || !strcmp(error.code, "bone_cycle");
    int line = at_bone ? strcmp(error.code, "bone_cycle") ? 18 : 5 : failures[_i].line;
    ck_assert_uint_eq(error.line, (uint32_t)line + 1);
    /* The offset lies in that line. */
    uint32_t breaks = 0;
    for (uint64_t i = 0; i < error.offset; i++)
        breaks += text[i] == '\n';
    ck_assert_uint_eq(breaks, (uint32_t)line);
}

TEST(negative_counts_are_told_as_such)
{
    const char *text = text_with(4, "-3");
    struct pose_error error;
    ck_assert_ptr_null(codec_decode_with(CMX, text, strlen(text), companions, &error));
    ck_assert_str_eq(error.detail, "skeletons[0].bone_count at line 5: invalid count -3");
}

TEST(every_missing_line_is_told)
{
    const char *text = text_with(0, NULL);
    size_t size = 0;
    for (uint32_t lines = 0; lines < LINES; lines++) {
        char *part = malloc(size + 1); /* its own memory, so that a read past the end shows */
        struct pose_error error;
        memcpy(part, text, size);
        ck_assert_ptr_null(codec_decode_with(CMX, part, size, companions, &error));
        ck_assert_msg(!strcmp(error.code, "truncated") || !strcmp(error.code, "count_too_large"), "%s",
                      error.code);
        ck_assert_uint_le(error.line, lines + 1);
        ck_assert_uint_ge(error.line, 1);
        free(part);
        size += strlen(figure[lines]) + 2;
    }
    ck_assert_uint_eq(size, strlen(text));
}

static const struct {
    int line;
    const char *other, *code, *text;
} oddities[] = {
    {85, "0\r\nand more", "trailing_lines", NULL},
    {19, "HAT", "unknown_parent", NULL},
    {6, "HAT", "unknown_parent", NULL},
    {19, "NULL", "several_roots", NULL},
    {57, "2", "odd_flag", "ROOT.has_translation is 2, treated as true"},
    {50, "-1", "odd_flag", "is_moving is -1, treated as true"},
    {60, "3", "channel_out_of_range", NULL},
    {82, "0", "index_without_channel", NULL},
    {78, "0", "empty_motion", NULL},
    {77, "ROOT", "duplicate_motion", NULL},
    {48, "1.5", "implausible_duration", NULL},
};

TEST_EACH(oddities_are_warned_of, COUNT(oddities))
{
    struct pose_document *document = decode(text_with(oddities[_i].line, oddities[_i].other));
    ck_assert_uint_eq(codec_warnings(document, oddities[_i].code), 1);
    if (oddities[_i].text)
        ck_assert_str_eq(codec_warning_text(document, oddities[_i].code), oddities[_i].text);
    pose_document_free(document);
}

/* ------------------------------------------------------------------------------------------- the way back -- */

/* Text to binary to text: nothing may be lost. Returns the binary. */
static struct pose_buffer check_both_ways(const char *text, bool with_keys)
{
    struct codec_companion *files = with_keys ? companions : NULL;
    struct pose_error error;
    struct codec_losses losses;
    struct pose_document *a = codec_decode_with(CMX, text, strlen(text), files, &error);
    ck_assert_msg(a != NULL, "%s", error.detail);
    struct pose_content content = document_content(a);
    struct pose_buffer first = codec_must_encode(CMX, &content, &losses);
    ck_assert_str_eq(losses.codes, "");
    struct pose_buffer binary = codec_must_encode(BCF, &content, &losses);
    ck_assert_str_eq(losses.codes, "");
    struct pose_document *b = codec_decode_with(BCF, binary.data, binary.size, files, &error);
    ck_assert_msg(b != NULL, "%s", error.detail);
    ck_assert_uint_eq(codec_warnings(b, NULL), codec_warnings(a, NULL));
    content = document_content(b);
    struct pose_buffer second = codec_must_encode(CMX, &content, NULL);
    codec_check_bytes("text, binary, text", second.data, second.size, first.data, first.size);
    pose_buffer_free(&first);
    pose_buffer_free(&second);
    pose_document_free(a);
    pose_document_free(b);
    return binary;
}

/* Lines of the figure that a file may have, and that a way back must keep. */
static const struct {
    int line;
    const char *other;
} variants[] = {
    {0, NULL},      {62, "2\r\nname\r\nadult"},
    {61, "2\r\n0"}, {5, "R\xe9OT"},
    {6, "HAT"},     {13, "-7"},
    {30, "-1"},     {50, "3"},
    {55, "1"},      {57, "-1"},
    {59, "1"},      {60, "1"},
    {60, "9"},      {46, "other"},
    {66, "2"},      {67, "-100"},
    {67, "900"},    {67, "500"},
    {77, "ROOT"},   {82, "7"},
    {48, "1.5"},    {49, "-0"},
};

TEST_EACH(text_and_binary_hold_the_same, COUNT(variants))
{
    const char *text = text_with(variants[_i].line, variants[_i].other);
    struct pose_error error;
    struct pose_document *document = codec_decode_with(CMX, text, strlen(text), companions, &error);
    if (!document) /* a variant that shifts lines is checked by those that do not */
        ck_abort_msg("%d: %s", _i, error.detail);
    pose_document_free(document);
    struct pose_buffer with = check_both_ways(text, true), without = check_both_ways(text, false);
    /* Keys are elsewhere: they change nothing. */
    codec_check_bytes("with and without keys", without.data, without.size, with.data, with.size);
    pose_buffer_free(&with);
    pose_buffer_free(&without);
}

TEST(the_text_is_the_same_line_by_line)
{
    struct pose_document *document = decode(text_with(0, NULL));
    struct pose_content content = document_content(document);
    struct pose_buffer out = codec_must_encode(CMX, &content, NULL);
    const char *expected = text_with(11, "| -5.88894e-5 3 0.5 |");
    codec_check_bytes("text", out.data, out.size, expected, strlen(expected));
    pose_buffer_free(&out);
    pose_document_free(document);
}

TEST(binary_truncations_are_told)
{
    struct pose_buffer binary = check_both_ways(text_with(0, NULL), true);
    for (size_t size = 0; size < binary.size; size++) {
        uint8_t *part = malloc(size ? size : 1);
        struct pose_error error;
        memcpy(part, binary.data, size);
        ck_assert_ptr_null(codec_decode_with(BCF, part, size, companions, &error));
        ck_assert(!strcmp(error.code, "truncated") || !strcmp(error.code, "count_too_large"));
        ck_assert_uint_le(error.offset, size);
        ck_assert_uint_eq(error.line, 0);
        free(part);
    }
    pose_buffer_free(&binary);
}

TEST(binary_counts_cost_nothing)
{
    struct pose_buffer binary = check_both_ways(text_with(0, NULL), true);
    for (size_t at = 0; at + 4 <= binary.size; at++) {
        uint8_t *copy = malloc(binary.size);
        memcpy(copy, binary.data, binary.size);
        memcpy(copy + at, "\xff\xff\xff\x7f", 4);
        ck_assert_uint_le(codec_memory(BCF, copy, binary.size), 65536);
        free(copy);
    }
    pose_buffer_free(&binary);
}

TEST(long_texts_have_a_long_count)
{
    for (size_t length = 253; length < 258; length++) {
        char name[300], text[700];
        memset(name, 'x', length);
        name[length] = 0;
        snprintf(text, sizeof text, "version 300\n0\n1\n%s\n0\n0\n0\n0\n", name);
        struct pose_buffer binary = check_both_ways(text, false);
        size_t extra = length < 255 ? 0 : 4;
        ck_assert_uint_eq(binary.size, 8 + 1 + extra + length + 4 + 4 + 4 + 4);
        ck_assert_uint_eq(binary.data[8], length < 255 ? length : 255);
        pose_buffer_free(&binary);
    }
}

TEST(what_no_file_holds_is_refused)
{
    struct pose_character suit = {.name = "two\nlines", .type = "suit"};
    struct pose_character outfit = {.name = "outfit", .type = "outfit"};
    struct pose_mesh mesh = {.name = "mesh"};
    struct pose_content content = {.character_count = 1, .characters = &suit};
    struct pose_buffer out = {0};
    struct pose_error error;
    ck_assert(!pose_encode(CMX, &content, NULL, NULL, NULL, &out, &error));
    ck_assert_str_eq(error.code, "bad_text");
    ck_assert_str_eq(error.field, "name");
    out = codec_must_encode(BCF, &content, NULL);
    pose_buffer_free(&out);
    struct codec_losses losses;
    content =
        (struct pose_content){.character_count = 1, .characters = &outfit, .mesh_count = 1, .meshes = &mesh};
    out = codec_must_encode(CMX, &content, &losses);
    ck_assert_str_eq(losses.codes, "character_lost mesh_lost ");
    static const char empty[] = "// Character File.\r\nversion 300\r\n0\r\n0\r\n0\r\n";
    codec_check_bytes("nothing", out.data, out.size, empty, sizeof empty - 1);
    pose_buffer_free(&out);
}

TEST(keys_go_into_a_file_of_their_own)
{
    struct pose_document *document = decode(text_with(0, NULL));
    struct pose_value mode = {.kind = POSE_STRING, .key = "cfp", .as.string = "lossless"};
    struct pose_value settings = {.kind = POSE_OBJECT, .first = &mode};
    struct pose_content content = document_content(document);
    content.settings = &settings;
    struct pose_buffer out = codec_must_encode("sims1-cfp", &content, NULL);
    codec_check_bytes("keys", out.data, out.size, keys, sizeof keys);
    pose_buffer_free(&out);
    pose_document_free(document);
    /* A clip that has none of its keys has none to give. */
    const char *text = text_with(0, NULL);
    document = codec_must_decode(CMX, text, strlen(text));
    content = document_content(document);
    struct pose_error error;
    ck_assert(!pose_encode("sims1-cfp", &content, NULL, NULL, NULL, &out, &error));
    ck_assert_str_eq(error.code, "no_keys");
    ck_assert_int_eq(error.status, POSE_BAD_DATA); /* the skill's fault, and not the caller's */
    pose_document_free(document);
}

TEST(skills_and_animations_are_one_family)
{
    /* .cmx and .cfp to .anim and back: the same text and the same keys. */
    struct pose_document *document = decode(text_with(0, NULL));
    struct pose_content content = {.clip_count = 1, .clips = document->clips};
    struct codec_losses losses;
    struct pose_buffer skill = codec_must_encode(CMX, &content, NULL);
    struct pose_buffer anim = codec_must_encode("tso-anim", &content, &losses);
    ck_assert_str_eq(losses.codes, "");
    struct pose_document *online = codec_must_decode("tso-anim", anim.data, anim.size);
    ck_assert_uint_eq(online->clips->key_count, 6);
    ck_assert_uint_eq(online->clips->event_count, 3);
    content.clips = online->clips;
    struct pose_buffer again = codec_must_encode(CMX, &content, &losses);
    /* A .anim has no place for the name of the key file. */
    ck_assert_str_eq(losses.codes, "");
    char *file = memmem(again.data, again.size, "xskill-a2o-test", 15);
    ck_assert_ptr_nonnull(file);
    memcpy(file, "xskill-a2o-TEST", 15);
    codec_check_bytes("to .anim and back", again.data, again.size, skill.data, skill.size);
    pose_buffer_free(&skill);
    pose_buffer_free(&anim);
    pose_buffer_free(&again);
    pose_document_free(online);
    pose_document_free(document);
}

/* ------------------------------------------------------------------------------------------------ probing -- */

static enum probe_result probe(const char *format, const char *name, const void *data, size_t size)
{
    struct pose_source source = {.name = name, .bytes = {data, size}};
    return codec_probe(codec_find(format), &source);
}

TEST(probing)
{
    const char *text = text_with(0, NULL);
    ck_assert_int_eq(probe(CMX, NULL, text, strlen(text)), PROBE_SURE);
    ck_assert_int_eq(probe(CMX, NULL, text, 40), PROBE_SURE);
    ck_assert_int_eq(probe(CMX, NULL, "300\n1\n", 6), PROBE_NO);
    ck_assert_int_eq(probe(CMX, "A.CMX", "300\n1\n", 6), PROBE_NAME);
    ck_assert_int_eq(probe(CMX, NULL, "version 1.0", 11), PROBE_NO);
    ck_assert_int_eq(probe(CMX, NULL, NULL, 0), PROBE_NO);
    struct pose_buffer binary = check_both_ways(text, true);
    ck_assert_int_eq(probe(BCF, NULL, binary.data, binary.size), PROBE_SURE);
    ck_assert_int_eq(probe(BCF, NULL, binary.data, binary.size - 1), PROBE_NO);
    ck_assert_int_eq(probe(BCF, "a.cmx.bcf", binary.data, binary.size - 1), PROBE_NAME);
    ck_assert_int_eq(probe(BCF, NULL, "\0\0\0\0\0\0\0\0\0\0\0\0", 12), PROBE_NO);
    ck_assert_int_eq(probe(CMX, "a.cmx.bcf", binary.data, binary.size), PROBE_NO);
    pose_buffer_free(&binary);
}
