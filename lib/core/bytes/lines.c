#include "lib/core/bytes/lines.h"

#include "lib/core/numbers/decimal.h"
#include "lib/core/text.h"

#include <string.h>

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f' || c == '\0';
}

void lines_init(struct lines *lines, struct reader *reader)
{
    *lines = (struct lines){.reader = reader};
    reader->line = 1;
}

bool lines_next(struct lines *lines, const char *field)
{
    struct reader *reader = lines->reader;
    if (reader->failed)
        return false;
    reader->last = reader->at;
    reader->last_field = field;
    reader->line = lines->number + 1;
    if (reader->at == reader->end)
        return reader_fail(reader, "truncated", "the file ends too early");
    const uint8_t *end = memchr(reader->at, '\n', reader_left(reader));
    lines->at = (const char *)reader->at;
    lines->end = (const char *)(end ? end : reader->end);
    reader->at = end ? end + 1 : reader->end;
    lines->number++;
    while (lines->at < lines->end && is_blank(*lines->at))
        lines->at++;
    while (lines->at < lines->end && is_blank(lines->end[-1]))
        lines->end--;
    return true;
}

bool lines_record(struct lines *lines, const char *field)
{
    while (lines_next(lines, field)) {
        bool comment = lines->end - lines->at >= 2 && lines->at[0] == '/' && lines->at[1] == '/';
        if (lines->at < lines->end && !comment)
            return true;
    }
    return false;
}

bool lines_field(struct lines *lines, const char **text, size_t *length)
{
    const char *at = lines->at, *end = lines->end;
    while (at < end && is_blank(*at))
        at++;
    *text = at;
    while (at < end && !is_blank(*at))
        at++;
    *length = (size_t)(at - *text);
    lines->at = at;
    return *length > 0;
}

/* Records the position of a field, for errors about it. */
static void note(struct lines *lines, const char *text, const char *field)
{
    lines->reader->last = (const uint8_t *)text;
    lines->reader->last_field = field;
}

/* Quotes the start of a field in an error; bytes that are not printable ASCII become '?'. */
static void fail_number(struct lines *lines, enum decimal_result result, const char *text, size_t length)
{
    char shown[33];
    size_t count = length < sizeof shown - 1 ? length : sizeof shown - 1;
    for (size_t i = 0; i < count; i++)
        shown[i] = text[i] > ' ' && text[i] <= '~' ? text[i] : '?';
    shown[count] = 0;
    if (!length)
        reader_fail(lines->reader, "bad_number", "a number is missing");
    else if (result == DECIMAL_NON_FINITE)
        reader_fail(lines->reader, "non_finite", "\"%s\" is not a finite number", shown);
    else if (result == DECIMAL_TOO_LARGE)
        reader_fail(lines->reader, "bad_number", "%s does not fit into 32 bits", shown);
    else
        reader_fail(lines->reader, "bad_number", "\"%s\" is not a valid number", shown);
}

int32_t lines_i32(struct lines *lines, const char *field)
{
    const char *text;
    size_t length;
    int32_t value;
    if (lines->reader->failed)
        return 0;
    lines_field(lines, &text, &length);
    note(lines, text, field);
    enum decimal_result result = decimal_i32(text, length, &value);
    if (result != DECIMAL_OK)
        fail_number(lines, result, text, length);
    return value;
}

float lines_float(struct lines *lines, const char *field)
{
    const char *text;
    size_t length;
    float value;
    if (lines->reader->failed)
        return 0;
    lines_field(lines, &text, &length);
    note(lines, text, field);
    enum decimal_result result = decimal_float(text, length, &value);
    if (result != DECIMAL_OK)
        fail_number(lines, result, text, length);
    return value;
}

bool lines_done(struct lines *lines)
{
    const char *text;
    size_t length;
    if (lines->reader->failed)
        return false;
    if (!lines_field(lines, &text, &length))
        return true;
    note(lines, text, NULL);
    return reader_fail(lines->reader, "bad_number", "too many fields in the line");
}

bool lines_at_end(const struct lines *lines)
{
    for (const uint8_t *at = lines->reader->at; at < lines->reader->end; at++) {
        if (*at != '\n' && !is_blank((char)*at))
            return false;
    }
    return true;
}
