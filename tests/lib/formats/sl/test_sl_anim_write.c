/* Writing Second Life's animations: decoded files come back byte by byte, other clips are fitted to the format. */
#include "lib/core/value.h"
#include "tests/support/codecs.h"
#include "tests/support/sl_files.h"
#include "tests/support/unit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------------------------------------- round trips -- */

/* Decodes and encodes; the bytes are expected to be those of expected. */
static void expect_bytes(const struct little_file *file, const struct little_file *expected)
{
    struct pose_document *document = codec_must_decode("sl-anim", file->bytes.data, file->bytes.size);
    struct pose_content content = document_content(document);
    struct codec_losses losses;
    struct pose_buffer out = codec_must_encode("sl-anim", &content, &losses);
    ck_assert_str_eq(losses.codes, "");
    codec_check_bytes("round trip", out.data, out.size, expected->bytes.data, expected->bytes.size);
    pose_buffer_free(&out);
    pose_document_free(document);
}

/* All that a decoded file may have that a conversion would drop: odd priorities, tracks without keys, leftovers. */
TEST(decoded_files_come_back)
{
    static const uint16_t keys[3][4] = {{7, 1, 2, 3}, {8, 1, 2, 3}, {60000, 32767, 65535, 0}};
    static const uint16_t rotations[2][4] = {{100, 40000, 30000, 32767}, {200, 40000, 30000, 32767}};
    struct little_file file = {0};
    little_put(&file, sl_example, SL_AT_EMOTE);
    little_put_text(&file, "\xe9 Closed_Mouth");
    little_put(&file, sl_example + SL_AT_LOOP_IN, SL_AT_NUM_JOINTS - SL_AT_LOOP_IN);
    little_put_u32(&file, 4);
    sl_put_joint(&file, "mHead", rotations, 2, keys, 3);
    sl_put_joint(&file, "mHead", NULL, 0, NULL, 0);
    sl_put_joint(&file, "caf\xe9", rotations, 1, NULL, 0);
    sl_put_joint(&file, "", NULL, 0, keys, 3);
    little_put_u32(&file, 11);
    for (unsigned i = 0; i < 11; i++) {
        size_t at = file.bytes.size;
        sl_put_constraint(&file, i % 3);
        memcpy(file.bytes.data + at + 30, i % 2 ? "GROUND\0_LEG" : "x\xffyz", i % 2 ? 11 : 4);
    }
    little_set_u32(&file, SL_AT_PRIORITY, 9);
    expect_bytes(&file, &file);
    pose_buffer_free(&file.bytes);
}

TEST(what_does_not_come_back)
{
    struct little_file file = {0}, expected = {0};
    sl_put_example(&file, false);
    sl_put_example(&expected, false);
    expect_bytes(&file, &expected);
    little_put_u8(&file, 1);                               /* bytes that follow */
    little_set_u32(&file, SL_AT_LOOP_OUT + 4, 2);          /* another yes */
    little_set_u32(&file, SL_AT_ROT_KEYS + 4, 0x80000000); /* the other zero */
    expect_bytes(&file, &expected);
    pose_buffer_free(&file.bytes);
    pose_buffer_free(&expected.bytes);
}

/* Version 0.1 is read, 1.0 is written. */
TEST(old_form_becomes_new)
{
    static const uint16_t rotation[1][4] = {{32768, 32767, 32767, 55938}}; /* sin 45 degrees */
    struct little_file file = {0}, expected = {0};
    sl_put_head(&file, 2, 1);
    little_set_u32(&file, 0, 0x10000); /* version 0.1 */
    little_put_text(&file, "mHead");
    little_put_u32(&file, 3);
    little_put_u32(&file, 1);
    const float key[4] = {1, 0, 0, 90};
    for (int i = 0; i < 4; i++)
        little_put_f32(&file, key[i]);
    little_put_u32(&file, 0);
    little_put_u32(&file, 0);
    sl_put_head(&expected, 2, 1);
    sl_put_joint(&expected, "mHead", rotation, 1, NULL, 0);
    little_put_u32(&expected, 0);
    expect_bytes(&file, &expected);
    pose_buffer_free(&file.bytes);
    pose_buffer_free(&expected.bytes);
}

/* ------------------------------------------------------------------------------------------------- settings -- */

static struct arena arena;

static void start(void)
{
    arena_init(&arena, NULL, 0, NULL);
}

static void stop(void)
{
    arena_release(&arena);
}

static struct pose_document *encode_and_decode(const struct pose_clip *clip,
                                               const struct pose_value *settings, struct codec_losses *losses)
{
    struct pose_content content = {.clip_count = 1, .clips = clip, .settings = settings};
    struct pose_buffer out = codec_must_encode("sl-anim", &content, losses);
    struct pose_document *document = codec_must_decode("sl-anim", out.data, out.size);
    pose_buffer_free(&out);
    return document;
}

static struct pose_error must_not_encode(const struct pose_clip *clip, const struct pose_value *settings,
                                         const char *code)
{
    struct pose_content content = {.clip_count = 1, .clips = clip, .settings = settings};
    struct pose_buffer out;
    struct pose_error error;
    ck_assert(!pose_encode("sl-anim", &content, NULL, NULL, NULL, &out, &error));
    ck_assert_str_eq(error.code, code);
    ck_assert_ptr_null(out.data);
    return error;
}

FIXTURE(start, stop);

TEST(settings_win_over_the_clip)
{
    struct little_file file = {0};
    sl_put_head(&file, 1, 2);
    sl_put_joint(&file, "mHead", NULL, 0, NULL, 0);
    size_t second = file.bytes.size + 6;
    sl_put_joint(&file, "mNeck", NULL, 0, NULL, 0);
    little_put_u32(&file, 0);
    little_set_u32(&file, second, 5); /* a priority of its own */
    struct pose_document *from = codec_must_decode("sl-anim", file.bytes.data, file.bytes.size);
    struct value_list settings = value_object(&arena);
    value_put_int(&settings, "priority", 4);
    value_put_bool(&settings, "loop", false);
    value_put_int(&settings, "ease_in", 2); /* a whole number is a number, too */
    value_put_float(&settings, "ease_out", 0);
    struct pose_document *to = encode_and_decode(&from->clips[0], value_done(&settings), NULL);
    const struct pose_clip *clip = &to->clips[0];
    ck_assert_int_eq(value_get_int(clip->extras, "base_priority", 0), 4);
    ck_assert_int_eq(value_get_int(clip->tracks[0].extras, "priority", 0), 4);
    ck_assert_int_eq(value_get_int(clip->tracks[1].extras, "priority", 0), 5);
    ck_assert_int_eq(clip->loop, POSE_LOOP_NO);
    ck_assert_float_eq(value_get_float(clip->extras, "ease_in", -1), 2);
    ck_assert_float_eq(value_get_float(clip->extras, "ease_out", -1), 0);
    ck_assert_int_eq(value_get_int(clip->extras, "hand_pose", -1), 1);
    pose_document_free(to);
    pose_document_free(from);
    pose_buffer_free(&file.bytes);
}

TEST(bad_settings_are_refused)
{
    struct little_file file = {0};
    sl_put_example(&file, false);
    struct pose_document *from = codec_must_decode("sl-anim", file.bytes.data, file.bytes.size);
    static const char *const names[] = {"priority", "priority", "priority", "loop", "ease_in", "ease_out"};
    for (int i = 0; i < 6; i++) {
        struct value_list settings = value_object(&arena);
        if (i < 2)
            value_put_int(&settings, names[i], i ? 7 : -2);
        else if (i < 5)
            value_put_string(&settings, names[i], "3");
        else
            value_put_float(&settings, names[i], -1);
        struct pose_error error = must_not_encode(&from->clips[0], value_done(&settings), "bad_setting");
        ck_assert_int_eq(error.status, POSE_BAD_ARGUMENT);
        ck_assert_str_eq(error.field, names[i]);
    }
    pose_document_free(from);
    pose_buffer_free(&file.bytes);
}

/* Extras as they come back from JSON, where 1 may stand for 1.0, and from hostile JSON. */
TEST(extras_are_checked)
{
    struct little_file file = {0};
    sl_put_example(&file, false);
    struct pose_document *from = codec_must_decode("sl-anim", file.bytes.data, file.bytes.size);
    struct pose_clip clip = from->clips[0];
    struct pose_track track = clip.tracks[0];
    clip.tracks = &track;
    struct value_list extras = value_object(&arena);
    value_put_float(&extras, "base_priority", 3);
    value_put_int(&extras, "ease_in", 1);
    value_put_int(&extras, "hand_pose", 99);
    value_put_string(&extras, "emote", "Express_Kiss");
    value_put_string(&extras, "emote_bytes", "00616263");
    clip.extras = value_done(&extras);
    struct value_list names = value_object(&arena);
    value_put_int(&names, "priority", -5);
    value_put_string(&names, "name_bytes", "6d00");
    track.extras = value_done(&names);
    struct pose_document *to = encode_and_decode(&clip, NULL, NULL);
    ck_assert_int_eq(value_get_int(to->clips[0].extras, "base_priority", 0), 3);
    ck_assert_float_eq(value_get_float(to->clips[0].extras, "ease_in", 0), 1);
    ck_assert_int_eq(value_get_int(to->clips[0].extras, "hand_pose", 0), 1);
    ck_assert_str_eq(value_get_string(to->clips[0].extras, "emote", ""), "Express_Kiss");
    ck_assert_str_eq(to->clips[0].tracks[0].name, "mPelvis");
    ck_assert_int_eq(value_get_int(to->clips[0].tracks[0].extras, "priority", 0), 3);
    pose_document_free(to);
    /* A constraint that is none. */
    struct value_list list = value_array(&arena), object = value_object(&arena);
    value_put_int(&object, "chain_length", 2);
    value_put_list(&list, NULL, &object);
    struct value_list bad = value_object(&arena);
    value_put_list(&bad, "constraints", &list);
    clip.extras = value_done(&bad);
    must_not_encode(&clip, NULL, "bad_constraint");
    pose_document_free(from);
    pose_buffer_free(&file.bytes);
}

/* ----------------------------------------------------------------------------------------------- conversion -- */

/* A clip of other rules: 31 keys in a second. */
enum { FRAMES = 31 };

struct clip_maker {
    struct pose_clip clip;
    struct pose_track tracks[5];
    float times[FRAMES];
    float turning[FRAMES][4], resting[FRAMES][4], moving[FRAMES][3], standing[FRAMES][3];
};

static struct pose_channel channel(const struct clip_maker *maker, const void *values)
{
    return (struct pose_channel){FRAMES, maker->times, values};
}

/* mPelvis turns about Z by 90 degrees and rises; mHead rests turned, in place; mTorso has no keys; one has no name. */
static void make_clip(struct clip_maker *maker)
{
    memset(maker, 0, sizeof *maker);
    for (int k = 0; k < FRAMES; k++) {
        float u = (float)k / (FRAMES - 1), half = u * 0.78539816f;
        maker->times[k] = 0.5f + u / 2;
        memcpy(maker->turning[k], (float[]){0, 0, -2 * sinf(half), -2 * cosf(half)},
               sizeof maker->turning[k]);
        memcpy(maker->resting[k], (float[]){0.6f, 0, 0, 0.8f}, sizeof maker->resting[k]);
        memcpy(maker->moving[k], (float[]){0, 0, k < 15 ? u : 0.5f}, sizeof maker->moving[k]);
        memcpy(maker->standing[k], (float[]){0, 0, 0.1f}, sizeof maker->standing[k]);
    }
    struct pose_track *tracks = maker->tracks;
    tracks[0].name = "mPelvis";
    tracks[0].channels[POSE_ROTATION] = channel(maker, maker->turning);
    tracks[0].channels[POSE_TRANSLATION] = channel(maker, maker->moving);
    tracks[1].name = "mHead";
    tracks[1].channels[POSE_ROTATION] = channel(maker, maker->resting);
    tracks[1].channels[POSE_TRANSLATION] = channel(maker, maker->standing);
    tracks[2].name = "mTorso";
    tracks[3].channels[POSE_ROTATION] = channel(maker, maker->resting);
    tracks[4].name = "mChest";
    tracks[4].channels[POSE_SCALE] = channel(maker, maker->standing);
    maker->clip = (struct pose_clip){.axes = POSE_AXES_SL,
                                     .rules = POSE_RULES_PLAIN,
                                     .duration = 1.5f,
                                     .loop = POSE_LOOP_UNKNOWN,
                                     .loop_out = 1.5f,
                                     .track_count = 5,
                                     .tracks = tracks};
}

TEST(other_clips_are_fitted)
{
    struct clip_maker maker;
    struct codec_losses losses;
    make_clip(&maker);
    struct pose_document *document = encode_and_decode(&maker.clip, NULL, &losses);
    const struct pose_clip *clip = &document->clips[0];
    ck_assert_uint_eq(codec_warnings(document, NULL), 0);
    ck_assert_str_eq(losses.codes, "unnamed_track scale_dropped ");
    ck_assert_uint_eq(clip->track_count, 2);
    /* What the viewer's uploader has for a clip that says nothing. */
    ck_assert_int_eq(value_get_int(clip->extras, "base_priority", 0), 2);
    ck_assert_int_eq(value_get_int(clip->tracks[0].extras, "priority", 0), 2);
    ck_assert_float_eq(value_get_float(clip->extras, "ease_in", 0), 0.3f);
    ck_assert_int_eq(value_get_int(clip->extras, "hand_pose", 0), 1);
    ck_assert_int_eq(clip->loop, POSE_LOOP_NO);
    ck_assert_float_eq(clip->loop_out, 1.5f);
    /* A turn at constant speed needs few keys, a bend one, and both ends get one. */
    const struct pose_channel *turn = &clip->tracks[0].channels[POSE_ROTATION];
    ck_assert_uint_ge(turn->count, 3);
    ck_assert_uint_le(turn->count, 12);
    ck_assert_float_eq(turn->times[0], 0);
    ck_assert_float_eq(turn->times[turn->count - 1], 1.5f);
    ck_assert_float_eq_tol(turn->values[4 * (turn->count - 1) + 2], 0.70710678f, 4e-5f);
    ck_assert_float_eq_tol(turn->values[3], 1, 1e-6f); /* w >= 0, unit */
    const struct pose_channel *rise = &clip->tracks[0].channels[POSE_TRANSLATION];
    ck_assert_uint_ge(rise->count, 4);
    ck_assert_uint_le(rise->count, 5);
    /* What stays is one key at 0; a position that stays is left to the skeleton. */
    ck_assert_str_eq(clip->tracks[1].name, "mHead");
    ck_assert_uint_eq(clip->tracks[1].channels[POSE_ROTATION].count, 1);
    ck_assert_float_eq(clip->tracks[1].channels[POSE_ROTATION].times[0], 0);
    ck_assert_uint_eq(clip->tracks[1].channels[POSE_TRANSLATION].count, 0);
    pose_document_free(document);
}

/* The viewer's rule between two keys, written out once more. */
static void sample(const struct pose_channel *channel, float t, uint32_t components, double *value)
{
    uint32_t k = 0;
    while (k + 1 < channel->count && channel->times[k + 1] <= t)
        k++;
    const float *p = channel->values + k * components, *q = k + 1 < channel->count ? p + components : p;
    double u = k + 1 < channel->count
                   ? (double)(t - channel->times[k]) / (double)(channel->times[k + 1] - channel->times[k])
                   : 0;
    double square = 0;
    for (uint32_t i = 0; i < components; i++) {
        value[i] = (1 - u) * (double)p[i] + u * (double)q[i];
        square += value[i] * value[i];
    }
    for (uint32_t i = 0; components == 4 && i < 4; i++)
        value[i] /= sqrt(square);
}

/* Dropped keys come back within the tolerance (and a step of the format). */
TEST(dropped_keys_come_back)
{
    enum { COUNT = 400 };
    static float times[COUNT], turns[COUNT][4], places[COUNT][3];
    for (int k = 0; k < COUNT; k++) {
        float t = (float)k / 100, a = 0.8f * sinf(t) + 0.05f * sinf(5 * t);
        times[k] = t;
        memcpy(turns[k], (float[]){sinf(a) * 0.6f, 0, sinf(a) * 0.8f, cosf(a)}, sizeof turns[k]);
        memcpy(places[k], (float[]){sinf(t), t * t / 10, fabsf(t - 2)}, sizeof places[k]);
    }
    struct pose_track track = {.name = "mPelvis"};
    track.channels[POSE_ROTATION] = (struct pose_channel){COUNT, times, turns[0]};
    track.channels[POSE_TRANSLATION] = (struct pose_channel){COUNT, times, places[0]};
    struct pose_clip clip = {
        .axes = POSE_AXES_SL, .duration = times[COUNT - 1], .track_count = 1, .tracks = &track};
    struct pose_document *document = encode_and_decode(&clip, NULL, NULL);
    const struct pose_channel *channels = document->clips[0].tracks[0].channels;
    ck_assert_uint_lt(channels[POSE_ROTATION].count, COUNT / 2);
    ck_assert_uint_lt(channels[POSE_TRANSLATION].count, COUNT / 2);
    for (int k = 0; k < COUNT; k++) {
        double q[4], p[3], dot = 0;
        sample(&channels[POSE_ROTATION], times[k], 4, q);
        for (int i = 0; i < 4; i++)
            dot += q[i] * (double)turns[k][i];
        ck_assert_double_le(2 * acos(fmin(fabs(dot), 1)) * 57.29578, 0.06);
        sample(&channels[POSE_TRANSLATION], times[k], 3, p);
        for (int i = 0; i < 3; i++)
            ck_assert_double_le(fabs(p[i] - (double)places[k][i]), 0.0007);
    }
    pose_document_free(document);
}

/* Rounding alone would make some of these longer than 1, of which a reader warns. */
TEST(half_turns_read_back_without_a_warning)
{
    enum { COUNT = 500 };
    static float times[COUNT], turns[COUNT][4];
    for (int k = 0; k < COUNT; k++) {
        float a = (float)k * 2.4f, z = 1 - 2 * ((float)k + 0.5f) / COUNT, r = sqrtf(1 - z * z);
        times[k] = (float)k / 30;
        memcpy(turns[k], (float[]){r * cosf(a), r * sinf(a), z, k % 2 ? 0.002f : 0}, sizeof turns[k]);
    }
    struct pose_track track = {.name = "mHead"};
    track.channels[POSE_ROTATION] = (struct pose_channel){COUNT, times, turns[0]};
    struct pose_clip clip = {
        .axes = POSE_AXES_SL, .duration = times[COUNT - 1], .track_count = 1, .tracks = &track};
    struct pose_document *document = encode_and_decode(&clip, NULL, NULL);
    ck_assert_uint_gt(document->clips[0].key_count, COUNT / 2);
    ck_assert_uint_eq(codec_warnings(document, NULL), 0);
    pose_document_free(document);
}

TEST(axes_are_converted)
{
    struct clip_maker maker;
    make_clip(&maker);
    maker.clip.axes = POSE_AXES_GLTF;
    maker.clip.rules = POSE_RULES_SL; /* as it is, but for the axes */
    maker.clip.track_count = 2;
    struct pose_document *document = encode_and_decode(&maker.clip, NULL, NULL);
    const struct pose_track *tracks = document->clips[0].tracks;
    ck_assert_uint_eq(tracks[0].channels[POSE_ROTATION].count, FRAMES);
    const float *last = tracks[0].channels[POSE_ROTATION].values + 4 * (FRAMES - 1);
    ck_assert_float_eq_tol(last[0], 0.70710678f, 4e-5f); /* Z of glTF is X */
    ck_assert_float_eq_tol(tracks[1].channels[POSE_TRANSLATION].values[0], 0.1f, 1e-4f);
    pose_document_free(document);
}

TEST(a_setting_decides_on_reduction)
{
    struct clip_maker maker;
    make_clip(&maker);
    maker.clip.track_count = 3;
    struct value_list no = value_object(&arena), yes = value_object(&arena);
    value_put_bool(&no, "reduce", false);
    value_put_bool(&yes, "reduce", true);
    struct pose_document *document = encode_and_decode(&maker.clip, value_done(&no), NULL);
    ck_assert_uint_eq(document->clips[0].track_count, 3);
    ck_assert_uint_eq(document->clips[0].key_count, 4 * FRAMES);
    /* What was decoded is left as it is unless it is asked for. */
    struct pose_document *again = encode_and_decode(&document->clips[0], NULL, NULL);
    ck_assert_uint_eq(again->clips[0].key_count, 4 * FRAMES);
    pose_document_free(again);
    again = encode_and_decode(&document->clips[0], value_done(&yes), NULL);
    ck_assert_uint_eq(again->clips[0].track_count, 2);
    ck_assert_uint_lt(again->clips[0].key_count, 25);
    pose_document_free(again);
    pose_document_free(document);
}

TEST(eases_are_scaled_to_fit)
{
    struct clip_maker maker;
    make_clip(&maker);
    maker.clip.duration = 0.3f;
    struct pose_document *document = encode_and_decode(&maker.clip, NULL, NULL);
    ck_assert_float_eq_tol(value_get_float(document->clips[0].extras, "ease_in", 0), 0.15f, 1e-6f);
    ck_assert_float_eq_tol(value_get_float(document->clips[0].extras, "ease_out", 0), 0.15f, 1e-6f);
    pose_document_free(document);
    maker.clip.loop = POSE_LOOP_YES;
    document = encode_and_decode(&maker.clip, NULL, NULL);
    ck_assert_float_eq(value_get_float(document->clips[0].extras, "ease_in", 0), 0.3f);
    pose_document_free(document);
}

TEST(losses_are_told)
{
    struct clip_maker maker;
    struct codec_losses losses;
    make_clip(&maker);
    struct pose_event event = {.time = 0, .type = "footstep"};
    maker.clip.events = &event;
    maker.clip.event_count = 1;
    maker.moving[30][0] = 6;
    maker.tracks[2] = maker.tracks[1];
    maker.tracks[2].name = "mRoot";
    maker.tracks[3].name = "tentacle";
    maker.tracks[3].channels[POSE_MORPH] = channel(&maker, maker.standing);
    pose_document_free(encode_and_decode(&maker.clip, NULL, &losses));
    static const char *const codes[] = {"forbidden_joint", "scale_dropped", "morph_dropped",
                                        "events_dropped",  "unknown_joint", "position_clamped"};
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        ck_assert_msg(strstr(losses.codes, codes[i]) != NULL, "%s is not in %s", codes[i], losses.codes);
}

/* A file needs a joint: one that moves nothing stands for a clip of which nothing is left. */
TEST(nothing_left_moves_nothing)
{
    struct clip_maker maker;
    make_clip(&maker);
    maker.clip.tracks = &maker.tracks[2]; /* one without keys */
    for (maker.clip.track_count = 0; maker.clip.track_count < 2; maker.clip.track_count++) {
        struct codec_losses losses;
        struct pose_document *document = encode_and_decode(&maker.clip, NULL, &losses);
        const struct pose_clip *clip = &document->clips[0];
        ck_assert_ptr_nonnull(strstr(losses.codes, "no_keys"));
        ck_assert_uint_eq(clip->track_count, 1);
        ck_assert_str_eq(clip->tracks[0].name, "mPelvis");
        ck_assert_uint_eq(clip->tracks[0].channels[POSE_ROTATION].count, 0);
        ck_assert_uint_eq(clip->tracks[0].channels[POSE_TRANSLATION].count, 0);
        pose_document_free(document);
    }
}

TEST(what_cannot_be_held_is_refused)
{
    struct clip_maker maker;
    make_clip(&maker);
    maker.clip.duration = 60.01f;
    must_not_encode(&maker.clip, NULL, "too_long");
    maker.clip.duration = NAN;
    must_not_encode(&maker.clip, NULL, "bad_duration");
    maker.clip.duration = -1;
    must_not_encode(&maker.clip, NULL, "bad_duration");
    make_clip(&maker);
    maker.clip.loop_out = INFINITY;
    must_not_encode(&maker.clip, NULL, "not_finite");
    make_clip(&maker);
    maker.turning[3][2] = NAN;
    must_not_encode(&maker.clip, NULL, "not_finite");
    make_clip(&maker);
    struct pose_track many[217];
    for (int i = 0; i < 217; i++)
        many[i] = maker.tracks[1];
    maker.clip.tracks = many;
    maker.clip.track_count = 217;
    must_not_encode(&maker.clip, NULL, "too_many_joints");
    maker.clip.track_count = 216;
    pose_document_free(encode_and_decode(&maker.clip, NULL, NULL));
    struct pose_content none = {0};
    struct pose_buffer out;
    struct pose_error error;
    ck_assert(!pose_encode("sl-anim", &none, NULL, NULL, NULL, &out, &error));
    ck_assert_int_eq(error.status, POSE_BAD_ARGUMENT);
}

/* Keys of 2000 a second in a minute fall on the same of the format's times; readers must not see that. */
TEST(times_never_meet)
{
    enum { COUNT = 120000 };
    float *times = malloc(COUNT * sizeof *times), *values = calloc(COUNT, 3 * sizeof *values);
    for (int k = 0; k < COUNT; k++) {
        times[k] = (float)k * 60 / (COUNT - 1);
        values[3 * k] = (float)(k % 2);
    }
    struct pose_track track = {.name = "mPelvis"};
    track.channels[POSE_TRANSLATION] = (struct pose_channel){COUNT, times, values};
    struct pose_clip clip = {.axes = POSE_AXES_SL, .duration = 60, .track_count = 1, .tracks = &track};
    struct pose_document *document = encode_and_decode(&clip, NULL, NULL);
    ck_assert_uint_eq(codec_warnings(document, NULL), 0);
    ck_assert_uint_gt(document->clips[0].key_count, 60000);
    pose_document_free(document);
    clip.duration = 0;
    clip.rules = POSE_RULES_SL;
    struct codec_losses losses;
    document = encode_and_decode(&clip, NULL, &losses);
    ck_assert_str_eq(losses.codes, "key_outside_clip ");
    ck_assert_uint_eq(document->clips[0].key_count, 1);
    pose_document_free(document);
    free(times);
    free(values);
}
