/* Deflate of runs: libdeflate reads back what was put in, whatever it is and however it comes. */
#include "lib/packing/runs.h"
#include "tests/support/unit.h"

#include <libdeflate.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 200000, PIECE = 1281 };

static uint8_t plain[MOST], again[MOST];

static size_t packed_size(size_t size)
{
    struct pose_buffer out = {0};
    struct writer writer;
    struct runs *runs = malloc(sizeof *runs);
    ck_assert_ptr_nonnull(runs);
    writer_init(&writer, &out, NULL);
    runs_begin(runs, &writer);
    for (size_t at = 0; at < size; at += PIECE)
        runs_add(runs, plain + at, size - at < PIECE ? size - at : PIECE);
    runs_end(runs);
    free(runs);
    ck_assert(!writer.failed);
    struct libdeflate_decompressor *reader = libdeflate_alloc_decompressor();
    size_t got = 0;
    ck_assert_int_eq(libdeflate_zlib_decompress(reader, out.data, out.size, again, sizeof again, &got), 0);
    libdeflate_free_decompressor(reader);
    ck_assert_uint_eq(got, size);
    ck_assert_mem_eq(again, plain, size);
    const size_t packed = out.size;
    pose_buffer_free(&out);
    return packed;
}

TEST(nothing_and_little)
{
    for (size_t size = 0; size < 40; size++) {
        memset(plain, 0, size);
        packed_size(size);
        memset(plain, 7, size);
        packed_size(size);
    }
}

TEST(runs_of_every_length)
{
    size_t at = 0;
    memset(plain, 0, sizeof plain);
    for (size_t length = 0; length < 600; length++, at += length)
        plain[at] = (uint8_t)(length | 1);
    packed_size(at);
}

TEST(zeros_take_little)
{
    memset(plain, 0, sizeof plain);
    ck_assert_uint_lt(packed_size(sizeof plain), 600);
}

TEST(noise_is_hardly_longer)
{
    uint32_t random = 1;
    for (size_t i = 0; i < sizeof plain; i++, random = random * 1664525 + 1013904223)
        plain[i] = (uint8_t)(random >> 24);
    ck_assert_uint_lt(packed_size(sizeof plain), sizeof plain + 2000);
}

/* Each byte half as often as the one before: codes would be longer than 15 bits. */
TEST(rare_bytes_have_codes)
{
    size_t at = 0;
    for (unsigned value = 1; value < 40; value++) {
        const size_t count = value < 15 ? (size_t)1 << (15 - value) : 1;
        memset(plain + at, (int)value, count);
        at += count;
    }
    ck_assert_uint_lt(packed_size(at), at / 3);
}
