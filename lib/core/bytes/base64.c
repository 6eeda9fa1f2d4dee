#include "lib/core/bytes/base64.h"

#include <stdbool.h>

enum { NO_DIGIT = 0x80 };

/* The value of each character; NO_DIGIT if it is invalid. */
#define NONE_8 NO_DIGIT, NO_DIGIT, NO_DIGIT, NO_DIGIT, NO_DIGIT, NO_DIGIT, NO_DIGIT, NO_DIGIT
#define NONE_32 NONE_8, NONE_8, NONE_8, NONE_8
static const uint8_t digits[256] = {
    NONE_32,  NONE_8,   NO_DIGIT, NO_DIGIT, NO_DIGIT, 62,       NO_DIGIT, NO_DIGIT, NO_DIGIT,
    63, /* up to '/' */
    52,       53,       54,       55,       56,       57,       58,       59,       60,
    61,       NO_DIGIT, NO_DIGIT, NO_DIGIT, NO_DIGIT, NO_DIGIT, NO_DIGIT, NO_DIGIT, 0,
    1,        2,        3,        4,        5,        6,        7,        8,        9,
    10,       11,       12,       13,       14,       15,       16,       17,       18,
    19,       20,       21,       22,       23,       24,       25,       NO_DIGIT, NO_DIGIT,
    NO_DIGIT, NO_DIGIT, NO_DIGIT, NO_DIGIT, 26,       27,       28,       29,       30,
    31,       32,       33,       34,       35,       36,       37,       38,       39,
    40,       41,       42,       43,       44,       45,       46,       47,       48,
    49,       50,       51,       NO_DIGIT, NO_DIGIT, NO_DIGIT, NO_DIGIT, NO_DIGIT, NONE_32,
    NONE_32,  NONE_32,  NONE_32};

size_t base64_length(size_t size)
{
    return (size + 2) / 3 * 4;
}

void base64_encode(const uint8_t *bytes, size_t size, char *text)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < size; i += 3) {
        uint32_t word = (uint32_t)bytes[i] << 16 | (i + 1 < size ? (uint32_t)bytes[i + 1] << 8 : 0) |
                        (i + 2 < size ? bytes[i + 2] : 0);
        *text++ = letters[word >> 18];
        *text++ = letters[word >> 12 & 63];
        *text++ = i + 1 < size ? letters[word >> 6 & 63] : '=';
        *text++ = i + 2 < size ? letters[word & 63] : '=';
    }
}

size_t base64_room(size_t length)
{
    return length / 4 * 3 + 3;
}

/* Decodes whole groups of four, up to the first invalid character; returns how many characters. */
static size_t decode_groups(const uint8_t *text, size_t length, uint8_t *bytes)
{
    size_t i = 0;
    for (; i + 4 <= length; i += 4, bytes += 3) {
        uint32_t a = digits[text[i]], b = digits[text[i + 1]], c = digits[text[i + 2]],
                 d = digits[text[i + 3]];
        if ((a | b | c | d) & NO_DIGIT)
            break;
        uint32_t bits = a << 18 | b << 12 | c << 6 | d;
        bytes[0] = (uint8_t)(bits >> 16);
        bytes[1] = (uint8_t)(bits >> 8);
        bytes[2] = (uint8_t)bits;
    }
    return i;
}

size_t base64_decode(const char *text, size_t length, uint8_t *bytes, size_t *bad)
{
    const uint8_t *characters = (const uint8_t *)text;
    bool whole = length && length % 4 == 0;
    for (int padding = 0; whole && padding < 2 && text[length - 1] == '='; padding++)
        length--;
    size_t done = decode_groups(characters, length, bytes), size = done / 4 * 3;
    uint32_t bits = 0;
    unsigned held = 0;
    for (size_t i = done; i < length; i++) {
        uint32_t value = digits[characters[i]];
        if (value & NO_DIGIT) {
            *bad = i;
            return SIZE_MAX;
        }
        bits = bits << 6 | value;
        held += 6;
        if (held >= 8) {
            held -= 8;
            bytes[size++] = (uint8_t)(bits >> held);
        }
    }
    if (held >= 6) {
        *bad = length;
        return SIZE_MAX;
    }
    return size;
}
