#include "lib/core/bytes/writer.h"

#include "lib/core/arena.h"
#include "lib/core/text.h"

#include <math.h>
#include <stdio.h>

void pose_buffer_free(struct pose_buffer *buffer)
{
    if (buffer->capacity) {
        const struct pose_allocator *allocator = buffer->allocator ? buffer->allocator : allocator_default();
        allocator->free(allocator->user, buffer->data);
    }
    buffer->data = NULL;
    buffer->size = buffer->capacity = 0;
}

void writer_init(struct writer *writer, struct pose_buffer *out, struct pose_error *error)
{
    *writer = (struct writer){.out = out, .error = error};
}

void writer_init_part(struct writer *writer, struct pose_buffer *out, const struct writer *whole)
{
    *writer = (struct writer){.out = out, .error = whole->error, .limit = whole->limit, .stop = whole->stop};
}

/* Whether the file may become that large and go on at all; asked once a block. */
static bool check(struct writer *writer, size_t needed)
{
    enum { BLOCK = 64 * 1024 };
    if (writer->limit && needed > writer->limit)
        error_limit(writer->error, "max-output", "the file would have more than %zu bytes", writer->limit);
    else if (writer->stop && writer->stop->ask(writer->stop->user))
        error_stopped(writer->error);
    else
        writer->checked = needed > SIZE_MAX - BLOCK ? needed : needed + BLOCK;
    if (writer->limit && writer->checked > writer->limit)
        writer->checked = writer->limit;
    writer->failed = writer->checked < needed;
    return !writer->failed;
}

bool writer_expect(struct writer *writer, size_t size)
{
    if (!writer->failed && writer->limit && size > writer->limit - writer->out->size) {
        error_limit(writer->error, "max-output", "the file would have more than %zu bytes", writer->limit);
        writer->failed = true;
    }
    return !writer->failed;
}

static bool grow(struct writer *writer, size_t size)
{
    struct pose_buffer *out = writer->out;
    const struct pose_allocator *allocator = out->allocator ? out->allocator : allocator_default();
    size_t needed, capacity = out->capacity ? out->capacity : 256;
    if (__builtin_add_overflow(out->size, size, &needed) || needed > SIZE_MAX / 4)
        needed = capacity = 0;
    while (capacity < needed)
        capacity *= 2;
    uint8_t *data = capacity ? allocator->alloc(allocator->user, capacity) : NULL;
    if (!data) {
        writer->failed = true;
        return error_no_memory(writer->error);
    }
    if (out->size)
        memcpy(data, out->data, out->size);
    if (out->capacity)
        allocator->free(allocator->user, out->data);
    out->data = data;
    out->capacity = capacity;
    return true;
}

uint8_t *writer_reserve(struct writer *writer, size_t size)
{
    if (writer->failed)
        return NULL;
    size_t needed;
    if (__builtin_add_overflow(writer->out->size, size, &needed))
        needed = SIZE_MAX;
    if (needed > writer->checked && !check(writer, needed))
        return NULL;
    bool has_room = writer->out->data && writer->out->capacity - writer->out->size >= size;
    if (!has_room && !grow(writer, size))
        return NULL;
    return writer->out->data + writer->out->size;
}

void writer_commit(struct writer *writer, size_t size)
{
    if (!writer->failed)
        writer->out->size += size;
}

void writer_bytes(struct writer *writer, const void *bytes, size_t size)
{
    uint8_t *to = writer_reserve(writer, size);
    if (!to || !size)
        return;
    memcpy(to, bytes, size);
    writer->out->size += size;
}

void writer_zeros(struct writer *writer, size_t size)
{
    uint8_t *to = writer_reserve(writer, size);
    if (!to || !size)
        return;
    memset(to, 0, size);
    writer->out->size += size;
}

static void put_integer(struct writer *writer, uint64_t value, unsigned size, bool big_endian)
{
    uint8_t bytes[8];
    for (unsigned i = 0; i < size; i++)
        bytes[big_endian ? size - 1 - i : i] = (uint8_t)(value >> 8 * i);
    writer_bytes(writer, bytes, size);
}

void writer_u8(struct writer *writer, uint8_t value)
{
    writer_bytes(writer, &value, 1);
}

void writer_u16le(struct writer *writer, uint16_t value)
{
    put_integer(writer, value, 2, false);
}

void writer_u16be(struct writer *writer, uint16_t value)
{
    put_integer(writer, value, 2, true);
}

void writer_u32le(struct writer *writer, uint32_t value)
{
    put_integer(writer, value, 4, false);
}

void writer_u32be(struct writer *writer, uint32_t value)
{
    put_integer(writer, value, 4, true);
}

void writer_u64le(struct writer *writer, uint64_t value)
{
    put_integer(writer, value, 8, false);
}

static uint32_t bits_of_float(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

void writer_f32le(struct writer *writer, float value)
{
    put_integer(writer, bits_of_float(value), 4, false);
}

void writer_f32be(struct writer *writer, float value)
{
    put_integer(writer, bits_of_float(value), 4, true);
}

static void patch(struct writer *writer, size_t offset, uint32_t value, bool big_endian)
{
    if (writer->failed)
        return;
    for (unsigned i = 0; i < 4; i++)
        writer->out->data[offset + (big_endian ? 3 - i : i)] = (uint8_t)(value >> 8 * i);
}

void writer_patch_u32le(struct writer *writer, size_t offset, uint32_t value)
{
    patch(writer, offset, value, false);
}

void writer_patch_u32be(struct writer *writer, size_t offset, uint32_t value)
{
    patch(writer, offset, value, true);
}

void writer_text(struct writer *writer, const char *text)
{
    writer_bytes(writer, text, strlen(text));
}

void writer_format(struct writer *writer, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (length > 0)
        writer_bytes(writer, text, (size_t)length < sizeof text ? (size_t)length : sizeof text - 1);
}

void writer_float(struct writer *writer, float value)
{
    uint8_t *to = writer_reserve(writer, POSE_FLOAT_TEXT);
    if (to)
        writer->out->size += pose_float_text(isfinite(value) ? value : 0, (char *)to);
}

/* A byte as JSON wants it inside of quotes; more than 6 are never needed. */
static size_t escape_byte(unsigned char byte, char *text)
{
    switch (byte) {
    case '"':
    case '\\':
        text[0] = '\\';
        text[1] = (char)byte;
        return 2;
    case '\n':
        memcpy(text, "\\n", 2);
        return 2;
    case '\r':
        memcpy(text, "\\r", 2);
        return 2;
    case '\t':
        memcpy(text, "\\t", 2);
        return 2;
    default:
        if (byte >= 0x20 && byte != 0x7f) {
            text[0] = (char)byte;
            return 1;
        }
        return (size_t)snprintf(text, 7, "\\u%04x", byte);
    }
}

/* The number of a character of two or three bytes that a terminal or a page may act on where it only quotes, 0 for any
 * other: C1 controls, line and paragraph separators, what turns the direction of the text (Unicode, UAX 9). */
static uint32_t acting_character(const char *text, size_t length)
{
    const unsigned char *at = (const unsigned char *)text;
    if (length == 2) {
        uint32_t code = (at[0] & 0x1fu) << 6 | (at[1] & 0x3fu);
        return code < 0xa0 || code == 0x61c ? code : 0;
    }
    if (length != 3)
        return 0;
    uint32_t code = (at[0] & 0xfu) << 12 | (at[1] & 0x3fu) << 6 | (at[2] & 0x3fu);
    bool acts = (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069) || code == 0x200e ||
                code == 0x200f;
    return acts ? code : 0;
}

void writer_json_string(struct writer *writer, const char *text)
{
    writer_u8(writer, '"');
    size_t left = strlen(text);
    while (left) {
        size_t length = text_utf8_sequence(text, left);
        char escaped[8];
        uint32_t acting = acting_character(text, length);
        if (length == 1)
            writer_bytes(writer, escaped, escape_byte((unsigned char)*text, escaped));
        else if (acting)
            writer_bytes(writer, escaped,
                         (size_t)snprintf(escaped, sizeof escaped, "\\u%04x", acting & 0xffffu));
        else if (length)
            writer_bytes(writer, text, length);
        else
            writer_text(writer, "\xef\xbf\xbd");
        length = length ? length : 1;
        text += length;
        left -= length;
    }
    writer_u8(writer, '"');
}

static void json_scalar(struct writer *writer, const struct pose_value *value)
{
    switch (value->kind) {
    case POSE_BOOL:
        writer_text(writer, value->as.boolean ? "true" : "false");
        break;
    case POSE_INT:
        writer_format(writer, "%lld", (long long)value->as.integer);
        break;
    case POSE_FLOAT:
        writer_float(writer, value->as.number);
        break;
    case POSE_STRING:
        writer_json_string(writer, value->as.string);
        break;
    default:
        writer_text(writer, "null");
        break;
    }
}

/* Trees are built by decoders, which bound their depth; deeper ones are cut at this level. */
enum { JSON_DEPTH = 128 };

void writer_json_value(struct writer *writer, const struct pose_value *value)
{
    const struct pose_value *open[JSON_DEPTH];
    unsigned depth = 0;
    if (!value) {
        writer_text(writer, "null");
        return;
    }
    for (;;) {
        if (value->key && depth) {
            writer_json_string(writer, value->key);
            writer_u8(writer, ':');
        }
        bool is_list = value->kind == POSE_ARRAY || value->kind == POSE_OBJECT;
        if (is_list && value->first && depth < JSON_DEPTH) {
            writer_u8(writer, value->kind == POSE_ARRAY ? '[' : '{');
            open[depth++] = value;
            value = value->first;
            continue;
        }
        if (is_list)
            writer_text(writer, value->kind == POSE_ARRAY ? "[]" : "{}");
        else
            json_scalar(writer, value);
        while (depth && !value->next) {
            value = open[--depth];
            writer_u8(writer, value->kind == POSE_ARRAY ? ']' : '}');
        }
        if (!depth)
            return;
        writer_u8(writer, ',');
        value = value->next;
    }
}

bool writer_finish(struct writer *writer)
{
    if (writer->failed)
        pose_buffer_free(writer->out);
    return !writer->failed;
}

/* The same for users of the library. */
static bool append_done(struct pose_buffer *buffer, const struct writer *writer, size_t before)
{
    if (writer->failed)
        buffer->size = before;
    return !writer->failed;
}

bool pose_buffer_append(struct pose_buffer *buffer, const void *bytes, size_t size)
{
    struct writer writer;
    writer_init(&writer, buffer, NULL);
    writer_bytes(&writer, bytes, size);
    return !writer.failed;
}

bool pose_json_string(struct pose_buffer *buffer, const char *text)
{
    struct writer writer;
    size_t before = buffer->size;
    writer_init(&writer, buffer, NULL);
    if (text)
        writer_json_string(&writer, text);
    else
        writer_text(&writer, "null");
    return append_done(buffer, &writer, before);
}

bool pose_json_value(struct pose_buffer *buffer, const struct pose_value *value)
{
    struct writer writer;
    size_t before = buffer->size;
    writer_init(&writer, buffer, NULL);
    writer_json_value(&writer, value);
    return append_done(buffer, &writer, before);
}
