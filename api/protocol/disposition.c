#include "api/protocol/disposition.h"

#include "api/protocol/params.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* The rest of a header's value. */
struct cursor {
    const char *at, *end;
};

static void skip_blanks(struct cursor *cursor)
{
    while (cursor->at < cursor->end && (*cursor->at == ' ' || *cursor->at == '\t'))
        cursor->at++;
}

static bool is_token(char c)
{
    return c > ' ' && c < 0x7f && !strchr("()<>@,;:\\\"/[]?=", c);
}

/* A quoted string without its quotes, from malloc. Only '"' and '\' count as escaped: clients send Windows
 * paths unescaped. */
static char *take_quoted(struct cursor *cursor)
{
    char *text = malloc((size_t)(cursor->end - cursor->at) + 1), *to = text;
    if (!text)
        return NULL;
    for (cursor->at++; cursor->at < cursor->end && *cursor->at != '"'; cursor->at++) {
        bool escapes = *cursor->at == '\\' && cursor->at + 1 < cursor->end &&
                       (cursor->at[1] == '"' || cursor->at[1] == '\\');
        cursor->at += escapes;
        *to++ = *cursor->at;
    }
    *to = 0;
    if (cursor->at == cursor->end) {
        cursor->at--;
        free(text);
        return NULL;
    }
    cursor->at++;
    return text;
}

/* A token or a quoted string, from malloc. An unquoted value extends to the next ';'. */
static char *take_value(struct cursor *cursor)
{
    if (cursor->at < cursor->end && *cursor->at == '"')
        return take_quoted(cursor);
    const char *begin = cursor->at;
    while (cursor->at < cursor->end && *cursor->at != ';')
        cursor->at++;
    const char *end = cursor->at;
    while (end > begin && (end[-1] == ' ' || end[-1] == '\t'))
        end--;
    return strndup(begin, (size_t)(end - begin));
}

/* The next "; name=value", the value from malloc. False at the end and on a syntax error; on an error some
 * text is left. */
static bool take_parameter(struct cursor *cursor, struct cursor *name, char **value)
{
    *value = NULL;
    do {
        skip_blanks(cursor);
        if (cursor->at == cursor->end || *cursor->at != ';')
            return false;
        cursor->at++;
        skip_blanks(cursor);
    } while (cursor->at < cursor->end && *cursor->at == ';');
    name->at = cursor->at;
    while (cursor->at < cursor->end && is_token(*cursor->at))
        cursor->at++;
    name->end = cursor->at;
    skip_blanks(cursor);
    if (name->at == name->end || cursor->at == cursor->end || *cursor->at != '=')
        return false;
    cursor->at++;
    skip_blanks(cursor);
    *value = take_value(cursor);
    return *value != NULL;
}

static bool is_called(const struct cursor *name, const char *wanted)
{
    size_t length = strlen(wanted);
    return (size_t)(name->end - name->at) == length && !strncasecmp(name->at, wanted, length);
}

static struct cursor after_type(const char *text, size_t length)
{
    struct cursor cursor = {text, text + length};
    while (cursor.at < cursor.end && *cursor.at != ';')
        cursor.at++;
    return cursor;
}

char *header_parameter(const char *text, size_t length, const char *name)
{
    struct cursor cursor = after_type(text, length), found;
    char *value;
    while (take_parameter(&cursor, &found, &value)) {
        if (is_called(&found, name))
            return value;
        free(value);
    }
    return NULL;
}

/* ------------------------------------------------------------------------------------------------- texts -- */

/* Bytes that are not UTF-8 are read as Latin-1, which old clients send. */
static char *to_utf8(char *text)
{
    if (!text || is_utf8(text))
        return text;
    char *wide = malloc(2 * strlen(text) + 1), *to = wide;
    for (const unsigned char *from = (const unsigned char *)text; wide && *from; from++) {
        if (*from >= 0x80)
            *to++ = (char)(0xc0 | *from >> 6);
        *to++ = (char)(*from >= 0x80 ? 0x80 | (*from & 0x3f) : *from);
    }
    if (wide)
        *to = 0;
    free(text);
    return wide;
}

/* Decodes UTF-8'language'percent-encoded (RFC 8187); NULL if malformed. Frees the text. */
static char *extended_value(char *text)
{
    char *quote = strncasecmp(text, "UTF-8'", 6) ? NULL : strchr(text + 6, '\'');
    char *decoded = quote ? malloc(strlen(quote)) : NULL;
    if (decoded && !percent_decode(quote + 1, strlen(quote + 1), false, decoded)) {
        free(decoded);
        decoded = NULL;
    }
    free(text);
    return decoded;
}

/* Browsers write characters that a quoted string cannot hold as %22, %0D and %0A (WHATWG,
 * multipart/form-data encoding). */
static char *unescape_browser(char *text)
{
    static const char *const escapes[] = {"%22", "%0D", "%0A", "%0d", "%0a"};
    static const char meant[] = {'"', '_', '_', '_', '_'};
    char *to = text;
    for (const char *from = text; from && *from; to++) {
        size_t i = 0;
        while (i < sizeof meant && strncmp(from, escapes[i], 3))
            i++;
        *to = i < sizeof meant ? meant[i] : *from;
        from += i < sizeof meant ? 3 : 1;
    }
    if (to)
        *to = 0;
    return text;
}

static void replace(char **text, char *with)
{
    free(*text);
    *text = with;
}

bool disposition_parse(const char *text, size_t length, struct disposition *disposition)
{
    *disposition = (struct disposition){0};
    if (memchr(text, 0, length))
        return false;
    struct cursor cursor = after_type(text, length), name;
    bool extended = false;
    char *value;
    while (take_parameter(&cursor, &name, &value)) {
        if (is_called(&name, "filename*")) {
            char *decoded = extended_value(value);
            if (decoded) {
                replace(&disposition->name, decoded);
                extended = true;
            }
        } else if (is_called(&name, "filename") && !extended) {
            replace(&disposition->name, unescape_browser(to_utf8(value)));
        } else if (is_called(&name, "name")) {
            replace(&disposition->field, unescape_browser(to_utf8(value)));
        } else {
            free(value);
        }
    }
    skip_blanks(&cursor);
    if (cursor.at == cursor.end)
        return true;
    disposition_release(disposition);
    return false;
}

void disposition_release(struct disposition *disposition)
{
    free(disposition->field);
    free(disposition->name);
    *disposition = (struct disposition){0};
}

/* Whether a path component is "..". */
static bool climbs(const char *name)
{
    for (const char *part = name; part; part = strchr(part, '/')) {
        part += *part == '/';
        if (part[0] == '.' && part[1] == '.' && (part[2] == '/' || !part[2]))
            return true;
    }
    return false;
}

/* Removes empty and "." components: "a//b/./c/" becomes "a/b/c". */
static void drop_empty_steps(char *name)
{
    char *to = name;
    for (const char *from = name; *from;) {
        size_t length = strcspn(from, "/");
        if (length && (length != 1 || *from != '.')) {
            if (to != name)
                *to++ = '/';
            memmove(to, from, length);
            to += length;
        }
        from += length + (from[length] == '/');
    }
    *to = 0;
}

void name_stay_inside(char *name)
{
    for (char *at = name; *at; at++)
        *at = *at == '\\' ? '/' : *at;
    bool absolute = *name == '/';
    drop_empty_steps(name);
    bool drive = ((*name | 32) >= 'a' && (*name | 32) <= 'z') && name[1] == ':';
    if (!absolute && !drive && !climbs(name))
        return;
    const char *slash = strrchr(name, '/');
    const char *last = slash ? slash + 1 : name + 2 * drive;
    memmove(name, last, strlen(last) + 1);
    if (!strcmp(name, ".."))
        *name = 0;
}
