/* The bit reader: order within and across words, signs, widths, the end. */
#include "lib/core/bytes/bits.h"
#include "tests/support/unit.h"

/* 0xB0FB is, from its lowest bit: 1, then -3 in 4 bits, 7 in 5, -20 in 6. */
static const uint8_t words[12] = {0xa0, 0x00, 0xb0, 0xfb, 0x00, 0x00, 0x00, 0x0d, 0x80, 0x00, 0x00, 0x01};

TEST(fields_begin_at_the_lowest_bit)
{
    struct bits bits;
    bits_init(&bits, words, 3);
    ck_assert(bits_flag(&bits));
    ck_assert_int_eq(bits_signed(&bits, 4), -3);
    ck_assert_int_eq(bits_signed(&bits, 5), 7);
    ck_assert_int_eq(bits_signed(&bits, 6), -20);
    ck_assert_uint_eq(bits.at, 16);
}

/* The top 4 bits of the first word are 1010, the lowest 4 of the next 1101: together 0xDA. */
TEST(a_field_crosses_words)
{
    struct bits bits;
    bits_init(&bits, words, 3);
    bits.at = 28;
    ck_assert_int_eq(bits_signed(&bits, 8), (int8_t)0xda);
    bits.at = 28;
    ck_assert_int_eq(bits_signed(&bits, 32), 0xda);
    ck_assert_uint_eq(bits.at, 60);
}

TEST(widths_are_0_to_32)
{
    struct bits bits;
    bits_init(&bits, words, 3);
    ck_assert_int_eq(bits_signed(&bits, 0), 0);
    ck_assert_uint_eq(bits.at, 0);
    ck_assert_int_eq(bits_signed(&bits, 32), (int32_t)0xa000b0fb);
    ck_assert_int_eq(bits_signed(&bits, 1), -1);
    for (unsigned width = 0; width <= 32; width++) {
        ck_assert_int_eq(bits_sign_extend(UINT64_MAX, width), width ? -1 : 0);
        ck_assert_int_eq(bits_sign_extend(UINT64_C(1) << (width ? width - 1 : 0), width),
                         width ? (int32_t) - (INT64_C(1) << (width - 1)) : 0);
    }
}

TEST(past_the_end_come_zeros)
{
    struct bits bits;
    bits_init(&bits, words, 3);
    bits.at = 95;
    ck_assert_int_eq(bits_signed(&bits, 2), 1);
    ck_assert_int_eq(bits_signed(&bits, 32), 0);
    bits_init(&bits, words, 1);
    bits.at = 28;
    ck_assert_int_eq(bits_signed(&bits, 8), 0xa);
}

TEST(bits_are_found)
{
    struct bits bits;
    bits_init(&bits, words, 3);
    uint64_t from = 0, end = 96, count = 0;
    for (uint64_t at = bits_find(&bits, from, end); at < end; at = bits_find(&bits, at + 1, end)) {
        for (uint64_t i = from; i < at; i++)
            ck_assert(!bits_test(&bits, i));
        ck_assert(bits_test(&bits, at));
        from = at + 1;
        count++;
    }
    ck_assert_uint_eq(count, 2 + 3 + 7 + 3 + 2);
    ck_assert_uint_eq(bits_find(&bits, 65, 95), 95);
    ck_assert_uint_eq(bits_find(&bits, 65, 96), 95);
    ck_assert_uint_eq(bits_find(&bits, 40, 40), 40);
}
