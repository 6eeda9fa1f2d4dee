/*
 * Decoding clips of Metroid Prime: a whole file, against a copy of its bytes, and the stream of bits alone, against
 * reading it a bit at a time.
 */
#include "lib/formats/prime/anim/keys.h"
#include "tests/bench/bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHANNELS = 60, KEYS = 300, PARTS = 2 * CHANNELS, BITS = 1 + 3 * 9 + 3 * 7 };

struct stream {
    struct pose_buffer file;
    struct prime_packed packed;
    struct prime_part parts[PARTS];
    float *values; /* [PARTS][KEYS][4] */
    uint8_t *copy;
};

static void put(struct stream *stream, const void *bytes, size_t size)
{
    if (!pose_buffer_append(&stream->file, bytes, size))
        abort();
}

static void put_u16(struct stream *stream, unsigned value)
{
    put(stream, (uint8_t[]){(uint8_t)(value >> 8), (uint8_t)value}, 2);
}

static void put_u32(struct stream *stream, uint32_t value)
{
    put_u16(stream, value >> 16);
    put_u16(stream, value & 0xffff);
}

/* Three fields of that width. */
static void put_part(struct stream *stream, uint8_t width)
{
    put_u16(stream, KEYS);
    for (unsigned i = 0; i < 3; i++) {
        put_u16(stream, 100 * i);
        put(stream, &width, 1);
    }
}

/* The first game's layout: 9 bits a component of a rotation, 7 of a translation, every frame a key. */
static void make_file(struct stream *stream)
{
    static const uint32_t head[] = {2, 0,     0,          1,        0x41200000, 0x3d088889, 3,
                                    0, 32767, 0x3c23d70a, CHANNELS, 1,          KEYS + 1};
    uint32_t random = 1;
    for (size_t i = 0; i < sizeof head / sizeof *head; i++)
        put_u32(stream, head[i]);
    for (unsigned i = 0; i < (KEYS + 32) / 32; i++)
        put_u32(stream, 0xffffffff);
    put_u32(stream, CHANNELS);
    put_u32(stream, CHANNELS);
    for (unsigned i = 0; i < CHANNELS; i++) {
        put_u32(stream, 3 + i);
        put_part(stream, 9);
        put_part(stream, 7);
    }
    for (unsigned i = 0; i < (BITS * CHANNELS * KEYS + 31) / 32; i++)
        put_u32(stream, random = random * 1664525 + 1013904223);
}

static void decode(void *subject)
{
    struct stream *stream = subject;
    struct pose_source source = {.bytes = {stream->file.data, stream->file.size}, .format = "prime-anim"};
    struct pose_document *document = pose_decode(&source, NULL, NULL);
    if (!document)
        abort();
    bench_use(document);
    pose_document_free(document);
}

static void copy(void *subject)
{
    struct stream *stream = subject;
    memcpy(stream->copy, stream->file.data, stream->file.size);
    bench_use(stream->copy);
}

static void begin_parts(struct stream *stream)
{
    for (unsigned i = 0; i < PARTS; i++) {
        bool turns = i % 2 == 0;
        uint8_t width = turns ? 9 : 7;
        stream->parts[i] = (struct prime_part){.part = turns ? POSE_ROTATION : POSE_TRANSLATION,
                                               .keys = KEYS,
                                               .widths = {width, width, width},
                                               .bits = 3u * width + turns,
                                               .scale = 1,
                                               .out = stream->values + (size_t)i * KEYS * 4};
    }
}

static void read_bits(void *subject)
{
    struct stream *stream = subject;
    begin_parts(stream);
    prime_packed_read(&stream->packed, stream->parts);
    bench_use(stream->values);
}

static uint32_t take_bits(const uint8_t *words, uint64_t *at, unsigned width)
{
    uint32_t value = 0;
    for (unsigned i = 0; i < width; i++, ++*at)
        value |= (uint32_t)(words[*at / 32 * 4 + 3 - *at % 32 / 8] >> *at % 8 & 1) << i;
    return width && value >> (width - 1) ? value - (1u << width) : value;
}

static void read_one_by_one(void *subject)
{
    struct stream *stream = subject;
    uint64_t at = 0;
    begin_parts(stream);
    for (unsigned k = 0; k < KEYS; k++) {
        for (unsigned i = 0; i < PARTS; i++) {
            struct prime_part *part = &stream->parts[i];
            unsigned turns = part->part == POSE_ROTATION;
            uint32_t sign = take_bits(stream->packed.stream, &at, turns);
            for (int c = 0; c < 3; c++) {
                uint32_t delta = take_bits(stream->packed.stream, &at, part->widths[c]);
                part->values[c] = (int16_t)(uint16_t)((uint32_t)part->values[c] + delta);
                part->out[c] = part->values[c];
            }
            if (turns)
                part->out[3] = sign ? -1 : 1;
            part->out += 3 + turns;
        }
    }
    bench_use(stream->values);
}

static void run(void)
{
    static struct stream stream;
    make_file(&stream);
    struct prime_walk walk = {.game = PRIME_MP1};
    reader_init(&walk.reader, (struct pose_bytes){stream.file.data, stream.file.size}, NULL);
    if (!prime_packed_walk(&walk, &stream.packed))
        abort();
    stream.values = calloc((size_t)PARTS * KEYS * 4 + PRIME_SPARE, sizeof *stream.values);
    stream.copy = malloc(stream.file.size);
    if (!stream.values || !stream.copy)
        abort();
    double size = (double)stream.file.size, keys = PARTS * (KEYS + 1.0);
    const struct bench_contestant bits[] = {{"bit by bit", read_one_by_one, &stream, size},
                                            {"as it is (goal 500 MB/s)", read_bits, &stream, size}},
                                  whole[] = {{"copy of the bytes", copy, &stream, size},
                                             {"pose_decode", decode, &stream, size}},
                                  counted[] = {{"the stream alone", read_bits, &stream, keys},
                                               {"pose_decode", decode, &stream, keys}};
    bench_compare("prime-anim, stream of bits, 60 channels x 300 keys", "MB/s", 1e6, bits, 2);
    bench_compare("prime-anim, the whole file", "MB/s", 1e6, whole, 2);
    bench_compare("prime-anim, keys of rotations and translations", "Mkeys/s", 1e6, counted, 2);
    free(stream.copy);
    free(stream.values);
    pose_buffer_free(&stream.file);
}

const struct bench_part bench_prime = {"prime", run};
