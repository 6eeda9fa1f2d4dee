/* The messages of a page are those of the library: formatting beside that of the C library. */
#include "lib/wasm/print.h"
#include "tests/support/unit.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>

enum { ROOM = 400 };

static void expect_same(size_t size, const char *format, ...)
{
    char text[ROOM] = "", wanted[ROOM] = "";
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    ck_assert_int_eq(local_vsnprintf(text, size, format, arguments), vsnprintf(wanted, size, format, again));
    ck_assert_str_eq(text, wanted);
    va_end(again);
    va_end(arguments);
}

TEST(integers_and_texts)
{
    expect_same(ROOM, "%u %d %i %x %X %c|%s|%.3s|%%", 7u, -8, INT32_MIN, 255u, 0xabcu, 'q', "text", "abcdef");
    expect_same(ROOM, "%08x %016llX %02x %04X %0*llX", 0x1fu, 0x123456789abcdefull, 5u, 0xbeu, 10, 77ull);
    expect_same(ROOM, "%5d|%05d|%8s|%.*s", -42, -42, "abc", 2, "xyz");
    expect_same(ROOM, "%zu %lld %llu %lu %li", (size_t)123, INT64_MIN + 0ll, UINT64_MAX + 0ull, 99ul, -3l);
}

TEST(what_does_not_fit_is_counted)
{
    expect_same(4, "%s", "abcdefg");
    expect_same(1, "%u", 5u);
    expect_same(0, "%u", 5u);
}

static const char *const formats[] = {"%g",   "%.0g", "%.2g", "%.3g", "%.4g",  "%.6g",
                                      "%.9g", "%.0f", "%.1f", "%.2f", "%8.2f", "%.3f"};

TEST_EACH(numbers_with_a_point, COUNT(formats))
{
    static const double numbers[] = {0,       -0.0,     1,       -1.5,     0.5,        2.5,
                                     0.25,    0.1,      1.0 / 3, 123456,   1234567,    999999.5,
                                     9999995, 12345.68, 1e-5,    1e-4,     0.00012345, 4294967296,
                                     1e10,    99.995,   -273.16, INFINITY, -INFINITY};
    for (int i = 0; i < COUNT(numbers); i++)
        expect_same(ROOM, formats[_i], numbers[i]);
}

TEST(numbers_of_any_size)
{
    static const double numbers[] = {1e15,         1e22,          1e23,   1e100, 1.7976931348623157e308,
                                     3.4028235e38, 1.1754944e-38, 1.4e-45};
    for (int i = 0; i < COUNT(numbers); i++)
        expect_same(ROOM, "%g %.4g", numbers[i], -numbers[i]);
    double number = 1;
    for (int i = 0; i < 300; i++, number *= -7.3)
        expect_same(ROOM, "%.3g %.9g", number, 1 / number);
}
