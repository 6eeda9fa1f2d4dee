/* Clips of Metroid Prime, version 0: tables, keys, and which game they are of. */
#include "lib/core/value.h"
#include "tests/support/codecs.h"
#include "tests/support/prime/files.h"
#include "tests/support/unit.h"

static const char FORMAT[] = "prime-anim";

static struct pose_document *decode(const struct prime_made *made)
{
    return codec_must_decode(FORMAT, made->bytes.data, made->bytes.size);
}

static void expect_vector(const struct pose_channel *channel, uint32_t key, float x, float y, float z)
{
    ck_assert_uint_lt(key, channel->count);
    ck_assert_float_eq(channel->values[3 * key], x);
    ck_assert_float_eq(channel->values[3 * key + 1], y);
    ck_assert_float_eq(channel->values[3 * key + 2], z);
}

TEST(frames_of_the_first_game)
{
    struct prime_made made;
    prime_make_frames_mp1(&made);
    struct pose_document *document = decode(&made);
    const struct pose_clip *clip = document->clips;
    ck_assert_uint_eq(codec_warnings(document, NULL), 0);
    ck_assert_str_eq(clip->game, "mp1");
    ck_assert_int_eq(clip->rules, POSE_RULES_PRIME_FRAMES);
    ck_assert_int_eq(clip->loop, POSE_LOOP_UNKNOWN);
    ck_assert_uint_eq(clip->frame_count, 3);
    ck_assert_float_eq(clip->fps, 2);
    ck_assert_uint_eq(clip->key_count, 9);
    ck_assert_uint_eq(clip->track_count, 2);
    ck_assert_uint_eq(clip->tracks[0].id, 3);
    ck_assert_uint_eq(clip->tracks[1].id, 5);
    /* bone 3 has channel 1; w comes first in the file */
    const struct pose_channel *turn = &clip->tracks[0].channels[POSE_ROTATION];
    const float expected[4] = {105, 106, 107, 104};
    for (int i = 0; i < 4; i++)
        ck_assert_float_eq(turn->values[4 + i], expected[i]);
    ck_assert_float_eq(turn->times[1], 0.5f);
    expect_vector(&clip->tracks[0].channels[POSE_TRANSLATION], 2, 206, 207, 208);
    ck_assert_float_eq(clip->tracks[1].channels[POSE_ROTATION].values[3], 0);
    ck_assert_uint_eq(clip->tracks[1].channels[POSE_TRANSLATION].count, 0);
    ck_assert_int_eq(value_get_int(clip->extras, "evnt", 0), 0xffffffff);
    ck_assert_int_eq(value_get_int(clip->extras, "version", 9), 0);
    pose_document_free(document);
    pose_buffer_free(&made.bytes);
}

TEST(frames_of_the_second_game)
{
    struct prime_made made;
    prime_make_frames_mp2(&made);
    struct pose_document *document = decode(&made);
    const struct pose_clip *clip = document->clips;
    ck_assert_uint_eq(codec_warnings(document, NULL), 0);
    ck_assert_str_eq(clip->game, "mp2");
    const struct pose_channel *bone_3 = clip->tracks[0].channels, *bone_5 = clip->tracks[1].channels;
    ck_assert_uint_eq(bone_3[POSE_ROTATION].count, 3);
    ck_assert_uint_eq(bone_3[POSE_SCALE].count, 0);
    expect_vector(&bone_3[POSE_TRANSLATION], 0, 200, 201, 202);
    ck_assert_uint_eq(bone_5[POSE_ROTATION].count, 0);
    expect_vector(&bone_5[POSE_SCALE], 1, 303, 304, 305);
    /* the last frame goes on to the first, which only a duration too long shows */
    struct pose_clip longer = *clip;
    longer.duration = 1.25f;
    struct pose_sampler *sampler = pose_sampler_new(&longer, NULL, POSE_AXES_PRIME, NULL, NULL);
    float rows[2][10];
    pose_sample(sampler, 1.25, POSE_CLAMP, 0, rows[0], NULL);
    ck_assert_float_eq(rows[0][0], 203);
    pose_sampler_free(sampler);
    pose_document_free(document);
    pose_buffer_free(&made.bytes);
}

/* Without keys and with four empty arrays both layouts may fit. */
TEST(what_fits_both_games_is_told)
{
    struct prime_made made = {0};
    const uint32_t head[] = {0, 0x3f800000, 0, 0x3f000000, 0, 1, 0};
    for (size_t i = 0; i < sizeof head / sizeof *head; i++)
        made_put_u32(&made, head[i]);
    for (int i = 0; i < 7; i++)
        made_put_u32(&made, 0);
    struct pose_document *document = decode(&made);
    ck_assert_uint_eq(codec_warnings(document, "ambiguous_game"), 1);
    ck_assert_uint_eq(codec_warnings(document, "bone_table_size"), 1);
    ck_assert_str_eq(document->clips->game, "mp2");
    pose_document_free(document);
    struct pose_source source = {
        .bytes = {made.bytes.data, made.bytes.size}, .format = FORMAT, .game = "mp1"};
    document = pose_decode(&source, NULL, NULL);
    ck_assert_str_eq(document->clips->game, "mp1");
    ck_assert_uint_eq(codec_warnings(document, "ambiguous_game"), 0);
    pose_document_free(document);
    pose_buffer_free(&made.bytes);
}

TEST(leftover_keys_and_odd_bones_are_told)
{
    struct prime_made made;
    prime_make_frames_mp1(&made);
    made_set_u8(&made, PRIME_FRAMES_TABLE + 5, 0xff);
    struct pose_document *document = decode(&made);
    ck_assert_uint_eq(codec_warnings(document, "key_counts_differ"), 1);
    ck_assert_uint_eq(document->clips->track_count, 1);
    pose_document_free(document);
    pose_buffer_free(&made.bytes);
}
