#include "lib/core/bytes/base64.h"

#include <stdbool.h>

size_t base64_room(size_t length)
{
    return length / 4 * 3 + 3;
}

static int digit(char c)
{
    if (c >= 'A' && c <= 'Z')
        return c - 'A';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 26;
    if (c >= '0' && c <= '9')
        return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

size_t base64_decode(const char *text, size_t length, uint8_t *bytes, size_t *bad)
{
    size_t size = 0;
    uint32_t bits = 0;
    unsigned held = 0;
    bool whole = length && length % 4 == 0;
    for (int padding = 0; whole && padding < 2 && text[length - 1] == '='; padding++)
        length--;
    for (size_t i = 0; i < length; i++) {
        int value = digit(text[i]);
        if (value < 0) {
            *bad = i;
            return SIZE_MAX;
        }
        bits = bits << 6 | (uint32_t)value;
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
