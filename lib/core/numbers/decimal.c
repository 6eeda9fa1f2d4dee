#include "lib/core/numbers/decimal.h"

#include "lib/core/numbers/numbers.h"
#include "lib/core/text.h"

#include <string.h>

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static const char *pass_sign(const char *at, const char *end)
{
    return at < end && (*at == '-' || *at == '+') ? at + 1 : at;
}

/* "1.#QNAN" and the like are how old C libraries of Windows print NaN and infinity. */
static bool is_non_finite(const char *text, size_t length)
{
    const char *end = text + length, *word = pass_sign(text, end), *at = word;
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
    if (number_parse_float(text, length, value))
        return DECIMAL_OK;
    *value = 0;
    return is_non_finite(text, length) || number_is_decimal(text, length) ? DECIMAL_NON_FINITE : DECIMAL_BAD;
}

enum decimal_result decimal_i32(const char *text, size_t length, int32_t *value)
{
    const char *end = text + length, *at = pass_sign(text, end);
    bool negative = at > text && *text == '-';
    int64_t magnitude = 0, bound = (int64_t)INT32_MAX + negative;
    *value = 0;
    if (at == end)
        return DECIMAL_BAD;
    for (; at < end && is_digit(*at); at++)
        magnitude = magnitude > bound ? magnitude : magnitude * 10 + (*at - '0');
    if (at < end)
        return is_non_finite(text, length) ? DECIMAL_NON_FINITE : DECIMAL_BAD;
    if (magnitude > bound)
        return DECIMAL_TOO_LARGE;
    *value = (int32_t)(negative ? -magnitude : magnitude);
    return DECIMAL_OK;
}
