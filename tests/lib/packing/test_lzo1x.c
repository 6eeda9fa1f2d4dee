/* LZO1X: every instruction of the table in prime-pak.md by hand, round trips, hostile streams, damage. */
#include "lib/packing/lzo1x.h"
#include "tests/support/unit.h"

#include <stdlib.h>
#include <string.h>

/* Decodes a copy of the stream in memory that ends where it ends, into memory of that capacity. */
static bool decode(const uint8_t *stream, size_t size, uint8_t **out, size_t capacity, size_t *written,
                   struct pose_error *error)
{
    uint8_t *copy = malloc(size ? size : 1);
    memcpy(copy, stream, size);
    *out = malloc(capacity ? capacity : 1);
    pose_error_init(error);
    struct reader reader;
    reader_init(&reader, (struct pose_bytes){copy, size}, error);
    bool done = lzo1x_decode(&reader, *out, capacity, written);
    ck_assert_uint_le(*written, capacity);
    free(copy);
    return done;
}

static void expect_output(const uint8_t *stream, size_t size, const void *expected, size_t expected_size)
{
    uint8_t *out;
    size_t written;
    struct pose_error error;
    ck_assert_msg(decode(stream, size, &out, expected_size, &written, &error), "%s", error.detail);
    ck_assert_uint_eq(written, expected_size);
    ck_assert(!expected_size || !memcmp(out, expected, expected_size));
    free(out);
}

/* A stream that is written by hand, and what it should give. */
struct script {
    struct pose_buffer stream, text;
};

static void append(struct pose_buffer *buffer, const void *bytes, size_t size)
{
    if (!pose_buffer_append(buffer, bytes, size))
        abort(); /* and no ck_assert, which writes to a pipe: this runs for every byte */
}

static void put(struct script *script, const void *bytes, size_t size)
{
    append(&script->stream, bytes, size);
}

/* Literals that follow in the stream as they are. */
static void literals(struct script *script, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint8_t byte = (uint8_t)((script->text.size * 2654435761u) >> 13);
        append(&script->text, &byte, 1);
        append(&script->stream, &byte, 1);
    }
}

static void match(struct script *script, size_t length, size_t distance)
{
    ck_assert_uint_le(distance, script->text.size);
    for (size_t i = 0; i < length; i++) {
        uint8_t byte = script->text.data[script->text.size - distance];
        append(&script->text, &byte, 1);
    }
}

#define PUT(script, ...) put(script, (const uint8_t[]){__VA_ARGS__}, sizeof(const uint8_t[]){__VA_ARGS__})

static void check_script(struct script *script)
{
    PUT(script, 0x11, 0, 0);
    expect_output(script->stream.data, script->stream.size, script->text.data, script->text.size);
    pose_buffer_free(&script->stream);
    pose_buffer_free(&script->text);
}

/* A literal run of any length at the start of a stream: the form for more than 238. */
static void long_start(struct script *script, size_t count)
{
    PUT(script, 0);
    size_t left = count - 18;
    for (; left > 255; left -= 255)
        PUT(script, 0);
    PUT(script, (uint8_t)left);
    literals(script, count);
}

TEST(literals_alone)
{
    static const size_t counts[] = {1, 2, 3, 4, 5, 18, 19, 237, 238};
    for (unsigned i = 0; i < sizeof counts / sizeof *counts; i++) {
        struct script script = {0};
        PUT(&script, (uint8_t)(counts[i] + 17));
        literals(&script, counts[i]);
        check_script(&script);
    }
    static const size_t long_counts[] = {239, 273, 274, 528, 529, 16384, 100000};
    for (unsigned i = 0; i < sizeof long_counts / sizeof *long_counts; i++) {
        struct script script = {0};
        long_start(&script, long_counts[i]);
        check_script(&script);
    }
    struct script nothing = {0};
    check_script(&nothing);
}

/* The spec: n = 16384 costs 69 bytes besides the literals. */
TEST(cost_of_a_literal_segment)
{
    struct script script = {0};
    long_start(&script, 16384);
    PUT(&script, 0x11, 0, 0);
    ck_assert_uint_eq(script.stream.size, 16384 + 69);
    pose_buffer_free(&script.stream);
    pose_buffer_free(&script.text);
}

/* Each kind of match near the end of the stream, and far from it with a tail that keeps the fast gear going. */
static void tail(struct script *script, int far)
{
    for (int i = 0; i < far * 60; i++) {
        PUT(script, 0x40 | 1 << 2 | 3, 4); /* 3 bytes from 34 back, 3 literals */
        match(script, 3, 34);
        literals(script, 3);
    }
}

TEST_EACH(short_matches, 2)
{
    for (unsigned c = 64; c < 256; c++) {
        struct script script = {0};
        long_start(&script, 3000);
        size_t length = c >= 128 ? 5 + (c >> 5 & 3) : 3 + (c >> 5 & 1);
        PUT(&script, (uint8_t)c, (uint8_t)(c * 3));
        match(&script, length, ((size_t)(uint8_t)(c * 3) << 3) + (c >> 2 & 7) + 1);
        literals(&script, c & 3);
        if (!(c & 3))
            PUT(&script, 1), literals(&script, 4); /* state 0: a run of literals */
        tail(&script, _i);
        check_script(&script);
    }
}

TEST_EACH(middle_matches, 2)
{
    for (unsigned length = 2; length <= 33; length++) {
        for (unsigned distance = 1; distance <= 16384; distance = distance * 5 + 1) {
            struct script script = {0};
            long_start(&script, 17000);
            unsigned word = (distance - 1) << 2 | (length & 3);
            if (length > 2)
                PUT(&script, (uint8_t)(32 | (length - 2)), (uint8_t)word, (uint8_t)(word >> 8));
            else
                PUT(&script, 0x40, 0); /* 32 alone would start a run */
            match(&script, length > 2 ? length : 3, length > 2 ? distance : 1);
            literals(&script, length > 2 ? length & 3 : 0);
            tail(&script, _i);
            check_script(&script);
        }
    }
}

TEST_EACH(far_matches, 2)
{
    static const unsigned distances[] = {16385, 20000, 32767, 32768, 32769, 49151};
    for (unsigned length = 3; length <= 9; length++) {
        for (unsigned i = 0; i < sizeof distances / sizeof *distances; i++) {
            struct script script = {0};
            long_start(&script, 50000);
            unsigned rest = distances[i] - 16384, word = (rest & 0x3fff) << 2 | (length & 3);
            PUT(&script, (uint8_t)(16 | (rest >> 14) << 3 | (length - 2)), (uint8_t)word,
                (uint8_t)(word >> 8));
            match(&script, length, distances[i]);
            literals(&script, length & 3);
            tail(&script, _i);
            check_script(&script);
        }
    }
}

/* Lengths that need a run, at distances that repeat within them. */
TEST_EACH(long_matches, 2)
{
    static const unsigned extras[] = {1, 2, 254, 255, 256, 510, 511, 20000};
    static const unsigned distances[] = {1, 2, 3, 5, 7, 8, 9, 15, 16, 17, 300};
    for (unsigned i = 0; i < sizeof extras / sizeof *extras; i++) {
        for (unsigned k = 0; k < sizeof distances / sizeof *distances; k++) {
            for (int far = 0; far < 2; far++) {
                struct script script = {0};
                long_start(&script, far ? 17000 : 400);
                unsigned distance = far ? distances[k] + 16384 : distances[k];
                unsigned word = (far ? distances[k] : distance - 1) << 2 | 1, left = extras[i];
                PUT(&script, far ? 16 : 32);
                for (; left > 255; left -= 255)
                    PUT(&script, 0);
                PUT(&script, (uint8_t)left, (uint8_t)word, (uint8_t)(word >> 8));
                match(&script, (far ? 9 : 33) + extras[i], distance);
                literals(&script, 1);
                tail(&script, _i);
                check_script(&script);
            }
        }
    }
}

/* The first sixteen codes mean something else after no literals, after one to three, and after a run. */
TEST_EACH(codes_that_depend_on_the_state, 2)
{
    for (unsigned c = 0; c < 16; c++) {
        for (unsigned before = 1; before <= 3; before++) {
            struct script script = {0};
            long_start(&script, 4000);
            PUT(&script, (uint8_t)(0x40 | before), 0);
            match(&script, 3, 1);
            literals(&script, before);
            PUT(&script, (uint8_t)c, 200);
            match(&script, 2, (200u << 2) + (c >> 2) + 1);
            literals(&script, c & 3);
            tail(&script, _i);
            check_script(&script);
        }
        struct script after_run = {0};
        long_start(&after_run, 4000);
        PUT(&after_run, (uint8_t)c, 200);
        match(&after_run, 3, (200u << 2) + (c >> 2) + 2049);
        literals(&after_run, c & 3);
        tail(&after_run, _i);
        check_script(&after_run);
        struct script start = {0};
        PUT(&start, (uint8_t)(17 + 1 + c % 3));
        literals(&start, 1 + c % 3);
        PUT(&start, (uint8_t)(c & 3), 0); /* state 1 to 3: a match of 2, one byte back */
        match(&start, 2, 1);
        literals(&start, c & 3);
        tail(&start, 0);
        check_script(&start);
        if (!c)
            continue;
        struct script run = {0};
        long_start(&run, 100);
        PUT(&run, 0x40, 0);
        match(&run, 3, 1);
        PUT(&run, (uint8_t)c);
        literals(&run, 3 + c);
        tail(&run, _i);
        check_script(&run);
    }
}

/* --------------------------------------------------------------------------------------------- hostile -- */

static const struct {
    const char *code;
    uint64_t offset;
    unsigned size, capacity;
    uint8_t bytes[12];
} hostile[] = {
    {"truncated", 0, 0, 10, {0}},
    {"truncated", 1, 1, 10, {18}},
    {"truncated", 1, 3, 10, {20, 'a', 'b'}},
    {"truncated", 2, 2, 10, {18, 'a'}},               /* no end */
    {"truncated", 4, 4, 10, {18, 'a', 0x11, 0}},      /* half an end */
    {"truncated", 3, 3, 10, {18, 'a', 0x40}},         /* no distance */
    {"truncated", 4, 4, 10, {18, 'a', 0x20, 0}},      /* a run without an end */
    {"truncated", 5, 5, 10, {18, 'a', 0x43, 0, 'b'}}, /* literals behind a match */
    {"truncated", 3, 3, 10, {0, 0, 0}},
    {"output_overflow", 0, 8, 3, {21, 'a', 'b', 'c', 'd', 0x11, 0, 0}},
    {"output_overflow", 2, 7, 3, {18, 'a', 0x40, 0, 0x11, 0, 0}},
    {"output_overflow", 2, 8, 4, {18, 'a', 0x41, 0, 'b', 0x11, 0, 0}},
    {"output_overflow", 2, 12, 9, {18, 'a', 0x20, 0, 0, 0, 0, 0, 0, 1, 0, 0}},
    {"bad_reference", 0, 3, 9, {0x11, 4, 0}},
    {"bad_reference", 2, 7, 9, {18, 'a', 0x44, 0, 0x11, 0, 0}},
    {"bad_reference", 2, 7, 9, {18, 'a', 0x21, 4, 0, 0x11, 0}},
    {"bad_reference", 2, 7, 9, {18, 'a', 0x19, 0, 0, 0x11, 0}},
    {"bad_reference", 5, 7, 9, {21, 'a', 'b', 'c', 'd', 0, 0}},
    {"trailing_bytes", 5, 6, 9, {18, 'a', 0x11, 0, 0, 0}},
};

TEST_EACH(hostile_streams_are_refused, COUNT(hostile))
{
    uint8_t *out;
    size_t written;
    struct pose_error error;
    ck_assert(!decode(hostile[_i].bytes, hostile[_i].size, &out, hostile[_i].capacity, &written, &error));
    ck_assert_str_eq(error.code, hostile[_i].code);
    if (strcmp(error.code, "truncated") != 0)
        ck_assert_uint_eq(error.offset, hostile[_i].offset);
    else
        ck_assert_uint_le(error.offset, hostile[_i].offset);
    free(out);
}

/* ----------------------------------------------------------------------------------- encode and back -- */

static void check_round_trip(struct lzo1x_encoder *encoder, const uint8_t *bytes, size_t size, size_t most)
{
    struct pose_buffer packed = {0};
    struct writer writer;
    writer_init(&writer, &packed, NULL);
    lzo1x_encode(encoder, (struct pose_bytes){bytes, size}, &writer);
    ck_assert(writer_finish(&writer));
    ck_assert_uint_le(packed.size, most);
    expect_output(packed.data, packed.size, bytes, size);
    pose_buffer_free(&packed);
}

static void fill(uint8_t *bytes, size_t size, uint32_t seed, unsigned alphabet)
{
    for (size_t i = 0; i < size; i++) {
        seed = seed * 1664525u + 1013904223u;
        bytes[i] = (uint8_t)((seed >> 24) % alphabet);
    }
}

TEST(round_trips)
{
    struct arena arena;
    arena_init(&arena, NULL, 0, NULL);
    struct lzo1x_encoder *encoder = lzo1x_encoder_new(&arena);
    uint8_t small[300], *large = malloc(200000);
    for (unsigned alphabet = 1; alphabet <= 256; alphabet *= 4) {
        fill(small, sizeof small, alphabet, alphabet);
        for (size_t size = 0; size <= sizeof small; size++)
            check_round_trip(encoder, small, size, size + size / 255 + 19);
    }
    static const size_t periods[] = {1,     2,     7,     2047,  2048,  2049, 16383,
                                     16384, 16385, 32768, 49151, 49152, 60000};
    for (unsigned i = 0; i < sizeof periods / sizeof *periods; i++) {
        fill(large, periods[i], i, 256);
        for (size_t k = periods[i]; k < 200000; k++)
            large[k] = large[k - periods[i]];
        size_t once = periods[i] + periods[i] / 255 + 100;
        check_round_trip(encoder, large, 200000, periods[i] <= 49151 ? once + 200000 / 255 : 200000 + 900);
    }
    free(large);
    arena_release(&arena);
}

TEST(damaged_streams_are_harmless)
{
    struct arena arena;
    arena_init(&arena, NULL, 0, NULL);
    uint8_t bytes[3000];
    fill(bytes, sizeof bytes, 3, 256);
    for (size_t i = 700; i < sizeof bytes; i++)
        bytes[i] = i % 97 < 70 ? bytes[i - 700 + i % 13] : bytes[i];
    struct pose_buffer packed = {0};
    struct writer writer;
    writer_init(&writer, &packed, NULL);
    lzo1x_encode(lzo1x_encoder_new(&arena), (struct pose_bytes){bytes, sizeof bytes}, &writer);
    uint8_t *out;
    size_t written;
    struct pose_error error;
    for (size_t size = 0; size < packed.size; size++) {
        ck_assert(!decode(packed.data, size, &out, sizeof bytes, &written, &error));
        ck_assert_str_eq(error.code, "truncated");
        free(out);
    }
    for (size_t i = 0; i < packed.size * 4; i++) {
        uint8_t *p = &packed.data[i / 4], before = *p;
        const uint8_t patches[] = {0, 0xff, (uint8_t)(before ^ 0x80), (uint8_t)(before + 1)};
        *p = patches[i % 4];
        if (!decode(packed.data, packed.size, &out, sizeof bytes, &written, &error))
            ck_assert(error.code[0] && error.detail[0]);
        *p = before;
        free(out);
    }
    pose_buffer_free(&packed);
    arena_release(&arena);
}
