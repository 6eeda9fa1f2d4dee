/* Clips of Metroid Prime that are refused, where and why; and hostile ones, which may cost neither time nor memory. */
#include "tests/support/codecs.h"
#include "tests/support/prime/files.h"
#include "tests/support/unit.h"

#include <stdlib.h>
#include <string.h>

static const char FORMAT[] = "prime-anim";
enum { MIB = 1 << 20 };

typedef void maker(struct prime_made *made);

static void expect_refused(const struct prime_made *made, const char *code, uint64_t offset)
{
    struct pose_error error = codec_must_fail(FORMAT, made->bytes.data, made->bytes.size, code);
    ck_assert_msg(offset == POSE_NO_OFFSET || error.offset == offset, "%s: at byte %llu, not %llu: %s", code,
                  (unsigned long long)error.offset, (unsigned long long)offset, error.detail);
    ck_assert_uint_ne(error.offset, POSE_NO_OFFSET);
    ck_assert_uint_lt(codec_memory(FORMAT, made->bytes.data, made->bytes.size), 64 * MIB);
}

/* A made clip with one word changed. */
static void expect_word_refused(maker *make, size_t offset, uint32_t word, const char *code)
{
    struct prime_made made;
    make(&made);
    made_set_u32(&made, offset, word);
    expect_refused(&made, code, offset);
    pose_buffer_free(&made.bytes);
}

TEST(words_are_refused_where_they_stand)
{
    static const struct {
        maker *make;
        const struct prime_clip_places *at;
    } clips[] = {{prime_make_mp1, &prime_mp1_places},
                 {prime_make_mp2, &prime_mp2_places},
                 {prime_make_demo, &prime_demo_places}};
    static const uint32_t nan = 0x7fc00000, infinity = 0x7f800000, minus_one = 0xbf800000;
    for (size_t i = 0; i < 3; i++) {
        maker *make = clips[i].make;
        const struct prime_clip_places *at = clips[i].at;
        expect_word_refused(make, 0, 1, "bad_version");
        expect_word_refused(make, 0, 3, "bad_version");
        expect_word_refused(make, at->duration, nan, "bad_duration");
        expect_word_refused(make, at->duration, infinity, "bad_duration");
        expect_word_refused(make, at->duration, minus_one, "bad_duration");
        expect_word_refused(make, at->interval, nan, "bad_interval");
        expect_word_refused(make, at->interval, infinity, "bad_interval");
        expect_word_refused(make, at->interval, minus_one, "bad_interval");
        expect_word_refused(make, at->interval, 0, "bad_interval");
        expect_word_refused(make, at->divisor, 0, "bad_divisor");
        expect_word_refused(make, at->translation_multiplier, nan, "bad_multiplier");
        expect_word_refused(make, at->translation_multiplier, 0x7f7fffff, "bad_multiplier");
        expect_word_refused(make, at->bits, 0, "empty_bitmap");
        expect_word_refused(make, at->bits, 0xffffffff, "count_too_large");
    }
    expect_word_refused(prime_make_mp2, prime_mp2_places.scale_multiplier, infinity, "bad_multiplier");
    expect_word_refused(prime_make_mp1, prime_mp1_places.bitmap + 8, 0x7fffffff, "count_too_large");
    expect_word_refused(prime_make_mp2, prime_mp2_places.bitmap + 4, 0xffffffff, "count_too_large");
}

TEST(version_3_is_unsupported)
{
    struct prime_made made;
    prime_make_mp1(&made);
    made_set_u32(&made, 0, 3);
    struct pose_error error = codec_must_fail(FORMAT, made.bytes.data, made.bytes.size, "bad_version");
    ck_assert_int_eq(error.status, POSE_UNSUPPORTED);
    ck_assert_ptr_nonnull(strstr(error.detail, "unsupported version 3"));
    struct pose_source source = {.name = "a.ANIM", .bytes = {made.bytes.data, made.bytes.size}};
    ck_assert_str_eq(pose_detect(&source), FORMAT);
    pose_buffer_free(&made.bytes);
}

/* A damaged clip that nothing but its header shows to be one is not taken for a clip of The Sims Online. */
TEST(a_damaged_clip_is_known)
{
    void (*const makers[])(struct prime_made *) = {prime_make_mp1, prime_make_mp2};
    for (size_t i = 0; i < 2; i++) {
        struct prime_made made;
        makers[i](&made);
        made_set_u32(&made, (i ? &prime_mp2_places : &prime_mp1_places)->divisor, 0);
        struct pose_source source = {.name = "a.anim", .bytes = {made.bytes.data, made.bytes.size}};
        ck_assert_str_eq(pose_detect(&source), FORMAT);
        pose_buffer_free(&made.bytes);
    }
}

/* The first channel of the first game: u32 id, u16 keys, then s16 and u8 three times. */
enum { MP1_CHANNEL = 64, MP1_KEYS = MP1_CHANNEL + 4, MP1_WIDTH = MP1_KEYS + 4 };

TEST(channels_are_refused)
{
    struct prime_made made;
    prime_make_mp1(&made);
    made_set_u8(&made, MP1_WIDTH, 33);
    expect_refused(&made, "bad_bit_width", MP1_WIDTH);
    made_set_u8(&made, MP1_WIDTH, 255);
    expect_refused(&made, "bad_bit_width", MP1_WIDTH);
    made_set_u8(&made, MP1_WIDTH, 4);
    /* the bitmap has a key more than the channels */
    made_set_u32(&made, prime_mp1_places.bitmap, 0xf);
    expect_refused(&made, "too_many_bitmap_keys", POSE_NO_OFFSET);
    made_set_u32(&made, prime_mp1_places.bitmap, 0xb);
    /* the stream ends too early */
    made_set_u16(&made, MP1_KEYS, 60);
    expect_refused(&made, "truncated", POSE_NO_OFFSET);
    pose_buffer_free(&made.bytes);
}

static void expect_cuts_refused(maker *make, size_t padding)
{
    struct prime_made made;
    make(&made);
    for (size_t size = 0; size + padding < made.bytes.size; size++) {
        struct pose_error error;
        uint8_t *copy = malloc(size + 1);
        memcpy(copy, made.bytes.data, size);
        struct pose_document *document = codec_decode(FORMAT, copy, size, &error);
        ck_assert_msg(!document, "read with %zu bytes of %zu", size, made.bytes.size);
        ck_assert_uint_le(error.offset, size);
        free(copy);
    }
    pose_buffer_free(&made.bytes);
}

TEST(every_cut_is_refused)
{
    struct prime_made made;
    prime_make_mp1(&made);
    size_t padding = 0;
    while (made.bytes.data[made.bytes.size - 1 - padding] == 0xff)
        padding++;
    pose_buffer_free(&made.bytes);
    expect_cuts_refused(prime_make_mp1, padding);
    expect_cuts_refused(prime_make_mp2, 0);
    expect_cuts_refused(prime_make_demo, 0);
    expect_cuts_refused(prime_make_frames_mp1, 0);
    expect_cuts_refused(prime_make_frames_mp2, 0);
}

/* What may follow is up to 63 bytes of 0xFF and 0x00. */
TEST(padding_alone_may_follow)
{
    static maker *const makers[] = {prime_make_mp2, prime_make_frames_mp1, prime_make_frames_mp2};
    for (size_t i = 0; i < sizeof makers / sizeof *makers; i++) {
        struct prime_made made;
        makers[i](&made);
        size_t end = made.bytes.size;
        for (int k = 0; k < 63; k++)
            made_put_u8(&made, k % 2 ? 0xff : 0);
        pose_document_free(codec_must_decode(FORMAT, made.bytes.data, made.bytes.size));
        made_set_u8(&made, end + 40, 1);
        expect_refused(&made, "trailing_bytes", end + 40);
        made_set_u8(&made, end + 40, 0);
        made_put_u8(&made, 0);
        expect_refused(&made, "trailing_bytes", end);
        pose_buffer_free(&made.bytes);
    }
}

TEST(frames_are_refused)
{
    static maker *const makers[] = {prime_make_frames_mp1, prime_make_frames_mp2};
    for (int i = 0; i < 2; i++) {
        expect_word_refused(makers[i], 4, 0x7fc00000, "bad_duration");
        expect_word_refused(makers[i], 12, 0x7f800000, "bad_interval");
        expect_word_refused(makers[i], 20, 0, "no_keys");
        expect_word_refused(makers[i], 28, 0x7fffffff, "count_too_large");
    }
    struct prime_made made;
    /* 136: the translation table, 236: the rotation keys */
    expect_word_refused(prime_make_frames_mp1, 132, 0xffffffff, "count_too_large");
    expect_word_refused(prime_make_frames_mp1, 236, 0x10000000, "count_too_large");
    expect_word_refused(prime_make_frames_mp1, 236 + 4 + 20, 0x7fc00000, "not_finite");
    prime_make_frames_mp1(&made);
    made_set_u8(&made, PRIME_FRAMES_TABLE + 3, 2);
    expect_refused(&made, "bad_channel", 236);
    made_set_u8(&made, PRIME_FRAMES_TABLE + 3, 100);
    expect_refused(&made, "bad_channel", PRIME_FRAMES_TABLE + 3);
    made_set_u8(&made, PRIME_FRAMES_TABLE + 3, 1);
    made_set_u8(&made, 136 + 1, 1);
    expect_refused(&made, "bad_channel", 236 + 4 + 96);
    pose_buffer_free(&made.bytes);
    prime_make_frames_mp2(&made);
    made_set_u8(&made, PRIME_FRAMES_TABLE + 3, 100);
    expect_refused(&made, "bad_channel", PRIME_FRAMES_TABLE + 3);
    pose_buffer_free(&made.bytes);
}

/* -------------------------------------------------------------------------------------------------- hostile -- */

/* Fields of no bits cost nothing: 255 channels of 65535 keys are 17 million keys out of a few kilobytes. */
static void make_zero_widths(struct prime_made *made, uint32_t channel_count, unsigned keys)
{
    static uint32_t bitmap[2048];
    memset(bitmap, 0xff, sizeof bitmap);
    struct prime_made_channel *channels = calloc(channel_count, sizeof *channels);
    struct prime_made_clip clip = prime_mp1_clip();
    for (uint32_t i = 0; i < channel_count; i++)
        channels[i] =
            (struct prime_made_channel){i, {0}, {keys, {1, 2, 3}, {0, 0, 0}}, {keys, {1, 2, 3}, {0, 0, 0}}};
    clip.game = "mp2";
    clip.interval = 1;
    clip.duration = (float)keys;
    clip.bits = keys + 1;
    clip.bitmap = bitmap;
    clip.channel_count = channel_count;
    clip.channels = channels;
    *made = (struct prime_made){0};
    made_put_clip(made, &clip);
    free(channels);
}

TEST(keys_of_no_bits_are_bounded)
{
    struct prime_made made;
    make_zero_widths(&made, 255, 65535);
    ck_assert_uint_lt(made.bytes.size, 20000);
    struct pose_error error = codec_must_fail(FORMAT, made.bytes.data, made.bytes.size, "over_limit");
    ck_assert_int_eq(error.status, POSE_OVER_LIMIT);
    ck_assert_str_eq(error.limit, "keys");
    ck_assert_uint_ne(error.offset, POSE_NO_OFFSET);
    ck_assert_uint_lt(codec_memory(FORMAT, made.bytes.data, made.bytes.size), 1 * MIB);
    pose_buffer_free(&made.bytes);
    make_zero_widths(&made, 30, 65535);
    ck_assert_uint_lt(codec_memory(FORMAT, made.bytes.data, made.bytes.size), 64 * MIB);
    pose_document_free(codec_must_decode(FORMAT, made.bytes.data, made.bytes.size));
    pose_buffer_free(&made.bytes);
}

TEST(counts_alone_get_no_memory)
{
    struct prime_made made;
    prime_make_mp1(&made);
    made_set_u32(&made, prime_mp1_places.bits, UINT32_MAX);
    expect_refused(&made, "count_too_large", prime_mp1_places.bits);
    ck_assert_uint_lt(codec_memory(FORMAT, made.bytes.data, made.bytes.size), MIB / 16);
    pose_buffer_free(&made.bytes);
    prime_make_frames_mp1(&made);
    /* A frame count that no key stands for is just a number. */
    memset(made.bytes.data + PRIME_FRAMES_TABLE, 0xff, 100);
    made_set_u32(&made, 20, UINT32_MAX);
    ck_assert_uint_lt(codec_memory(FORMAT, made.bytes.data, made.bytes.size), MIB / 16);
    pose_buffer_free(&made.bytes);
}
