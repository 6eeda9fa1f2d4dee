#include "lib/core/decimal.h"

#include "lib/core/numbers.h"
#include "lib/core/text.h"

#include <string.h>

/* A decimal taken apart: mantissa * 10^exponent. */
struct decimal {
    uint64_t mantissa;
    int32_t exponent;
    bool negative;
};

enum { EXPONENT_BOUND = 100000 };

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Adds digits to the mantissa; returns where they end. shift is what each one adds to the exponent. */
static const char *take_digits(struct decimal *decimal, const char *at, const char *end, int32_t shift)
{
    for (; at < end && is_digit(*at); at++) {
        if (decimal->mantissa < UINT64_MAX / 10 - 1) {
            decimal->mantissa = decimal->mantissa * 10 + (uint64_t)(*at - '0');
            decimal->exponent += shift;
        } else {
            decimal->exponent += shift + 1;
        }
    }
    return at;
}

static bool take_exponent(struct decimal *decimal, const char *at, const char *end)
{
    bool negative = at < end && *at == '-';
    if (at < end && (*at == '-' || *at == '+'))
        at++;
    if (at == end)
        return false;
    int32_t exponent = 0;
    for (; at < end && is_digit(*at); at++)
        exponent = exponent < EXPONENT_BOUND ? exponent * 10 + (*at - '0') : exponent;
    decimal->exponent += negative ? -exponent : exponent;
    return at == end;
}

static bool take_apart(struct decimal *decimal, const char *text, size_t length)
{
    const char *at = text, *end = text + length;
    *decimal = (struct decimal){0};
    if (at < end && (*at == '-' || *at == '+'))
        decimal->negative = *at++ == '-';
    const char *digits = at;
    at = take_digits(decimal, at, end, 0);
    size_t count = (size_t)(at - digits);
    if (at < end && *at == '.') {
        const char *fraction = at + 1;
        at = take_digits(decimal, fraction, end, -1);
        count += (size_t)(at - fraction);
    }
    if (!count)
        return false;
    if (at < end && (*at == 'e' || *at == 'E'))
        return take_exponent(decimal, at + 1, end);
    return at == end;
}

/* "1.#QNAN" and its like are how an old C library of Windows prints what is no number. */
static bool is_non_finite(const char *text, size_t length)
{
    const char *at = text, *end = text + length;
    if (at < end && (*at == '-' || *at == '+'))
        at++;
    const char *word = at;
    while (at < end && is_digit(*at))
        at++;
    if (at > word)
        return end - at >= 2 && at[0] == '.' && at[1] == '#';
    if (end - word < 3)
        return false;
    const char start[4] = {text_lower(word[0]), text_lower(word[1]), text_lower(word[2]), 0};
    return !strcmp(start, "nan") || !strcmp(start, "inf");
}

enum decimal_result decimal_float(const char *text, size_t length, float *value)
{
    struct decimal decimal;
    *value = 0;
    if (length <= DECIMAL_LENGTH && number_parse_float(text, length, value))
        return DECIMAL_OK;
    /* A number all the same: one beyond the range. */
    if (length <= DECIMAL_LENGTH && take_apart(&decimal, text, length))
        return DECIMAL_NON_FINITE;
    return is_non_finite(text, length) ? DECIMAL_NON_FINITE : DECIMAL_BAD;
}

enum decimal_result decimal_i32(const char *text, size_t length, int32_t *value)
{
    struct decimal decimal;
    *value = 0;
    if (length > DECIMAL_LENGTH || memchr(text, '.', length) || memchr(text, 'e', length) ||
        memchr(text, 'E', length) || !take_apart(&decimal, text, length))
        return is_non_finite(text, length) ? DECIMAL_NON_FINITE : DECIMAL_BAD;
    uint64_t bound = (uint64_t)INT32_MAX + decimal.negative;
    if (decimal.exponent || decimal.mantissa > bound)
        return DECIMAL_TOO_LARGE;
    int64_t magnitude = (int64_t)decimal.mantissa;
    *value = (int32_t)(decimal.negative ? -magnitude : magnitude);
    return DECIMAL_OK;
}
