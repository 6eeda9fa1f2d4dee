/* Clips of Metroid Prime: version 2, how the game is found, and how clips play. */
#include "lib/core/value.h"
#include "tests/support/codecs.h"
#include "tests/support/prime/files.h"
#include "tests/support/unit.h"

#include <math.h>
#include <string.h>

static const char FORMAT[] = "prime-anim";
/* A float as it is in the file: the product of two floats, rounded once. */
static float times(unsigned count, float value)
{
    return (float)(count * (double)value);
}

static struct pose_document *decode(const struct prime_made *made)
{
    return codec_must_decode(FORMAT, made->bytes.data, made->bytes.size);
}

static struct pose_document *decode_as(const struct prime_made *made, const char *game,
                                       struct pose_error *error)
{
    struct pose_source source = {
        .bytes = {made->bytes.data, made->bytes.size}, .format = FORMAT, .game = game};
    return pose_decode(&source, NULL, error);
}

static void expect_game(const struct prime_made *made, const char *forced, const char *game)
{
    struct pose_error error;
    struct pose_document *document = decode_as(made, forced, &error);
    ck_assert_msg(document != NULL, "%s", error.detail);
    ck_assert_str_eq(document->clips->game, game);
    ck_assert_str_eq(value_get_string(document->clips->extras, "game", ""), game);
    pose_document_free(document);
}

static void expect_vector(const struct pose_channel *channel, uint32_t key, double x, double y, double z)
{
    const double expected[3] = {x, y, z};
    ck_assert_uint_lt(key, channel->count);
    for (int i = 0; i < 3; i++)
        ck_assert_float_eq(channel->values[3 * key + (unsigned)i], (float)expected[i]);
}

/* What prime-anim.md, 2.4 makes of three accumulators and a sign. */
static void expect_rotation(const struct pose_channel *channel, uint32_t key, int x, int y, int z,
                            uint32_t divisor, double sign)
{
    const double step = acos(-1) / 2 / divisor, sines[3] = {sin(x * step), sin(y * step), sin(z * step)};
    double rest = 1 - (sines[0] * sines[0] + sines[1] * sines[1] + sines[2] * sines[2]);
    const float *q = channel->values + (size_t)4 * key;
    ck_assert_uint_lt(key, channel->count);
    for (int i = 0; i < 3; i++)
        ck_assert_float_eq(q[i], (float)sines[i]);
    ck_assert_float_eq_tol(q[3], (float)(sign * sqrt(fmax(rest, 0))), 1e-7f);
}

/* -------------------------------------------------------------------------------------------- a clip of MP1 -- */

TEST(a_clip_of_the_first_game)
{
    struct prime_made made;
    prime_make_mp1(&made);
    struct pose_document *document = decode(&made);
    const struct pose_clip *clip = document->clips;
    ck_assert_uint_eq(document->clip_count, 1);
    ck_assert_uint_eq(codec_warnings(document, NULL), 0);
    ck_assert_ptr_null(clip->name);
    ck_assert_int_eq(clip->axes, POSE_AXES_PRIME);
    ck_assert_int_eq(clip->rules, POSE_RULES_PRIME);
    ck_assert_float_eq(clip->duration, times(3, PRIME_MADE_FRAME));
    ck_assert_float_eq(clip->fps, 30);
    ck_assert_uint_eq(clip->frame_count, 4);
    ck_assert_int_eq(clip->loop, POSE_LOOP_YES);
    ck_assert_float_eq(clip->loop_out, clip->duration);
    ck_assert_uint_eq(clip->key_count, 9);
    ck_assert_uint_eq(clip->track_count, 2);
    ck_assert_uint_eq(clip->tracks[0].id, 3);
    ck_assert_uint_eq(clip->tracks[1].id, 4);
    const struct pose_channel *first = &clip->tracks[0].channels[POSE_ROTATION],
                              *second = &clip->tracks[1].channels[POSE_ROTATION],
                              *move = &clip->tracks[1].channels[POSE_TRANSLATION];
    ck_assert_uint_eq(clip->tracks[0].channels[POSE_TRANSLATION].count, 0);
    ck_assert_uint_eq(first->count, 3);
    ck_assert_float_eq(first->times[0], 0);
    ck_assert_float_eq(first->times[1], PRIME_MADE_FRAME);
    ck_assert_float_eq(first->times[2], times(3, PRIME_MADE_FRAME));
    expect_rotation(first, 0, 100, -200, 300, 32767, 1);
    expect_rotation(first, 1, 97, -193, 280, 32767, -1);
    expect_rotation(first, 2, 89, -178, 311, 32767, 1); /* -8, 15, 31 */
    expect_rotation(second, 0, 0, 16384, -1, 32767, 1);
    expect_rotation(second, 1, -1, 16384, 0, 32767, 1);
    expect_rotation(second, 2, -1, 16384, 0, 32767, -1);
    expect_vector(move, 0, 10 * 0.125, 20 * 0.125, -30 * 0.125);
    expect_vector(move, 1, 13 * 0.125, 16 * 0.125, -29 * 0.125);
    expect_vector(move, 2, 12 * 0.125, 15 * 0.125, -30 * 0.125);
    pose_document_free(document);
    pose_buffer_free(&made.bytes);
}

TEST(extras_keep_the_head)
{
    struct prime_made made;
    prime_make_mp1(&made);
    made_set_u32(&made, 4, 0x77);
    struct pose_document *document = decode(&made);
    struct pose_buffer text = {0};
    ck_assert(pose_json_value(&text, document->clips->extras) && pose_buffer_append(&text, "", 1));
    ck_assert_str_eq(
        (const char *)text.data,
        "{\"game\":\"mp1\",\"version\":2,\"evnt\":2882343476,\"root_bone_id\":3,\"interval\":0.033333335,"
        "\"scratch_size\":119,\"rotation_divisor\":32767,\"translation_multiplier\":0.125,"
        "\"scale_multiplier\":null,\"key_frames\":[0,1,3]}");
    pose_buffer_free(&text);
    pose_document_free(document);
    pose_buffer_free(&made.bytes);
}

/* The values of the fields, not the fields, are what a key is: the same with other widths is the same clip. */
TEST(every_width_is_read)
{
    for (unsigned width = 0; width <= 32; width++) {
        const int deltas[2][3] = {{-1, 0, width > 1 ? 1 : -1}, {0, -1, 0}};
        struct prime_made_channel channel = {3, {2, {5, 6, 7}, {0}}, {2, {-7, -6, -5}, {0}}, {0}};
        struct prime_made made = {0};
        struct prime_made_clip clip = prime_mp1_clip();
        for (int i = 0; i < 3; i++)
            channel.rotation.widths[i] = channel.translation.widths[i] = (uint8_t)width;
        clip.channels = &channel;
        clip.channel_count = 1;
        made_put_clip(&made, &clip);
        for (int k = 0; k < 2; k++) {
            made_put_bits(&made, (unsigned)k, 1);
            for (int i = 0; i < 6; i++)
                made_put_bits(&made, (uint32_t)deltas[k][i % 3], width);
        }
        made_end_bits(&made);
        struct pose_document *document = decode(&made);
        const struct pose_channel *channels = document->clips->tracks->channels;
        int sums[3] = {0};
        for (unsigned k = 0; k < 2; k++) {
            for (int i = 0; i < 3; i++)
                sums[i] += width ? deltas[k][i] : 0;
            expect_rotation(&channels[POSE_ROTATION], k + 1, 5 + sums[0], 6 + sums[1], 7 + sums[2], 32767,
                            k ? -1 : 1);
            expect_vector(&channels[POSE_TRANSLATION], k + 1, (-7 + sums[0]) * 0.125, (-6 + sums[1]) * 0.125,
                          (-5 + sums[2]) * 0.125);
        }
        pose_document_free(document);
        pose_buffer_free(&made.bytes);
    }
}

/* One channel of translation with 16-bit fields and those differences from key to key, all on x. */
static void make_sums(struct prime_made *made, int16_t first, unsigned count, const int32_t *deltas,
                      uint8_t width)
{
    uint32_t bitmap = (2u << count) - 1;
    struct prime_made_channel channel = {
        3, {count, {0, 0, 0}, {0, 0, 0}}, {count, {first, 0, 0}, {width, 0, 0}}, {0}};
    struct prime_made_clip clip = prime_mp1_clip();
    clip.duration = times(count, PRIME_MADE_FRAME);
    clip.bits = count + 1;
    clip.bitmap = &bitmap;
    clip.channel_count = 1;
    clip.channels = &channel;
    clip.translation_multiplier = 1;
    *made = (struct prime_made){0};
    made_put_clip(made, &clip);
    for (unsigned i = 0; i < count; i++) {
        made_put_bits(made, 0, 1);
        made_put_bits(made, (uint32_t)deltas[i], width);
    }
    made_end_bits(made);
}

TEST(sums_wrap_at_16_bits)
{
    struct prime_made made;
    make_sums(&made, 32767, 4, (const int32_t[]){1, -1, 32767, -32768}, 16);
    struct pose_document *document = decode(&made);
    const struct pose_channel *move = &document->clips->tracks->channels[POSE_TRANSLATION];
    const float expected[5] = {32767, -32768, 32767, -2, 32766};
    for (unsigned k = 0; k < 5; k++)
        ck_assert_float_eq(move->values[3 * k], expected[k]);
    pose_document_free(document);
    pose_buffer_free(&made.bytes);
    make_sums(&made, 1, 2, (const int32_t[]){0x7fffffff, 0x10000}, 32);
    document = decode(&made);
    move = &document->clips->tracks->channels[POSE_TRANSLATION];
    ck_assert_float_eq(move->values[3], 0);
    ck_assert_float_eq(move->values[6], 0);
    pose_document_free(document);
    pose_buffer_free(&made.bytes);
}

/* Components are arcsines: quarter turns, a sum of squares over 1, and divisors far off the usual one. */
TEST(rotations_are_arcsines)
{
    static const struct {
        uint32_t divisor;
        int16_t first[3];
        double q[4];
    } cases[] = {
        {32767, {32767, 0, 0}, {1, 0, 0, 0}},
        {32768, {0, 16384, 0}, {0, 0.70710678118654752, 0, 0.70710678118654752}},
        {2, {1, 0, 0}, {0.70710678118654752, 0, 0, 0.70710678118654752}},
        {1, {1, 1, 0}, {1, 1, 0, 0}},
        {3, {0, 0, -1}, {0, 0, -0.5, 0.86602540378443865}},
        {1, {3, 2, 4}, {-1, 0, 0, 0}},
        {0xffffffff, {32767, -32768, 0}, {1.1983856e-05, -1.1984222e-05, 0, 1}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct prime_made_channel channel = {3, {2, {0, 0, 0}, {0, 0, 0}}, {0}, {0}};
        struct prime_made_clip clip = prime_mp1_clip();
        struct prime_made made = {0};
        memcpy(channel.rotation.first, cases[i].first, sizeof channel.rotation.first);
        clip.channel_count = 1;
        clip.channels = &channel;
        clip.divisor = cases[i].divisor;
        made_put_clip(&made, &clip);
        made_put_bits(&made, 2, 2);
        made_end_bits(&made);
        struct pose_document *document = decode(&made);
        const float *values = document->clips->tracks->channels[POSE_ROTATION].values;
        for (int k = 0; k < 4; k++) {
            ck_assert_float_eq_tol(values[k], (float)cases[i].q[k], 1e-7f);
            ck_assert_float_eq_tol(values[8 + k], (float)cases[i].q[k] * (k == 3 ? -1 : 1), 1e-7f);
        }
        pose_document_free(document);
        pose_buffer_free(&made.bytes);
    }
}

/* ----------------------------------------------------------------------------------- the second game, its demo -- */

TEST(a_clip_of_the_second_game)
{
    struct prime_made made;
    prime_make_mp2(&made);
    struct pose_document *document = decode(&made);
    const struct pose_clip *clip = document->clips;
    ck_assert_str_eq(clip->game, "mp2");
    ck_assert_int_eq(clip->loop, POSE_LOOP_NO);
    ck_assert_uint_eq(codec_warnings(document, NULL), 1);
    ck_assert_uint_eq(codec_warnings(document, "bone_id_too_large"), 1);
    ck_assert_uint_eq(clip->track_count, 3);
    ck_assert_uint_eq(clip->tracks[1].id, 1);
    for (int part = 0; part < POSE_PART_COUNT; part++)
        ck_assert_uint_eq(clip->tracks[1].channels[part].count, 0);
    ck_assert_uint_eq(clip->tracks[2].id, 255);
    expect_vector(&clip->tracks[0].channels[POSE_TRANSLATION], 2, 3 * 0.125, 2 * 0.125, 1 * 0.125);
    const float by = 0.01f;
    expect_vector(&clip->tracks[0].channels[POSE_SCALE], 0, 100 * (double)by, 100 * (double)by,
                  200 * (double)by);
    expect_vector(&clip->tracks[0].channels[POSE_SCALE], 2, 98 * (double)by, 102 * (double)by,
                  206 * (double)by);
    expect_vector(&clip->tracks[2].channels[POSE_SCALE], 2, -100 * (double)by, 0, 0);
    ck_assert_int_eq(pose_value_find(clip->extras, "evnt")->kind, POSE_NULL);
    ck_assert_float_eq(value_get_float(clip->extras, "scale_multiplier", 0), by);
    pose_document_free(document);
    pose_buffer_free(&made.bytes);
}

TEST(the_layout_says_the_game)
{
    struct prime_made made;
    struct pose_error error;
    prime_make_mp1(&made);
    expect_game(&made, NULL, "mp1");
    expect_game(&made, "mp1", "mp1");
    ck_assert_ptr_null(decode_as(&made, "mp2", &error));
    ck_assert_ptr_null(decode_as(&made, "mp3", &error));
    ck_assert_str_eq(error.code, "bad_game");
    /* The top half of an EVNT id may look like the second game's constant. */
    made_set_u32(&made, 8, 0x01010203);
    expect_game(&made, NULL, "mp1");
    pose_buffer_free(&made.bytes);
    prime_make_mp2(&made);
    expect_game(&made, NULL, "mp2");
    expect_game(&made, "mp2", "mp2");
    pose_buffer_free(&made.bytes);
    prime_make_demo(&made);
    expect_game(&made, NULL, "mp2demo");
    expect_game(&made, "mp2demo", "mp2demo");
    expect_game(&made, "mp2", "mp2demo");
    ck_assert_ptr_null(decode_as(&made, "mp1", &error));
    pose_buffer_free(&made.bytes);
}

TEST(a_file_is_known_by_its_walk)
{
    static const struct {
        void (*make)(struct prime_made *made);
    } makers[] = {{prime_make_mp1}, {prime_make_mp2}, {prime_make_demo}};
    for (size_t i = 0; i < 3; i++) {
        struct prime_made made;
        makers[i].make(&made);
        struct pose_source source = {.name = "any.dat", .bytes = {made.bytes.data, made.bytes.size}};
        ck_assert_str_eq(pose_detect(&source), FORMAT);
        source.bytes.size -= 33;
        const char *format = pose_detect(&source);
        ck_assert(!format || strcmp(format, FORMAT) != 0);
        pose_buffer_free(&made.bytes);
    }
}

/* -------------------------------------------------------------------------------------------- the key bitmap -- */

/* One bone with a rotation, which stays, and a translation by 1 along x from key to key, counted over `stored` keys. */
static void make_steps(struct prime_made *made, float duration, uint32_t bits, uint32_t bitmap,
                       unsigned stored)
{
    struct prime_made_channel channel = {
        3, {stored, {0, 0, 0}, {0, 0, 0}}, {stored, {0, 0, 0}, {2, 0, 0}}, {0}};
    struct prime_made_clip clip = prime_mp1_clip();
    clip.duration = duration;
    clip.interval = 1;
    clip.bits = bits;
    clip.bitmap = &bitmap;
    clip.channel_count = 1;
    clip.channels = &channel;
    clip.translation_multiplier = 1;
    *made = (struct prime_made){0};
    made_put_clip(made, &clip);
    for (unsigned i = 0; i < stored; i++)
        made_put_bits(made, 2, 3);
    made_end_bits(made);
}

static void expect_steps(float duration, uint32_t bits, uint32_t bitmap, unsigned stored, unsigned count,
                         const float *key_times, const char *warning)
{
    struct prime_made made;
    make_steps(&made, duration, bits, bitmap, stored);
    struct pose_document *document = decode(&made);
    const struct pose_channel *move = &document->clips->tracks->channels[POSE_TRANSLATION];
    ck_assert_uint_eq(move->count, count);
    for (unsigned k = 0; k < count; k++) {
        ck_assert_float_eq(move->times[k], key_times[k]);
        ck_assert_float_eq(move->values[3 * k], (float)k);
    }
    ck_assert_uint_eq(codec_warnings(document, warning), warning ? 1 : 0);
    pose_document_free(document);
    pose_buffer_free(&made.bytes);
}

TEST(the_bitmap_says_when_keys_are)
{
    expect_steps(5, 6, 0x2b, 3, 4, (const float[]){0, 1, 3, 5}, NULL);
    /* bit 0 is never consulted */
    expect_steps(5, 6, 0x2a, 3, 4, (const float[]){0, 1, 3, 5}, "first_frame_not_key");
    /* the last frame is floor(0.5 + duration / interval) */
    expect_steps(4.5f, 6, 0x2b, 3, 4, (const float[]){0, 1, 3, 5}, "key_outside_clip");
    expect_steps(4.25f, 5, 0x1b, 3, 4, (const float[]){0, 1, 3, 4}, NULL);
    /* keys behind it are never reached */
    expect_steps(3, 6, 0x2b, 3, 3, (const float[]){0, 1, 3}, "keys_after_end");
    /* without one there the last is held */
    expect_steps(5, 6, 0x0b, 2, 3, (const float[]){0, 1, 3}, "last_frame_not_key");
    expect_steps(9, 4, 0x0b, 2, 3, (const float[]){0, 1, 3}, "last_frame_not_key");
    expect_steps(9, 4, 0x0b, 2, 3, (const float[]){0, 1, 3}, "bitmap_length");
    /* keys that no bit asks for */
    expect_steps(5, 6, 0x2b, 7, 4, (const float[]){0, 1, 3, 5}, "unused_keys");
    /* a constant */
    expect_steps(0, 1, 1, 1, 1, (const float[]){0}, "unused_keys");
}

TEST(what_is_odd_is_told)
{
    struct prime_made made;
    prime_make_mp1(&made);
    const struct prime_clip_places *at = &prime_mp1_places;
    made_set_u32(&made, at->channels, 9);
    made_set_u32(&made, at->looping, 5);
    made_set_u32(&made, at->channels + 4, 2);
    made_set_u32(&made, at->bitmap + 12 + 17, 3); /* the second bone's id, behind the counts and the first */
    struct pose_document *document = codec_must_decode(FORMAT, made.bytes.data, made.bytes.size);
    ck_assert_uint_eq(codec_warnings(document, "channel_counts_differ"), 1);
    ck_assert_uint_eq(codec_warnings(document, "odd_looping"), 1);
    ck_assert_uint_eq(codec_warnings(document, "unknown_constant"), 1);
    ck_assert_uint_eq(codec_warnings(document, "duplicate_bone"), 1);
    ck_assert_int_eq(document->clips->loop, POSE_LOOP_YES);
    pose_document_free(document);
    pose_buffer_free(&made.bytes);

    struct prime_made_channel channel = {3, {0}, {2, {0, 0, 0}, {0, 0, 0}}, {0}};
    struct prime_made_clip clip = prime_mp1_clip();
    clip.channels = &channel;
    clip.channel_count = 1;
    made = (struct prime_made){0};
    made_put_clip(&made, &clip);
    document = decode(&made);
    ck_assert_uint_eq(codec_warnings(document, "no_rotation"), 1);
    ck_assert_uint_eq(document->clips->tracks->channels[POSE_ROTATION].count, 0);
    pose_document_free(document);
    pose_buffer_free(&made.bytes);
}

/* ------------------------------------------------------------------------------------------------- playing -- */

/* Between keys of opposite sign the game goes the long way: 135 degrees about x is half way from 0 to -q(270). */
TEST(clips_are_played_without_the_short_path)
{
    const uint32_t bitmap = 3;
    struct prime_made_channel channel = {3, {1, {0, 0, 0}, {16, 1, 1}}, {0}, {0}};
    struct prime_made_clip clip = prime_mp1_clip();
    struct prime_made made = {0};
    clip.duration = clip.interval = 1;
    clip.bits = 2;
    clip.bitmap = &bitmap;
    clip.channels = &channel;
    clip.channel_count = 1;
    clip.divisor = 32768;
    made_put_clip(&made, &clip);
    made_put_bits(&made, 1 | 16384 << 1, 32); /* sin 45 degrees with w negative: a turn by 270 degrees */
    made_put_bits(&made, 0, 32);
    made_end_bits(&made);
    made_set_u32(&made, made.bytes.size - 4, 0);
    struct pose_document *document = decode(&made);
    struct pose_sampler *sampler = pose_sampler_new(document->clips, NULL, POSE_AXES_PRIME, NULL, NULL);
    float row[10];
    pose_sample(sampler, 0.5, POSE_CLAMP, 0, row, NULL);
    ck_assert_float_eq_tol(row[3], (float)sin(acos(-1) * 3 / 8), 1e-6f);
    ck_assert_float_eq_tol(row[6], (float)cos(acos(-1) * 3 / 8), 1e-6f);
    pose_sampler_free(sampler);
    pose_document_free(document);
    pose_buffer_free(&made.bytes);
}
