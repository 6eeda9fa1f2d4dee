/*
 * Numbers as text and back, by no locale: number_text.c writes (pose_float_text of pose.h), number_parse.c reads.
 *
 * Both work with one table that the build makes (generate_powers.c): power_of_ten[n] for POWER_FIRST <= n <=
 * POWER_LAST is 10^n, its leading 64 bits rounded up.
 */
#ifndef POSE_CORE_NUMBERS_NUMBERS_H
#define POSE_CORE_NUMBERS_NUMBERS_H

#include "pose.h"

/*
 * A decimal number: [+-] digits [. digits] [e [+-] digits], with at least one digit before the exponent, and nothing
 * else in the text. The nearest float, ties to even; what is too small for a float is a zero with its sign. False,
 * with value untouched, when the text is no such number (hex, "inf" and "nan" are none) or too large for a float.
 */
bool number_parse_float(const char *text, size_t length, float *value);
/* True when the text is a decimal number in that sense, whatever its size. */
bool number_is_decimal(const char *text, size_t length);

/* floor(log2(10^n)) for |n| <= 300. */
static inline int floor_log2_of_power(int n)
{
    return (n * 217706) >> 16;
}

#endif
