#include "lib/core/text.h"

#include <string.h>

/* The code points of bytes 0x80 to 0x9f (the WHATWG index of windows-1252). */
static const uint16_t windows1252_high[32] = {
    0x20ac, 0x0081, 0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021, 0x02c6, 0x2030, 0x0160,
    0x2039, 0x0152, 0x008d, 0x017d, 0x008f, 0x0090, 0x2018, 0x2019, 0x201c, 0x201d, 0x2022,
    0x2013, 0x2014, 0x02dc, 0x2122, 0x0161, 0x203a, 0x0153, 0x009d, 0x017e, 0x0178,
};

static size_t put_utf8(uint32_t code, char *text)
{
    if (code < 0x80) {
        text[0] = (char)code;
        return 1;
    }
    if (code < 0x800) {
        text[0] = (char)(0xc0 | code >> 6);
        text[1] = (char)(0x80 | (code & 0x3f));
        return 2;
    }
    text[0] = (char)(0xe0 | code >> 12);
    text[1] = (char)(0x80 | (code >> 6 & 0x3f));
    text[2] = (char)(0x80 | (code & 0x3f));
    return 3;
}

static uint32_t windows1252_code(uint8_t byte)
{
    return byte >= 0x80 && byte < 0xa0 ? windows1252_high[byte - 0x80] : byte;
}

char *text_from_windows1252(struct arena *arena, const uint8_t *bytes, size_t length)
{
    char character[4];
    size_t size = 0;
    for (size_t i = 0; i < length && bytes[i]; i++)
        size += put_utf8(windows1252_code(bytes[i]), character);
    char *text = arena_alloc(arena, size + 1, 1);
    if (!text)
        return NULL;
    size_t used = 0;
    for (size_t i = 0; i < length && bytes[i]; i++)
        used += put_utf8(windows1252_code(bytes[i]), text + used);
    return text;
}

/* The code point of a sequence of 1 to 3 bytes; no 8-bit code page has longer ones. */
static uint32_t decode_utf8(const char *text, size_t size)
{
    const unsigned char *p = (const unsigned char *)text;
    if (size == 1)
        return p[0];
    if (size == 2)
        return (uint32_t)(p[0] & 0x1f) << 6 | (p[1] & 0x3f);
    if (size == 3)
        return (uint32_t)(p[0] & 0x0f) << 12 | (uint32_t)(p[1] & 0x3f) << 6 | (p[2] & 0x3f);
    return UINT32_MAX;
}

static int windows1252_byte(uint32_t code)
{
    for (int i = 0; i < 32; i++) {
        if (windows1252_high[i] == code)
            return 0x80 + i;
    }
    return code < 0x80 || (code >= 0xa0 && code < 0x100) ? (int)code : -1;
}

int64_t text_to_windows1252(const char *text, uint8_t *bytes, size_t capacity)
{
    size_t left = strlen(text), used = 0;
    while (left) {
        size_t size = text_utf8_sequence(text, left);
        int byte = size ? windows1252_byte(decode_utf8(text, size)) : -1;
        if (byte < 0 || used == capacity)
            return -1;
        bytes[used++] = (uint8_t)byte;
        text += size;
        left -= size;
    }
    return (int64_t)used;
}

char *text_from_utf8(struct arena *arena, const uint8_t *bytes, size_t length)
{
    static const char replacement[] = "\xef\xbf\xbd";
    size_t end = length ? strnlen((const char *)bytes, length) : 0;
    if (end > SIZE_MAX / sizeof replacement)
        return NULL;
    const char *from = (const char *)bytes;
    bool clean = text_is_utf8(from, end);
    char *text = arena_alloc(arena, clean ? end + 1 : end * (sizeof replacement - 1) + 1, 1);
    char *to = text;
    while (text && end) {
        size_t size = text_utf8_sequence(from, end);
        size_t used = size ? size : 1;
        memcpy(to, size ? from : replacement, size ? size : sizeof replacement - 1);
        to += size ? size : sizeof replacement - 1;
        from += used;
        end -= used;
    }
    return text;
}

char text_lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

int text_compare_nocase(const char *a, const char *b)
{
    while (*a && text_lower(*a) == text_lower(*b)) {
        a++;
        b++;
    }
    return (unsigned char)text_lower(*a) - (unsigned char)text_lower(*b);
}

bool text_equal_nocase(const char *a, const char *b)
{
    return text_compare_nocase(a, b) == 0;
}

bool text_has_nocase(const char *text, const char *word)
{
    size_t length = strlen(word);
    for (; text && *text; text++) {
        size_t i = 0;
        while (i < length && text_lower(text[i]) == word[i])
            i++;
        if (i == length)
            return true;
    }
    return false;
}

bool text_ends_with_nocase(const char *text, const char *end)
{
    size_t length = strlen(text), wanted = strlen(end);
    return wanted <= length && text_equal_nocase(text + length - wanted, end);
}

bool text_lists(const char *list, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = list; at && *at; at += strspn(at, " ")) {
        size_t here = strcspn(at, " ");
        if (here == length && !memcmp(at, word, length))
            return true;
        at += here;
    }
    return false;
}

bool text_is_among(const char *text, const char *const *list)
{
    for (; text && list && *list; list++) {
        if (!strcmp(text, *list))
            return true;
    }
    return false;
}

const char *text_base_name(const char *path)
{
    const char *base = path;
    for (const char *p = path; *p; p++) {
        if (*p == '/' || *p == '\\')
            base = p + 1;
    }
    return base;
}

size_t text_stem_length(const char *base_name)
{
    const char *dot = strrchr(base_name, '.');
    return dot && dot != base_name ? (size_t)(dot - base_name) : strlen(base_name);
}

bool text_same_stem(const char *a, const char *b)
{
    a = text_base_name(a);
    b = text_base_name(b);
    size_t length = text_stem_length(a);
    if (length != text_stem_length(b))
        return false;
    for (size_t i = 0; i < length; i++) {
        if (text_lower(a[i]) != text_lower(b[i]))
            return false;
    }
    return true;
}

bool text_has_extension(const char *name, const char *extensions)
{
    size_t length = strlen(name);
    while (*extensions) {
        size_t size = strcspn(extensions, " ");
        char extension[32];
        if (size && size < sizeof extension && length > size) {
            memcpy(extension, extensions, size);
            extension[size] = 0;
            if (text_equal_nocase(name + length - size, extension))
                return true;
        }
        extensions += size;
        extensions += strspn(extensions, " ");
    }
    return false;
}

char *text_from_bytes(struct arena *arena, const char *bytes, size_t length, bool *is_utf8)
{
    length = strnlen(bytes, length);
    *is_utf8 = text_is_utf8(bytes, length);
    if (*is_utf8)
        return arena_text(arena, bytes, length);
    return text_from_windows1252(arena, (const uint8_t *)bytes, length);
}

static const char separators[] = " \t\r\n";

/* The next word at or after text; its length is 0 when there is none. */
static const char *next_word(const char *text, size_t *length)
{
    text += strspn(text, separators);
    *length = strcspn(text, separators);
    return text;
}

bool text_split(struct arena *arena, const char *text, const char *const **words)
{
    size_t length, count = 0, used = 0;
    *words = NULL;
    for (const char *word = next_word(text, &length); length; word = next_word(word + length, &length))
        count++;
    if (!count)
        return true;
    const char **list = ARENA_NEW(arena, const char *, count + 1);
    for (const char *word = next_word(text, &length); list && length;
         word = next_word(word + length, &length))
        list[used++] = arena_text(arena, word, length);
    *words = list;
    return !arena->failed;
}
