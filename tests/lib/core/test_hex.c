/* Hex digits: what is written reads back, and ids take no second spelling. */
#include "lib/core/hex.h"
#include "tests/support/unit.h"

TEST(digits_of_either_case)
{
    ck_assert_int_eq(hex_digit('0'), 0);
    ck_assert_int_eq(hex_digit('9'), 9);
    ck_assert_int_eq(hex_digit('a'), 10);
    ck_assert_int_eq(hex_digit('F'), 15);
    ck_assert_int_eq(hex_digit('g'), -1);
    ck_assert_int_eq(hex_digit('@'), -1);
    ck_assert_int_eq(hex_digit('/'), -1);
    ck_assert_int_eq(hex_digit('\0'), -1);
    ck_assert_int_eq(hex_digit('\x10'), -1);
}

TEST(there_and_back)
{
    const uint8_t bytes[4] = {0x00, 0x9a, 0xff, 0x10};
    uint8_t back[4];
    char text[9];
    hex_write(bytes, sizeof bytes, text);
    ck_assert_str_eq(text, "009aff10");
    ck_assert(hex_parse(text, 8, back, sizeof back));
    ck_assert_mem_eq(back, bytes, sizeof bytes);
}

TEST(one_spelling_only)
{
    uint8_t bytes[2];
    ck_assert(hex_parse("09af", 4, bytes, sizeof bytes));
    ck_assert(!hex_parse("09AF", 4, bytes, sizeof bytes));
    ck_assert(!hex_parse("09a", 3, bytes, sizeof bytes));
    ck_assert(!hex_parse("09af0", 5, bytes, sizeof bytes));
    ck_assert(!hex_parse("09a ", 4, bytes, sizeof bytes));
    ck_assert(!hex_parse("", 0, bytes, sizeof bytes));
}
