/*
 * Converts decimal text to the nearest float. The leading 19 digits times a 64-bit power of ten give the leading 64
 * bits of the result, up to an error of a few units in the last place. Only if the rounding depends on these, the
 * text is compared exactly, with all its digits, to the midpoint between two floats.
 */
#include "lib/core/numbers/numbers.h"

#include "lib/core/powers_of_ten.h"

#include <string.h>

__extension__ typedef unsigned __int128 uint128;

enum {
    MAX_DIGITS = 19,     /* of a 64-bit integer */
    MIN_EXPONENT = -149, /* of the smallest float, 2^-149 */
    MAX_EXPONENT = 127,
    MANTISSA_BITS = 24,
};

/* A parsed number: digits * 10^exponent, and its text for the exact comparison. */
struct decimal {
    bool negative;
    uint64_t digits;  /* the leading MAX_DIGITS of them */
    int64_t exponent; /* of digits */
    const char *start,
        *end; /* of the digits, possibly with a point; without leading zeros if there are many */
};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* [+-] digits after the e, clamped; false without a digit or with anything after them. */
static bool parse_exponent(const char *at, const char *end, int64_t *exponent)
{
    bool negative = at < end && *at == '-';
    if (at < end && (*at == '-' || *at == '+'))
        at++;
    if (at == end)
        return false;
    int64_t number = 0;
    for (; at < end; at++) {
        if (!is_digit(*at))
            return false;
        if (number < INT64_MAX / 100)
            number = number * 10 + (*at - '0');
    }
    *exponent = negative ? -number : number;
    return true;
}

/* Appends digits to those taken before; wraps if there are too many. */
static const char *take_digits(const char *at, const char *end, uint64_t *digits)
{
    for (; at < end && is_digit(*at); at++)
        *digits = *digits * 10 + (uint64_t)(*at - '0');
    return at;
}

/* The same for more than MAX_DIGITS digits, possibly with a point: leading zeros do not count. */
static void take_leading_digits(struct decimal *decimal)
{
    unsigned taken = 0;
    bool point = false;
    const char *at = decimal->start;
    decimal->digits = 0;
    decimal->exponent = 0;
    for (; at < decimal->end; at++) {
        if (*at == '.') {
            point = true;
        } else if (taken < MAX_DIGITS) {
            decimal->start = taken ? decimal->start : at;
            decimal->digits = decimal->digits * 10 + (uint64_t)(*at - '0');
            decimal->exponent -= point;
            taken += decimal->digits != 0;
        } else {
            decimal->exponent += !point;
        }
    }
}

static bool parse_decimal(const char *text, size_t length, struct decimal *decimal)
{
    const char *at = text, *end = text + length;
    *decimal = (struct decimal){.negative = length && *text == '-'};
    if (length && (*at == '-' || *at == '+'))
        at++;
    decimal->start = at;
    at = take_digits(at, end, &decimal->digits);
    ptrdiff_t count = at - decimal->start;
    if (at < end && *at == '.') {
        const char *fraction = ++at;
        at = take_digits(at, end, &decimal->digits);
        decimal->exponent = fraction - at;
        count += at - fraction;
    }
    decimal->end = at;
    if (!count)
        return false;
    if (count > MAX_DIGITS)
        take_leading_digits(decimal);
    int64_t exponent = 0;
    if (at < end && ((*at != 'e' && *at != 'E') || !parse_exponent(at + 1, end, &exponent)))
        return false;
    decimal->exponent += exponent;
    return true;
}

/* ----------------------------------------------------------------------------------- the exact comparison -- */

/*
 * Midpoints of floats have at most 113 digits, so any digits beyond that only mean "slightly more". So no number
 * here exceeds 10^(46 + EXACT_DIGITS) * 2^25, which has 581 bits.
 */
enum { BIG_WORDS = 24, EXACT_DIGITS = 120 };

struct big {
    uint32_t words[BIG_WORDS];
};

static void big_multiply_add(struct big *big, uint32_t factor, uint32_t term)
{
    uint64_t carry = term;
    for (unsigned i = 0; i < BIG_WORDS; i++) {
        carry += (uint64_t)big->words[i] * factor;
        big->words[i] = (uint32_t)carry;
        carry >>= 32;
    }
}

static void big_multiply_power(struct big *big, uint32_t base, int64_t exponent)
{
    for (; exponent > 0; exponent--)
        big_multiply_add(big, base, 0);
}

static int big_compare(const struct big *a, const struct big *b)
{
    for (unsigned i = BIG_WORDS; i-- > 0;) {
        if (a->words[i] != b->words[i])
            return a->words[i] < b->words[i] ? -1 : 1;
    }
    return 0;
}

/* Compares the decimal with half * 2^exponent; they are known to differ by less than one part in 2^60. */
static int compare_exactly(const struct decimal *decimal, uint32_t half, int exponent)
{
    struct big left = {{0}}, right = {{half}};
    /* All digits: the exponent decreases with each digit beyond the first 19. */
    int64_t ten = decimal->exponent;
    unsigned taken = 0;
    bool more = false;
    for (const char *at = decimal->start; at < decimal->end; at++) {
        if (*at == '.')
            continue;
        if (taken < EXACT_DIGITS) {
            big_multiply_add(&left, 10, (uint32_t)(*at - '0'));
            ten -= taken >= MAX_DIGITS;
            taken++;
        } else {
            more |= *at != '0';
        }
    }
    if (more) {
        big_multiply_add(&left, 10, 1);
        ten--;
    }
    big_multiply_power(ten > 0 ? &left : &right, 10, ten > 0 ? ten : -ten);
    big_multiply_power(exponent > 0 ? &right : &left, 2, exponent > 0 ? exponent : -exponent);
    return big_compare(&left, &right);
}

/* ---------------------------------------------------------------------------------------------- rounding -- */

static float float_of(bool negative, uint32_t magnitude)
{
    uint32_t bits = (uint32_t)negative << 31 | magnitude;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/*
 * The maximum error of the product below, in units of its last place: 19 for truncated digits (less than 1e-18 of
 * the whole), 2 for rounding of the power, 1 for rounding of the product.
 */
enum { PRODUCT_ERROR = 24 };

/* The mantissa of the float nearest to bits * 2^exponent; the lowest drop bits are rounded off. */
static uint32_t round_mantissa(const struct decimal *decimal, uint64_t bits, int exponent, int drop)
{
    if (drop > 64) {
        /* Less than the smallest float. */
        bits = drop < 128 ? bits >> (drop - 64) : 0;
        exponent += drop - 64;
        drop = 64;
    }
    uint64_t half = UINT64_C(1) << (drop - 1), rest = bits & (half | (half - 1));
    uint32_t kept = drop == 64 ? 0 : (uint32_t)(bits >> drop);
    if (rest < half - PRODUCT_ERROR)
        return kept;
    if (rest > half + PRODUCT_ERROR)
        return kept + 1;
    int order = compare_exactly(decimal, 2 * kept + 1, exponent + drop - 1);
    return kept + (order > 0 || (order == 0 && (kept & 1)));
}

static bool to_float(const struct decimal *decimal, float *value)
{
    if (!decimal->digits || decimal->exponent < POWER_FIRST) {
        *value = float_of(decimal->negative, 0);
        return true;
    }
    if (decimal->exponent > POWER_LAST)
        return false;
    int shift = __builtin_clzll(decimal->digits), ten = (int)decimal->exponent;
    uint128 product = (uint128)(decimal->digits << shift) * powers_of_ten[ten - POWER_FIRST];
    uint64_t bits = (uint64_t)(product >> 64);
    int exponent = floor_log2_of_power(ten) + 1 - shift; /* of the lowest of bits */
    if (!(bits >> 63)) {
        bits = (uint64_t)(product >> 63);
        exponent--;
    }
    int drop = 64 - MANTISSA_BITS;
    if (exponent + drop < MIN_EXPONENT)
        drop = MIN_EXPONENT - exponent;
    uint32_t mantissa = round_mantissa(decimal, bits, exponent, drop);
    /* The implicit bit, and a carry out of rounding, add one to the exponent field by themselves. */
    uint32_t field = (uint32_t)(exponent + drop - MIN_EXPONENT);
    uint64_t magnitude = ((uint64_t)field << (MANTISSA_BITS - 1)) + mantissa;
    if (magnitude >= UINT64_C(0x7f800000))
        return false;
    *value = float_of(decimal->negative, (uint32_t)magnitude);
    return true;
}

bool number_parse_float(const char *text, size_t length, float *value)
{
    struct decimal decimal;
    return parse_decimal(text, length, &decimal) && to_float(&decimal, value);
}

bool number_is_decimal(const char *text, size_t length)
{
    struct decimal decimal;
    return parse_decimal(text, length, &decimal);
}

/* ------------------------------------------------------------------------------------------- usual numbers -- */

/* Digits below 10^15 and powers of ten up to 10^22 are exact doubles, so their quotient is the double nearest to the
 * number. Unless that lies in the middle between two floats, the number is on the same side of the middle. */
static bool divide(uint64_t digits, unsigned decimals, bool negative, float *value)
{
    static const double powers[] = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                    1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
    enum { FLOAT_REST = 29 }; /* bits that a double has more than a float */
    const double quotient = (double)digits / powers[decimals];
    uint64_t bits;
    memcpy(&bits, &quotient, sizeof bits);
    if ((bits & ((UINT64_C(1) << FLOAT_REST) - 1)) == UINT64_C(1) << (FLOAT_REST - 1))
        return false;
    *value = negative ? -(float)quotient : (float)quotient;
    return true;
}

/* The digits that the text begins with, up to eight, appended to those before, all eight side by side in one register;
 * there must be eight bytes. Returns how many there are. */
static inline unsigned take_up_to_eight(const char *text, uint64_t *digits)
{
    static const uint64_t powers[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};
    uint64_t bytes;
    memcpy(&bytes, text, sizeof bytes);
    bytes ^= UINT64_C(0x3030303030303030);
    /* The top bit of each byte that is not 0 ... 9; a carry only disturbs those after the first of them. */
    const uint64_t others = ((bytes + UINT64_C(0x7676767676767676)) | bytes) & UINT64_C(0x8080808080808080);
    const unsigned count = others ? (unsigned)__builtin_ctzll(others) / 8 : 8;
    if (!count)
        return 0;
    bytes <<= 64 - 8 * count; /* zeros ahead */
    bytes = bytes * 10 + (bytes >> 8);
    bytes = ((bytes & UINT64_C(0x000000ff000000ff)) * UINT64_C(0x000f424000000064) +
             (bytes >> 16 & UINT64_C(0x000000ff000000ff)) * UINT64_C(0x0000271000000001)) >>
            32;
    *digits = *digits * powers[count] + bytes;
    return count;
}

const char *number_scan_float(const char *text, const char *end, float *value)
{
    enum { SAFE_DIGITS = 15 };
    const char *at = text, *start;
    uint64_t digits = 0;
    unsigned decimals = 0;
    bool negative = at < end && *at == '-';
    if (at < end && (*at == '-' || *at == '+'))
        at++;
    /* Longer ones wrap, and are left to the caller. */
    start = at;
    at = take_digits(at, end, &digits);
    size_t count = (size_t)(at - start);
    if (at < end && *at == '.') {
        start = ++at;
        const unsigned taken = end - at >= 8 ? take_up_to_eight(at, &digits) : 0;
        at += taken;
        if (taken == 8 || end - start < 8)
            at = take_digits(at, end, &digits);
        decimals = at - start <= SAFE_DIGITS ? (unsigned)(at - start) : SAFE_DIGITS + 1;
        count += (size_t)(at - start);
    }
    if (!count || count > SAFE_DIGITS || decimals > SAFE_DIGITS)
        return NULL;
    return divide(digits, decimals, negative, value) ? at : NULL;
}
