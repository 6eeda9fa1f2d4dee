#include "lib/core/json.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --------------------------------------------------------------------------------------------- looking over -- */

/* Counts of a text's elements, made without a parser. */
struct census {
    size_t objects, arrays, pairs, items, strings; /* items: commas, plus one per bracket */
    size_t too_deep;                               /* offset of a bracket beyond the depth, SIZE_MAX: none */
};

/* The offset after the string that begins at at, or size. */
static size_t skip_string(const uint8_t *text, size_t size, size_t at)
{
    size_t quote = 0; /* the next one */
    for (at++; at < size;) {
        if (quote < at) {
            const uint8_t *found = memchr(text + at, '"', size - at);
            if (!found)
                return size;
            quote = (size_t)(found - text);
        }
        const uint8_t *escape = memchr(text + at, '\\', quote - at);
        if (!escape)
            return quote + 1;
        at = (size_t)(escape - text) + 2;
    }
    return size;
}

static struct census take_census(struct pose_bytes text)
{
    struct census census = {.too_deep = SIZE_MAX};
    unsigned depth = 0;
    for (size_t at = 0; at < text.size; at++) {
        switch (text.data[at]) {
        case '{':
        case '[':
            census.objects += text.data[at] == '{';
            census.arrays += text.data[at] == '[';
            census.items++;
            if (++depth > JSON_DEPTH && census.too_deep == SIZE_MAX)
                census.too_deep = at;
            break;
        case '}':
        case ']':
            depth -= depth > 0;
            break;
        case ',':
            census.items++;
            break;
        case ':':
            census.pairs++;
            break;
        case '"':
            census.strings++;
            at = skip_string(text.data, text.size, at) - 1;
            break;
        default:
            break;
        }
    }
    return census;
}

/* An upper bound of the bytes that jansson 2.14 needs: its structures, rounded up as malloc does, tables after
 * their last doubling, and a second copy of strings while they are read. */
static uint64_t estimate(struct pose_bytes text, const struct census *census)
{
    return 3 * (uint64_t)text.size + 256 * (uint64_t)census->objects + 144 * (uint64_t)census->arrays +
           64 * (uint64_t)census->items + 128 * (uint64_t)census->pairs + 64 * (uint64_t)census->strings;
}

/* ------------------------------------------------------------------------------------------------ set aside -- */

/*
 * jansson reads strings byte by byte, at 12 MB per second, and a single string of a glTF may have a hundred MB. So
 * long strings of plain ASCII without escapes are replaced before parsing by a marker character that no string of
 * the text contains, followed by their number.
 */
enum { LONG_STRING = 4096, MARK = 1 };

struct aside {
    const char *text; /* borrowed from the file, without its quotes */
    size_t length;
    size_t at; /* where its number stands in the shortened text */
    size_t removed;
};

struct asides {
    uint32_t count, capacity;
    struct aside *items;
    size_t removed; /* in all */
};

/* Without branches, so that the compiler can vectorise it. */
static bool is_plain(const uint8_t *text, size_t size)
{
    uint8_t odd = 0;
    for (size_t i = 0; i < size; i++)
        odd |= (uint8_t)((text[i] < 0x20) | (text[i] > 0x7e) | (text[i] == '\\'));
    return !odd;
}

/* The next string from at on that is long enough; size when there is none. end: the offset after it. */
static size_t find_long(struct pose_bytes text, size_t at, size_t *end)
{
    for (; at < text.size; at = *end) {
        const uint8_t *quote = memchr(text.data + at, '"', text.size - at);
        if (!quote)
            return text.size;
        at = (size_t)(quote - text.data);
        *end = skip_string(text.data, text.size, at);
        if (*end - at > LONG_STRING && text.data[*end - 1] == '"' &&
            is_plain(text.data + at + 1, *end - at - 2))
            return at;
    }
    return text.size;
}

enum { MARK_SIZE = 20 }; /* of a mark with its number and quotes, at most */

static size_t write_mark(uint32_t number, char mark[MARK_SIZE])
{
    return (size_t)snprintf(mark, MARK_SIZE, "\"\\u%04x%u\"", MARK, number);
}

/* A plain string has no backslash, so a mark of the text's own is outside those that are set aside. */
static bool has_mark(const uint8_t *text, size_t size)
{
    static const char mark[] = "\\u0001";
    return memmem(text, size, mark, sizeof mark - 1);
}

/* Lists the long strings; none if the text has a mark of its own. False if out of memory. */
static bool set_aside(struct arena *arena, struct asides *asides, struct pose_bytes text)
{
    bool is_marked = false;
    for (size_t begin = 0, end = 0, before = 0; begin < text.size && !is_marked; before = end) {
        begin = find_long(text, before, &end);
        is_marked = has_mark(text.data + before, begin - before);
        if (begin == text.size)
            break;
        struct aside *items =
            arena_grow(arena, asides->items, asides->count, &asides->capacity, sizeof *items);
        char mark[MARK_SIZE];
        if (!items)
            return false;
        const size_t removed = end - begin - write_mark(asides->count, mark);
        asides->items = items;
        items[asides->count++] = (struct aside){.text = (const char *)text.data + begin + 1,
                                                .length = end - begin - 2,
                                                .at = begin - asides->removed,
                                                .removed = removed};
        asides->removed += removed;
    }
    if (is_marked)
        *asides = (struct asides){0};
    return true;
}

/* The text with marks in place of the strings that are set aside. */
static void put_marks(const struct asides *asides, struct pose_bytes text, char *shortened)
{
    const char *rest = (const char *)text.data, *end = rest + text.size;
    for (uint32_t i = 0; i < asides->count; i++) {
        const struct aside *aside = &asides->items[i];
        const size_t before = (size_t)(aside->text - 1 - rest);
        char mark[MARK_SIZE];
        const size_t length = write_mark(i, mark);
        memcpy(shortened, rest, before);
        memcpy(shortened + before, mark, length);
        shortened += before + length;
        rest = aside->text + aside->length + 1;
    }
    memcpy(shortened, rest, (size_t)(end - rest));
}

/* Sets text to what jansson reads; unchanged if no string is long. Returns false if out of memory. */
static bool shorten(struct arena *arena, struct pose_bytes *text, struct asides *asides)
{
    if (!set_aside(arena, asides, *text))
        return false;
    if (!asides->count)
        return true;
    const size_t size = text->size - asides->removed;
    char *shortened = arena_alloc(arena, size, 1);
    if (!shortened)
        return false;
    put_marks(asides, *text, shortened);
    *text = (struct pose_bytes){(const uint8_t *)shortened, size};
    return true;
}

/* Converts an offset in the shortened text to one in the file. */
static size_t place_before(const struct asides *asides, size_t at)
{
    size_t place = at;
    for (uint32_t i = 0; i < asides->count && asides->items[i].at < at; i++)
        place += asides->items[i].removed;
    return place;
}

/* ------------------------------------------------------------------------------------------------- numbers -- */

/*
 * The float for a text that was read as a double. If the double lies exactly between two floats, rounding has lost
 * which side the text was on: if it is the shortest text of one of them, that one is returned.
 */
static float nearest_float(double number)
{
    float nearest = (float)number;
    float other = nextafterf(nearest, (double)nearest < number ? INFINITY : -INFINITY);
    if ((double)nearest == number || !isfinite(other) ||
        (double)nearest + (double)other != 2 * number) /* exact: both have 24 bits */
        return nearest;
    char text[POSE_FLOAT_TEXT + 1];
    text[pose_float_text(other, text)] = 0;
    json_t *again = json_loads(text, JSON_DECODE_ANY | JSON_DECODE_INT_AS_REAL, NULL);
    bool is_other = again && json_real_value(again) == number;
    json_decref(again);
    return is_other ? other : nearest;
}

static void put_number(struct value_list *list, const char *key, double number)
{
    bool whole = number == floor(number) && fabs(number) <= 9007199254740992.0;
    if (whole && !(number == 0 && signbit(number)))
        value_put_int(list, key, (int64_t)number);
    else if (fabs(number) > 3.5e38)
        value_put_null(list, key);
    else
        value_put_float(list, key, nearest_float(number));
}

/* --------------------------------------------------------------------------------------------------- trees -- */

/* An array or object whose items are being converted. */
struct frame {
    json_t *from;
    void *member; /* of an object */
    size_t index; /* of an array */
    struct value_list to;
    const char *key;
};

/* The next item of the frame; NULL after the last one. */
static json_t *next_item(struct frame *frame, const char **key)
{
    *key = NULL;
    if (json_is_array(frame->from))
        return json_array_get(frame->from, frame->index++);
    if (!frame->member)
        return NULL;
    json_t *item = json_object_iter_value(frame->member);
    *key = json_object_iter_key(frame->member);
    frame->member = json_object_iter_next(frame->from, frame->member);
    return item;
}

static struct frame open_frame(struct arena *arena, json_t *from, const char *key)
{
    bool is_object = json_is_object(from);
    return (struct frame){.from = from,
                          .member = is_object ? json_object_iter(from) : NULL,
                          .to = is_object ? value_object(arena) : value_array(arena),
                          .key = key};
}

static const struct aside *aside_of(const struct asides *asides, const char *text)
{
    return asides->count && text[0] == MARK ? &asides->items[strtoul(text + 1, NULL, 10)] : NULL;
}

static void put_scalar(struct value_list *list, const char *key, const json_t *item,
                       const struct asides *asides)
{
    const struct aside *aside = json_is_string(item) ? aside_of(asides, json_string_value(item)) : NULL;
    if (aside)
        value_put_string(list, key, arena_text(list->arena, aside->text, aside->length));
    else if (json_is_string(item))
        value_put_string(list, key,
                         arena_text(list->arena, json_string_value(item), json_string_length(item)));
    else if (json_is_number(item))
        put_number(list, key, json_number_value(item));
    else if (json_is_boolean(item))
        value_put_bool(list, key, json_is_true(item));
    else
        value_put_null(list, key);
}

/* The name of a member; a long one was set aside. */
static const char *own_key(struct arena *arena, const struct asides *asides, const char *key)
{
    const struct aside *aside = aside_of(asides, key);
    return aside ? arena_text(arena, aside->text, aside->length) : arena_copy_text(arena, key);
}

/* The tree of an array or object, at most JSON_DEPTH deep. */
static const struct pose_value *take_over(struct arena *arena, json_t *root, const struct asides *asides)
{
    struct frame stack[JSON_DEPTH];
    unsigned depth = 0;
    stack[depth++] = open_frame(arena, root, NULL);
    for (;;) {
        struct frame *frame = &stack[depth - 1];
        const char *key;
        json_t *item = arena->failed ? NULL : next_item(frame, &key);
        if (item && key)
            key = own_key(arena, asides, key);
        if (!item) {
            if (--depth == 0)
                return frame->to.value;
            value_put_list(&stack[depth - 1].to, frame->key, &frame->to);
        } else if (!json_is_array(item) && !json_is_object(item)) {
            put_scalar(&frame->to, key, item, asides);
        } else if (depth < JSON_DEPTH) {
            stack[depth++] = open_frame(arena, item, key);
        }
    }
}

/* ------------------------------------------------------------------------------------------------- opening -- */

bool json_vrefuse(struct pose_error *error, enum pose_status status, const char *code, const char *object,
                  const char *member, const char *format, va_list arguments)
{
    char reason[240];
    bool is_whole = !*object && !*member;
    if (!error || error_is_set(error))
        return false;
    vsnprintf(reason, sizeof reason, format, arguments);
    error_set(error, status, code, "%s%s%s%s", object, member, is_whole ? "" : ": ", reason);
    snprintf(error->field, sizeof error->field, "%s%s", object, member);
    if (is_whole)
        error->offset = 0;
    return false;
}

bool json_refuse(struct pose_error *error, enum pose_status status, const char *code, const char *object,
                 const char *member, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    json_vrefuse(error, status, code, object, member, format, arguments);
    va_end(arguments);
    return false;
}

/* jansson counts lines from 1 and bytes from 0, and stops after the offending token. */
static bool refuse_text(struct pose_error *error, const json_error_t *reason, struct pose_bytes text,
                        uint64_t offset, const struct asides *asides)
{
    size_t at = place_before(asides, reason->position > 0 ? (size_t)reason->position : 0);
    uint64_t place = offset + (at < text.size ? at : text.size);
    if (json_error_code(reason) == json_error_out_of_memory)
        return error_no_memory(error);
    if (!error || error_is_set(error))
        return false;
    error_set(error, POSE_BAD_DATA, "bad_json", "at line %d, byte %llu: %s", reason->line,
              (unsigned long long)place, reason->text);
    error->offset = place;
    error->line = reason->line > 0 ? (uint32_t)reason->line : 1;
    return false;
}

static bool refuse_depth(struct pose_error *error, uint64_t offset)
{
    if (!error || error_is_set(error))
        return false;
    error_set(error, POSE_BAD_DATA, "too_deep", "at byte %llu: arrays and objects more than %d deep",
              (unsigned long long)offset, JSON_DEPTH);
    error->offset = offset;
    return false;
}

/* Removes a leading byte order mark and trailing NUL bytes. */
static struct pose_bytes trim(struct pose_bytes text, uint64_t *offset)
{
    if (text.size >= 3 && !memcmp(text.data, "\xef\xbb\xbf", 3)) {
        text.data += 3;
        text.size -= 3;
        *offset += 3;
    }
    while (text.size && !text.data[text.size - 1])
        text.size--;
    return text;
}

/* Both arenas share one limit. */
static void share_limit(struct json *json)
{
    json->document->limit = json->limit > json->arena.held ? json->limit - json->arena.held : 0;
}

/* Text that jansson asks for in small pieces. */
struct feed {
    struct pose_bytes left;
    struct arena *arena;
};

static size_t feed(void *buffer, size_t size, void *user)
{
    struct feed *feed = user;
    if (!arena_step(feed->arena))
        return (size_t)-1;
    const size_t count = size < feed->left.size ? size : feed->left.size;
    if (count)
        memcpy(buffer, feed->left.data, count);
    feed->left = (struct pose_bytes){feed->left.data + count, feed->left.size - count};
    return count;
}

bool json_open(struct json *json, struct pose_bytes text, uint64_t offset, struct arena *document,
               struct pose_error *error)
{
    *json = (struct json){.document = document, .limit = document->limit};
    arena_init(&json->arena, document->allocator, document->limit, error);
    json->arena.stop = document->stop;
    text = trim(text, &offset);
    struct asides asides = {0};
    struct pose_bytes shortened = text;
    json->arena.limit = document->limit - document->held;
    if (!shorten(&json->arena, &shortened, &asides))
        return false;
    struct census census = take_census(shortened);
    if (census.too_deep != SIZE_MAX)
        return refuse_depth(error, offset + place_before(&asides, census.too_deep));
    uint64_t needed = estimate(shortened, &census);
    for (uint32_t i = 0; i < asides.count; i++)
        needed += asides.items[i].length;
    if (needed > document->limit - document->held)
        return error_limit(error, "memory", "reading %zu bytes of JSON may take %llu bytes of memory",
                           text.size, (unsigned long long)needed);
    json->arena.limit = document->limit - document->held - (size_t)needed;
    json_error_t reason;
    struct feed from = {shortened, &json->arena};
    json_t *root = json_load_callback(feed, &from, JSON_DECODE_INT_AS_REAL, &reason);
    if (!root)
        return refuse_text(error, &reason, text, offset, &asides);
    json->root = take_over(&json->arena, root, &asides);
    json_decref(root);
    share_limit(json);
    return json->root && !json->arena.failed;
}

void json_close(struct json *json)
{
    arena_release(&json->arena);
    if (json->document)
        json->document->limit = json->limit;
}

void *json_alloc(struct json *json, size_t count, size_t size)
{
    json->arena.limit = json->limit > json->document->held ? json->limit - json->document->held : 1;
    void *memory = arena_alloc(&json->arena, count, size);
    share_limit(json);
    return memory;
}

bool json_list(struct json *json, const struct pose_value *array, struct json_list *list)
{
    *list = (struct json_list){0};
    if (!array)
        return true;
    if (array->kind != POSE_ARRAY)
        return false;
    list->items = json_alloc(json, value_count(array), sizeof *list->items);
    for (const struct pose_value *item = array->first; item && list->items; item = item->next)
        list->items[list->count++] = item;
    return list->items;
}

/* ------------------------------------------------------------------------------------------------- probing -- */

static bool begins_as(uint8_t byte, char kind)
{
    return kind == '0' ? byte == '-' || (byte >= '0' && byte <= '9') : byte == (uint8_t)kind;
}

static bool is_blank(uint8_t byte)
{
    return byte == ' ' || byte == '\t' || byte == '\r' || byte == '\n';
}

static size_t skip_blanks(struct pose_bytes text, size_t at)
{
    while (at < text.size && is_blank(text.data[at]))
        at++;
    return at;
}

/* The index of the member that a key (with its quotes) names, -1 when none. */
static int find_member(const struct json_member *members, const uint8_t *key, size_t size)
{
    for (int i = 0; members[i].name; i++) {
        size_t length = strlen(members[i].name);
        if (size == length + 2 && !memcmp(key + 1, members[i].name, length))
            return i;
    }
    return -1;
}

/* Which of the members there are, a bit for each; with is_any the first one ends the search. */
static unsigned find_members(struct pose_bytes text, const struct json_member *members, bool is_any)
{
    uint64_t offset = 0;
    unsigned found = 0, wanted = 0, depth = 0;
    text = trim(text, &offset);
    while (members[wanted].name)
        wanted++;
    size_t at = skip_blanks(text, 0);
    if (at == text.size || text.data[at] != '{')
        return 0;
    while (at < text.size) {
        uint8_t byte = text.data[at];
        if (byte != '"') {
            depth += byte == '{' || byte == '[';
            depth -= depth && (byte == '}' || byte == ']');
            at++;
            continue;
        }
        size_t end = skip_string(text.data, text.size, at), next = skip_blanks(text, end);
        if (depth == 1 && next < text.size && text.data[next] == ':') {
            int member = find_member(members, text.data + at, end - at);
            next = skip_blanks(text, next + 1);
            if (member >= 0 && (!members[member].begins ||
                                (next < text.size && begins_as(text.data[next], members[member].begins))))
                found |= 1u << member;
            if (found == (1u << wanted) - 1 || (found && is_any))
                return found;
        }
        at = end;
    }
    return found;
}

bool json_has_members(struct pose_bytes text, const struct json_member *members)
{
    unsigned wanted = 0;
    while (members[wanted].name)
        wanted++;
    return find_members(text, members, false) == (1u << wanted) - 1;
}

bool json_has_any(struct pose_bytes text, const struct json_member *members)
{
    return find_members(text, members, true);
}
