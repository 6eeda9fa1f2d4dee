/* Keys of packed clips: what the vector code makes of them is what the scalar code makes, bit by bit. */
#include "lib/formats/prime/anim/keys.h"
#include "tests/support/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PARTS = 9 };

static uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

/* A stream of random bits, with parts of random widths, 0 and 32 among them. */
struct stream {
    struct prime_packed file;
    struct prime_part parts[PARTS];
    uint8_t *bytes;
    float *values[PARTS];
};

static size_t room_of(const struct stream *stream, unsigned part)
{
    const size_t numbers = stream->parts[part].part == POSE_ROTATION ? 4 : 3;
    return stream->file.keys * numbers + PRIME_SPARE;
}

static void make_stream(struct stream *stream, uint32_t seed)
{
    uint32_t state = seed;
    *stream = (struct stream){.file = {.keys = seed % 40, .part_count = PARTS}};
    for (unsigned i = 0; i < PARTS; i++) {
        struct prime_part *part = &stream->parts[i];
        part->part = (enum pose_part[]){POSE_ROTATION, POSE_TRANSLATION, POSE_SCALE}[i % 3];
        part->scale = part->part == POSE_ROTATION ? 1 : -0.0137f;
        part->bits = part->part == POSE_ROTATION;
        for (int k = 0; k < 3; k++) {
            part->values[k] = (int16_t)(uint16_t)next_random(&state);
            part->widths[k] = (uint8_t)(next_random(&state) % (seed % 4 ? 12 : 33));
            part->bits += part->widths[k];
        }
        stream->file.bits_per_key += part->bits;
        stream->values[i] = calloc(room_of(stream, i), sizeof(float));
    }
    stream->file.stream_words = (stream->file.bits_per_key * stream->file.keys + 31) / 32;
    stream->bytes = malloc(stream->file.stream_words * 4 + 1);
    for (uint64_t i = 0; i < stream->file.stream_words * 4; i++)
        stream->bytes[i] = (uint8_t)next_random(&state);
    stream->file.stream = stream->bytes;
    for (unsigned i = 0; i < PARTS; i++)
        stream->parts[i].out = stream->values[i];
}

static void free_stream(struct stream *stream)
{
    for (unsigned i = 0; i < PARTS; i++)
        free(stream->values[i]);
    free(stream->bytes);
}

TEST(both_read_the_same)
{
    for (uint32_t seed = 0; seed < 400; seed++) {
        struct stream a, b;
        make_stream(&a, seed);
        make_stream(&b, seed);
        prime_packed_read_scalar(&a.file, a.parts);
        prime_packed_read(&b.file, b.parts);
        for (unsigned i = 0; i < PARTS; i++) {
            const size_t numbers = room_of(&a, i) - PRIME_SPARE;
            ck_assert_ptr_eq(a.parts[i].out, a.values[i] + numbers);
            ck_assert_ptr_eq(b.parts[i].out, b.values[i] + numbers);
            ck_assert_int_eq(memcmp(a.values[i], b.values[i], numbers * sizeof(float)), 0);
        }
        free_stream(&a);
        free_stream(&b);
    }
}

/* Fields of 8 bits that follow each other: 1, 2, 3, then a sign and -1, 0, 127. */
TEST(worked_by_hand)
{
    static const uint8_t words[] = {0xfe, 0x03, 0x02, 0x01, 0x00, 0x00, 0xfe, 0x01};
    float moved[3 + PRIME_SPARE], turned[4 + PRIME_SPARE];
    struct prime_part parts[2] = {
        {.part = POSE_TRANSLATION,
         .widths = {8, 8, 8},
         .bits = 24,
         .values = {100, -3, 32767},
         .scale = 0.5f,
         .out = moved},
        {.part = POSE_ROTATION,
         .widths = {8, 8, 8},
         .bits = 25,
         .values = {0, 5, 1},
         .scale = 1,
         .out = turned},
    };
    const struct prime_packed file = {
        .keys = 1, .part_count = 2, .bits_per_key = 49, .stream = words, .stream_words = 2};
    struct prime_part again[2] = {parts[0], parts[1]};
    for (int way = 0; way < 2; way++) {
        if (way)
            prime_packed_read_scalar(&file, again);
        else
            prime_packed_read(&file, parts);
        ck_assert_float_eq(moved[0], 50.5f);
        ck_assert_float_eq(moved[1], -0.5f);
        ck_assert_float_eq(moved[2], -32766 * 0.5f); /* sums wrap at 16 bits */
        ck_assert_float_eq(turned[0], -1);
        ck_assert_float_eq(turned[1], 5);
        ck_assert_float_eq(turned[2], 128);
        ck_assert_float_eq(turned[3], 1);
    }
}

/* All counts around the width of the vectors, vectors longer than 1, and not a number beyond the end. */
TEST(both_scale_rotations_alike)
{
    uint32_t state = 11;
    for (uint32_t count = 0; count < 70; count++) {
        for (uint32_t divisor = 1; divisor < 1u << 20; divisor = divisor * 7 + count) {
            float *a = malloc((4 * (size_t)count + 1) * sizeof(float)),
                  *b = malloc((4 * (size_t)count + 1) * sizeof(float));
            for (size_t i = 0; i < 4 * (size_t)count; i++) {
                const int stored = (int16_t)(uint16_t)next_random(&state);
                a[i] = i % 4 == 3 ? (stored & 1 ? -1.0f : 1.0f) : (float)(count % 2 ? stored : stored / 4);
            }
            a[4 * count] = 42;
            memcpy(b, a, (4 * (size_t)count + 1) * sizeof(float));
            prime_rotations_scale_scalar(a, count, divisor);
            prime_rotations_scale(b, count, divisor);
            ck_assert_int_eq(memcmp(a, b, (4 * (size_t)count + 1) * sizeof(float)), 0);
            free(a);
            free(b);
        }
    }
}

int main(void)
{
#if PRIME_KEYS_AVX2
    if (!__builtin_cpu_supports("avx2"))
        fprintf(stderr, "SKIPPED: no AVX2 here, the scalar code is compared with itself\n");
#endif
    return unit_run();
}
