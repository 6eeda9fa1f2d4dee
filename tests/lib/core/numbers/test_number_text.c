/*
 * The shortest decimals. Of a float's text it is shown that
 *   it reads back, by the C library's strtof and by number_parse_float;
 *   no decimal with one digit less reads back (so none with even fewer does);
 *   of the decimals with as many digits, none that reads back is closer.
 * The test does so for a few million floats; `test_number_text --all` for all 2^32 (about 20 minutes).
 */
#include "lib/core/numbers/numbers.h"
#include "lib/core/numbers/float_bits.h"
#include "tests/support/unit.h"

#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __SIZEOF_FLOAT128__
__extension__ typedef __float128 float128;
#else
typedef long double float128; /* as on arm64, where it has 113 bits */
#endif

static bool same(float a, float b)
{
    return !memcmp(&a, &b, sizeof a);
}

/* -------------------------------------------------------------------------------------- a text taken apart -- */

struct decimal {
    bool negative;
    uint64_t digits; /* without zeros at the end */
    int exponent;
};

/* By JSON's grammar: -? (0 | [1-9][0-9]*) (. [0-9]+)? (e -?[1-9][0-9]*)? and nothing else. */
static bool take_apart(const char *at, struct decimal *decimal)
{
    *decimal = (struct decimal){.negative = *at == '-'};
    at += decimal->negative;
    if (*at < '0' || *at > '9' || (*at == '0' && at[1] >= '0' && at[1] <= '9'))
        return false;
    for (; *at >= '0' && *at <= '9'; at++)
        decimal->digits = decimal->digits * 10 + (uint64_t)(*at - '0');
    if (*at == '.') {
        const char *start = ++at;
        for (; *at >= '0' && *at <= '9'; at++, decimal->exponent--)
            decimal->digits = decimal->digits * 10 + (uint64_t)(*at - '0');
        if (at == start || at[-1] == '0')
            return false;
    }
    if (*at == 'e') {
        bool negative = at[1] == '-';
        at += 1 + negative;
        int exponent = 0;
        if (*at < '1' || *at > '9')
            return false;
        for (; *at >= '0' && *at <= '9'; at++)
            exponent = exponent * 10 + (*at - '0');
        decimal->exponent += negative ? -exponent : exponent;
    }
    for (; decimal->digits && decimal->digits % 10 == 0; decimal->exponent++)
        decimal->digits /= 10;
    return !*at;
}

static bool reads_back(uint64_t digits, int exponent, float value)
{
    char text[48];
    float back;
    /* By hand: this runs 2^33 times with --all. */
    char *at = text + 24;
    *--at = 'e';
    char *start = at;
    do {
        *--start = (char)('0' + digits % 10);
    } while (digits /= 10);
    char *end = text + 24;
    int size = exponent < 0 ? -exponent : exponent;
    *end++ = exponent < 0 ? '-' : '+';
    *end++ = (char)('0' + size / 10);
    *end++ = (char)('0' + size % 10);
    return number_parse_float(start, (size_t)(end - start), &back) && same(back, value);
}

/* The distance to digits * 10^exponent in units of 10^exponent: exact enough in 113 bits to tell which is closer. */
static float128 distance(float value, uint64_t digits, int exponent)
{
    float128 power = 1, number = (float128)value;
    for (int i = exponent < 0 ? -exponent : exponent; i > 0; i--)
        power *= 10;
    number = exponent < 0 ? number * power : number / power;
    float128 difference = number - (float128)digits;
    return difference < 0 ? -difference : difference;
}

/* NULL when all is well. */
static const char *find_flaw(float value)
{
    char text[POSE_FLOAT_TEXT + 8];
    memset(text, '#', sizeof text);
    size_t length = pose_float_text(value, text);
    if (length > POSE_FLOAT_TEXT || memcmp(text + POSE_FLOAT_TEXT, "########", 8))
        return "too long";
    text[length] = '\0';
    struct decimal decimal;
    if (!take_apart(text, &decimal))
        return "no JSON number";
    float size = fabsf(value), back;
    if (!same(strtof(text, NULL), value))
        return "does not read back";
    if (!number_parse_float(text, length, &back) || !same(back, value))
        return "number_parse_float reads something else";
    uint64_t digits = decimal.digits;
    int exponent = decimal.exponent;
    if (!digits)
        return value == 0 ? NULL : "is no zero";
    if (digits >= 10 &&
        (reads_back(digits / 10, exponent + 1, size) || reads_back(digits / 10 + 1, exponent + 1, size)))
        return "is not the shortest";
    float128 off = distance(size, digits, exponent);
    if (off > (float128)0.5 &&
        ((reads_back(digits + 1, exponent, size) && distance(size, digits + 1, exponent) < off) ||
         (reads_back(digits - 1, exponent, size) && distance(size, digits - 1, exponent) < off)))
        return "is not the closest";
    return NULL;
}

static void check_bits(uint32_t bits)
{
    float value = float_of_bits(bits);
    if (!isfinite(value))
        return;
    const char *flaw = find_flaw(value);
    if (flaw) /* an assertion that holds costs a system call */
        ck_abort_msg("%.9g (bits %08" PRIx32 ") %s", (double)value, bits, flaw);
}

/* ------------------------------------------------------------------------------------------------- tests -- */

static const struct {
    float value;
    const char *text;
} known[] = {
    {0.0f, "0"},
    {-0.0f, "-0"},
    {1.0f, "1"},
    {-9.0f, "-9"},
    {10.0f, "10"},
    {0.1f, "0.1"},
    {0.5f, "0.5"},
    {-2.5f, "-2.5"},
    {0.33333334f, "0.33333334"},
    {-0.70710678f, "-0.70710677"},
    {0.001f, "0.001"},
    {0.0012345678f, "0.0012345678"},
    {0.0001f, "1e-4"},
    {1e-7f, "1e-7"},
    {-1.2345678e-5f, "-1.2345678e-5"},
    {123456, "123456"},
    {1234.5678f, "1234.5677"},
    {16777216, "16777216"},
    {123456784, "123456780"},
    {1e9f, "1e9"},
    {1.5e10f, "1.5e10"},
    {3.4028235e38f, "3.4028235e38"},
    {-3.4028235e38f, "-3.4028235e38"},
    {1.1754944e-38f, "1.1754944e-38"},
    {1e-45f, "1e-45"},
    {-1.1754942e-38f, "-1.1754942e-38"},
    {8.5899346e9f, "8.589935e9"},
    {33554432, "33554432"},
    {9.8e-45f, "1e-44"},
    {5e-44f, "5e-44"},
};

/* Rounded to that many decimals, and the floats beside it, as text by both ways. */
static void check_rounded(double value, double grid)
{
    const float rounded = (float)(round(value * grid) / grid);
    for (int i = 0; i < 3; i++) {
        const float each = i == 0 ? rounded : nextafterf(rounded, i == 1 ? -1e9f : 1e9f);
        char expected[POSE_FLOAT_TEXT + 1] = {0}, text[POSE_FLOAT_TEXT + 1] = {0};
        size_t length = pose_float_text(each, expected);
        expected[length++] = ' ';
        ck_assert_uint_eq(number_rounded_row(&each, 1, text), length);
        ck_assert_msg(!memcmp(text, expected, length), "%.9g: %.*s, not %.*s", (double)each, (int)length,
                      text, (int)length, expected);
    }
}

TEST(rounded_numbers_have_the_same_text)
{
    static const double sizes[] = {0.01, 1, 16, 20, 256, 360, 2048, 1e5},
                        grids[] = {1, 10, 1e3, 1e4, 1e5, 1e6, 1e7};
    uint64_t state = 88172645463325252u;
    for (int n = 0; n < 100000; n++) {
        state ^= state << 13, state ^= state >> 7, state ^= state << 17;
        const double part = (double)(state >> 11) / 9007199254740992.0 - 0.5;
        for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++)
            check_rounded(part * sizes[i], grids[n % 7]);
    }
    for (int n = -10000; n <= 10000; n++) {
        check_rounded(n, 1);
        check_rounded(n, 1e6);
        check_rounded(n / 10.0, 10);
    }
}

/* So many floats, from those bits on in such steps, at once and one by one. */
static void check_several(uint32_t bits, uint32_t step, size_t count)
{
    enum { MOST = 2 * NUMBER_BLOCK + 3 };
    float values[MOST] = {0};
    char expected[MOST * (POSE_FLOAT_TEXT + 1)], text[sizeof expected], *at = expected;
    for (size_t i = 0; i < count; i++) {
        const float value = float_of_bits(bits + (uint32_t)i * step);
        values[i] = isfinite(value) ? value : 0;
        at += pose_float_text(values[i], at);
        *at++ = ',';
    }
    const size_t length = (size_t)(at - expected);
    ck_assert_uint_eq(number_texts(values, count, text), length);
    ck_assert_msg(!memcmp(text, expected, length), "from %08" PRIx32 ": %.*s, not %.*s", bits, (int)length,
                  text, (int)length, expected);
}

TEST(several_at_once_have_the_same_text)
{
    for (uint64_t bits = 0; bits < UINT64_C(1) << 32; bits += 61 * 911)
        check_several((uint32_t)bits, 911, 61);
    for (uint32_t exponent = 0; exponent < 512; exponent++)
        check_several((exponent << 23) - 32, 1, 64);
    for (uint32_t bits = 0; bits < 100000; bits += 7)
        check_several(bits, 1, bits % 9);
    for (size_t count = NUMBER_BLOCK - 2; count <= 2 * NUMBER_BLOCK + 3; count++)
        check_several(0, (uint32_t)count * 4013, count);
    /* Among zeros of both signs. */
    for (uint32_t bits = 1; bits < 1000; bits++)
        check_several(bits << 31, UINT32_C(1) << 31 | bits % 3, bits % 64);
}

TEST_EACH(known_values_have_their_shortest_text, COUNT(known))
{
    char text[POSE_FLOAT_TEXT + 1];
    text[pose_float_text(known[_i].value, text)] = '\0';
    ck_assert_str_eq(text, known[_i].text);
}

TEST(random_bits)
{
    uint32_t bits = 1;
    for (int i = 0; i < 2000000; i++, bits = bits * 1664525u + 1013904223u)
        check_bits(bits);
}

/* What poses are made of. */
TEST(numbers_of_poses)
{
    uint32_t state = 7;
    for (int i = 0; i < 1000000; i++, state = state * 1664525u + 1013904223u) {
        float value = (float)(state >> 8) / 8388608.0f - 1;
        uint32_t bits;
        memcpy(&bits, &value, sizeof bits);
        check_bits(bits);
        value = (float)(state >> 16) * (1.0f / 65535) * 10 - 5;
        memcpy(&bits, &value, sizeof bits);
        check_bits(bits);
    }
}

/* Around every power of two, where the interval is not even, and the smallest floats. */
TEST(edges)
{
    for (uint32_t exponent = 0; exponent < 255; exponent++) {
        for (uint32_t step = 0; step < 64; step++) {
            check_bits((exponent << 23) + step - 32);
            check_bits(((exponent << 23) + step - 32) ^ 0x80000000u);
        }
    }
    for (uint32_t bits = 0; bits < 100000; bits++)
        check_bits(bits);
}

TEST(whole_numbers_and_short_decimals)
{
    for (uint32_t i = 0; i < 300000; i++) {
        const float values[] = {(float)i, (float)i * 1000, (float)i / 100, (float)i / 1024, (float)i * 1e-9f};
        for (unsigned k = 0; k < sizeof values / sizeof *values; k++) {
            uint32_t bits;
            memcpy(&bits, &values[k], sizeof bits);
            check_bits(bits);
        }
    }
}

TEST(locale_does_not_matter)
{
    static const char *const locales[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE", "cs_CZ.UTF-8"};
    const char *found = NULL;
    for (size_t i = 0; !found && i < sizeof locales / sizeof *locales; i++)
        found = setlocale(LC_NUMERIC, locales[i]);
    if (!found)
        fprintf(stderr, "SKIPPED: no locale with a decimal comma is installed\n");
    char text[POSE_FLOAT_TEXT + 1];
    float value = 0;
    text[pose_float_text(0.25f, text)] = '\0';
    ck_assert_str_eq(text, "0.25");
    ck_assert(number_parse_float("0.25", 4, &value));
    ck_assert_float_eq(value, 0.25f);
    setlocale(LC_NUMERIC, "C");
}

/* -------------------------------------------------------------------------------------------- all of them -- */

static int check_all(void)
{
    uint64_t flaws = 0, checked = 0;
    for (uint64_t bits = 0; bits <= UINT32_MAX; bits++) {
        float value = float_of_bits((uint32_t)bits);
        if (!isfinite(value))
            continue;
        const char *flaw = find_flaw(value);
        checked++;
        if (flaw && flaws++ < 20)
            printf("%.9g (bits %08" PRIx64 ") %s\n", (double)value, bits, flaw);
        if (bits % (UINT64_C(1) << 28) == 0) {
            printf("%" PRIu64 " of 16\n", bits >> 28);
            fflush(stdout);
        }
    }
    for (uint64_t bits = 0; bits <= UINT32_MAX; bits += 64)
        check_several((uint32_t)bits, 1, 64);
    printf("%" PRIu64 " floats, %" PRIu64 " flaws\n", checked, flaws);
    return flaws ? EXIT_FAILURE : EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
    if (argc == 2 && !strcmp(argv[1], "--all"))
        return check_all();
    return unit_run();
}
