/*
 * The shortest decimal of a float, after R. Giulietti, "The Schubfach way to render doubles" (2020): a float m *
 * 2^q represents all reals within half of 2^q of it. With 10^k <= 2^q < 10^(k+1), that interval contains at most
 * one multiple of 10^(k+1), which then is the shortest decimal in it (it may end in zeros); otherwise it contains
 * at least one multiple of 10^k, and the closest is taken.
 *
 * The float is scaled to units of 10^k with one 64-bit power of ten, and its last digit and fraction are compared
 * with the half width. The rounding error of the power is below 2^-35 of a unit; only floats that lie exactly on an
 * end of an interval come that close, as verified for all 2^32 floats (test_number_text --all).
 */
#include "lib/core/numbers/float_bits.h"
#include "lib/core/numbers/number_place.h"
#include "lib/core/numbers/numbers.h"

#include "lib/core/powers_of_ten.h"

#include <string.h>

__extension__ typedef unsigned __int128 uint128;

/* digits * 10^exponent; digits < 10^9. */
struct decimal {
    uint32_t digits;
    int exponent;
};

/* The shortest decimal of the float mantissa * 2^q. lower_is_closer: for a power of two, as floats below it are
 * denser. */
static struct decimal shortest(uint32_t mantissa, int q, bool lower_is_closer)
{
    /* floor(log10(2^q)), or of 3/4 * 2^q, the width of that interval; exact in the range of floats. */
    int k = (q * 1233 - (lower_is_closer ? 512 : 0)) >> 12;
    uint64_t power = powers_of_ten[-k - POWER_FIRST];
    int shift = q + floor_log2_of_power(-k) + 1;
    uint128 product = (uint128)power * ((uint64_t)mantissa << shift);
    uint32_t whole = (uint32_t)(product >> 64), tens = whole / 10 * 10;
    uint64_t fraction = (uint64_t)product >> 4, ones = (whole - tens) * UNIT + fraction;
    uint64_t half = power >> (5 - shift), lower_half = half >> lower_is_closer;

    /* The interval includes its ends for even mantissas only. */
    uint64_t slack = mantissa & 1 ? -ROUNDING : ROUNDING;
    uint32_t down = ones <= lower_half + slack, up = 10 * UNIT - ones <= half + slack;
    /* Ties go to the even one. */
    uint32_t nearest = whole + (fraction + (whole & 1) > (lower_half < UNIT / 2 ? lower_half : UNIT / 2));
    /* Unpredictable, so without a branch. */
    uint32_t choice = -(down | up);
    return (struct decimal){((tens + 10 * up) & choice) | (nearest & ~choice), k};
}

/* ------------------------------------------------------------------------------------------------- writing -- */

/* Eight digits as bytes 0 ... 9, the leading one lowest. */
static uint64_t spread_digits(uint32_t number)
{
    /* Halves of 4, quarters of 2, then single digits, side by side in one register. */
    uint64_t fours = number / 10000 | (uint64_t)(number % 10000) << 32;
    uint64_t hundreds = (fours * 5243 >> 19) & UINT64_C(0x0000007f0000007f);
    uint64_t twos = hundreds | (fours - hundreds * 100) << 16;
    uint64_t tens = (twos * 103 >> 10) & UINT64_C(0x000f000f000f000f);
    return tens | (twos - tens * 10) << 8;
}

/* Nine digits: the first one, and eight as bytes 0 ... 9, the leading one lowest. */
struct nine_digits {
    uint32_t first;
    uint64_t rest;
};

static struct nine_digits split_digits(uint32_t number)
{
    return (struct nine_digits){number / 100000000, spread_digits(number % 100000000)};
}

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
    return place_digits(text, digits.first, digits.rest, exponent);
}

size_t pose_float_text(float value, char *text)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    size_t negative = bits >> 31;
    bits &= 0x7fffffff;
    text[0] = '-';
    text += negative;
    if (place_digit(text, float_of_bits(bits)))
        return negative + 1;
    uint32_t mantissa = bits & ((1u << MANTISSA_BITS) - 1);
    int exponent = (int)(bits >> MANTISSA_BITS);
    bool lower_is_closer = !mantissa && exponent > 1;
    if (exponent)
        mantissa |= 1u << MANTISSA_BITS;
    else
        exponent = 1;
    return negative + put_decimal(text, shortest(mantissa, exponent - EXPONENT_BIAS, lower_is_closer));
}

void number_cells(const float *values, size_t count, struct number_cells *cells)
{
    number_cell_writer *const write = number_cells_avx2();
    if (write) {
        write(values, count, cells);
        return;
    }
    for (size_t i = 0; i < count; i++)
        cells->length[i] = (uint8_t)pose_float_text(values[i], cells->text[i]);
}

size_t number_texts(const float *values, size_t count, char *text)
{
    struct number_cells cells;
    char *at = text;
    for (size_t begin = 0; begin < count; begin += NUMBER_BLOCK) {
        const size_t left = count - begin, some = left < NUMBER_BLOCK ? left : NUMBER_BLOCK;
        number_cells(values + begin, some, &cells);
        at = number_cells_join(&cells, 0, some, at);
    }
    return (size_t)(at - text);
}

/* -------------------------------------------------------------------------------------------- rounded floats -- */

/* Two digits as text, the leading one lowest. */
static uint64_t two_digits(uint32_t number)
{
    static const char pairs[] =
        "0001020304050607080910111213141516171819202122232425262728293031323334353637383940414243444546474849"
        "505152535455565758596061626364656667686970717273747576777879808182838485868788899091929394959697989"
        "9";
    uint16_t pair;
    memcpy(&pair, pairs + (size_t)2 * number, sizeof pair);
    return pair;
}

/*
 * A multiple of the step, at least as far apart as the floats there, is the only one within a float's interval; so it
 * is the shortest decimal in it, without its last zeros, as any shorter one were a multiple as well. The product with
 * the step is off by less than a multiple of the step can be from a middle between two floats.
 */
static inline size_t put_rounded(float value, char *text)
{
    enum { MAX_EXPONENT = 999 };
    static const struct {
        double in_one, one; /* how many steps make 1, and one of them */
        uint32_t count, millionths;
    } steps[] = {{1e6, 1e-6, 1000000, 1}, {1e5, 1e-5, 100000, 10}, {1e4, 1e-4, 10000, 100}};
    const float size = value < 0 ? -value : value;
    if (!(size >= 0.001f && size < MAX_EXPONENT))
        return pose_float_text(value, text);
    const unsigned kind = (unsigned)(size >= 8) + (size >= 128);
    const uint32_t number = (uint32_t)((double)size * steps[kind].in_one + 0.5);
    if ((float)((double)number * steps[kind].one) != size)
        return pose_float_text(value, text);
    const uint32_t whole = (uint32_t)size,
                   rest = (number - whole * steps[kind].count) * steps[kind].millionths;
    char *at = text;
    *at = '-';
    at += value < 0;
    /* Three places before the point, of which the leading zeros are passed over. */
    const uint32_t hundreds = whole * 41 >> 12, skipped = (uint32_t)(whole < 100) + (whole < 10),
                   ahead =
                       ('0' | hundreds | (uint32_t)two_digits(whole - hundreds * 100) << 8) >> 8 * skipped;
    memcpy(at, &ahead, sizeof ahead);
    at += 3 - skipped;
    const uint32_t high = rest / 10000, low = rest - high * 10000, middle = low / 100;
    const uint64_t fraction =
        two_digits(high) | two_digits(middle) << 16 | two_digits(low - middle * 100) << 32;
    const uint64_t digits = fraction ^ UINT64_C(0x303030303030);
    put_eight(at, fraction << 8 | '.');
    /* The point, and up to the last digit that is not zero. */
    return (size_t)(at - text) + (digits ? 9 - ((size_t)__builtin_clzll(digits) >> 3) : 0);
}

size_t number_rounded_row(const float *values, size_t count, char *text)
{
    char *at = text;
    for (size_t i = 0; i < count; i++) {
        at += put_rounded(values[i], at);
        *at++ = ' ';
    }
    return (size_t)(at - text);
}
