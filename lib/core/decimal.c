#include "lib/core/decimal.h"

#include "lib/core/text.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A decimal taken apart: mantissa * 10^exponent. */
struct decimal {
    uint64_t mantissa;
    int32_t exponent;
    bool negative;
    bool exact; /* no digit was dropped */
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
            decimal->exact &= *at == '0';
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
    *decimal = (struct decimal){.exact = true};
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

/* One operation on two exact doubles is the nearest double; the float next to it is the nearest float, unless the
 * double lies just half-way between two floats or outside of their normal range. False then: another way is needed. */
static bool from_double(const struct decimal *decimal, float *value)
{
    static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    if (!decimal->exact || decimal->mantissa > (uint64_t)1 << 53 || abs(decimal->exponent) > 22)
        return false;
    double near = (double)decimal->mantissa;
    near = decimal->exponent < 0 ? near / powers[-decimal->exponent] : near * powers[decimal->exponent];
    uint64_t bits;
    memcpy(&bits, &near, sizeof bits);
    bool half_way = (bits & 0x1fffffff) == 0x10000000;
    if (near != 0 && (half_way || near < (double)FLT_MIN || near > (double)FLT_MAX))
        return false;
    *value = (float)(decimal->negative ? -near : near);
    return true;
}

/* The C library's own conversion in the C locale. */
static bool from_library(const char *text, size_t length, float *value)
{
    char copy[DECIMAL_LENGTH + 1];
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (!plain)
        return false;
    memcpy(copy, text, length);
    copy[length] = 0;
    *value = strtof_l(copy, NULL, plain);
    freelocale(plain);
    return true;
}

enum decimal_result decimal_float(const char *text, size_t length, float *value)
{
    struct decimal decimal;
    *value = 0;
    if (length > DECIMAL_LENGTH || !take_apart(&decimal, text, length))
        return is_non_finite(text, length) ? DECIMAL_NON_FINITE : DECIMAL_BAD;
    if (!from_double(&decimal, value) && !from_library(text, length, value))
        return DECIMAL_BAD;
    return isfinite(*value) ? DECIMAL_OK : DECIMAL_NON_FINITE;
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
