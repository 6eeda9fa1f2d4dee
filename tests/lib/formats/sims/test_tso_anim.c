/* Reading .anim: values, every error and warning of the family's spec (2.1), durations, events, probing, hostile files. */
#include "lib/core/value.h"
#include "lib/formats/table.h"
#include "tests/support/codecs.h"
#include "tests/support/tso_files.h"
#include "tests/support/unit.h"

#include <stdlib.h>
#include <string.h>

static const char FORMAT[] = "tso-anim";

static struct pose_document *decode(const struct tso_file *file)
{
    return codec_must_decode(FORMAT, file->data, file->size);
}

/* ------------------------------------------------------------------------------------------------ values -- */

TEST(a_plain_file_is_read)
{
    struct tso_file file;
    tso_make_anim(&file);
    struct pose_document *document = codec_must_decode(NULL, file.data, file.size);
    const struct pose_clip *clip = document->clips;
    ck_assert_str_eq(document->format, FORMAT);
    ck_assert_uint_eq(document->clip_count, 1);
    ck_assert_uint_eq(codec_warnings(document, NULL), 0);
    ck_assert_str_eq(clip->name, "a2o-test");
    ck_assert(clip->axes == POSE_AXES_SIMS && clip->rules == POSE_RULES_SIMS);
    ck_assert(clip->duration == 1 && clip->fps == 30 && clip->frame_count == 3);
    ck_assert(clip->loop == POSE_LOOP_UNKNOWN && clip->loop_in == 0 && clip->loop_out == 1);
    ck_assert_uint_eq(clip->track_count, 2);
    ck_assert_uint_eq(clip->key_count, 9);
    codec_check_json(clip->extras, "{\"duration_ms\":1000,\"distance\":2.5,\"is_moving\":true}");
    codec_check_json(clip->tracks[0].extras, "{\"props\":[[{\"name\":\"adult\"}]],\"unknown\":1}");
    codec_check_json(clip->tracks[1].extras, "{\"unknown\":1}");
    pose_document_free(document);
}

TEST(keys_lie_on_the_clock)
{
    struct tso_file file;
    tso_make_anim(&file);
    struct pose_document *document = decode(&file);
    const struct pose_track *root = &document->clips->tracks[0], *head = &document->clips->tracks[1];
    const struct pose_channel *translation = &root->channels[POSE_TRANSLATION];
    const struct pose_channel *rotation = &head->channels[POSE_ROTATION];
    ck_assert_str_eq(root->name, "ROOT");
    ck_assert_str_eq(head->name, "HEAD");
    ck_assert_uint_eq(head->channels[POSE_TRANSLATION].count, 0);
    ck_assert_uint_eq(translation->count, 3);
    ck_assert_uint_eq(rotation->count, 3);
    for (uint32_t k = 0; k < 3; k++) {
        ck_assert(translation->times[k] == (float)(k / 3.0) && rotation->times[k] == (float)(k / 3.0));
        ck_assert(translation->values[3 * k] == (float)k && translation->values[3 * k + 2] == 20);
        ck_assert(rotation->values[4 * k + 1] == 0.6f && rotation->values[4 * k + 3] == 0.8f);
    }
    pose_document_free(document);
}

TEST(moments_become_events)
{
    static const struct {
        float time;
        const char *type, *fields;
    } expected[] = {
        {0.1f, "footstep", "{\"value\":\"1\",\"joint\":\"ROOT\"}"},
        {0.1f, "footstep", "{\"value\":\"2\",\"joint\":\"HEAD\"}"},
        {0.5f, "xevt", "{\"value\":\"7\",\"joint\":\"ROOT\"}"},
        {0.5f, "sound", "{\"value\":\"door\",\"joint\":\"ROOT\"}"},
    };
    struct tso_file file;
    tso_make_anim(&file);
    struct pose_document *document = decode(&file);
    ck_assert_uint_eq(document->clips->event_count, 4);
    for (size_t i = 0; i < 4; i++) {
        const struct pose_event *event = &document->clips->events[i];
        ck_assert(event->time == expected[i].time);
        ck_assert_str_eq(event->type, expected[i].type);
        codec_check_json(event->fields, expected[i].fields);
    }
    pose_document_free(document);
}

TEST(text_is_windows_1252)
{
    struct tso_file file;
    tso_make_anim(&file);
    file.data[tso_at(&file, "name")] = 0x80;
    file.data[tso_at(&file, "motions[0].bone") + 1] = 0xe9;
    struct pose_document *document = decode(&file);
    ck_assert_str_eq(document->clips->name, "€2o-test");
    ck_assert_str_eq(document->clips->tracks[0].name, "éOOT");
    pose_document_free(document);
}

TEST(an_empty_name_is_none)
{
    struct tso_file file = {.size = 0};
    tso_put_u32(&file, NULL, 2);
    tso_put_u16(&file, NULL, 0);
    tso_put_floats(&file, NULL, (const float[]){500, 0}, 2);
    tso_put_u8(&file, NULL, 0);
    for (int i = 0; i < 3; i++)
        tso_put_u32(&file, NULL, 0);
    struct pose_document *document = decode(&file);
    ck_assert_ptr_null(document->clips->name);
    ck_assert(document->clips->duration == 0.5f && document->clips->track_count == 0);
    ck_assert_uint_eq(codec_warnings(document, NULL), 0);
    pose_document_free(document);
}

/* ---------------------------------------------------------------------------------------------- durations -- */

static const struct {
    float stored, duration;
    uint8_t frames;
    bool implausible;
} durations[] = {
    {1000, 1, 3, false},    {3, 0.003f, 3, false},     {2.999f, 0.1f, 3, true}, {2.277778f, 0.1f, 3, true},
    {0, 0.1f, 3, true},     {-5, 0.1f, 3, true},       {40, 0.04f, 0, false},   {-40, 0, 0, false},
    {0, 1 / 30.f, 1, true}, {0.5f, 1 / 30.f, 1, true},
};

TEST_EACH(durations_in_seconds_are_seen_through, COUNT(durations))
{
    struct tso_file file;
    tso_make_anim(&file);
    tso_set_f32(&file, "duration", durations[_i].stored);
    tso_set_u32(&file, "motions[0].frame_count", durations[_i].frames);
    tso_set_u32(&file, "motions[1].frame_count", durations[_i].frames);
    struct pose_document *document = decode(&file);
    ck_assert_msg(document->clips->duration == durations[_i].duration, "%g",
                  (double)document->clips->duration);
    ck_assert_uint_eq(codec_warnings(document, "implausible_duration"), durations[_i].implausible);
    pose_document_free(document);
}

TEST(the_stored_duration_is_named)
{
    struct tso_file file;
    tso_make_anim(&file);
    tso_set_f32(&file, "duration", 2.277778f);
    struct pose_document *document = decode(&file);
    const char *text = codec_warning_text(document, "implausible_duration");
    ck_assert_str_eq(text, "2.277778 ms for 3 frames; treated as 0.1 s, 30 frames per second");
    pose_document_free(document);
}

TEST(motions_may_differ_in_length)
{
    struct tso_file file;
    tso_make_anim(&file);
    tso_set_u32(&file, "motions[0].frame_count", 2);
    struct pose_document *document = decode(&file);
    const struct pose_clip *clip = document->clips;
    ck_assert_uint_eq(clip->frame_count, 3);
    ck_assert_uint_eq(clip->tracks[0].channels[POSE_TRANSLATION].count, 2);
    ck_assert(clip->tracks[0].channels[POSE_TRANSLATION].times[1] == 0.5f);
    ck_assert(clip->tracks[1].channels[POSE_ROTATION].times[1] == (float)(1 / 3.0));
    pose_document_free(document);
}

/* ------------------------------------------------------------------------------------------------- errors -- */

TEST(every_truncation_is_told)
{
    struct tso_file file;
    tso_make_anim(&file);
    for (size_t size = 0; size < file.size; size++) {
        uint8_t *part = malloc(size ? size : 1); /* its own memory, so that a read past the end shows */
        struct pose_error error;
        memcpy(part, file.data, size);
        ck_assert_ptr_null(codec_decode(FORMAT, part, size, &error));
        ck_assert_msg(!strcmp(error.code, "truncated") || !strcmp(error.code, "count_too_large"),
                      "%zu bytes: %s", size, error.code);
        ck_assert_uint_le(error.offset, size);
        ck_assert_str_ne(error.field, "");
        free(part);
    }
}

/* A number where another one is spoilt, and what is said about it. A place of NULL is that of the mark. */
static const struct {
    const char *mark;
    uint32_t value;
    const char *code, *field;
} bad_integers[] = {
    {"version", 3, "bad_version", "version"},
    {"translation_count", 0x7fffffff, "count_too_large", "translation_count"},
    {"translation_count", 0xffffffff, "count_too_large", "translation_count"},
    {"rotation_count", 100, "count_too_large", "rotation_count"},
    {"motion_count", 40, "count_too_large", "motion_count"},
    {"motions[0].props_list_count", 0x40000000, "count_too_large", "motions[0].props_list_count"},
    {"motions[0].prop_count", 0x40000000, "count_too_large", "motions[0].props[0].prop_count"},
    {"motions[0].pair_count", 0x80000000, "count_too_large", "motions[0].props[0].props[0].pair_count"},
    {"motions[0].time_props_list_count", 99, "count_too_large", "motions[0].time_props_list_count"},
    {"motions[0].time_prop_count", 99, "count_too_large", "motions[0].time_props_lists[0].time_prop_count"},
};

TEST_EACH(bad_integers_are_named, COUNT(bad_integers))
{
    struct tso_file file;
    tso_make_anim(&file);
    tso_set_u32(&file, bad_integers[_i].mark, bad_integers[_i].value);
    struct pose_error error = codec_must_fail(FORMAT, file.data, file.size, bad_integers[_i].code);
    ck_assert_str_eq(error.field, bad_integers[_i].field);
    ck_assert_uint_eq(error.offset, tso_at(&file, bad_integers[_i].mark));
    ck_assert_int_eq(error.status, POSE_BAD_DATA);
}

static const struct {
    const char *mark;
    size_t index; /* floats after the mark */
    const char *field;
} floats[] = {
    {"duration", 0, "duration"},
    {"distance", 0, "distance"},
    {"translations", 0, "translations[0].x"},
    {"translations", 8, "translations[2].z"},
    {"rotations", 23, "rotations[5].w"},
    {"motions[1].duration", 0, "motions[1].duration"},
};

TEST_EACH(floats_must_be_finite, COUNT(floats))
{
    static const uint32_t bits[] = {0x7fc00000, 0xff800000, 0x7f800000, 0xffffffff};
    for (size_t i = 0; i < sizeof bits / sizeof *bits; i++) {
        struct tso_file file;
        tso_make_anim(&file);
        size_t offset = tso_at(&file, floats[_i].mark) + 4 * floats[_i].index;
        for (unsigned b = 0; b < 4; b++)
            file.data[offset + b] = (uint8_t)(bits[i] >> 8 * b);
        struct pose_error error = codec_must_fail(FORMAT, file.data, file.size, "non_finite");
        ck_assert_str_eq(error.field, floats[_i].field);
        ck_assert_uint_eq(error.offset, offset);
    }
}

TEST(an_error_is_one_readable_line)
{
    struct tso_file file;
    tso_make_anim(&file);
    tso_set_u32(&file, "rotation_count", 100);
    struct pose_error error = codec_must_fail(FORMAT, file.data, file.size, "count_too_large");
    ck_assert_str_eq(error.detail,
                     "rotation_count at byte 63: 100 items of 16 bytes promised, 277 bytes left");
}

/* ----------------------------------------------------------------------------------------------- warnings -- */

/* A field that is spoilt with the warnings that it brings; size 1 or 4. */
static const struct {
    const char *mark;
    uint32_t value;
    int size;
    const char *code;
    uint32_t count; /* of all warnings */
    const char *text;
} oddities[] = {
    {"motions[0].first_translation", 1, 4, "channel_out_of_range", 1,
     "ROOT.translation: keys 1 … 3 of 3; the channel is left out"},
    {"motions[0].first_rotation", 0xfffffffe, 4, "channel_out_of_range", 1, NULL},
    {"motions[0].first_rotation", 0x7fffffff, 4, "channel_out_of_range", 1, NULL},
    {"motions[1].frame_count", 0xffffffff, 4, "channel_out_of_range", 1, NULL},
    {"motions[1].first_translation", 0, 4, "index_without_channel", 1,
     "HEAD.translation has a first key, 0, but no keys"},
    {"motions[1].frame_count", 0, 4, "empty_motion", 1, "HEAD has no frames"},
    {"motions[0].has_translation", 2, 1, "odd_flag", 1, "ROOT.has_translation is 2, treated as true"},
    {"motions[0].has_rotation", 255, 1, "odd_flag", 1, NULL},
    {"motions[0].has_props", 3, 1, "odd_flag", 1, NULL},
    {"motions[0].has_time_props", 4, 1, "odd_flag", 1, NULL},
    {"is_moving", 7, 1, "odd_flag", 1, "is_moving is 7, treated as true"},
};

TEST_EACH(oddities_are_warned_of, COUNT(oddities))
{
    struct tso_file file;
    tso_make_anim(&file);
    if (oddities[_i].size == 1)
        tso_set_u8(&file, oddities[_i].mark, (uint8_t)oddities[_i].value);
    else
        tso_set_u32(&file, oddities[_i].mark, oddities[_i].value);
    struct pose_document *document = decode(&file);
    ck_assert_uint_eq(codec_warnings(document, oddities[_i].code), 1);
    ck_assert_uint_eq(codec_warnings(document, NULL), oddities[_i].count);
    if (oddities[_i].text)
        ck_assert_str_eq(codec_warning_text(document, oddities[_i].code), oddities[_i].text);
    /* And all of it is written again. */
    struct pose_content content = document_content(document);
    struct pose_buffer out = codec_must_encode(FORMAT, &content, NULL);
    codec_check_bytes(oddities[_i].mark, out.data, out.size, file.data, file.size);
    pose_buffer_free(&out);
    pose_document_free(document);
}

TEST(a_channel_out_of_range_is_left_out)
{
    struct tso_file file;
    tso_make_anim(&file);
    tso_set_u32(&file, "motions[1].frame_count", 0xffffffff);
    struct pose_document *document = decode(&file);
    ck_assert_uint_eq(document->clips->tracks[1].channels[POSE_ROTATION].count, 0);
    ck_assert_uint_eq(document->clips->tracks[0].channels[POSE_ROTATION].count, 3);
    /* Its frame count is not believed either. */
    ck_assert_uint_eq(document->clips->frame_count, 3);
    ck_assert(document->clips->duration == 1);
    pose_document_free(document);
}

TEST(a_bone_with_two_motions)
{
    struct tso_file file;
    tso_make_anim(&file);
    memcpy(file.data + tso_at(&file, "motions[1].bone") + 1, "ROOT", 4);
    struct pose_document *document = decode(&file);
    ck_assert_uint_eq(codec_warnings(document, "duplicate_motion"), 1);
    ck_assert_uint_eq(document->clips->track_count, 2);
    ck_assert_str_eq(document->clips->tracks[1].name, "ROOT");
    pose_document_free(document);
}

TEST(quaternions_without_length)
{
    struct tso_file file;
    tso_make_anim(&file);
    memset(file.data + tso_at(&file, "rotations") + 2 * 16, 0, 32);
    struct pose_document *document = decode(&file);
    ck_assert_str_eq(
        codec_warning_text(document, "zero_quaternion"),
        "2 of 6 rotations have length 0, the first is number 2; they are treated as the identity");
    ck_assert(document->clips->tracks[0].channels[POSE_ROTATION].values[4 * 2 + 3] == 0);
    pose_document_free(document);
}

TEST(bytes_after_the_end)
{
    struct tso_file file;
    tso_make_anim(&file);
    size_t size = file.size;
    tso_put_u32(&file, NULL, 0);
    struct pose_document *document = decode(&file);
    ck_assert_uint_eq(codec_warnings(document, "trailing_bytes"), 1);
    ck_assert_uint_eq(document->warnings[0].offset, size);
    pose_document_free(document);
}

/* Takes four bytes out of the file. */
static void cut(struct tso_file *file, const char *mark)
{
    size_t at = tso_at(file, mark);
    memmove(file->data + at, file->data + at + 4, file->size - at - 4);
    file->size -= 4;
}

TEST(props_of_two_levels)
{
    struct tso_file file;
    tso_make_anim(&file);
    cut(&file, "motions[0].prop_count");
    struct pose_document *document = codec_must_decode(NULL, file.data, file.size);
    ck_assert_uint_eq(codec_warnings(document, "two_level_props"), 1);
    ck_assert_uint_eq(codec_warnings(document, NULL), 1);
    codec_check_json(document->clips->tracks[0].extras, "{\"props\":[[{\"name\":\"adult\"}]],\"unknown\":1}");
    /* Written with three. */
    struct tso_file three;
    tso_make_anim(&three);
    struct pose_content content = document_content(document);
    struct pose_buffer out = codec_must_encode(FORMAT, &content, NULL);
    codec_check_bytes("three levels", out.data, out.size, three.data, three.size);
    pose_buffer_free(&out);
    pose_document_free(document);
}

TEST(two_levels_must_end_exactly)
{
    struct tso_file file;
    tso_make_anim(&file);
    cut(&file, "motions[0].prop_count");
    tso_put_u8(&file, NULL, 0);
    struct pose_error error;
    ck_assert_ptr_null(codec_decode(FORMAT, file.data, file.size, &error));
    ck_assert_int_eq(strncmp(error.field, "motions[0].props", 16), 0);
}

/* ------------------------------------------------------------------------------------- limits and hostility -- */

TEST(limits_are_kept)
{
    static const struct {
        struct pose_limits limits;
        const char *limit;
    } cases[] = {{{.joints = 1}, "joints"}, {{.keys = 8}, "keys"}, {{.memory = 3000}, "memory"}};
    struct tso_file file;
    tso_make_anim(&file);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct pose_source source = {.bytes = {file.data, file.size}};
        struct pose_options options = {.limits = cases[i].limits};
        struct pose_error error;
        ck_assert_ptr_null(pose_decode(&source, &options, &error));
        ck_assert_int_eq(error.status, POSE_OVER_LIMIT);
        ck_assert_str_eq(error.limit, cases[i].limit);
    }
}

TEST(shared_keys_count_for_every_motion)
{
    /* 100 motions on the same 100 rotations are 10,000 keys, whatever the file's size. */
    static uint8_t data[27 + 1600 + 100 * 25];
    struct tso_file head = {.size = 0}, motion = {.size = 0};
    tso_put_u32(&head, NULL, 2);
    tso_put_u16(&head, NULL, 0);
    tso_put_floats(&head, NULL, (const float[]){5000, 0}, 2);
    tso_put_u8(&head, NULL, 0);
    tso_put_u32(&head, NULL, 0);
    tso_put_u32(&head, NULL, 100);
    for (int k = 0; k < 100; k++)
        tso_put_floats(&head, NULL, (const float[]){0, 0, 0, 1}, 4);
    tso_put_u32(&head, NULL, 100);
    tso_put_u32(&motion, NULL, 1);
    tso_put_text(&motion, NULL, "");
    tso_put_u32(&motion, NULL, 100);
    tso_put_f32(&motion, NULL, 5000);
    tso_put_u8(&motion, NULL, 0);
    tso_put_u8(&motion, NULL, 1);
    tso_put_u32(&motion, NULL, UINT32_MAX);
    tso_put_u32(&motion, NULL, 0);
    tso_put_u8(&motion, NULL, 0);
    tso_put_u8(&motion, NULL, 0);
    ck_assert_uint_eq(head.size + 100 * motion.size, sizeof data);
    memcpy(data, head.data, head.size);
    for (size_t i = 0; i < 100; i++)
        memcpy(data + head.size + i * motion.size, motion.data, motion.size);
    struct pose_document *document = codec_must_decode(NULL, data, sizeof data);
    ck_assert_uint_eq(document->clips->key_count, 10000);
    pose_document_free(document);
    struct pose_source source = {.bytes = {data, sizeof data}};
    struct pose_options options = {.limits = {.keys = 9999}};
    struct pose_error error;
    ck_assert_ptr_null(pose_decode(&source, &options, &error));
    ck_assert_str_eq(error.limit, "keys");
}

TEST(huge_counts_cost_nothing)
{
    static const char *const counts[] = {"translation_count", "rotation_count", "motion_count",
                                         "motions[0].props_list_count", "motions[0].time_prop_count"};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        struct tso_file file;
        tso_make_anim(&file);
        tso_set_u32(&file, counts[i], 0x7fffffff);
        ck_assert_uint_le(codec_memory(FORMAT, file.data, file.size), 16384);
    }
}

/* ------------------------------------------------------------------------------------------------ probing -- */

static enum probe_result probe(const struct tso_file *file, const char *name)
{
    struct pose_source source = {.name = name, .bytes = {file->data, file->size}};
    return codec_probe(codec_find(FORMAT), &source);
}

TEST(probing)
{
    struct tso_file file;
    tso_make_anim(&file);
    ck_assert_int_eq(probe(&file, NULL), PROBE_SURE);
    ck_assert_int_eq(probe(&file, "x.dat"), PROBE_SURE);
    file.size--;
    ck_assert_int_eq(probe(&file, NULL), PROBE_NO);
    ck_assert_int_eq(probe(&file, "walk/A2O.ANIM"), PROBE_NAME);
    ck_assert_int_eq(probe(&file, "x.skel"), PROBE_NO);
    file.size = 3;
    ck_assert_int_eq(probe(&file, "x.anim"), PROBE_NO);
    tso_make_anim(&file);
    tso_set_u32(&file, "version", 1);
    ck_assert_int_eq(probe(&file, "x.anim"), PROBE_NO);
    tso_make_anim(&file);
    cut(&file, "motions[0].prop_count");
    ck_assert_int_eq(probe(&file, NULL), PROBE_SURE);
}
