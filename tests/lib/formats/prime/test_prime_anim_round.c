/*
 * ANIM written and read: written by an encoder, read by a decoder that was made apart from it, written again to the same
 * bytes; pseudo-random clips of both versions and games. And streams of every width, put together here bit by bit.
 */
#include "lib/core/bytes/bit_writer.h"
#include "lib/core/value.h"
#include "tests/samples/tree.h"
#include "tests/support/codecs.h"
#include "tests/support/unit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char FORMAT[] = "prime-anim";

static uint64_t state;

static uint32_t random_word(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state >> 16);
}

/* 0 ... limit - 1. */
static uint32_t random_below(uint32_t limit)
{
    return (uint32_t)((uint64_t)random_word() * limit >> 32);
}

static float random_float(void)
{
    return (float)(random_word() >> 8) / 8388608.0f - 1;
}

/* --------------------------------------------------------------------------------------- random clips -- */

struct shape {
    const char *game;
    unsigned version, bones, frames;
    unsigned width; /* of the widest difference, 1 ... 16 */
    bool sparse;    /* not every frame is a key */
};

/* All of a clip's memory in one piece. */
struct random_clip {
    struct pose_clip clip;
    struct pose_value extras[8], settings[3];
    struct pose_track *tracks;
    float *times, *values;
    uint32_t count;
};

static float *add_channel(struct random_clip *random, struct pose_track *track, enum pose_part part)
{
    float *values = calloc((size_t)random->count, 4 * sizeof *values);
    ck_assert_ptr_nonnull(values);
    track->channels[part] =
        (struct pose_channel){.count = random->count, .times = random->times, .values = values};
    return values;
}

/* One step further: by up to that width, and there at random times, so that each width comes to pass. */
static int32_t walk(int32_t from, unsigned width, int32_t most)
{
    int32_t half = 1 << (width - 1), step = (int32_t)random_below(2u * (unsigned)half) - half;
    int32_t to = from + step;
    return to > most || to < -most ? from : to;
}

/* Walks over whole steps, so that a divisor of 32767 gives them back. */
static void fill_rotations(float *values, uint32_t count, unsigned width)
{
    int32_t steps[3] = {0};
    double k = 1.5707963267948966 / 32767;
    bool is_negative = false;
    for (uint32_t i = 0; i < count; i++, values += 4) {
        double square = 0;
        for (int c = 0; c < 3; c++) {
            steps[c] = walk(steps[c], width, c ? 7000 : 20000);
            double sine = sin(steps[c] * k);
            values[c] = (float)sine;
            square += sine * sine;
        }
        is_negative = i && (random_below(16) == 0) != is_negative;
        values[3] = (float)sqrt(fmax(0, 1 - square)) * (is_negative ? -1.0f : 1.0f);
    }
}

static void fill_vectors(float *values, uint32_t count, unsigned width, float multiplier)
{
    int32_t steps[3] = {0};
    for (uint32_t i = 0; i < 3 * count; i++) {
        steps[i % 3] = walk(steps[i % 3], width, 32767);
        values[i] = (float)steps[i % 3] * multiplier;
    }
}

static void make_times(struct random_clip *random, const struct shape *shape, float interval)
{
    random->times = calloc(shape->frames + 1, sizeof *random->times);
    ck_assert_ptr_nonnull(random->times);
    for (unsigned frame = 0; frame < shape->frames; frame++) {
        bool is_end = frame == 0 || frame + 1 == shape->frames;
        if (is_end || !shape->sparse || random_below(4) == 0)
            random->times[random->count++] = (float)(frame * (double)interval);
    }
}

static void make_tracks(struct random_clip *random, const struct shape *shape)
{
    bool is_mp2 = !strcmp(shape->game, "mp2");
    random->tracks = calloc(shape->bones, sizeof *random->tracks);
    ck_assert_ptr_nonnull(random->tracks);
    for (unsigned i = 0; i < shape->bones; i++) {
        struct pose_track *track = &random->tracks[i];
        *track = (struct pose_track){.has_id = true, .id = is_mp2 ? i : (i + 3) % 100};
        unsigned kinds = random_below(8);
        if (!is_mp2 || i == 0 || kinds & 1)
            fill_rotations(add_channel(random, track, POSE_ROTATION), random->count, shape->width);
        if (kinds & 2)
            fill_vectors(add_channel(random, track, POSE_TRANSLATION), random->count, shape->width, 0.001f);
        if (is_mp2 && kinds & 4)
            fill_vectors(add_channel(random, track, POSE_SCALE), random->count, shape->width, 0.25f);
    }
}

static void make_random(struct random_clip *random, const struct shape *shape)
{
    const float interval = 1 / 30.0f;
    *random = (struct random_clip){.count = 0};
    make_times(random, shape, interval);
    make_tracks(random, shape);
    random->extras[1] = tree_string("game", shape->game);
    random->extras[2] = tree_int("version", shape->version);
    random->extras[3] = tree_float("interval", (double)interval);
    random->extras[4] = tree_int("rotation_divisor", 32767);
    random->extras[5] = tree_float("translation_multiplier", (double)0.001f);
    random->extras[6] = tree_float("scale_multiplier", 0.25);
    random->extras[0] = tree_of(POSE_OBJECT, NULL, random->extras + 1, 6);
    random->clip = (struct pose_clip){
        .axes = POSE_AXES_PRIME,
        .rules = shape->version ? POSE_RULES_PRIME : POSE_RULES_PRIME_FRAMES,
        .duration = (float)((shape->frames - 1) * (double)interval),
        .fps = 30,
        .loop = shape->version ? (random_below(2) ? POSE_LOOP_YES : POSE_LOOP_NO) : POSE_LOOP_UNKNOWN,
        .track_count = shape->bones,
        .tracks = random->tracks,
        .extras = random->extras};
}

static void free_random(struct random_clip *random)
{
    for (uint32_t i = 0; i < random->clip.track_count; i++) {
        for (int part = 0; part < POSE_PART_COUNT; part++)
            free((void *)(uintptr_t)random->tracks[i].channels[part].values);
    }
    free(random->times);
    free(random->tracks);
}

static const struct pose_track *find_track(const struct pose_clip *clip, uint32_t id)
{
    for (uint32_t i = 0; i < clip->track_count; i++) {
        if (clip->tracks[i].id == id)
            return &clip->tracks[i];
    }
    return NULL;
}

/* Values on the steps come back to the last bit but one; a track may have got rotations that it had not. */
static void check_values(const struct pose_clip *clip, const struct pose_clip *found, double tolerance)
{
    for (uint32_t i = 0; i < clip->track_count; i++) {
        const struct pose_track *from = &clip->tracks[i], *to = find_track(found, from->id);
        for (int part = 0; part < POSE_MORPH; part++) {
            const struct pose_channel *a = &from->channels[part];
            if (!a->count)
                continue;
            ck_assert_ptr_nonnull(to);
            const struct pose_channel *b = &to->channels[part];
            ck_assert_uint_ge(b->count, a->count);
            for (size_t k = 0; k < (size_t)a->count * (part == POSE_ROTATION ? 4 : 3); k++)
                ck_assert_msg(fabs((double)a->values[k] - (double)b->values[k]) <= tolerance,
                              "bone %u, part %d, number %zu: %.9g became %.9g", from->id, part, k,
                              (double)a->values[k], (double)b->values[k]);
        }
    }
}

static struct pose_buffer encode_clip(const struct pose_clip *clip)
{
    struct codec_losses losses;
    struct pose_content content = {.clip_count = 1, .clips = clip};
    struct pose_buffer bytes = codec_must_encode(FORMAT, &content, &losses);
    const char *codes = losses.codes;
    /* What draws nothing is left out where the game has no place for it. */
    ck_assert_msg(!*codes || !strcmp(codes, "empty_track "), "lost: %s", codes);
    return bytes;
}

/* The bytes as written; free them. */
static struct pose_buffer check_round(const struct pose_clip *clip, double tolerance)
{
    struct pose_buffer first = encode_clip(clip);
    struct pose_document *document = codec_must_decode(FORMAT, first.data, first.size);
    ck_assert_uint_eq(document->clip_count, 1);
    ck_assert_msg(codec_warnings(document, NULL) == 0, "read with a warning: %s",
                  codec_warning_text(document, document->clips->warning_count
                                                   ? document->clips->warnings->code
                                               : document->warning_count ? document->warnings->code
                                                                         : NULL));
    const struct pose_clip *found = document->clips;
    const char *game = value_get_string(clip->extras, "game", "");
    ck_assert_str_eq(value_get_string(found->extras, "game", "none"), game);
    ck_assert_int_eq(found->rules, clip->rules);
    ck_assert_int_eq(found->loop, clip->loop);
    check_values(clip, found, tolerance);
    struct pose_buffer second = encode_clip(found);
    codec_check_bytes("second time", second.data, second.size, first.data, first.size);
    pose_document_free(document);
    pose_buffer_free(&second);
    return first;
}

static void check_shape(const struct shape *shape)
{
    struct random_clip random;
    make_random(&random, shape);
    struct pose_buffer bytes = check_round(&random.clip, 2e-7 * 8192);
    pose_buffer_free(&bytes);
    free_random(&random);
}

static const char *const games[] = {"mp1", "mp2"};

TIMEOUT(240);

TEST(test_bones_and_frames)
{
    static const unsigned bones[] = {1, 2, 3, 7, 20, 50, 97, 100};
    static const unsigned frames[] = {2, 3, 31, 32, 33, 64, 65, 400};
    state = 88172645463325252u;
    for (int b = 0; b < 8; b++) {
        for (int f = 0; f < 8; f++) {
            /* The largest are tried in one way each. */
            bool is_large = bones[b] * frames[f] > 5000;
            for (unsigned kind = is_large ? (unsigned)(b + f) & 7 : 0; kind < 8; kind += is_large ? 8 : 1) {
                struct shape shape = {.game = games[kind & 1],
                                      .version = kind & 2,
                                      .bones = bones[b],
                                      .frames = frames[f],
                                      .width = 1 + random_below(16),
                                      .sparse = kind & 4 && kind & 2};
                check_shape(&shape);
            }
        }
    }
}

TEST(test_random_shapes)
{
    state = 1234567;
    for (int i = 0; i < 300; i++) {
        unsigned bones = 1 + random_below(random_below(8) ? 20 : 100),
                 frames = 2 + random_below(random_below(16) ? 60 : 399);
        struct shape shape = {.game = games[random_below(2)],
                              .version = 2 * random_below(2),
                              .bones = bones,
                              .frames = frames,
                              .width = 1 + random_below(16)};
        shape.sparse = shape.version && random_below(2);
        check_shape(&shape);
    }
}

TEST(test_one_frame)
{
    /* Version 2 writes it twice, and that is what it stays. */
    for (unsigned kind = 0; kind < 4; kind++) {
        struct shape shape = {
            .game = games[kind & 1], .version = kind & 2, .bones = 5, .frames = 1, .width = 8};
        state = 77 + kind;
        check_shape(&shape);
    }
}

/* The width of the first channel's X rotation. */
static unsigned width_of_x(const struct pose_buffer *bytes, bool is_mp2, unsigned frames)
{
    size_t words = (frames + 31) / 32, at = (is_mp2 ? 0x32 + 4 + 3 : 0x34 + 8 + 6) + 4 * words;
    return bytes->data[at + 2];
}

TEST(test_written_widths)
{
    /* Each width really is in the files, for rotations as for places. */
    unsigned seen[2][17] = {{0}};
    state = 99;
    for (int i = 0; i < 320; i++) {
        struct random_clip random;
        struct shape shape = {
            .game = games[i & 1], .version = 2, .bones = 1, .frames = 40, .width = 1 + (unsigned)i / 2 % 16};
        make_random(&random, &shape);
        struct pose_buffer bytes = check_round(&random.clip, 2e-7 * 8192);
        unsigned width = width_of_x(&bytes, i & 1, 40);
        ck_assert(width >= 1 && width <= 16);
        seen[i & 1][width]++;
        pose_buffer_free(&bytes);
        free_random(&random);
    }
    for (int width = 1; width <= 16; width++)
        ck_assert_msg(seen[0][width] && seen[1][width], "no file with a width of %d", width);
}

/* Anything whatever, which the steps do not give back: stable all the same, and near. */
TEST(test_free_values)
{
    state = 4242;
    for (int i = 0; i < 60; i++) {
        struct random_clip random;
        struct shape shape = {.game = games[i & 1], .version = 2, .bones = 6, .frames = 50, .width = 8};
        make_random(&random, &shape);
        for (uint32_t t = 0; t < shape.bones; t++) {
            for (int part = 0; part < POSE_MORPH; part++) {
                const struct pose_channel *channel = &random.tracks[t].channels[part];
                float *values = (float *)(uintptr_t)channel->values;
                for (uint32_t k = 0; k < channel->count && part == POSE_ROTATION; k++) {
                    /* Every third clip has half turns only, where w is what is left. */
                    double square = 0;
                    float *q = values + 4 * k;
                    for (int c = 0; c < 4; c++)
                        q[c] = random_float() * (c == 3 && i % 3 == 0 ? 1e-4f : 1);
                    if (k == 0 && q[3] < 0)
                        q[3] = -q[3];
                    for (int c = 0; c < 4; c++)
                        square += (double)q[c] * (double)q[c];
                    for (int c = 0; c < 4; c++)
                        q[c] = (float)((double)q[c] / sqrt(square));
                }
                for (size_t k = 0; k < (size_t)3 * channel->count && part != POSE_ROTATION; k++)
                    values[k] = random_float() * 50;
            }
        }
        struct pose_buffer bytes = check_round(&random.clip, 0.02);
        pose_buffer_free(&bytes);
        free_random(&random);
    }
}

/* ----------------------------------------------------------------------------------- hand-made streams -- */

enum { STREAM_KEYS = 9, FIELDS = 9 };

/* A file of one bone that rotates and moves, in Metroid Prime 2 scales too, all with that width of field; what its
 * accumulators become goes into steps. */
static struct pose_buffer make_stream(bool is_mp2, unsigned width, int16_t steps[STREAM_KEYS + 1][FIELDS],
                                      bool signs[STREAM_KEYS + 1])
{
    struct pose_buffer bytes = {.data = NULL};
    struct writer to;
    struct bit_writer bits;
    int fields = is_mp2 ? 9 : 6;
    writer_init(&to, &bytes, NULL);
    writer_u32be(&to, 2);
    writer_u32be(&to, 0);
    if (is_mp2) {
        writer_u16be(&to, 0x0101);
    } else {
        writer_u32be(&to, 0);
        writer_u32be(&to, 1);
    }
    writer_f32be(&to, STREAM_KEYS * 0.25f);
    writer_f32be(&to, 0.25f);
    writer_u32be(&to, is_mp2 ? 0 : 3);
    writer_u32be(&to, 0);
    writer_u32be(&to, 60000); /* D: no step is a quarter turn */
    writer_f32be(&to, 0.5f);
    if (is_mp2)
        writer_f32be(&to, 0.125f);
    writer_u32be(&to, 1);
    writer_u32be(&to, 1);
    writer_u32be(&to, STREAM_KEYS + 1);
    writer_u32be(&to, (1u << (STREAM_KEYS + 1)) - 1);
    if (!is_mp2)
        writer_u32be(&to, 1);
    writer_u32be(&to, 1);
    if (is_mp2)
        writer_u8(&to, 0);
    else
        writer_u32be(&to, 3);
    for (int f = 0; f < fields; f++) {
        if (f % 3 == 0)
            writer_u16be(&to, STREAM_KEYS);
        steps[0][f] = (int16_t)random_word();
        writer_u16be(&to, (uint16_t)steps[0][f]);
        writer_u8(&to, (uint8_t)width);
    }
    bit_writer_init(&bits, &to);
    signs[0] = false;
    for (int k = 1; k <= STREAM_KEYS; k++) {
        signs[k] = random_below(2);
        bit_writer_put(&bits, signs[k], 1);
        for (int f = 0; f < fields; f++) {
            /* Two's complement of that width, of any size up to what it holds. */
            uint32_t raw = width ? random_word() >> (32 - width) : 0;
            bool is_negative = width && raw >> (width - 1);
            uint32_t delta = is_negative && width < 32 ? raw | ~UINT32_C(0) << width : raw;
            bit_writer_put(&bits, raw, width);
            steps[k][f] = (int16_t)(uint16_t)((uint32_t)steps[k - 1][f] + delta);
        }
    }
    bit_writer_finish(&bits);
    return bytes;
}

TEST(test_every_width)
{
    state = 31337;
    for (int repeat = 0; repeat < 20; repeat++) {
        for (unsigned width = 0; width <= 32; width++) {
            bool is_mp2 = repeat & 1, signs[STREAM_KEYS + 1];
            int16_t steps[STREAM_KEYS + 1][FIELDS] = {{0}};
            struct pose_buffer bytes = make_stream(is_mp2, width, steps, signs);
            struct pose_document *document = codec_must_decode(FORMAT, bytes.data, bytes.size);
            const struct pose_track *track = document->clips->tracks;
            for (int k = 0; k <= STREAM_KEYS; k++) {
                const float *q = track->channels[POSE_ROTATION].values + 4 * k;
                double sines[3], square = 0;
                for (int c = 0; c < 3; c++) {
                    sines[c] = sin(steps[k][c] * (1.5707963267948966 / 60000));
                    square += sines[c] * sines[c];
                }
                double w = sqrt(fmax(0, 1 - square)) * (signs[k] ? -1 : 1);
                for (int c = 0; c < 3; c++)
                    ck_assert_double_eq_tol((double)q[c], sines[c], 1e-7);
                ck_assert_double_eq_tol((double)q[3], w, 1e-7);
                for (int c = 0; c < 3; c++) {
                    ck_assert_float_eq(track->channels[POSE_TRANSLATION].values[3 * k + c],
                                       0.5f * (float)steps[k][3 + c]);
                    if (is_mp2)
                        ck_assert_float_eq(track->channels[POSE_SCALE].values[3 * k + c],
                                           0.125f * (float)steps[k][6 + c]);
                }
            }
            pose_document_free(document);
            pose_buffer_free(&bytes);
        }
    }
}

TEST(test_too_wide)
{
    for (int is_mp2 = 0; is_mp2 < 2; is_mp2++) {
        bool signs[STREAM_KEYS + 1];
        int16_t steps[STREAM_KEYS + 1][FIELDS] = {{0}};
        struct pose_buffer bytes = make_stream(is_mp2, 32, steps, signs);
        bytes.data[(is_mp2 ? 0x3a + 3 : 0x40 + 6) + 2] = 33;
        struct pose_error error;
        struct pose_document *document = codec_decode(FORMAT, bytes.data, bytes.size, &error);
        ck_assert_ptr_null(document);
        pose_buffer_free(&bytes);
    }
}
