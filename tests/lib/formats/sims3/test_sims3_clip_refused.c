/* Sims 3 clips that are refused: every word of the worked example that can be wrong, and files made to hurt. */
#include "lib/core/value.h"
#include "tests/support/codecs.h"
#include "tests/support/sims3/clip_files.h"
#include "tests/support/unit.h"

#include <stdlib.h>
#include <string.h>

static const char FORMAT[] = "sims3-clip";

static void make(struct little_file *made, const struct sims3_channel_made *channels, size_t count)
{
    sims3_make(made, &(struct sims3_section_made){1 / 30.0f, 4, count, 0, channels, NULL});
}

/* ---------------------------------------------------------------------------------------------- refusals -- */

/* A word of the example replaced, and what comes of it; offset 0 where it is not that of the word. */
static const struct {
    size_t at;
    uint32_t value;
    const char *code;
    const char *field;
    uint64_t offset;
} refusals[] = {
    {0, 0x6b20c4f4, "bad_type_id", "type_id", 0},
    {0, 0, "bad_type_id", "type_id", 0},
    {SIMS3_AT_SECTION_SIZE, 400, "truncated", "section", 0x38},
    {SIMS3_AT_SECTION_SIZE, UINT32_MAX, "truncated", "section", 0x38},
    {SIMS3_AT_SECTION_SIZE, 47, "bad_offset", "section.channel_table", 0x58},
    {SIMS3_AT_SECTION_OFFSET, 0, "bad_offset", "section_offset", 0x0c},
    {SIMS3_AT_SECTION_OFFSET, UINT32_MAX, "truncated", "section", 0},
    {SIMS3_AT_IK_TABLE, UINT32_MAX, "bad_offset", "ik_table", 0x10},
    {SIMS3_AT_ACTOR_NAME, UINT32_MAX, "bad_offset", "actor", 0x14},
    {SIMS3_AT_ACTOR_NAME, 340 - 0x14 - 1, "unterminated_string", "actor", 339},
    {SIMS3_AT_EVENT_TABLE, UINT32_MAX, "bad_offset", "event_table", 0x18},
    {SIMS3_AT_END_DATA, UINT32_MAX, "bad_offset", "end", 0x24},
    {SIMS3_AT_END_DATA, 340 - 0x24 - 8, "truncated", "end", 0},
    {SIMS3_AT_MAGIC, 0, "bad_magic", "section.magic", 0x38},
    {SIMS3_AT_VERSION, 3, "bad_version", "section.version", 0x40},
    {SIMS3_AT_FRAME_DURATION, 0, "bad_frame_duration", "section.frame_duration", 0x48},
    {SIMS3_AT_FRAME_DURATION, 0xbd088889, "bad_frame_duration", "section.frame_duration", 0x48},
    {SIMS3_AT_FRAME_DURATION, 0x41200001, "bad_frame_duration", "section.frame_duration", 0x48},
    {SIMS3_AT_FRAME_DURATION, 0x7fc00000, "bad_frame_duration", "section.frame_duration", 0x48},
    {SIMS3_AT_CHANNEL_COUNT, UINT32_MAX, "count_too_large", "section.channel_table", 0x58},
    {SIMS3_AT_CHANNEL_TABLE, 47, "bad_offset", "section.channel_table", 0x58},
    {SIMS3_AT_CHANNEL_TABLE, 210, "bad_offset", "section.channel_table", 0x58},
    {SIMS3_AT_CHANNEL_TABLE, UINT32_MAX, "bad_offset", "section.channel_table", 0x58},
    {SIMS3_AT_PALETTE_SIZE, 0x40000000, "count_too_large", "section.palette_offset", 0x5c},
    {SIMS3_AT_PALETTE_OFFSET, 210, "bad_offset", "section.palette_offset", 0x5c},
    {SIMS3_AT_NAME_OFFSET, 210, "bad_offset", "section.clip_name", 0x60},
    {SIMS3_AT_CHANNEL + 8, 0x7fc00000, "not_finite", "section.channels[0].offset", 0x70},
    {SIMS3_AT_CHANNEL + 12, 0x7fc00000, "not_finite", "section.channels[0].scale", 0x74},
    {SIMS3_AT_CHANNEL + 12, 0xff800000, "not_finite", "section.channels[0].scale", 0x74},
    {SIMS3_AT_CHANNEL + 12, 0x7f800000, "not_finite", "section.channels[0].scale", 0x74},
    {SIMS3_AT_CHANNEL, 210, "keys_outside", "section.channels[0].key_offset", SIMS3_AT_CHANNEL},
    {SIMS3_AT_CHANNEL, 202, "keys_outside", "section.channels[0].key_count", SIMS3_AT_CHANNEL + 16},
    {SIMS3_AT_CHANNEL, UINT32_MAX, "keys_outside", "section.channels[0].key_offset", SIMS3_AT_CHANNEL},
    {SIMS3_AT_PALETTE, 0x7fc00000, "not_finite", "section.palette[0]", SIMS3_AT_PALETTE},
    {SIMS3_AT_CHANNEL + 12, 0x7f7fffff, "", "", 0}, /* a large scale is none of them */
    {SIMS3_AT_PALETTE_SIZE, 2, "palette_index", "channels[2].keys[0]", 0},
    {SIMS3_AT_EVENTS, 0, "bad_magic", "event_magic", SIMS3_AT_EVENTS},
    {SIMS3_AT_EVENTS + 4, 0x104, "bad_version", "event_version", SIMS3_AT_EVENTS + 4},
    {SIMS3_AT_EVENTS + 8, 2, "count_too_large", "event_count", SIMS3_AT_EVENTS + 8},
    {SIMS3_AT_EVENTS + 8, UINT32_MAX, "count_too_large", "event_count", SIMS3_AT_EVENTS + 8},
    {SIMS3_AT_EVENTS + 12, 400, "truncated", "events", SIMS3_AT_EVENT},
    {SIMS3_AT_EVENTS + 12, 28, "truncated", "events[0].name", SIMS3_AT_EVENT + 28},
    {SIMS3_AT_EVENTS + 16, 0, "bad_offset", "event_start", SIMS3_AT_EVENTS + 16},
    {SIMS3_AT_EVENTS + 16, UINT32_MAX, "bad_offset", "event_start", 0},
    {SIMS3_AT_EVENT, 0x00040004, "bad_event", "events[0].mark", SIMS3_AT_EVENT + 2},
    {SIMS3_AT_EVENT + 8, 0x7fc00000, "not_finite", "events[0].time", SIMS3_AT_EVENT + 8},
    {SIMS3_AT_EVENT + 24, UINT32_MAX, "truncated", "events[0].name", SIMS3_AT_EVENT + 28},
};

enum { LITTLE = 256 << 10 };

TEST_EACH(what_is_broken_is_refused, COUNT(refusals))
{
    struct little_file made;
    sims3_make_example(&made);
    little_set_u32(&made, refusals[_i].at, refusals[_i].value);
    if (!*refusals[_i].code) {
        pose_document_free(sims3_decode(&made));
        return;
    }
    struct pose_error error = codec_must_fail(FORMAT, made.bytes.data, made.bytes.size, refusals[_i].code);
    ck_assert_str_eq(error.field, refusals[_i].field);
    ck_assert_uint_le(error.offset, made.bytes.size);
    /* Whatever a word says, the work is that of a file of 340 bytes. */
    ck_assert_uint_lt(codec_memory(FORMAT, made.bytes.data, made.bytes.size), LITTLE);
    if (refusals[_i].offset)
        ck_assert_msg(error.offset == refusals[_i].offset, "%s", error.detail);
    pose_buffer_free(&made.bytes);
}

TEST(values_beyond_floats_are_refused)
{
    static const uint8_t key[8] = {0, 0, 0, 0, 0xff, 3, 0, 0};
    struct little_file made;
    make(&made, &(struct sims3_channel_made){1, 0x112, 1, 3e38f, 3e38f, key, 8}, 1);
    codec_must_fail(FORMAT, made.bytes.data, made.bytes.size, "not_finite");
    pose_buffer_free(&made.bytes);
}

/* Whatever is cut off, an offset leads outside or a block is short. */
TEST(every_truncation_is_told)
{
    for (size_t size = 0; size < sizeof sims3_example; size++) {
        struct pose_error error;
        ck_assert_ptr_null(codec_decode(FORMAT, sims3_example, size, &error));
        ck_assert_msg(!strcmp(error.code, "truncated") || !strcmp(error.code, "bad_offset") ||
                          !strcmp(error.code, "unterminated_string"),
                      "%zu: %s", size, error.detail);
        ck_assert_uint_le(error.offset, size);
    }
}

TEST(the_successor_is_refused_by_name)
{
    static const uint8_t wrapper[64] = {14, 0, 0, 0};
    struct pose_error error = codec_must_fail(FORMAT, wrapper, sizeof wrapper, "sims4_clip");
    ck_assert(error.status == POSE_UNSUPPORTED && error.offset == 0);
    struct pose_source source = {.name = "a.clip", .bytes = {wrapper, sizeof wrapper}};
    ck_assert_str_eq(pose_detect(&source), FORMAT);
    source.name = "a.bin";
    ck_assert_ptr_null(pose_detect(&source));
}

/* ------------------------------------------------------------------------------------------- hostile files -- */

enum { SMALL = 64 << 20 };

/* 100 channels of 65535 keys that lie on each other in half a megabyte. */
TEST(overlapping_channels_do_not_multiply)
{
    enum { CHANNELS = 100, KEYS = 65535 };
    static uint8_t keys[KEYS * 8];
    struct sims3_channel_made channels[CHANNELS] = {0};
    struct little_file made;
    for (int i = 0; i < CHANNELS; i++)
        channels[i] = (struct sims3_channel_made){(uint32_t)i, 0x112, KEYS, 0, 1, keys, i ? 0 : sizeof keys};
    make(&made, channels, CHANNELS);
    for (size_t i = 0; i < CHANNELS; i++)
        little_set_u32(&made, SIMS3_AT_CHANNEL + 20 * i, 48 + 20 * CHANNELS + 2);
    struct pose_error error = codec_must_fail(FORMAT, made.bytes.data, made.bytes.size, "over_limit");
    ck_assert_str_eq(error.limit, "keys");
    ck_assert_str_eq(error.field, "section.channels[61].key_count");
    ck_assert_uint_eq(error.offset, SIMS3_AT_CHANNEL + 20 * 61 + 16);
    ck_assert_uint_lt(codec_memory(FORMAT, made.bytes.data, made.bytes.size), SMALL);
    pose_buffer_free(&made.bytes);
}

/* As many tracks as a document may have, and one more, of two channels each. */
TEST(too_many_tracks_are_told_with_the_byte)
{
    enum { LIMIT = 65536, CHANNELS = 2 * (LIMIT + 1) };
    struct sims3_channel_made *channels = calloc(CHANNELS, sizeof *channels);
    struct little_file made;
    for (int i = 0; i < CHANNELS; i++)
        channels[i] = (struct sims3_channel_made){(uint32_t)i / 2, i % 2 ? 0x10b : 0x30b, 0, 0, 1, NULL, 0};
    make(&made, channels, CHANNELS);
    struct pose_error error = codec_must_fail(FORMAT, made.bytes.data, made.bytes.size, "over_limit");
    ck_assert_str_eq(error.limit, "joints");
    ck_assert_str_eq(error.field, "section.channels[131072].key");
    ck_assert_uint_eq(error.offset, SIMS3_AT_CHANNEL + 20 * 131072 + 4);
    pose_buffer_free(&made.bytes);
    free(channels);
}

/* 1024 chains that are one chain of 1024 targets, all of them one target. */
TEST(chains_on_top_of_each_other_do_not_multiply)
{
    enum { COUNT = 1024 };
    struct little_file made;
    uint8_t target[1028] = {0};
    make(&made, NULL, 0);
    sims3_begin_block(&made, SIMS3_AT_IK_TABLE);
    little_put_u32(&made, COUNT);
    for (int i = 0; i < COUNT; i++)
        little_put_u32(&made, 4 * COUNT);
    little_put_u32(&made, 0x7e7e7e7e);
    little_put_u32(&made, COUNT);
    for (int i = 0; i < COUNT; i++)
        little_put_u32(&made, 4 * COUNT);
    little_put(&made, target, sizeof target);
    codec_must_fail(FORMAT, made.bytes.data, made.bytes.size, "count_too_large");
    ck_assert_uint_lt(codec_memory(FORMAT, made.bytes.data, made.bytes.size), SMALL);
    pose_buffer_free(&made.bytes);
}

/* A table whose chains and targets lead back to its own beginning. */
TEST(a_table_that_leads_to_itself_ends)
{
    struct little_file made;
    make(&made, NULL, 0);
    sims3_begin_block(&made, SIMS3_AT_IK_TABLE);
    for (int i = 0; i < 1200; i++)
        little_put_u32(&made, 0);
    little_set_u32(&made, made.bytes.size - 4800, 1000);
    ck_assert_uint_lt(codec_memory(FORMAT, made.bytes.data, made.bytes.size), SMALL);
    struct pose_document *document = sims3_decode(&made);
    ck_assert_uint_eq(value_count(pose_value_find(document->clips->extras, "ik_chains")), 1000);
    pose_document_free(document);
}

/* Offsets of chains and targets that go around 2^32, or lead behind the end. */
TEST(offsets_do_not_wrap)
{
    static const struct {
        uint32_t chain, target;
        const char *field;
    } offsets[] = {
        {UINT32_MAX, 0, "chains[0].offset"},
        {0xfffffff0, 0, "chains[0].offset"},
        {4, UINT32_MAX, "chains[0].targets[0].offset"},
        {4, 0xfffffff0, "chains[0].targets[0].offset"},
        {4, 2000, "chains[0].targets[0].offset"},
    };
    for (size_t i = 0; i < sizeof offsets / sizeof *offsets; i++) {
        struct little_file made;
        uint8_t target[1028] = {0};
        make(&made, NULL, 0);
        sims3_begin_block(&made, SIMS3_AT_IK_TABLE);
        little_put_u32(&made, 1);
        little_put_u32(&made, offsets[i].chain);
        little_put_u32(&made, 0x7e7e7e7e);
        little_put_u32(&made, 1);
        little_put_u32(&made, offsets[i].target);
        little_put(&made, target, sizeof target);
        struct pose_error error = codec_must_fail(FORMAT, made.bytes.data, made.bytes.size, "bad_offset");
        ck_assert_msg(strstr(error.field, offsets[i].field), "%s", error.field);
        ck_assert_uint_le(error.offset, made.bytes.size);
        ck_assert_uint_lt(codec_memory(FORMAT, made.bytes.data, made.bytes.size), LITTLE);
        pose_buffer_free(&made.bytes);
    }
}
