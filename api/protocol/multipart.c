#include "api/protocol/multipart.h"

#include "lib/core/error.h"
#include "api/protocol/disposition.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum {
    MAX_BOUNDARY = 70, /* RFC 2046, 5.1.1 */
    MAX_HEADERS = 32,  /* of a part */
    MAX_HEADER = 4096,
};

struct parse {
    struct pose_bytes body;
    size_t at;
    char mark[MAX_BOUNDARY + 5]; /* "\r\n--" and the boundary */
    size_t mark_size;
    struct parts *parts;
    uint32_t most;
    struct pose_error *error;
};

static bool fail(struct parse *parse, const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool fail(struct parse *parse, const char *format, ...)
{
    struct pose_error *error = parse->error;
    char what[160];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    pose_error_init(error);
    error->status = POSE_BAD_ARGUMENT;
    error->offset = parse->at;
    strcpy(error->code, "bad_multipart");
    snprintf(error->detail, sizeof error->detail, "the multipart body at byte %zu: %s", parse->at, what);
    return false;
}

bool multipart_is(const char *content_type)
{
    static const char type[] = "multipart/form-data";
    if (!content_type || strncasecmp(content_type, type, sizeof type - 1))
        return false;
    return !content_type[sizeof type - 1] || strchr("; \t", content_type[sizeof type - 1]);
}

static bool read_boundary(struct parse *parse, const char *content_type)
{
    char *boundary = header_parameter(content_type, strlen(content_type), "boundary");
    size_t length = boundary ? strlen(boundary) : 0;
    bool fits = length > 0 && length <= MAX_BOUNDARY;
    if (fits)
        parse->mark_size = (size_t)snprintf(parse->mark, sizeof parse->mark, "\r\n--%s", boundary);
    free(boundary);
    return fits || fail(parse, "Content-Type names no boundary of 1 to %d characters", MAX_BOUNDARY);
}

static const uint8_t *here(const struct parse *parse)
{
    return parse->body.data + parse->at;
}

static size_t left(const struct parse *parse)
{
    return parse->body.size - parse->at;
}

static bool starts_with(const struct parse *parse, const char *text, size_t size)
{
    return left(parse) >= size && !memcmp(here(parse), text, size);
}

/* The bytes after a boundary: the end of its line, or the end of the body. False if it was not a boundary
 * after all. */
static bool ends_mark(const struct parse *parse, size_t at, bool *last, size_t *after)
{
    const uint8_t *data = parse->body.data;
    size_t size = parse->body.size;
    *last = size - at >= 2 && data[at] == '-' && data[at + 1] == '-';
    *after = at + 2;
    if (*last)
        return true;
    while (at < size && (data[at] == ' ' || data[at] == '\t'))
        at++;
    *after = at + 2;
    return size - at >= 2 && data[at] == '\r' && data[at + 1] == '\n';
}

/* Moves past the next boundary and returns the content before it. False if there is none. */
static bool next_mark(struct parse *parse, struct pose_bytes *content, bool *last)
{
    size_t begin = parse->at, at = begin;
    while (at < parse->body.size) {
        const uint8_t *found =
            memmem(parse->body.data + at, parse->body.size - at, parse->mark, parse->mark_size);
        if (!found)
            break;
        size_t start = (size_t)(found - parse->body.data);
        if (ends_mark(parse, start + parse->mark_size, last, &parse->at)) {
            *content = (struct pose_bytes){parse->body.data + begin, start - begin};
            return true;
        }
        at = start + 2;
    }
    parse->at = parse->body.size;
    return fail(parse, "the closing boundary is missing");
}

/* ----------------------------------------------------------------------------------------------- headers -- */

struct header {
    const char *name, *value;
    size_t name_length, value_length;
};

/* One header line of a part; name_length 0 is the empty line that ends the headers. */
static bool next_header(struct parse *parse, struct header *header)
{
    const char *begin = (const char *)here(parse);
    size_t room = left(parse) < MAX_HEADER ? left(parse) : MAX_HEADER;
    const char *end = memmem(begin, room, "\r\n", 2);
    if (!end)
        return fail(parse, "a header line of a part is not terminated");
    size_t length = (size_t)(end - begin);
    const char *colon = memchr(begin, ':', length);
    *header = (struct header){0};
    if (length && (!colon || colon == begin))
        return fail(parse, "malformed part header");
    if (length) {
        const char *value = colon + 1;
        while (value < end && (*value == ' ' || *value == '\t'))
            value++;
        *header = (struct header){begin, value, (size_t)(colon - begin), (size_t)(end - value)};
    }
    parse->at += length + 2;
    return true;
}

static bool is_called(const struct header *header, const char *name)
{
    return header->name_length == strlen(name) && !strncasecmp(header->name, name, header->name_length);
}

static bool is_one_of(const struct header *header, const char *const *words)
{
    for (; *words; words++) {
        if (header->value_length == strlen(*words) &&
            !strncasecmp(header->value, *words, header->value_length))
            return true;
    }
    return false;
}

static bool read_head(struct parse *parse, struct disposition *disposition)
{
    static const char *const codings[] = {"7bit", "8bit", "binary", "", NULL};
    struct header header = {0};
    for (unsigned i = 0; i < MAX_HEADERS; i++) {
        if (!next_header(parse, &header))
            return false;
        if (!header.name_length)
            return true;
        if (is_called(&header, "Content-Disposition")) {
            disposition_release(disposition);
            if (!disposition_parse(header.value, header.value_length, disposition))
                return fail(parse, "malformed Content-Disposition");
        } else if (is_called(&header, "Content-Transfer-Encoding") && !is_one_of(&header, codings)) {
            return fail(parse, "unsupported Content-Transfer-Encoding (only binary)");
        }
    }
    return fail(parse, "a part has more than %d header lines", MAX_HEADERS);
}

/* ------------------------------------------------------------------------------------------------- parts -- */

static bool add_part(struct parse *parse, struct disposition *disposition, struct pose_bytes content)
{
    bool named = disposition->name && *disposition->name;
    if (!content.size && !named)
        return true;
    if (parse->parts->count == parse->most) {
        fail(parse, "more than %u parts", parse->most);
        parse->error->status = POSE_OVER_LIMIT;
        strcpy(parse->error->code, "over_limit");
        strcpy(parse->error->limit, "max-entries");
        return false;
    }
    char *name = named ? disposition->name : disposition->field ? disposition->field : NULL;
    if (name)
        name_stay_inside(name);
    return parts_add(parse->parts, name && *name ? name : "unnamed", content) ||
           error_no_memory(parse->error);
}

static bool read_part(struct parse *parse, bool *last)
{
    struct disposition disposition = {0};
    struct pose_bytes content;
    bool done = read_head(parse, &disposition);
    /* The line break before a boundary belongs to the boundary; in an empty part it also ends the headers. */
    if (done)
        parse->at -= 2;
    done = done && next_mark(parse, &content, last);
    if (done && content.size >= 2)
        content = (struct pose_bytes){content.data + 2, content.size - 2};
    done = done && add_part(parse, &disposition, content);
    disposition_release(&disposition);
    return done;
}

bool multipart_parse(const char *content_type, struct pose_bytes body, uint32_t most, struct parts *parts,
                     struct pose_error *error)
{
    struct parse parse = {.body = body, .parts = parts, .most = most, .error = error};
    struct pose_bytes preamble;
    bool last = false, done;
    *parts = (struct parts){0};
    if (!read_boundary(&parse, content_type))
        return false;
    if (starts_with(&parse, parse.mark + 2, parse.mark_size - 2) &&
        ends_mark(&parse, parse.mark_size - 2, &last, &parse.at))
        done = true;
    else
        done = next_mark(&parse, &preamble, &last);
    while (done && !last)
        done = read_part(&parse, &last);
    if (!done)
        parts_release(parts);
    return done;
}
