/*
 * The shortest decimal of a float, after R. Giulietti's "The Schubfach way to render doubles" (2020), cut down to
 * single precision and to one 64-bit power of ten, with which a product is either exact or clearly not.
 *
 * A float c * 2^q stands for all reals closer to it than to its neighbours. With 10^k at most as wide as that
 * interval, and 10^(k+1) wider, the interval holds at most one multiple of 10^(k+1), which then is the shortest
 * decimal in it (it may end in zeros), else at least one multiple of 10^k, of which the closest is taken. That this
 * holds for every float was checked by running through all 2^32 of them (tests/lib/core/test_number_text.c tells how).
 */
#include "lib/core/numbers.h"

#include "lib/core/powers_of_ten.h"

#include <string.h>

__extension__ typedef unsigned __int128 uint128;

enum { MANTISSA_BITS = 23, EXPONENT_BIAS = 150 };

/* digits * 10^exponent; digits < 10^9. */
struct decimal {
    uint32_t digits;
    int exponent;
};

/*
 * power * factor / 2^64 rounded to odd: an inexact result has its lowest bit set, so that comparing it with even numbers
 * is exact. power is rounded up, so a product that should be whole is too large, by less than factor.
 */
static inline uint32_t scale(uint64_t power, uint64_t factor)
{
    uint128 product = (uint128)power * factor;
    return (uint32_t)(product >> 64) | ((uint64_t)product >= factor);
}

/* The shortest decimal of the float mantissa * 2^q. */
static struct decimal shortest(uint32_t mantissa, int q, bool lower_is_closer)
{
    /* floor(log10(2^q)), or of 3/4 of it where the interval is that wide; exact in the range of floats. */
    int k = (q * 1233 - (lower_is_closer ? 512 : 0)) >> 12;
    uint64_t power = powers_of_ten[-k - POWER_FIRST];
    int shift = q + floor_log2_of_power(-k) + 1;
    /* The float and the ends of its interval in quarters of 10^k; the ends are in it when the mantissa is even. */
    uint32_t odd = mantissa & 1;
    uint64_t middle = (uint64_t)mantissa << (shift + 2), half = (uint64_t)2 << shift;
    uint32_t value = scale(power, middle);
    uint32_t low = scale(power, middle - (lower_is_closer ? half / 2 : half)) + odd;
    uint32_t high = scale(power, middle + half) - odd;

    uint32_t tens = value / 40 * 40, ones = value / 4 * 4;
    bool tens_below = low <= tens, tens_above = tens + 40 <= high;
    bool below = low <= ones, above = ones + 4 <= high;
    bool above_is_closer = value - ones + (ones >> 2 & 1) > 2; /* a tie goes to the even one */
    uint32_t coarse = tens / 4 + 10 * tens_above;
    uint32_t fine = ones / 4 + (above & (!below | above_is_closer));
    /* Which of them is as good as random: no branch. */
    uint32_t choice = -(uint32_t)(tens_below ^ tens_above);
    return (struct decimal){(coarse & choice) | (fine & ~choice), k};
}

/* ------------------------------------------------------------------------------------------------- writing -- */

/* Nine digits: the first, and eight more as bytes 0 ... 9, the leading one lowest. */
struct nine_digits {
    uint32_t first;
    uint64_t rest;
};

static struct nine_digits split_digits(uint32_t number)
{
    uint32_t first = number / 100000000, rest = number % 100000000;
    /* Halves of 4, quarters of 2, then single digits, side by side in one register. */
    uint64_t fours = rest / 10000 | (uint64_t)(rest % 10000) << 32;
    uint64_t hundreds = (fours * 5243 >> 19) & UINT64_C(0x0000007f0000007f);
    uint64_t twos = hundreds | (fours - hundreds * 100) << 16;
    uint64_t tens = (twos * 103 >> 10) & UINT64_C(0x000f000f000f000f);
    return (struct nine_digits){first, tens | (twos - tens * 10) << 8};
}

static void put_eight(char *text, uint64_t bytes)
{
    memcpy(text, &bytes, sizeof bytes);
}

/* "0.00123": the first digit is place places behind the point. */
static size_t put_fraction(char *text, char first, uint64_t rest, int place, int significant)
{
    put_eight(text, UINT64_C(0x3030303030302e30)); /* "0.000000" */
    text[1 + place] = first;
    put_eight(text + 2 + place, rest);
    return (size_t)(1 + place + significant);
}

/* "123.45": the point comes after whole + 1 digits, unless no more are left. */
static size_t put_plain(char *text, char first, uint64_t rest, int whole, int significant)
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
static size_t put_scientific(char *text, char first, uint64_t rest, int exponent, int significant)
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

/* Plain between 0.001 and 1e9, where that is as short as an exponent or easier to read. */
static size_t put_decimal(char *text, struct decimal decimal)
{
    static const uint32_t factors[] = {1, 10, 100};
    uint32_t number = decimal.digits;
    int exponent = decimal.exponent + 8;
    /* Only subnormal floats have fewer than seven digits. */
    for (; __builtin_expect(number < 1000000, 0); exponent--)
        number *= 10;
    int missing = (number < 100000000) + (number < 10000000);
    number *= factors[missing];
    exponent -= missing;
    struct nine_digits digits = split_digits(number);
    int significant = 9 - (__builtin_clzll(digits.rest << 1 | 1) >> 3) - !digits.rest;
    char first = (char)('0' + digits.first);
    uint64_t rest = digits.rest | UINT64_C(0x3030303030303030);
    if (exponent < 0 && exponent >= -3)
        return put_fraction(text, first, rest, -exponent, significant);
    if (exponent >= 0 && exponent <= 8)
        return put_plain(text, first, rest, exponent, significant);
    return put_scientific(text, first, rest, exponent, significant);
}

size_t pose_float_text(float value, char *text)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    size_t negative = bits >> 31;
    bits &= 0x7fffffff;
    text[0] = '-';
    text += negative;
    /* Digits alone are frequent in poses: 0 and 1. */
    float size;
    memcpy(&size, &bits, sizeof size);
    if (size < 10 && (float)(int)size == size) {
        text[0] = (char)('0' + (int)size);
        return negative + 1;
    }
    uint32_t mantissa = bits & ((1u << MANTISSA_BITS) - 1);
    int exponent = (int)(bits >> MANTISSA_BITS);
    bool lower_is_closer = !mantissa && exponent > 1;
    if (exponent)
        mantissa |= 1u << MANTISSA_BITS;
    else
        exponent = 1;
    return negative + put_decimal(text, shortest(mantissa, exponent - EXPONENT_BIAS, lower_is_closer));
}
