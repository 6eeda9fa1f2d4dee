/* Bits into words: the order of prime-anim.md, 2.3, by bytes that were worked out by hand. */
#include "lib/core/bytes/bit_writer.h"
#include "tests/support/codecs.h"
#include "tests/support/unit.h"

struct field {
    int64_t value;
    unsigned width;
};

static void check(const struct field *fields, unsigned count, const uint8_t *bytes, size_t size)
{
    struct pose_buffer out = {0};
    struct writer writer;
    struct bit_writer bits;
    writer_init(&writer, &out, NULL);
    bit_writer_init(&bits, &writer);
    for (unsigned i = 0; i < count; i++)
        bit_writer_put(&bits, fields[i].value, fields[i].width);
    bit_writer_finish(&bits);
    codec_check_bytes("bits", out.data, out.size, bytes, size);
    pose_buffer_free(&out);
}

TEST(test_lowest_bit_first)
{
    /* Bit 0 of the word is the last bit of its last byte. */
    static const struct field one[] = {{1, 1}}, second[] = {{0, 1}, {1, 1}}, byte[] = {{0, 8}, {0x5a, 8}};
    check(one, 1, (const uint8_t[]){0, 0, 0, 1}, 4);
    check(second, 2, (const uint8_t[]){0, 0, 0, 2}, 4);
    check(byte, 2, (const uint8_t[]){0, 0, 0x5a, 0}, 4);
}

TEST(test_field_across_words)
{
    /* 0xabc at bits 28 ... 39: 0xc at the top of the first word, 0xab at the bottom of the next. */
    static const struct field fields[] = {{0, 28}, {0xabc, 12}, {1, 1}};
    check(fields, 3, (const uint8_t[]){0xc0, 0, 0, 0, 0, 0, 1, 0xab}, 8);
}

TEST(test_negative)
{
    /* -3 in 4 bits is 0b1101, then +1 in 3 bits. */
    static const struct field fields[] = {{-3, 4}, {1, 3}};
    check(fields, 2, (const uint8_t[]){0, 0, 0, 0x1d}, 4);
}

TEST(test_whole_words)
{
    static const struct field fields[] = {{-1, 32}, {0x12345678, 32}}, off[] = {{1, 1}, {-2, 32}};
    check(fields, 2, (const uint8_t[]){255, 255, 255, 255, 0x12, 0x34, 0x56, 0x78}, 8);
    check(off, 2, (const uint8_t[]){0xff, 0xff, 0xff, 0xfd, 0, 0, 0, 1}, 8);
}

TEST(test_nothing)
{
    static const struct field none[] = {{-1, 0}, {7, 0}}, mixed[] = {{1, 1}, {5, 0}, {1, 1}};
    check(none, 2, NULL, 0);
    check(mixed, 3, (const uint8_t[]){0, 0, 0, 3}, 4);
}

TEST(test_widths)
{
    static const struct field known[] = {{0, 1},    {-1, 1},  {1, 2},      {-2, 2},      {-3, 3},    {127, 8},
                                         {-128, 8}, {128, 9}, {32767, 16}, {-32768, 16}, {32768, 17}};
    for (unsigned i = 0; i < sizeof known / sizeof *known; i++)
        ck_assert_uint_eq(bit_width_signed(known[i].value), known[i].width);
}
