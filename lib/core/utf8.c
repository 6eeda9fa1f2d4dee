#include "lib/core/utf8.h"

#include <string.h>

size_t text_utf8_sequence(const char *text, size_t length)
{
    const unsigned char *p = (const unsigned char *)text;
    if (!length)
        return 0;
    if (p[0] < 0x80)
        return 1;
    size_t size = p[0] >= 0xf0 ? 4 : p[0] >= 0xe0 ? 3 : 2;
    if (p[0] < 0xc2 || p[0] > 0xf4 || size > length)
        return 0;
    for (size_t i = 1; i < size; i++) {
        if ((p[i] & 0xc0) != 0x80)
            return 0;
    }
    /* Overlong forms, surrogates, and code points beyond U+10FFFF. */
    if ((p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] > 0x9f) || (p[0] == 0xf0 && p[1] < 0x90) ||
        (p[0] == 0xf4 && p[1] > 0x8f))
        return 0;
    return size;
}

bool text_is_utf8(const char *text, size_t length)
{
    while (length) {
        size_t size = text_utf8_sequence(text, length);
        if (!size)
            return false;
        text += size;
        length -= size;
    }
    return true;
}

/* C0, C1 and DEL, which a terminal may act on. */
static bool is_control(const char *sequence, size_t size)
{
    unsigned char first = (unsigned char)sequence[0];
    if (size == 2)
        return first == 0xc2 && (unsigned char)sequence[1] < 0xa0;
    return size == 1 && (first < 0x20 || first == 0x7f);
}

void text_make_line(char *text)
{
    size_t left = strlen(text);
    while (left) {
        size_t size = text_utf8_sequence(text, left);
        if (!size || is_control(text, size)) {
            size = size ? size : 1;
            memset(text, '?', size);
        }
        text += size;
        left -= size;
    }
}
