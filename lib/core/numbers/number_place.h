/* The digits of a float, once they are found, as text; shared by number_text.c and number_text_avx2.c. */
#ifndef POSE_CORE_NUMBERS_NUMBER_PLACE_H
#define POSE_CORE_NUMBERS_NUMBER_PLACE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { MANTISSA_BITS = 23, EXPONENT_BIAS = 150 };

/* Fixed-point numbers below 16 with 60 fractional bits. */
#define UNIT (UINT64_C(1) << 60)

/* More than the maximum rounding error, less than the smallest difference. */
#define ROUNDING ((UINT64_C(1) << 24) + 2)

/* Single digits are frequent in poses: 0 and 1. False if the float, which has no sign, is another one. */
static inline bool place_digit(char *text, float size)
{
    const bool is_digit = size < 10 && (float)(int)size == size;
    if (is_digit)
        text[0] = (char)('0' + (int)size);
    return is_digit;
}

static inline void put_eight(char *text, uint64_t bytes)
{
    memcpy(text, &bytes, sizeof bytes);
}

/* "0.00123": the first digit is place places after the point. */
static inline size_t put_fraction(char *text, char first, uint64_t rest, int place, int significant)
{
    put_eight(text, UINT64_C(0x3030303030302e30)); /* "0.000000" */
    text[1 + place] = first;
    put_eight(text + 2 + place, rest);
    return (size_t)(1 + place + significant);
}

/* "123.45": the point comes after whole + 1 digits, if more are left. */
static inline size_t put_plain(char *text, char first, uint64_t rest, int whole, int significant)
{
    char last = (char)(rest >> 56);
    text[0] = first;
    if (whole < 8) {
        uint64_t front = (UINT64_C(1) << 8 * whole) - 1;
        rest = (rest & front) | (UINT64_C(0x2e) << 8 * whole) | ((rest & ~front) << 8);
    }
    put_eight(text + 1, rest);
    text[9] = last;
    return (size_t)(significant > whole + 1 ? significant + 1 : whole + 1);
}

/* "1.23e-7". */
static inline size_t put_scientific(char *text, char first, uint64_t rest, int exponent, int significant)
{
    text[0] = first;
    text[1] = '.';
    put_eight(text + 2, rest);
    size_t length = significant > 1 ? (size_t)significant + 1 : 1;
    text[length++] = 'e';
    text[length] = '-';
    length += exponent < 0;
    int size = exponent < 0 ? -exponent : exponent;
    text[length] = (char)('0' + size / 10);
    length += size >= 10;
    text[length++] = (char)('0' + size % 10);
    return length;
}

/* How many of nine digits are left without the zeros at the end. others: the last eight as bytes 0 ... 9. */
static inline unsigned significant_digits(uint64_t others)
{
    return 9 - ((unsigned)__builtin_clzll(others << 1 | 1) >> 3) - !others;
}

/*
 * Nine digits, the first one of which is not 0 and has that exponent: the first, and eight as bytes 0 ... 9, the leading one
 * lowest. Plain notation between 0.001 and 1e9, where it is as short as an exponent or easier to read.
 */
static inline size_t place_digits(char *text, uint32_t first_digit, uint64_t others, int exponent)
{
    const int significant = (int)significant_digits(others);
    const char first = (char)('0' + first_digit);
    const uint64_t rest = others | UINT64_C(0x3030303030303030);
    if (exponent < 0 && exponent >= -3)
        return put_fraction(text, first, rest, -exponent, significant);
    if (exponent >= 0 && exponent <= 8)
        return put_plain(text, first, rest, exponent, significant);
    return put_scientific(text, first, rest, exponent, significant);
}

#endif
