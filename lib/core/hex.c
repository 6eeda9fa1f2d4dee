#include "lib/core/hex.h"

int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c = (char)(c | 0x20);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

void hex_write(const uint8_t *bytes, size_t size, char *text)
{
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < size; i++) {
        *text++ = digits[bytes[i] >> 4];
        *text++ = digits[bytes[i] & 15];
    }
    *text = '\0';
}

static int lower_digit(char c)
{
    return c >= 'A' && c <= 'F' ? -1 : hex_digit(c);
}

bool hex_parse(const char *text, size_t length, uint8_t *bytes, size_t size)
{
    if (length != 2 * size)
        return false;
    for (size_t i = 0; i < size; i++) {
        int high = lower_digit(text[2 * i]), low = lower_digit(text[2 * i + 1]);
        if (high < 0 || low < 0)
            return false;
        bytes[i] = (uint8_t)(high << 4 | low);
    }
    return true;
}
