/* Decimal text to floats: the same bits as strtof, the same texts refused as the header says. */
#include "lib/core/numbers/numbers.h"
#include "lib/core/numbers/float_bits.h"
#include "tests/support/unit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t random_state = 88172645463325252u;

static uint64_t random_bits(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

/* strtof rounds to nearest and knows infinities, which here are a refusal. The tests run in the C locale. */
static void check_like_strtof(const char *text)
{
    float expected = strtof(text, NULL), value = 42;
    bool done = number_parse_float(text, strlen(text), &value);
    ck_assert_msg(done == isfinite(expected), "\"%s\": taken %d", text, done);
    if (done)
        ck_assert_msg(bits_of_float(value) == bits_of_float(expected), "\"%s\": %.9g, not %.9g", text,
                      (double)value, (double)expected);
    /* The short way gives the same, or nothing; and reads as far as the number goes when more follows. */
    static char longer[5016];
    const size_t length = strlen(text);
    float short_value = 42;
    ck_assert(length + 12 < sizeof longer);
    snprintf(longer, sizeof longer, "%s 123456789", text);
    for (int i = 0; i < 2; i++) {
        const char *end = number_scan_float(longer, longer + length + (i ? 10 : 0), &short_value);
        bool is_whole = end && end - longer == (ptrdiff_t)length;
        bool is_right =
            end ? end - longer <= (ptrdiff_t)length : bits_of_float(short_value) == bits_of_float(42);
        if (is_whole && done)
            is_right = bits_of_float(short_value) == bits_of_float(expected);
        if (!is_right)
            ck_abort_msg("\"%s\": %.9g the short way", longer, (double)short_value);
        short_value = 42;
    }
}

TEST(texts_are_read_like_strtof)
{
    static const char *const texts[] = {
        "0",
        "-0",
        "+0",
        "0.0e5",
        "00012",
        "1.",
        ".5",
        "-.5e1",
        "1e0",
        "1E+2",
        "1e-2",
        "-5.88894e-005",
        "3.4028234663852886e38",
        "3.4028235677973366e38",
        "3.4028235677973365e38",
        "340282356779733661637539395458142568448",
        "340282356779733661637539395458142568447.9999999999999999999999999999999999",
        "1e39",
        "-1e40",
        "1e45",
        "9e45",
        "1e46",
        "1e400",
        "1e-46",
        "7e-46",
        "1e-400",
        "0e999999999999999999999",
        "1e999999999999999999999",
        "1e-99999999999999999999",
        "1.401298464324817e-45",
        "7.006492321624085e-46",
        "7.0064923216240853546186479164495806564013097093825788587853e-46",
        "7.006492321624085354618647916449580656401309709382578858785341419448955413429303e-46",
        "1.17549435082228750796873653722224567781866555677208752150875170627841725945472717285156e-38",
        "16777217",
        "16777219",
        "16777217.0000000000000000000000000000000000000000000000000000000000000000000000000000001",
        "33554434.0000000000000",
        "33554433.9999999999999999999999999999",
        "9007199254740993",
        "123456789012345678901234567890",
        "0.000000000000000000000000000000000000000000000000000000001e50",
        "100000000000000000000000000000000000000000000000000000000e-50",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        check_like_strtof(texts[i]);
}

TEST(what_is_no_number_is_refused)
{
    static const char *const texts[] = {
        "",    "-",       "+",       ".",     "-.", "e5",    "1e",  "1e+",  "1e-",
        "--1", "+-1",     "1..2",    "1.2.3", " 1", "1 ",    "1,5", "0x10", "inf",
        "nan", "1.#QNAN", "-1.#IND", "1e5.0", "1f", "1e5e5", "١",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        float value = 42;
        ck_assert_msg(!number_parse_float(texts[i], strlen(texts[i]), &value), "\"%s\" was taken", texts[i]);
        ck_assert_float_eq(value, 42);
    }
    /* Only length counts: no NUL is needed, and one is no digit. */
    float value;
    ck_assert(number_parse_float("12345", 2, &value));
    ck_assert_float_eq(value, 12);
    ck_assert(!number_parse_float("1\0", 2, &value));
}

TEST(random_floats_at_every_precision)
{
    for (int i = 0; i < 300000; i++) {
        float value = float_of_bits((uint32_t)random_bits());
        if (!isfinite(value))
            continue;
        char text[80];
        snprintf(text, sizeof text, "%.*g", 1 + i % 30, (double)value);
        check_like_strtof(text);
    }
}

TEST(random_digits)
{
    for (int i = 0; i < 300000; i++) {
        char text[100];
        snprintf(text, sizeof text, "%llu.%llue%d", (unsigned long long)(random_bits() >> random_bits() % 64),
                 (unsigned long long)(random_bits() >> random_bits() % 64), (int)(random_bits() % 120) - 70);
        check_like_strtof(text);
    }
}

/* The points half-way between two floats, exactly, and a hair to either side of them. */
TEST(half_way_points)
{
    for (int i = 0; i < 20000; i++) {
        uint32_t bits = (uint32_t)random_bits() & 0x7fffffff;
        if (i % 4 == 0)
            bits &= 0x00ffffff; /* subnormals, and the smallest normals */
        if (bits >= 0x7f7fffff)
            continue;
        double half = ((double)float_of_bits(bits) + (double)float_of_bits(bits + 1)) / 2;
        char text[400], nudged[420];
        snprintf(text, sizeof text, "%.160e", half);
        check_like_strtof(text);
        snprintf(nudged, sizeof nudged, "%.160e", half);
        char *e = strchr(nudged, 'e');
        char exponent[8];
        snprintf(exponent, sizeof exponent, "%s", e);
        snprintf(e, 20, "1%s", exponent);
        check_like_strtof(nudged);
        snprintf(text, sizeof text, "%.17e", half);
        check_like_strtof(text);
        snprintf(text, sizeof text, "%.18e", half);
        check_like_strtof(text);
    }
}

TEST(long_texts)
{
    char text[5000];
    memset(text, '0', sizeof text);
    text[1] = '.';
    memcpy(text + 4000, "7e+3999", 8);
    check_like_strtof(text);
    memset(text, '9', sizeof text);
    text[30] = '.';
    text[4999] = '\0';
    check_like_strtof(text);
    /* Digits far behind the 120th still break the tie. */
    memset(text, '0', sizeof text);
    memcpy(text, "16777217.", 9);
    text[4998] = '1';
    text[4999] = '\0';
    check_like_strtof(text);
    text[4998] = '0';
    check_like_strtof(text);
}

TEST(usual_numbers_are_read_the_short_way)
{
    char text[64];
    for (int n = 0; n < 60000; n++) {
        const uint64_t bits = random_bits();
        const int decimals = (int)(bits % 10), whole = (int)(bits / 16 % 5) + 1;
        uint64_t limit = 1;
        for (int i = 0; i < decimals + whole; i++)
            limit *= 10;
        const uint64_t digits = (bits >> 8) % limit;
        uint64_t unit = 1;
        for (int i = 0; i < decimals; i++)
            unit *= 10;
        const unsigned long long front = digits / unit, rest = digits % unit;
        int length = snprintf(text, sizeof text, "%s%llu", n % 3 ? "" : "-", front);
        if (decimals)
            snprintf(text + length, sizeof text - (size_t)length, ".%0*llu", decimals, rest);
        check_like_strtof(text);
    }
    float value = 0;
    const char *const line = "-12.345600 7.25";
    ck_assert(number_scan_float(line, line + strlen(line), &value) == line + 10);
    ck_assert(bits_of_float(value) == bits_of_float(strtof(line, NULL)));
    /* Others are not for it: none reads a part of them as the number. */
    static const char *const others[] = {
        "", "-", ".", "+.", "e5", "x", "1234567890123456", "0.1234567890123456"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        ck_assert(!number_scan_float(others[i], others[i] + strlen(others[i]), &value));
}
