/* Writing ANIM: bytes that were worked out by hand from prime-anim.md, what becomes of foreign clips, what is refused. */
#include "tests/lib/formats/prime/prime_encode.h"

#include "tests/samples/tree.h"

#include <math.h>

#define HALF 0.70710678f

/* A clip on the stack: two bones, three frames at 30 a second. */
struct sample {
    struct pose_value extras[16], settings[8];
    unsigned extra_count, setting_count;
    float times[3];
    float root_rotations[3][4], root_places[3][3], root_scales[3][3];
    float child_rotations[3][4];
    struct pose_track tracks[2];
    struct pose_clip clip;
    struct pose_content content;
};

static void add_extra(struct sample *sample, struct pose_value value)
{
    sample->extras[++sample->extra_count] = value;
    sample->extras[0] = tree_of(POSE_OBJECT, NULL, sample->extras + 1, sample->extra_count);
    sample->clip.extras = sample->extras;
}

static void add_setting(struct sample *sample, struct pose_value value)
{
    sample->settings[++sample->setting_count] = value;
    sample->settings[0] = tree_of(POSE_OBJECT, NULL, sample->settings + 1, sample->setting_count);
    sample->content.settings = sample->settings;
}

static struct pose_channel channel_of(struct sample *sample, const float *values)
{
    return (struct pose_channel){.count = 3, .times = sample->times, .values = values};
}

/*
 * With a divisor of 2 a step is an eighth turn of the arcsine: X of 1 is sin 45 degrees. Bone 3 is at rest, at X = 1,
 * at X = 1 with a negative w; its place goes 0, 1, -2 halves along x. Bone 4 stays as it is.
 */
static void make(struct sample *sample, const char *game)
{
    *sample = (struct sample){
        .times = {0, 1 / 30.0f, 2 / 30.0f},
        .root_rotations = {{0, 0, 0, 1}, {HALF, 0, 0, HALF}, {HALF, 0, 0, -HALF}},
        .root_places = {{0, 0, 0}, {0.5f, 0, 0}, {-1, 0, 0}},
        .root_scales = {{1, 1, 1}, {2, 1, 1}, {1, 1, 1}},
        .child_rotations = {{0, 0, 0, 1}, {0, 0, 0, 1}, {0, 0, 0, 1}},
    };
    sample->clip = (struct pose_clip){.axes = POSE_AXES_PRIME,
                                      .rules = POSE_RULES_PRIME,
                                      .duration = 2 / 30.0f,
                                      .fps = 30,
                                      .frame_count = 3,
                                      .loop = POSE_LOOP_YES,
                                      .track_count = 2,
                                      .tracks = sample->tracks};
    sample->content = (struct pose_content){.clip_count = 1, .clips = &sample->clip};
    uint32_t first = strcmp(game, "mp2") ? 3 : 0;
    sample->tracks[0] = (struct pose_track){.has_id = true, .id = first};
    sample->tracks[0].channels[POSE_ROTATION] = channel_of(sample, sample->root_rotations[0]);
    sample->tracks[0].channels[POSE_TRANSLATION] = channel_of(sample, sample->root_places[0]);
    sample->tracks[1] = (struct pose_track){.has_id = true, .id = first + 1};
    sample->tracks[1].channels[POSE_ROTATION] = channel_of(sample, sample->child_rotations[0]);
    add_extra(sample, tree_string("game", game));
    add_extra(sample, tree_int("version", 2));
    add_extra(sample, tree_float("interval", (double)(1 / 30.0f)));
    add_extra(sample, tree_int("rotation_divisor", 2));
    add_extra(sample, tree_float("translation_multiplier", 0.5));
    add_extra(sample, tree_float("scale_multiplier", 1));
}

static const uint32_t DURATION = 0x3d888889, INTERVAL = 0x3d088889; /* 2/30, 1/30 */

/* ------------------------------------------------------------------------------------------- bytes -- */

TEST(test_mp1_bytes)
{
    struct sample sample;
    struct expected expected;
    make(&sample, "mp1");
    add_setting(&sample, tree_int("evnt", 0x89abcdef));
    struct pose_buffer found = must_encode(prime_anim_encode, &sample.content, NULL);
    struct writer *to = expect_begin(&expected);
    static const uint32_t head[] = {2,         0x6b,       0x89abcdef, 1, 0x3d888889, 0x3d088889,     3, 1,
                                    2 /* D */, 0x3f000000, 2,          1, 3,          7 /* bitmap */, 2, 2};
    put_words(to, head, sizeof head / sizeof *head);
    /* Bone 3: two keys; X 0 in 2 bits, Y and Z in 1; x 0 in 3 bits, y and z in 1. */
    static const uint8_t root[] = {0, 0, 0, 3, 0, 2, 0, 0, 2, 0, 0, 1, 0,
                                   0, 1, 0, 2, 0, 0, 3, 0, 0, 1, 0, 0, 1};
    static const uint8_t child[] = {0, 0, 0, 4, 0, 2, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0};
    writer_bytes(to, root, sizeof root);
    writer_bytes(to, child, sizeof child);
    /*
     * A key is 1 + 2 + 1 + 1, 3 + 1 + 1 bits of bone 3 and 1 + 1 + 1 + 1 of bone 4: 14. The first: X + 1 at bit 1, x + 1
     * at bit 5. The second from bit 14 on: sign at 14, x - 3 = 101 at 19.
     */
    writer_u32be(to, 1u << 1 | 1u << 5 | 1u << 14 | 5u << 19);
    ck_assert_uint_eq(to->out->size, 4 + 0x6b);
    while (to->out->size % 32)
        writer_u8(to, 0xff);
    expect_end(&expected, &found, "prime-anim");
}

TEST(test_mp2_bytes)
{
    struct sample sample;
    struct expected expected;
    make(&sample, "mp2");
    sample.tracks[0].channels[POSE_SCALE] = channel_of(&sample, sample.root_scales[0]);
    sample.tracks[1].id = 2;
    struct pose_buffer found = must_encode(prime_anim_encode, &sample.content, NULL);
    struct writer *to = expect_begin(&expected);
    static const uint32_t start[] = {2, 0x77},
                          head[] = {0x3d888889, 0x3d088889, 0, 1, 2, 0x3f000000, 0x3f800000, 3, 1, 3, 7, 3};
    put_words(to, start, 2);
    writer_u16be(to, 0x0101);
    put_words(to, head, sizeof head / sizeof *head);
    static const uint8_t root[] = {0, 0, 2, 0, 0, 2, 0, 0, 1, 0, 0, 1, 0, 2, 0, 0, 3,
                                   0, 0, 1, 0, 0, 1, 0, 2, 0, 1, 2, 0, 1, 1, 0, 1, 1};
    static const uint8_t empty[] = {1, 0, 0, 0, 0, 0, 0};
    static const uint8_t child[] = {2, 0, 2, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0};
    writer_bytes(to, root, sizeof root);
    writer_bytes(to, empty, sizeof empty);
    writer_bytes(to, child, sizeof child);
    /* 5 + 5 + 4 bits of bone 0 and 4 of bone 2: 18 a key. Scale x goes 1, 2, 1: + 1 at bit 10, - 1 = 11 at 18 + 10. */
    uint64_t bits = 1u << 1 | 1u << 5 | 1u << 10;
    bits |= (uint64_t)(1u << 0 | 5u << 5 | 3u << 10) << 18;
    writer_u32be(to, (uint32_t)bits);
    writer_u32be(to, (uint32_t)(bits >> 32));
    ck_assert_uint_eq(to->out->size, 4 + 0x77);
    while (to->out->size % 32)
        writer_u8(to, 0xff);
    expect_end(&expected, &found, "prime-anim");
}

TEST(test_demo_bytes)
{
    struct sample sample;
    make(&sample, "mp1");
    struct pose_buffer found = must_encode(prime_anim_encode, &sample.content, NULL);
    add_setting(&sample, tree_string("game", "mp2demo"));
    struct pose_buffer demo = must_encode(prime_anim_encode, &sample.content, NULL);
    /* The same without the id of the events. */
    ck_assert_uint_eq(demo.data[7], 0x67);
    codec_check_bytes("demo", demo.data + 8, 4 + 0x67 - 8, found.data + 12, 4 + 0x6b - 12);
    pose_buffer_free(&found);
    pose_buffer_free(&demo);
}

static void put_table(struct writer *to, unsigned first, unsigned count)
{
    writer_u32be(to, 100);
    for (unsigned i = 0; i < 100; i++)
        writer_u8(to, i >= first && i < first + count ? (uint8_t)(i - first) : 0xff);
}

static void put_rotations(struct writer *to, float (*values)[4])
{
    for (int k = 0; k < 3; k++) {
        writer_f32be(to, values[k][3]);
        for (int i = 0; i < 3; i++)
            writer_f32be(to, values[k][i]);
    }
}

static void put_vectors(struct writer *to, float (*values)[3])
{
    for (int i = 0; i < 9; i++)
        writer_f32be(to, values[i / 3][i % 3]);
}

TEST(test_mp1_plain_bytes)
{
    struct sample sample;
    struct expected expected;
    make(&sample, "mp1");
    sample.clip.loop = POSE_LOOP_UNKNOWN;
    add_setting(&sample, tree_int("version", 0));
    add_setting(&sample, tree_int("evnt", 0x01020304));
    struct pose_buffer found = must_encode(prime_anim_encode, &sample.content, NULL);
    struct writer *to = expect_begin(&expected);
    const uint32_t head[] = {0, DURATION, 0, INTERVAL, 0, 3, 3};
    put_words(to, head, sizeof head / sizeof *head);
    put_table(to, 3, 2);
    put_table(to, 0, 1);
    writer_u32be(to, 6);
    put_rotations(to, sample.root_rotations);
    put_rotations(to, sample.child_rotations);
    writer_u32be(to, 3);
    put_vectors(to, sample.root_places);
    writer_u32be(to, 0x01020304);
    expect_end(&expected, &found, "prime-anim");
}

TEST(test_mp2_plain_bytes)
{
    struct sample sample;
    struct expected expected;
    make(&sample, "mp2");
    sample.clip.loop = POSE_LOOP_NO;
    sample.tracks[0].channels[POSE_SCALE] = channel_of(&sample, sample.root_scales[0]);
    add_setting(&sample, tree_int("version", 0));
    struct pose_buffer found = must_encode(prime_anim_encode, &sample.content, NULL);
    struct writer *to = expect_begin(&expected);
    const uint32_t head[] = {0, DURATION, 0, INTERVAL, 0, 3, 0};
    put_words(to, head, sizeof head / sizeof *head);
    put_table(to, 0, 2);
    put_table(to, 0, 2);
    put_table(to, 0, 1);
    put_table(to, 0, 1);
    writer_u32be(to, 3);
    put_vectors(to, sample.root_scales);
    writer_u32be(to, 6);
    put_rotations(to, sample.root_rotations);
    put_rotations(to, sample.child_rotations);
    writer_u32be(to, 3);
    put_vectors(to, sample.root_places);
    expect_end(&expected, &found, "prime-anim");
}

/* ------------------------------------------------------------------------------------- what is chosen -- */

static uint32_t word_at(const struct pose_buffer *bytes, size_t offset)
{
    const uint8_t *at = bytes->data + offset;
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static void check_losses(struct sample *sample, const char *codes)
{
    struct codec_losses losses;
    struct pose_buffer found = must_encode(prime_anim_encode, &sample->content, &losses);
    ck_assert_str_eq(losses.codes, codes);
    pose_buffer_free(&found);
}

TEST(test_chosen_steps)
{
    /* A foreign clip has no divisor and multiplier of its own: 32767, and the largest value or difference / 32766. */
    struct sample sample;
    make(&sample, "mp1");
    sample.clip.rules = POSE_RULES_PLAIN;
    sample.clip.loop = POSE_LOOP_UNKNOWN;
    struct pose_buffer found = must_encode(prime_anim_encode, &sample.content, NULL);
    float multiplier;
    uint32_t bits = word_at(&found, 0x24);
    memcpy(&multiplier, &bits, sizeof bits);
    ck_assert_uint_eq(word_at(&found, 0x20), 32767);
    ck_assert_float_eq(multiplier, (float)(1.5 / 32766)); /* from 0.5 to -1 */
    ck_assert_uint_eq(word_at(&found, 0x1c), 0);
    pose_buffer_free(&found);
}

TEST(test_own_steps_that_do_not_fit)
{
    struct sample sample;
    make(&sample, "mp1");
    sample.root_places[1][0] = 0.3f;
    sample.root_rotations[1][0] = 0.6f, sample.root_rotations[1][3] = 0.8f;
    struct pose_buffer found = must_encode(prime_anim_encode, &sample.content, NULL);
    ck_assert_uint_eq(word_at(&found, 0x20), 32767);
    ck_assert_uint_ne(word_at(&found, 0x24), 0x3f000000);
    pose_buffer_free(&found);
}

TEST(test_turned_over)
{
    /* The sign of the first w has no room: the whole track changes its hemisphere, and means the same. */
    struct sample sample;
    make(&sample, "mp1");
    struct pose_buffer upright = must_encode(prime_anim_encode, &sample.content, NULL);
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < 4; i++)
            sample.root_rotations[k][i] = -sample.root_rotations[k][i];
    }
    struct pose_buffer turned = must_encode(prime_anim_encode, &sample.content, NULL);
    codec_check_bytes("turned", turned.data, turned.size, upright.data, upright.size);
    pose_buffer_free(&upright);
    pose_buffer_free(&turned);
}

TEST(test_long_way_is_kept)
{
    /* Prime's slerp goes the way that the signs say, all others' the shorter one. */
    static const float far[3][4] = {{0, 0, 0, 1}, {-HALF, 0, 0, -HALF}, {0, 0, 0, 1}};
    struct sample sample;
    make(&sample, "mp1");
    memcpy(sample.root_rotations, far, sizeof far);
    sample.tracks[0].channels[POSE_TRANSLATION].count = 0;
    sample.clip.track_count = 1;
    for (int foreign = 0; foreign < 2; foreign++) {
        sample.clip.rules = foreign ? POSE_RULES_PLAIN : POSE_RULES_PRIME;
        sample.clip.origin = "prime-anim";
        struct pose_buffer found = must_encode(prime_anim_encode, &sample.content, NULL);
        /* sign, X of 2 bits, Y, Z: -1 and back with a sign, or +1 and back without. */
        uint32_t expected = foreign ? 1u << 1 | 3u << 6 : 1u | 3u << 1 | 1u << 6;
        ck_assert_uint_eq(word_at(&found, 0x40 + 17), expected);
        pose_buffer_free(&found);
    }
}

TEST(test_differences_wrap)
{
    /* From 30000 to -30000 steps: 5536 more modulo 2^16, in 14 bits. */
    struct sample sample;
    make(&sample, "mp1");
    static const float places[3][3] = {{15000, 0, 0}, {-15000, 0, 0}, {15000, 0, 0}};
    memcpy(sample.root_places, places, sizeof places);
    struct pose_buffer found = must_encode(prime_anim_encode, &sample.content, NULL);
    static const uint8_t descriptor[] = {0, 2, 0x75, 0x30, 14, 0, 0, 1, 0, 0, 1};
    codec_check_bytes("descriptor", found.data + 0x40 + 15, 11, descriptor, 11);
    pose_buffer_free(&found);
}

TEST(test_one_frame_becomes_two)
{
    struct sample sample;
    make(&sample, "mp1");
    sample.clip.duration = 0;
    sample.tracks[0].channels[POSE_ROTATION].count = 1;
    sample.tracks[0].channels[POSE_TRANSLATION].count = 1;
    sample.tracks[1].channels[POSE_ROTATION].count = 1;
    struct pose_buffer found = must_encode(prime_anim_encode, &sample.content, NULL);
    ck_assert_uint_eq(word_at(&found, 0x10), INTERVAL);
    ck_assert_uint_eq(word_at(&found, 0x30), 2);
    ck_assert_uint_eq(word_at(&found, 0x34), 3);
    pose_buffer_free(&found);
}

TEST(test_sparse_keys)
{
    /* Keys of frames 0, 2 and 40: the bitmap has two words. */
    struct sample sample;
    make(&sample, "mp1");
    sample.times[1] = 2 / 30.0f;
    sample.times[2] = 40 / 30.0f;
    sample.clip.duration = 40 / 30.0f;
    struct pose_buffer found = must_encode(prime_anim_encode, &sample.content, NULL);
    ck_assert_uint_eq(word_at(&found, 0x30), 41);
    ck_assert_uint_eq(word_at(&found, 0x34), 5);
    ck_assert_uint_eq(word_at(&found, 0x38), 1 << 8);
    pose_buffer_free(&found);
}

TEST(test_keys_between_frames)
{
    /* Half a frame off: every frame becomes a key, and lies between its neighbours. */
    struct sample sample;
    make(&sample, "mp1");
    sample.clip.rules = POSE_RULES_PLAIN;
    sample.clip.loop = POSE_LOOP_NO;
    sample.times[1] = 1.5f / 30;
    add_setting(&sample, tree_int("version", 0));
    check_losses(&sample, "keys_resampled ");
    struct pose_buffer found = must_encode(prime_anim_encode, &sample.content, NULL);
    float x;
    uint32_t bits = word_at(&found, 28 + 104 + 104 + 4 + 6 * 16 + 4 + 12);
    memcpy(&x, &bits, sizeof x);
    ck_assert_float_eq_tol(x, 0.5f / 1.5f, 1e-6f);
    pose_buffer_free(&found);
}

/* ---------------------------------------------------------------------------------- bones and tracks -- */

TEST(test_channel_without_rotation)
{
    /* Metroid Prime 1 reads a rotation for every channel, Metroid Prime 2 counts keys by the first. */
    struct sample sample;
    make(&sample, "mp1");
    for (int i = 0; i < 2; i++)
        sample.tracks[i].channels[POSE_ROTATION].count = 0;
    sample.tracks[1].channels[POSE_TRANSLATION] = channel_of(&sample, sample.root_places[0]);
    struct pose_buffer found = must_encode(prime_anim_encode, &sample.content, NULL);
    ck_assert_uint_eq(word_at(&found, 0x40 + 4) >> 16, 2);
    ck_assert_uint_eq(word_at(&found, 0x40 + 26 + 4) >> 16, 2);
    pose_buffer_free(&found);
    add_setting(&sample, tree_string("game", "mp2"));
    found = must_encode(prime_anim_encode, &sample.content, NULL);
    ck_assert_uint_eq(word_at(&found, 0x36), 5); /* bones 0 ... 4 */
    ck_assert_uint_eq(word_at(&found, 0x3a) >> 8, 2);
    pose_buffer_free(&found);
}

TEST(test_bones_of_the_skeleton)
{
    /* Tracks find their bones by name, and Metroid Prime 2 has a channel for every one. */
    static const struct pose_joint joints[] = {
        {.name = "Skeleton_Root", .has_id = true, .id = 0, .parent = -1},
        {.name = "Spine", .has_id = true, .id = 1},
        {.name = "Head", .has_id = true, .id = 2, .parent = 1}};
    const struct pose_skeleton skeleton = {.joint_count = 3, .joints = joints};
    struct sample sample;
    make(&sample, "mp2");
    sample.clip.rules = POSE_RULES_PLAIN;
    sample.clip.track_count = 1;
    sample.tracks[0].has_id = false;
    sample.tracks[0].name = "SPINE";
    add_setting(&sample, tree_string("game", "mp2"));
    check_losses(&sample, "unmatched_track ");
    sample.content.skeleton_count = 1;
    sample.content.skeletons = &skeleton;
    check_losses(&sample, "");
    struct pose_buffer found = must_encode(prime_anim_encode, &sample.content, NULL);
    ck_assert_uint_eq(word_at(&found, 0x36), 3);
    ck_assert_uint_eq(found.data[0x3a + 16], 1);
    ck_assert_uint_eq(word_at(&found, 0x3a + 16) >> 8 & 0xffff, 2);
    pose_buffer_free(&found);
}

TEST(test_last_of_two)
{
    struct sample sample;
    make(&sample, "mp1");
    sample.tracks[1].id = 3;
    check_losses(&sample, "duplicate_bone ");
    struct pose_buffer found = must_encode(prime_anim_encode, &sample.content, NULL);
    ck_assert_uint_eq(word_at(&found, 0x3c), 1);
    ck_assert_uint_eq(word_at(&found, 0x44), 0x00020000); /* X stays 0 */
    pose_buffer_free(&found);
}

TEST(test_what_has_no_room)
{
    struct sample sample;
    make(&sample, "mp1");
    sample.tracks[0].channels[POSE_SCALE] = channel_of(&sample, sample.root_scales[0]);
    check_losses(&sample, "scale_dropped ");
    sample.root_scales[1][0] = 1;
    check_losses(&sample, "");
    sample.tracks[0].channels[POSE_MORPH] = channel_of(&sample, sample.root_places[0]);
    check_losses(&sample, "morph_dropped ");
    sample.tracks[0].channels[POSE_MORPH].count = 0;
    sample.tracks[1].id = 256;
    check_losses(&sample, "bone_id_range ");
    sample.tracks[1].id = 4;
    sample.clip.loop_in = 1 / 30.0f;
    check_losses(&sample, "loop_range_dropped ");
    sample.clip.loop_in = 0;
    add_setting(&sample, tree_int("version", 0));
    check_losses(&sample, "loop_dropped ");
    make(&sample, "mp1");
    sample.tracks[1].channels[POSE_ROTATION].count = 0;
    check_losses(&sample, "empty_track ");
    make(&sample, "mp1");
    add_extra(&sample, tree_int("evnt", 0x1234));
    add_setting(&sample, tree_string("game", "mp2"));
    check_losses(&sample, "evnt_dropped ");
}

TEST(test_axes)
{
    /* (x, y, z) of glTF is (-x, z, y) here, places and quaternions alike. */
    struct sample sample;
    make(&sample, "mp1");
    sample.clip.axes = POSE_AXES_GLTF;
    sample.clip.loop = POSE_LOOP_UNKNOWN;
    static const float places[3][3] = {{1, 2, 3}, {1, 2, 3}, {1, 2, 3}};
    memcpy(sample.root_places, places, sizeof places);
    add_setting(&sample, tree_int("version", 0));
    struct pose_buffer found = must_encode(prime_anim_encode, &sample.content, NULL);
    size_t at = 28 + 104 + 104 + 4 + 6 * 16 + 4;
    ck_assert_uint_eq(word_at(&found, at), 0xbf800000);
    ck_assert_uint_eq(word_at(&found, at + 4), 0x40400000);
    ck_assert_uint_eq(word_at(&found, at + 8), 0x40000000);
    pose_buffer_free(&found);
}

TEST(test_frames_wrap_to_the_first)
{
    /* Of version 0 with a duration of as many intervals as keys, the last interval leads back to the first key. */
    struct sample sample;
    make(&sample, "mp1");
    sample.clip.rules = POSE_RULES_PRIME_FRAMES;
    sample.clip.duration = 3 / 30.0f;
    struct pose_buffer found = must_encode(prime_anim_encode, &sample.content, NULL);
    ck_assert_uint_eq(word_at(&found, 0x30), 4);
    ck_assert_uint_eq(word_at(&found, 0x34), 15);
    /* 14 bits a key as before: the third key goes back to X 0 and x 0. */
    uint64_t bits = (uint64_t)word_at(&found, 0x40 + 43) | (uint64_t)word_at(&found, 0x40 + 47) << 32;
    ck_assert_uint_eq(bits >> 28 & 0x3fff, 3u << 1 | 2u << 5);
    pose_buffer_free(&found);
}

/* ----------------------------------------------------------------------------------------- refusals -- */

TEST(test_refused)
{
    struct sample sample;
    make(&sample, "mp1");
    sample.content.clip_count = 0;
    must_refuse(prime_anim_encode, &sample.content, "one_clip");
    make(&sample, "mp1");
    sample.clip.duration = NAN;
    must_refuse(prime_anim_encode, &sample.content, "bad_duration");
    sample.clip.duration = -1;
    must_refuse(prime_anim_encode, &sample.content, "bad_duration");
    sample.clip.duration = 1e30f;
    must_refuse(prime_anim_encode, &sample.content, "too_long");
    sample.clip.duration = 65536 / 30.0f;
    must_refuse(prime_anim_encode, &sample.content, "too_long");
    make(&sample, "mp1");
    sample.root_places[1][2] = INFINITY;
    must_refuse(prime_anim_encode, &sample.content, "not_finite");
    make(&sample, "mp1");
    sample.times[1] = NAN;
    must_refuse(prime_anim_encode, &sample.content, "not_finite");
}

TEST(test_settings_refused)
{
    const struct pose_value bad[] = {tree_string("game", "mp3"), tree_int("game", 1),
                                     tree_int("version", 3),     tree_int("evnt", -1),
                                     tree_string("evnt", "x"),   tree_string("loop", "yes")};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct sample sample;
        make(&sample, "mp1");
        add_setting(&sample, bad[i]);
        must_refuse(prime_anim_encode, &sample.content, "bad_setting");
    }
    struct sample sample;
    make(&sample, "mp1");
    add_setting(&sample, tree_string("game", "mp2demo"));
    add_setting(&sample, tree_int("version", 0));
    must_refuse(prime_anim_encode, &sample.content, "bad_setting");
}
