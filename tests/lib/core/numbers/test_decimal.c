/* Decimals of text files: spellings, refusals with their reason; their rounding is test_number_parse's. */
#include "lib/core/numbers/decimal.h"
#include "tests/support/unit.h"

#include <string.h>

static const struct {
    const char *text;
    enum decimal_result result;
    float value;
} floats[] = {
    {"0", DECIMAL_OK, 0},
    {"-5.88894e-005", DECIMAL_OK, -5.88894e-5f}, /* a real vertex */
    {"700000", DECIMAL_OK, 700000},
    {".5", DECIMAL_OK, 0.5f},
    {"5.", DECIMAL_OK, 5},
    {"+1E+3", DECIMAL_OK, 1000},
    {"3.4028235e38", DECIMAL_OK, 3.4028235e38f},
    {"1e-45", DECIMAL_OK, 1.4e-45f},
    {"1e-99999999999", DECIMAL_OK, 0},
    {"0e99999999999", DECIMAL_OK, 0},
    {"16777217", DECIMAL_OK, 16777216},                  /* half-way: to even */
    {"16777217.0000000000000001", DECIMAL_OK, 16777218}, /* a hair above: up */
    {"3.5e38", DECIMAL_NON_FINITE, 0},
    {"1e99999999999", DECIMAL_NON_FINITE, 0},
    {"1.#QNAN", DECIMAL_NON_FINITE, 0},
    {"-1.#IND", DECIMAL_NON_FINITE, 0},
    {"1.#INF", DECIMAL_NON_FINITE, 0},
    {"nan", DECIMAL_NON_FINITE, 0},
    {"-Infinity", DECIMAL_NON_FINITE, 0},
    {"", DECIMAL_BAD, 0},
    {"-", DECIMAL_BAD, 0},
    {".", DECIMAL_BAD, 0},
    {"1e", DECIMAL_BAD, 0},
    {"1e+", DECIMAL_BAD, 0},
    {"1,5", DECIMAL_BAD, 0},
    {"0x10", DECIMAL_BAD, 0},
    {"1 2", DECIMAL_BAD, 0},
    {"--1", DECIMAL_BAD, 0},
};

TEST_EACH(floats_are_read, COUNT(floats))
{
    float value;
    enum decimal_result result = decimal_float(floats[_i].text, strlen(floats[_i].text), &value);
    ck_assert_msg(result == floats[_i].result, "\"%s\": result %d", floats[_i].text, (int)result);
    if (result == DECIMAL_OK)
        ck_assert_msg(value == floats[_i].value, "\"%s\": %.9g", floats[_i].text, (double)value);
}

TEST(long_texts_are_too_large)
{
    char text[4096];
    memset(text, '1', sizeof text);
    float value;
    int32_t integer;
    ck_assert_int_eq(decimal_float(text, sizeof text, &value), DECIMAL_NON_FINITE);
    ck_assert_int_eq(decimal_i32(text, sizeof text, &integer), DECIMAL_TOO_LARGE);
}

static const struct {
    const char *text;
    enum decimal_result result;
    int32_t value;
} integers[] = {
    {"0", DECIMAL_OK, 0},
    {"-1", DECIMAL_OK, -1},
    {"+007", DECIMAL_OK, 7},
    {"2147483647", DECIMAL_OK, INT32_MAX},
    {"-2147483648", DECIMAL_OK, INT32_MIN},
    {"2147483648", DECIMAL_TOO_LARGE, 0},
    {"-2147483649", DECIMAL_TOO_LARGE, 0},
    {"99999999999999999999999", DECIMAL_TOO_LARGE, 0},
    {"1.#INF", DECIMAL_NON_FINITE, 0},
    {"1.0", DECIMAL_BAD, 0},
    {"1e1", DECIMAL_BAD, 0},
    {"", DECIMAL_BAD, 0},
    {"x", DECIMAL_BAD, 0},
};

TEST_EACH(integers_are_read, COUNT(integers))
{
    int32_t value;
    enum decimal_result result = decimal_i32(integers[_i].text, strlen(integers[_i].text), &value);
    ck_assert_msg(result == integers[_i].result, "\"%s\": result %d", integers[_i].text, (int)result);
    if (result == DECIMAL_OK)
        ck_assert_int_eq(value, integers[_i].value);
}
