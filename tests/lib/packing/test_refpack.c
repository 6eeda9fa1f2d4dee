/* RefPack against the worked values of far.md and dbpf.md, against itself, and against hostile streams. */
#include "lib/packing/refpack.h"
#include "tests/support/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Decodes a copy of the opcodes in memory that ends where they end, into memory that ends where the output ends. */
static bool decode(const uint8_t *opcodes, size_t size, uint8_t **out, size_t out_size, bool *stopped,
                   size_t *left, struct pose_error *error)
{
    uint8_t *copy = malloc(size ? size : 1);
    memcpy(copy, opcodes, size);
    *out = malloc(out_size ? out_size : 1);
    pose_error_init(error);
    struct reader reader;
    reader_init(&reader, (struct pose_bytes){copy, size}, error);
    bool done = refpack_decode(&reader, *out, out_size, stopped);
    *left = done ? reader_left(&reader) : 0;
    free(copy);
    return done;
}

static void expect_output(const uint8_t *opcodes, size_t size, const void *expected, size_t expected_size,
                          bool expect_stop, size_t expect_left)
{
    uint8_t *out;
    bool stopped;
    size_t left;
    struct pose_error error;
    ck_assert_msg(decode(opcodes, size, &out, expected_size, &stopped, &left, &error), "%s", error.detail);
    ck_assert_mem_eq(out, expected, expected_size);
    ck_assert_int_eq(stopped, expect_stop);
    ck_assert_uint_eq(left, expect_left);
    free(out);
}

TEST(worked_example)
{
    static const uint8_t opcodes[] = {0x88, 0xc0, 0x02, 'a',  'b',  'c',  0xe0, 'X',
                                      'Y',  'Z',  'Q',  0xa3, 0x00, 0x00, 0xfc};
    char expected[59];
    snprintf(expected, sizeof expected, "abcabcabcabcabcXYZ%.*s", 40,
             "QQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQ");
    expect_output(opcodes, sizeof opcodes, expected, 58, true, 0);
    /* What follows the stop is left to the caller; without the stop the output is complete all the same. */
    uint8_t longer[sizeof opcodes + 3] = {0};
    memcpy(longer, opcodes, sizeof opcodes);
    expect_output(longer, sizeof longer, expected, 58, true, 3);
    expect_output(opcodes, sizeof opcodes - 1, expected, 58, false, 0);
}

TEST(nothing_at_all)
{
    static const uint8_t stop[] = {0xfc};
    expect_output(stop, 1, "", 0, true, 0);
    expect_output(stop, 0, "", 0, false, 0);
}

/* Every command at the edges of its fields, after enough output for its distance. */
static const struct edge {
    uint8_t bytes[4];
    unsigned size, literals, length, distance;
} edges[] = {
    {{0x00, 0x00}, 2, 0, 3, 1},
    {{0x1f, 0x00}, 2, 3, 10, 1},
    {{0x7f, 0xff}, 2, 3, 10, 1024},
    {{0x60, 0xff}, 2, 0, 3, 1024},
    {{0x20, 0x00}, 2, 0, 3, 257},
    {{0x80, 0x00, 0x00}, 3, 0, 4, 1},
    {{0xbf, 0xff, 0xff}, 3, 3, 67, 16384},
    {{0x80, 0x01, 0x00}, 3, 0, 4, 257},
    {{0xc0, 0x00, 0x00, 0x00}, 4, 0, 5, 1},
    {{0xdf, 0xff, 0xff, 0xff}, 4, 3, 1028, 131072},
    {{0xd0, 0x00, 0x00, 0x00}, 4, 0, 5, 65537},
    {{0xc4, 0x00, 0x07, 0x00}, 4, 0, 261, 8},
    {{0xcc, 0x00, 0x06, 0xff}, 4, 0, 1028, 7},
    {{0xe0}, 1, 4, 0, 0},
    {{0xfb}, 1, 112, 0, 0},
};

/* Bytes without a pattern that a wrong distance could hide behind. */
static void fill(uint8_t *bytes, size_t size, uint32_t seed)
{
    for (size_t i = 0; i < size; i++) {
        seed = seed * 1664525u + 1013904223u;
        bytes[i] = (uint8_t)(seed >> 24);
    }
}

/* Literals first, as many as the command's distance needs, then the command, then padding literals behind it. */
static void check_edge(const struct edge *edge, size_t lead_blocks, size_t padding_blocks)
{
    size_t lead = lead_blocks * 112, padding = padding_blocks * 112;
    size_t in_size = (lead_blocks + padding_blocks) * 113 + edge->size + edge->literals + 1;
    size_t out_size = lead + edge->literals + edge->length + padding;
    uint8_t *in = malloc(in_size), *expected = malloc(out_size), *p = in;
    fill(expected, out_size, (uint32_t)lead_blocks);
    for (size_t i = 0; i < lead_blocks; i++, p += 113) {
        p[0] = 0xfb;
        memcpy(p + 1, expected + i * 112, 112);
    }
    memcpy(p, edge->bytes, edge->size);
    memcpy(p + edge->size, expected + lead, edge->literals);
    p += edge->size + edge->literals;
    uint8_t *copy = expected + lead + edge->literals;
    for (unsigned i = 0; i < edge->length; i++)
        copy[i] = copy[(ptrdiff_t)i - (ptrdiff_t)edge->distance];
    for (size_t i = 0; i < padding_blocks; i++, p += 113) {
        p[0] = 0xfb;
        memcpy(p + 1, copy + edge->length + i * 112, 112);
    }
    *p = 0xfc;
    expect_output(in, in_size, expected, out_size, true, 0);
    free(in);
    free(expected);
}

TEST_EACH(edges_of_every_command, COUNT(edges))
{
    const struct edge *edge = &edges[_i];
    size_t lead = edge->distance / 112 + 1;
    check_edge(edge, lead, 0);  /* near the ends: the careful gear */
    check_edge(edge, lead, 40); /* far from them: the fast one */
}

/* Every distance that a small match can have, in the fast gear: the copies must repeat as single bytes would. */
TEST(overlapping_copies)
{
    for (unsigned distance = 1; distance <= 40; distance++) {
        for (unsigned length = 5; length <= 90; length++) {
            struct edge edge = {
                {0xc0, 0, (uint8_t)(distance - 1), (uint8_t)(length - 5)}, 4, 0, length, distance};
            check_edge(&edge, 1, 12);
        }
    }
}

static const struct {
    const char *code;
    uint64_t offset; /* of the opcode that is wrong */
    unsigned size, out_size;
    uint8_t bytes[8];
} hostile[] = {
    {"truncated", 0, 1, 10, {0x00}},
    {"truncated", 0, 2, 10, {0x80, 0x00}},
    {"truncated", 0, 3, 10, {0xc0, 0x00, 0x00}},
    {"truncated", 0, 4, 10, {0xe0, 'a', 'b', 'c'}},
    {"truncated", 0, 3, 10, {0x03, 0x00, 'a'}},
    {"truncated", 5, 6, 10, {0xe0, 'a', 'b', 'c', 'd', 0xfd}},
    {"output_overflow", 0, 6, 3, {0xe0, 'a', 'b', 'c', 'd', 0xfc}},
    {"output_overflow", 5, 8, 6, {0xe0, 'a', 'b', 'c', 'd', 0x00, 0x00, 0xfc}},
    {"output_overflow", 5, 7, 4, {0xe0, 'a', 'b', 'c', 'd', 0xfd, 'e'}},
    {"output_overflow", 0, 2, 0, {0xfd, 'e'}},
    {"bad_reference", 0, 3, 3, {0x00, 0x00, 0xfc}},
    {"bad_reference", 0, 4, 4, {0x01, 0x01, 'a', 0xfc}},
    {"bad_reference", 0, 4, 9, {0xd0, 0xff, 0xff, 0x00}},
    {"output_short", 6, 6, 5, {0xe0, 'a', 'b', 'c', 'd', 0xfc}},
    {"output_short", 5, 5, 5, {0xe0, 'a', 'b', 'c', 'd'}},
    {"output_short", 0, 0, 1, {0}},
};

TEST_EACH(hostile_streams_are_refused_at_the_opcode, COUNT(hostile))
{
    uint8_t *out;
    bool stopped;
    size_t left;
    struct pose_error error;
    bool done =
        decode(hostile[_i].bytes, hostile[_i].size, &out, hostile[_i].out_size, &stopped, &left, &error);
    ck_assert_str_eq(error.code, hostile[_i].code);
    ck_assert(!done);
    ck_assert_uint_eq(error.offset, hostile[_i].offset);
    ck_assert_str_eq(error.field, "opcode");
    free(out);
}

/* A wrong reference in the middle of a long stream, where the fast gear meets it. */
TEST(fast_gear_checks_references)
{
    uint8_t stream[113 * 40];
    memset(stream, 'a', sizeof stream);
    for (unsigned i = 0; i < 40; i++)
        stream[113 * i] = 0xfb;
    static const uint8_t far_back[] = {0xdf, 0xff, 0xff, 0xff};
    memcpy(stream + 113 * 3, far_back, sizeof far_back);
    uint8_t *out;
    bool stopped;
    size_t left;
    struct pose_error error;
    ck_assert(!decode(stream, sizeof stream, &out, 100000, &stopped, &left, &error));
    ck_assert_str_eq(error.code, "bad_reference");
    ck_assert_uint_eq(error.offset, 113 * 3);
    free(out);
}

TEST(bound_is_never_below_what_a_stream_gives)
{
    ck_assert_uint_ge(refpack_bound(0), 0);
    ck_assert_uint_ge(refpack_bound(4), 1028);
    ck_assert_uint_ge(refpack_bound(7), 1031);
    ck_assert_uint_ge(refpack_bound(400), 102800);
    ck_assert_uint_lt(refpack_bound(20), 58 * 200);
    ck_assert_uint_eq(refpack_bound(UINT64_MAX), UINT64_MAX);
}

/* ------------------------------------------------------------------------------------- encode and back -- */

static size_t encode(struct refpack_encoder *encoder, const uint8_t *bytes, size_t size,
                     struct pose_buffer *out)
{
    struct writer writer;
    struct pose_error error;
    pose_error_init(&error);
    *out = (struct pose_buffer){0};
    writer_init(&writer, out, &error);
    refpack_encode(encoder, (struct pose_bytes){bytes, size}, &writer);
    ck_assert(writer_finish(&writer));
    return out->size;
}

static void check_round_trip(struct refpack_encoder *encoder, const uint8_t *bytes, size_t size)
{
    struct pose_buffer packed;
    encode(encoder, bytes, size, &packed);
    ck_assert_uint_ge(refpack_bound(packed.size), size);
    expect_output(packed.data, packed.size, bytes, size, true, 0);
    pose_buffer_free(&packed);
}

static struct refpack_encoder *new_encoder(struct arena *arena)
{
    arena_init(arena, NULL, 0, NULL);
    struct refpack_encoder *encoder = refpack_encoder_new(arena);
    ck_assert_ptr_nonnull(encoder);
    return encoder;
}

TEST(round_trips_of_every_small_size)
{
    struct arena arena;
    struct refpack_encoder *encoder = new_encoder(&arena);
    uint8_t bytes[300];
    for (unsigned alphabet = 1; alphabet <= 256; alphabet *= 4) {
        fill(bytes, sizeof bytes, alphabet);
        for (size_t i = 0; i < sizeof bytes; i++)
            bytes[i] = (uint8_t)(bytes[i] % alphabet);
        for (size_t size = 0; size <= sizeof bytes; size++)
            check_round_trip(encoder, bytes, size);
    }
    arena_release(&arena);
}

/* Repeats at every distance class, over the window's edge, and of every length class. */
TEST(round_trips_of_far_repeats)
{
    struct arena arena;
    struct refpack_encoder *encoder = new_encoder(&arena);
    static const size_t periods[] = {1,     2,     3,     7,      1023,   1024,  1025,
                                     16383, 16384, 16385, 131071, 131072, 131073};
    size_t size = 400000;
    uint8_t *bytes = malloc(size);
    for (unsigned i = 0; i < sizeof periods / sizeof *periods; i++) {
        fill(bytes, periods[i], i);
        for (size_t k = periods[i]; k < size; k++)
            bytes[k] = bytes[k - periods[i]];
        struct pose_buffer packed;
        size_t packed_size = encode(encoder, bytes, size, &packed);
        /* Literals of one period, then matches of 1028 in 4 bytes. */
        if (periods[i] <= 131072)
            ck_assert_uint_lt(packed_size, periods[i] + periods[i] / 100 + size / 200 + 64);
        expect_output(packed.data, packed.size, bytes, size, true, 0);
        pose_buffer_free(&packed);
    }
    free(bytes);
    arena_release(&arena);
}

/* Text-like data made of a few words shrinks; noise costs at most one byte in 112. */
TEST(sizes_are_sane)
{
    struct arena arena;
    struct refpack_encoder *encoder = new_encoder(&arena);
    enum { SIZE = 50000 };
    uint8_t *bytes = malloc(SIZE);
    struct pose_buffer packed;
    fill(bytes, SIZE, 1);
    ck_assert_uint_le(encode(encoder, bytes, SIZE, &packed), SIZE + SIZE / 112 + 2);
    pose_buffer_free(&packed);
    static const char *const words[] = {"PELVIS ", "SPINE ",       "L_LEG ", "R_LEG1 ",
                                        "HEAD ",   "translation ", "0.25 "};
    uint32_t seed = 7;
    for (size_t i = 0; i < SIZE;) {
        seed = seed * 1664525u + 1013904223u;
        for (const char *p = words[(seed >> 16) % 7]; *p && i < SIZE; p++)
            bytes[i++] = (uint8_t)*p;
    }
    ck_assert_uint_lt(encode(encoder, bytes, SIZE, &packed), SIZE / 2);
    expect_output(packed.data, packed.size, bytes, SIZE, true, 0);
    pose_buffer_free(&packed);
    free(bytes);
    arena_release(&arena);
}

/* Every truncation and four patches of every byte: right, or refused with a code, and never out of bounds. */
TEST(damaged_streams_are_harmless)
{
    struct arena arena;
    struct refpack_encoder *encoder = new_encoder(&arena);
    enum { SIZE = 3000 };
    uint8_t bytes[SIZE];
    fill(bytes, SIZE, 3);
    for (size_t i = 700; i < SIZE; i++)
        bytes[i] = i % 97 < 70 ? bytes[i - 700 + i % 13] : bytes[i];
    struct pose_buffer packed;
    encode(encoder, bytes, SIZE, &packed);
    static const uint8_t patches[] = {0x00, 0xff, 0x80, 0x01};
    uint8_t *out;
    bool stopped;
    size_t left;
    struct pose_error error;
    unsigned refused = 0;
    for (size_t size = 0; size < packed.size; size++) {
        bool done = decode(packed.data, size, &out, SIZE, &stopped, &left, &error);
        ck_assert(!done || size == packed.size - 1);
        ck_assert(done || error.code[0]);
        free(out);
    }
    for (size_t i = 0; i < packed.size * 4; i++) {
        uint8_t *p = &packed.data[i / 4], before = *p;
        *p ^= patches[i % 4] ? patches[i % 4] : before;
        if (!decode(packed.data, packed.size, &out, SIZE, &stopped, &left, &error)) {
            ck_assert(error.code[0] && error.detail[0]);
            refused++;
        }
        *p = before;
        free(out);
    }
    ck_assert_uint_gt(refused, 0);
    pose_buffer_free(&packed);
    arena_release(&arena);
}
