#include "server/text/escape.h"

#include <stdint.h>
#include <string.h>

/* The length of the UTF-8 sequence at text (1 to 4) and its number, 0 when there is none. */
static size_t utf8_length(const unsigned char *text, uint32_t *number)
{
    static const struct {
        unsigned char mask, lead;
        uint32_t least;
    } kinds[] = {{0x80, 0, 0}, {0xe0, 0xc0, 0x80}, {0xf0, 0xe0, 0x800}, {0xf8, 0xf0, 0x10000}};
    for (size_t length = 1; length <= 4; length++) {
        if ((text[0] & kinds[length - 1].mask) != kinds[length - 1].lead)
            continue;
        uint32_t character = text[0] & (unsigned char)~kinds[length - 1].mask;
        for (size_t i = 1; i < length; i++) {
            if ((text[i] & 0xc0) != 0x80) /* also stops at the end of the text */
                return 0;
            character = character << 6 | (text[i] & 0x3fu);
        }
        bool surrogate = character >= 0xd800 && character < 0xe000;
        *number = character;
        return character >= kinds[length - 1].least && character < 0x110000 && !surrogate ? length : 0;
    }
    return 0;
}

/* What a terminal or an editor may act on: C0, DEL, C1, line and paragraph separators, and what turns the direction of
 * the text (Unicode, UAX 9), so that a name looks like another. */
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
    size_t length = utf8_length(at, &character);
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
        memcpy(piece, "\\ufffd", 6);
        *piece_length = 6;
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
