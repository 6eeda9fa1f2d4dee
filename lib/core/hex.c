#include "lib/core/hex.h"

int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c = (char)(c | 0x20);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Reckoned rather than looked up, so that the compiler does sixteen at once: every answer of the server has some ids. */
static char digit_of(int value)
{
    return (char)(value + '0' + (value > 9 ? 'a' - '9' - 1 : 0));
}

void hex_write(const uint8_t *bytes, size_t size, char *text)
{
    for (size_t i = 0; i < size; i++) {
        text[2 * i] = digit_of(bytes[i] >> 4);
        text[2 * i + 1] = digit_of(bytes[i] & 15);
    }
    text[2 * size] = '\0';
}

/* The value of a lowercase digit, from 16 on if it is none. */
static uint8_t lower_digit(char c)
{
    const uint8_t number = (uint8_t)(c - '0'), letter = (uint8_t)(c - 'a');
    return number < 10 ? number : letter < 6 ? (uint8_t)(letter + 10) : 16;
}

bool hex_parse(const char *text, size_t length, uint8_t *bytes, size_t size)
{
    if (length != 2 * size)
        return false;
    uint8_t seen = 0;
    for (size_t i = 0; i < size; i++) {
        const uint8_t high = lower_digit(text[2 * i]), low = lower_digit(text[2 * i + 1]);
        bytes[i] = (uint8_t)(high << 4 | low);
        seen |= high | low;
    }
    return seen < 16;
}
