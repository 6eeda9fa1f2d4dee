#include "api/protocol/multipart.h"

#include "lib/core/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum {
    MAX_BOUNDARY = 70,  /* RFC 2046, 5.1.1 */
    MAX_PADDING = 1024, /* blanks after a boundary */
    MAX_HEADERS = 32,   /* of a part */
    MAX_HEADER = 4096,
};
_Static_assert(MAX_BOUNDARY + 5 <= (int)MULTIPART_MARK, "a mark is \"\\r\\n--\", the boundary and a NUL");
/* Whatever has to be seen as a whole fits into what is held: a full one always moves on. */
_Static_assert((int)MAX_HEADER <= (int)MULTIPART_HELD, "held bytes");
_Static_assert(MAX_BOUNDARY + MAX_PADDING + 10 <= (int)MULTIPART_HELD, "held bytes");

static bool fail(struct multipart *form, uint64_t ahead, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static bool fail(struct multipart *form, uint64_t ahead, const char *format, ...)
{
    struct pose_error *error = &form->error;
    uint64_t at = form->at + ahead > 2 ? form->at + ahead - 2 : 0;
    char what[160];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    pose_error_init(error);
    error->status = POSE_BAD_ARGUMENT;
    error->offset = at;
    strcpy(error->code, "bad_multipart");
    snprintf(error->detail, sizeof error->detail, "the multipart body at byte %llu: %s",
             (unsigned long long)at, what);
    form->state = MULTIPART_FAILED;
    return false;
}

/* The sink's result. */
static bool take(struct multipart *form, bool taken)
{
    if (!taken)
        form->state = MULTIPART_FAILED;
    return taken;
}

bool multipart_is(const char *content_type)
{
    static const char type[] = "multipart/form-data";
    if (!content_type || strncasecmp(content_type, type, sizeof type - 1))
        return false;
    return !content_type[sizeof type - 1] || strchr("; \t", content_type[sizeof type - 1]);
}

/* ----------------------------------------------------------------------------------------------- headers -- */

struct header {
    const char *name, *value;
    size_t name_length, value_length;
};

static bool split_header(const char *line, size_t length, struct header *header)
{
    const char *colon = memchr(line, ':', length), *end = line + length;
    if (!colon || colon == line)
        return false;
    const char *value = colon + 1;
    while (value < end && (*value == ' ' || *value == '\t'))
        value++;
    *header = (struct header){line, value, (size_t)(colon - line), (size_t)(end - value)};
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

static bool read_header(struct multipart *form, const char *line, size_t length)
{
    static const char *const codings[] = {"7bit", "8bit", "binary", "", NULL};
    struct header header;
    if (form->header_count++ == MAX_HEADERS)
        return fail(form, 0, "a part has more than %d header lines", MAX_HEADERS);
    if (!split_header(line, length, &header))
        return fail(form, 0, "malformed part header");
    if (is_called(&header, "Content-Disposition")) {
        disposition_release(&form->disposition);
        if (!disposition_parse(header.value, header.value_length, &form->disposition))
            return fail(form, 0, "malformed Content-Disposition");
    } else if (is_called(&header, "Content-Transfer-Encoding") && !is_one_of(&header, codings)) {
        return fail(form, 0, "unsupported Content-Transfer-Encoding (only binary)");
    }
    return true;
}

/* Returns the size of the header line, 0 if it is not whole or is the empty one. The break of the empty line is
 * left to the content: in an empty part it also belongs to the boundary. */
static size_t step_head(struct multipart *form, const uint8_t *data, size_t size)
{
    const char *line = (const char *)data;
    const char *end = memmem(line, size < MAX_HEADER ? size : MAX_HEADER, "\r\n", 2);
    if (!end && size >= MAX_HEADER)
        fail(form, 0, "a header line of a part is not terminated");
    if (!end)
        return 0;
    if (end != line)
        return read_header(form, line, (size_t)(end - line)) ? (size_t)(end - line) + 2 : 0;
    form->state = MULTIPART_CONTENT;
    form->has_begun = false;
    form->skipped = 0;
    form->size = 0;
    return 0;
}

/* ----------------------------------------------------------------------------------------------- content -- */

static bool over_limit(struct multipart *form)
{
    fail(form, 0, "more than %u parts", form->most);
    form->error.status = POSE_OVER_LIMIT;
    strcpy(form->error.code, "over_limit");
    strcpy(form->error.limit, "max-entries");
    return false;
}

static bool begin_file(struct multipart *form, uint64_t offset)
{
    if (form->count == form->most)
        return over_limit(form);
    const struct disposition *found = &form->disposition;
    char *name = found->name && *found->name ? found->name : found->field;
    if (name)
        name_stay_inside(name);
    form->count++;
    form->has_begun = true;
    return take(form, form->sink.begin(form->sink.user, name && *name ? name : "unnamed", offset));
}

static bool add_content(struct multipart *form, const uint8_t *data, size_t size)
{
    size_t skip = form->skipped < 2 ? 2 - form->skipped : 0;
    skip = skip < size ? skip : size;
    form->skipped += (unsigned)skip;
    if (form->state == MULTIPART_PREAMBLE || size == skip)
        return true;
    if (!form->has_begun && !begin_file(form, form->at + skip - 2))
        return false;
    form->size += size - skip;
    return take(form, form->sink.data(form->sink.user, data + skip, size - skip));
}

static bool end_content(struct multipart *form)
{
    struct disposition *found = &form->disposition;
    bool done = true;
    if (form->state == MULTIPART_CONTENT) {
        if (!form->has_begun && found->name && *found->name)
            done = begin_file(form, form->at - 2);
        done = done && (!form->has_begun || take(form, form->sink.end(form->sink.user, form->size)));
        disposition_release(found);
    }
    form->header_count = 0;
    return done;
}

/* --------------------------------------------------------------------------------------------- boundaries -- */

enum after_mark { NOT_A_BOUNDARY, NEXT_PART, LAST_BOUNDARY, TOO_SHORT };

/* The bytes after a boundary: the end of its line, or "--" at the end of the form. */
static enum after_mark look_after(const uint8_t *data, size_t size, size_t *length)
{
    *length = 2;
    if (size >= 2 && data[0] == '-' && data[1] == '-')
        return LAST_BOUNDARY;
    size_t blanks = 0;
    while (blanks < size && blanks <= MAX_PADDING && (data[blanks] == ' ' || data[blanks] == '\t'))
        blanks++;
    if (blanks > MAX_PADDING)
        return NOT_A_BOUNDARY;
    *length = blanks + 2;
    if (size - blanks >= 2)
        return data[blanks] == '\r' && data[blanks + 1] == '\n' ? NEXT_PART : NOT_A_BOUNDARY;
    bool may_be = size == blanks || data[blanks] == '\r' || (!blanks && data[0] == '-');
    return may_be ? TOO_SHORT : NOT_A_BOUNDARY;
}

/* The number of bytes before one that may begin a mark which goes on in the next piece. */
static size_t before_mark(const struct multipart *form, const uint8_t *data, size_t size, size_t at)
{
    if (size - at >= form->mark_size)
        at = size - form->mark_size + 1;
    while (at < size && memcmp(data + at, form->mark, size - at) != 0)
        at++;
    return at;
}

/* How much of the data is content for certain, and what follows it. */
static size_t find_boundary(const struct multipart *form, const uint8_t *data, size_t size,
                            enum after_mark *after, size_t *length)
{
    size_t at = 0;
    for (;;) {
        const uint8_t *found = memmem(data + at, size - at, form->mark, form->mark_size);
        *after = TOO_SHORT;
        if (!found)
            return before_mark(form, data, size, at);
        at = (size_t)(found - data);
        *after = look_after(found + form->mark_size, size - at - form->mark_size, length);
        if (*after != NOT_A_BOUNDARY)
            return at;
        at += 2;
    }
}

static size_t step_content(struct multipart *form, const uint8_t *data, size_t size)
{
    enum after_mark after;
    size_t length = 0;
    size_t content = find_boundary(form, data, size, &after, &length);
    if (!add_content(form, data, content))
        return 0;
    if (after == TOO_SHORT)
        return content;
    form->at += content;
    if (end_content(form))
        form->state = after == NEXT_PART ? MULTIPART_HEAD : MULTIPART_DONE;
    form->at -= content;
    return content + form->mark_size + length;
}

/* ------------------------------------------------------------------------------------------------ pieces -- */

/* Returns how many bytes are done with; the rest needs what follows it. */
static size_t process(struct multipart *form, const uint8_t *data, size_t size)
{
    size_t done = 0, step = 0;
    int before;
    do {
        before = (int)form->state;
        if (form->state == MULTIPART_FAILED || form->state == MULTIPART_DONE)
            return size;
        step = form->state == MULTIPART_HEAD ? step_head(form, data + done, size - done)
                                             : step_content(form, data + done, size - done);
        done += step;
        form->at += step;
    } while (done < size && (step || (int)form->state != before));
    return done;
}

bool multipart_push(struct multipart *form, const void *bytes, size_t size)
{
    const uint8_t *data = bytes;
    while (size && form->state != MULTIPART_FAILED) {
        size_t old = form->held, done;
        if (old) {
            size_t more = sizeof form->hold - old < size ? sizeof form->hold - old : size;
            memcpy(form->hold + old, data, more);
            done = process(form, form->hold, old + more);
            form->held = done < old ? old + more - done : 0;
            memmove(form->hold, form->hold + done, form->held);
            done = done < old ? more : done - old;
        } else {
            done = process(form, data, size);
            if (size - done < sizeof form->hold) {
                form->held = size - done;
                memcpy(form->hold, data + done, form->held);
                done = size;
            }
        }
        data += done;
        size -= done;
    }
    return form->state != MULTIPART_FAILED;
}

bool multipart_begin(struct multipart *form, const char *content_type, uint32_t most,
                     const struct multipart_sink *sink)
{
    *form = (struct multipart){.sink = *sink, .most = most};
    char *boundary = header_parameter(content_type, strlen(content_type), "boundary");
    size_t length = boundary ? strlen(boundary) : 0;
    bool fits = length > 0 && length <= MAX_BOUNDARY;
    if (fits)
        form->mark_size = (size_t)snprintf(form->mark, sizeof form->mark, "\r\n--%s", boundary);
    free(boundary);
    if (!fits)
        return fail(form, 0, "Content-Type names no boundary of 1 to %d characters", MAX_BOUNDARY);
    /* The first boundary has no line break before it if it begins the body. So the body begins with one here. */
    return multipart_push(form, "\r\n", 2);
}

bool multipart_end(struct multipart *form)
{
    if (form->state == MULTIPART_HEAD)
        fail(form, 0, "a header line of a part is not terminated");
    else if (form->state == MULTIPART_PREAMBLE || form->state == MULTIPART_CONTENT)
        fail(form, form->held, "the closing boundary is missing");
    return form->state == MULTIPART_DONE;
}

void multipart_release(struct multipart *form)
{
    disposition_release(&form->disposition);
}

/* ---------------------------------------------------------------------------------------------- in memory -- */

struct whole {
    struct pose_bytes body;
    struct parts *parts;
};

static bool begin_part(void *user, const char *name, uint64_t offset)
{
    const struct whole *whole = user;
    return parts_add(whole->parts, name, (struct pose_bytes){whole->body.data + offset, 0});
}

static bool skip_data(void *user, const uint8_t *data, size_t size)
{
    (void)user, (void)data, (void)size;
    return true;
}

static bool end_part(void *user, uint64_t size)
{
    const struct whole *whole = user;
    whole->parts->items[whole->parts->count - 1].bytes.size = (size_t)size;
    return true;
}

bool multipart_parse(const char *content_type, struct pose_bytes body, uint32_t most, struct parts *parts,
                     struct pose_error *error)
{
    struct multipart form;
    struct whole whole = {body, parts};
    const struct multipart_sink sink = {&whole, begin_part, skip_data, end_part};
    *parts = (struct parts){0};
    bool done = multipart_begin(&form, content_type, most, &sink) &&
                multipart_push(&form, body.data, body.size) && multipart_end(&form);
    if (!done) {
        pose_error_init(error);
        if (form.error.status)
            *error = form.error;
        else
            error_no_memory(error);
        parts_release(parts);
    }
    multipart_release(&form);
    return done;
}
