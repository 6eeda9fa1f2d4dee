#include "server/draw/label.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Whether a UTF-8 sequence of that length encodes a noncharacter. */
static bool is_noncharacter(const unsigned char *at, size_t length)
{
    if (length == 3 && at[0] == 0xEF)
        return (at[1] == 0xB7 && at[2] >= 0x90 && at[2] <= 0xAF) || (at[1] == 0xBF && at[2] >= 0xBE);
    return length == 4 && (at[1] & 0x0F) == 0x0F && at[2] == 0xBF && at[3] >= 0xBE;
}

static size_t sequence_length(const unsigned char *at)
{
    size_t length = 1;
    while ((at[length] & 0xC0) == 0x80)
        length++;
    return length;
}

char *label_text(const char *text)
{
    static const char replacement[] = "\xEF\xBF\xBD";
    char *copy = malloc(strlen(text) + 1), *to = copy;
    for (const unsigned char *at = (const unsigned char *)text; copy && *at;) {
        size_t length = sequence_length(at);
        bool is_bad = is_noncharacter(at, length);
        size_t size = is_bad ? sizeof replacement - 1 : length;
        memcpy(to, is_bad ? replacement : (const char *)at, size);
        to += size;
        at += length;
    }
    if (copy)
        *to = '\0';
    return copy;
}
