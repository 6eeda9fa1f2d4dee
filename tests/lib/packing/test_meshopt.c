/* meshoptimizer's attributes: what its library (0.18) wrote, streams that end early, damage. */
#include "lib/packing/meshopt.h"
#include "tests/support/unit.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static void read_hex(const char *hex, uint8_t *bytes)
{
    for (; *hex; hex += 2, bytes++)
        *bytes = (uint8_t)strtoul((const char[]){hex[0], hex[1], 0}, NULL, 16);
}

/* Of elements() by meshopt_encodeVertexBuffer: two blocks, groups of all four widths, wide differences among narrow ones. */
static const char stream_hex[] =
    "a00000000055555555008080808080808080808080bc808080b4b3808080808080808083c08080b4b180808080808080"
    "8080bc8080b4b380808080808080808083c080b4b180808080808080808080bc80b4b3aaaaaaaa066666666666666666"
    "666666666666666666666666666666666666666666666666666666666666666666666666666666666666666666666666"
    "666666666666666666666666666666666666666666666666666666666666666666666666666666666666666666666666"
    "6666666666666666666666666666666666666666666666d555d5552aaaaaaaaaaaaaaaaaaaaaaa8c88c9c4455ea17980"
    "6e4bb4f5ef5bcceaaaaaaa38aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa8a2866b9818ca0bf9f588a1"
    "64fffe84eaaaaaaa74aaaaaaaaaaaaaaaaaaaaaaaa0015808080808080808080808300b42a6666666666666666666666"
    "6666666666666666666666000015aaaaaaaaaaaaaaaaaaaaaa0000000000000000000000000000000000000000000000"
    "00000000000007000000";

enum { COUNT = 300, STRIDE = 4, SIZE = sizeof stream_hex / 2 };

static void elements(uint8_t all[COUNT * STRIDE])
{
    uint32_t random = 12345;
    for (uint32_t i = 0; i < COUNT; i++) {
        uint8_t *at = all + (size_t)i * STRIDE;
        random = random * 1664525 + 1013904223;
        at[0] = 7;
        at[1] = (uint8_t)(i / 4 + (i % 50 == 49 ? 90 : 0));
        at[2] = (uint8_t)(i * 3);
        at[3] = (uint8_t)(i / 16 % 8 == 3 ? random >> 24 : i);
    }
}

/* Unpacks a copy that ends where it ends. False when it is refused. */
static bool unpack(const uint8_t *bytes, size_t size, uint64_t count, uint8_t *out)
{
    uint8_t *copy = malloc(size + 1);
    memcpy(copy, bytes, size);
    bool done = size >= meshopt_least(count, STRIDE) &&
                !meshopt_unpack((struct pose_bytes){copy, size}, count, STRIDE, out, &(struct arena){0});
    free(copy);
    return done;
}

TEST(a_stream_of_the_library)
{
    uint8_t stream[SIZE], wanted[COUNT * STRIDE], out[COUNT * STRIDE];
    read_hex(stream_hex, stream);
    elements(wanted);
    ck_assert(unpack(stream, SIZE, COUNT, out));
    ck_assert_mem_eq(out, wanted, sizeof out);
}

TEST(what_is_refused)
{
    uint8_t stream[SIZE + 1], out[(COUNT + 32) * STRIDE];
    read_hex(stream_hex, stream);
    for (size_t size = 0; size < SIZE; size++)
        ck_assert(!unpack(stream, size, COUNT, out));
    stream[SIZE] = 0;
    ck_assert(!unpack(stream, SIZE + 1, COUNT, out));
    ck_assert(!unpack(stream, SIZE, COUNT + 32, out));
    ck_assert(!unpack(stream, SIZE, UINT64_MAX, out));
    stream[0] = 0xa1;
    ck_assert_ptr_nonnull(
        strstr(meshopt_unpack((struct pose_bytes){stream, SIZE}, COUNT, STRIDE, out, &(struct arena){0}),
               "version 1"));
    stream[0] = 0xe0;
    ck_assert(!unpack(stream, SIZE, COUNT, out));
}

/* Whatever it says, nothing but its own bytes is read and nothing but its elements written (the sanitizers look). */
TEST(damage)
{
    uint8_t stream[SIZE], out[COUNT * STRIDE + 1];
    unsigned taken = 0;
    for (size_t i = 1; i < SIZE; i++) {
        for (int bit = 0; bit < 8; bit++) {
            read_hex(stream_hex, stream);
            stream[i] ^= (uint8_t)(1 << bit);
            out[COUNT * STRIDE] = 0x5a;
            taken += unpack(stream, SIZE, COUNT, out);
            ck_assert_uint_eq(out[COUNT * STRIDE], 0x5a);
        }
    }
    ck_assert_uint_gt(taken, 0);
    ck_assert_uint_lt(taken, (SIZE - 1) * 8);
}

/* 64 elements of 4 bytes take 4 bytes at least, and the head and tail: no count is believed beyond that. */
TEST(least_sizes)
{
    ck_assert_uint_eq(meshopt_least(0, 4), 33);
    ck_assert_uint_eq(meshopt_least(1, 4), 33 + 4);
    ck_assert_uint_eq(meshopt_least(65, 4), 33 + 8);
    ck_assert_uint_eq(meshopt_least(257, 4), 33 + 4 * (4 + 1));
    ck_assert_uint_eq(meshopt_least(1, 256), 257 + 256);
    ck_assert_uint_eq(meshopt_least(UINT64_MAX, 256), UINT64_MAX);
}

static void expect(const char *packed, const char *wanted, void filter(uint8_t *, uint64_t, uint32_t),
                   uint64_t count, uint32_t stride)
{
    uint8_t bytes[16], numbers[16];
    read_hex(packed, bytes);
    read_hex(wanted, numbers);
    filter(bytes, count, stride);
    ck_assert_mem_eq(bytes, numbers, count * stride);
}

static void quaternion(uint8_t *bytes, uint64_t count, uint32_t stride)
{
    ck_assert_uint_eq(stride, 8);
    meshopt_quaternion(bytes, count);
}

/* As the library's encoders packed them and its decoders give them back. */
TEST(filters)
{
    expect("210143026403ff0759faa70559fafc07", "c70c9a196126b5760f4006c0fa3f06c0", quaternion, 2, 8);
    expect("36b77f7f497f7f00", "4c9a007f004c9a00", meshopt_octahedral, 2, 4);
    expect("6d036efbff07ff7f9204ff07ff070000", "c54c95990000ff7f0000c54c95990000", meshopt_octahedral, 2, 8);
    expect("180000fc7cc1fffc000000fc000000fc", "0000c03f00107ac40000000000000000", meshopt_exponential, 1,
           16);
    expect("00000000", "00000000", meshopt_octahedral, 1, 4);
    expect("0000008000000000", "0000000000000000", meshopt_exponential, 2, 4);
}
