#include "lib/core/fold.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* U+00C0 to U+017F without accents. '*': see letter_of_latin; ' ': a separator. */
static const char latin[] = "aaaaaa*ceeeeiiiidnooooo ouuuuy**aaaaaa*ceeeeiiiidnooooo ouuuuy*y"
                            "aaaaaaccccccccddddeeeeeeeeeegggggggghhhhiiiiiiiiii**jjkkklllllll"
                            "lllnnnnnnnnnoooooo**rrrrrrssssssssttttttuuuuuuuuuuuuwwyyyzzzzzzs";

static const char *letter_of_latin(uint32_t code)
{
    switch (code) {
    case 0xc6:
    case 0xe6:
        return "ae";
    case 0xde:
    case 0xfe:
        return "th";
    case 0xdf:
        return "ss";
    case 0x132:
    case 0x133:
        return "ij";
    default:
        return "oe";
    }
}

/* The next character; each invalid byte counts as one. */
static uint32_t next_code(const char **at)
{
    const unsigned char *text = (const unsigned char *)*at;
    unsigned length = *text < 0x80 ? 1 : *text >= 0xf0 ? 4 : *text >= 0xe0 ? 3 : *text >= 0xc0 ? 2 : 1;
    uint32_t code = length == 1 ? *text : *text & (0x7fu >> length);
    for (unsigned i = 1; i < length; i++) {
        if ((text[i] & 0xc0) != 0x80) {
            *at += 1;
            return *text;
        }
        code = code << 6 | (text[i] & 0x3f);
    }
    *at += length;
    return code;
}

/* Greek and Cyrillic in lower case, without Greek accents and the dots of U+0451. */
static uint32_t lower(uint32_t code)
{
    static const struct {
        uint32_t from, to;
    } accented[] = {{0x386, 0x3b1}, {0x388, 0x3b5}, {0x389, 0x3b7}, {0x38a, 0x3b9}, {0x38c, 0x3bf},
                    {0x38e, 0x3c5}, {0x38f, 0x3c9}, {0x3ac, 0x3b1}, {0x3ad, 0x3b5}, {0x3ae, 0x3b7},
                    {0x3af, 0x3b9}, {0x3cc, 0x3bf}, {0x3cd, 0x3c5}, {0x3ce, 0x3c9}, {0x3c2, 0x3c3},
                    {0x401, 0x435}, {0x451, 0x435}};
    for (size_t i = 0; i < sizeof accented / sizeof *accented; i++) {
        if (accented[i].from == code)
            return accented[i].to;
    }
    if ((code >= 0x391 && code <= 0x3a9) || (code >= 0x410 && code <= 0x42f))
        return code + 32;
    return code >= 0x400 && code <= 0x40f ? code + 80 : code;
}

static const char *fold_ascii(uint32_t code, char *out)
{
    const bool is_large = code >= 'A' && code <= 'Z';
    const bool is_word = is_large || (code >= 'a' && code <= 'z') || (code >= '0' && code <= '9');
    out[0] = !is_word ? ' ' : (char)(is_large ? code + 32 : code);
    out[1] = 0;
    return out;
}

static char *put_utf8(uint32_t code, char *out)
{
    if (code < 0x800) {
        *out++ = (char)(0xc0 | code >> 6);
    } else if (code < 0x10000) {
        *out++ = (char)(0xe0 | code >> 12);
        *out++ = (char)(0x80 | (code >> 6 & 0x3f));
    } else {
        *out++ = (char)(0xf0 | (code >> 18 & 7));
        *out++ = (char)(0x80 | (code >> 12 & 0x3f));
        *out++ = (char)(0x80 | (code >> 6 & 0x3f));
    }
    *out++ = (char)(0x80 | (code & 0x3f));
    return out;
}

/* The folded form of a character: " " for a separator, "" for a combining accent. out holds MAX_FOLDED bytes. */
enum { MAX_FOLDED = 5 };

static const char *fold_code(uint32_t code, char *out)
{
    enum { FIRST_LATIN = 0xc0, FIRST_ACCENT = 0x300, LAST_ACCENT = 0x36f };
    if (code < 0x80)
        return fold_ascii(code, out);
    if (code < FIRST_LATIN || (code >= 0x2000 && code <= 0x206f)) /* signs and blanks */
        return " ";
    if (code >= FIRST_ACCENT && code <= LAST_ACCENT)
        return "";
    if (code >= FIRST_LATIN + sizeof latin - 1) {
        *put_utf8(lower(code), out) = 0;
        return out;
    }
    out[0] = latin[code - FIRST_LATIN];
    out[1] = 0;
    return out[0] == '*' ? letter_of_latin(code) : out;
}

size_t fold_text(const char *text, char *out, size_t capacity)
{
    size_t used = 0;
    out[used++] = ' ';
    while (*text) {
        char room[MAX_FOLDED];
        const char *folded = fold_code(next_code(&text), room);
        size_t length = strlen(folded);
        if (*folded == ' ' && out[used - 1] == ' ')
            continue;
        if (used + length + 2 > capacity) /* the last blank and the NUL */
            break;
        memcpy(out + used, folded, length);
        used += length;
    }
    if (out[used - 1] != ' ')
        out[used++] = ' ';
    out[used] = 0;
    return used;
}
