#include "lib/core/escape.h"

#include "lib/core/utf8.h"

#include <stdint.h>
#include <string.h>

/* The length of the UTF-8 sequence at text (1 to 4) and its code point; 0 when it is invalid. */
static size_t utf8_length(const char *text, uint32_t *number)
{
    static const unsigned char masks[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
    size_t length = text_utf8_sequence(text, strnlen(text, 4));
    *number = (unsigned char)text[0] & masks[length];
    for (size_t i = 1; i < length; i++)
        *number = *number << 6 | ((unsigned char)text[i] & 0x3fu);
    return length;
}

/* Characters that a terminal or an editor may act on: C0, DEL, C1, line and paragraph separators, and those that
 * change the direction of text (Unicode, UAX 9) and so can make one name look like another. */
static bool is_control(uint32_t character)
{
    return character < 0x20 || (character >= 0x7f && character < 0xa0) || character == 0x61c ||
           character == 0x200e || character == 0x200f || (character >= 0x2028 && character <= 0x202e) ||
           (character >= 0x2066 && character <= 0x2069);
}

size_t escape_character(enum escape_kind kind, const char *text, char piece[ESCAPE_CAPACITY],
                        size_t *piece_length)
{
    static const char hex[] = "0123456789abcdef";
    const unsigned char *at = (const unsigned char *)text;
    uint32_t character = 0;
    size_t length = utf8_length(text, &character);
    if (length && !is_control(character)) {
        bool quoted = *text == '\\' || (*text == '"' && kind == ESCAPE_JSON);
        piece[0] = '\\';
        memcpy(piece + quoted, text, length);
        *piece_length = length + quoted;
    } else if (kind == ESCAPE_TEXT) {
        memcpy(piece, (char[]){'\\', 'x', hex[*at >> 4], hex[*at & 15]}, 4);
        *piece_length = 4;
        return 1;
    } else if (!length) {
        memcpy(piece, "\xef\xbf\xbd", 3);
        *piece_length = 3;
    } else if (*text == '\n' || *text == '\r' || *text == '\t') {
        piece[0] = '\\';
        piece[1] = *text == '\n' ? 'n' : *text == '\r' ? 'r' : 't';
        *piece_length = 2;
    } else {
        memcpy(piece,
               (char[]){'\\', 'u', hex[character >> 12 & 15], hex[character >> 8 & 15],
                        hex[character >> 4 & 15], hex[character & 15]},
               6);
        *piece_length = 6;
    }
    return length ? length : 1;
}

void escape_print(const char *text, FILE *out)
{
    char piece[ESCAPE_CAPACITY];
    size_t length;
    while (*text) {
        text += escape_character(ESCAPE_TEXT, text, piece, &length);
        fwrite(piece, 1, length, out);
    }
}
