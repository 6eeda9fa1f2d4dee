#include "lib/core/bytes/writer.h"

#include "lib/core/arena.h"
#include "lib/core/eight.h"
#include "lib/core/numbers/float_bits.h"
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

/* Checks limit and stop, once per block. */
static bool check(struct writer *writer, size_t needed)
{
    enum { BLOCK = 64 * 1024 };
    if (writer->limit && needed > writer->limit)
        error_limit(writer->error, "max-output", "the output would exceed %zu bytes", writer->limit);
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
        error_limit(writer->error, "max-output", "the output would exceed %zu bytes", writer->limit);
        writer->failed = true;
    }
    return !writer->failed;
}

static bool grow_to(struct writer *writer, size_t capacity)
{
    struct pose_buffer *out = writer->out;
    const struct pose_allocator *allocator = out->allocator ? out->allocator : allocator_default();
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

static bool grow(struct writer *writer, size_t size)
{
    const struct pose_buffer *out = writer->out;
    size_t needed, capacity = out->capacity ? out->capacity : 256;
    if (__builtin_add_overflow(out->size, size, &needed) || needed > SIZE_MAX / 4)
        needed = capacity = 0;
    while (capacity < needed)
        capacity *= 2;
    return grow_to(writer, capacity);
}

void writer_prepare(struct writer *writer, size_t size)
{
    enum { MOST = 4 << 20 };
    const struct pose_buffer *out = writer->out;
    size_t needed = size < MOST ? size : MOST;
    if (writer->limit && needed > writer->limit - out->size)
        needed = writer->limit - out->size;
    if (!writer->failed && out->capacity - out->size < needed)
        grow_to(writer, out->size + needed);
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
    struct pose_buffer *out = writer->out;
    if (writer->failed || out->size >= out->capacity || out->size >= writer->checked) {
        writer_bytes(writer, &value, 1);
        return;
    }
    out->data[out->size++] = value;
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

static void put_digits(struct writer *writer, uint64_t number, bool is_negative)
{
    char digits[20];
    unsigned at = sizeof digits;
    do {
        digits[--at] = (char)('0' + number % 10);
        number /= 10;
    } while (number);
    if (is_negative)
        digits[--at] = '-';
    writer_bytes(writer, digits + at, sizeof digits - at);
}

void writer_integer(struct writer *writer, int64_t value)
{
    put_digits(writer, value < 0 ? -(uint64_t)value : (uint64_t)value, value < 0);
}

void writer_unsigned(struct writer *writer, uint64_t value)
{
    put_digits(writer, value, false);
}

static bool are_plain(uint64_t eight)
{
    return !eight_has_top(eight) && !eight_has_below(eight, 0x20) && !eight_has(eight, '"') &&
           !eight_has(eight, '\\') && !eight_has(eight, 0x7f);
}

/* How many bytes at the beginning of a text, which has that size at least, stand for themselves. */
static size_t plain_size(const char *text, size_t size)
{
    size_t plain = 0;
    while (plain + sizeof(uint64_t) <= size && are_plain(eight_at(text + plain)))
        plain += sizeof(uint64_t);
    while (plain < size && escape_is_plain(text[plain]))
        plain++;
    return plain;
}

void writer_escaped(struct writer *writer, enum escape_kind kind, const char *text, size_t most)
{
    static const char ellipsis[] = "…";
    char piece[ESCAPE_CAPACITY];
    size_t used = 0, length;
    most -= most == SIZE_MAX ? 0 : sizeof ellipsis - 1;
    const char *const end = text + strnlen(text, most);
    for (;;) {
        const size_t left = (size_t)(end - text),
                     plain = plain_size(text, left < most - used ? left : most - used);
        writer_bytes(writer, text, plain);
        used += plain;
        text += plain;
        if (!*text)
            return;
        size_t taken = escape_character(kind, text, piece, &length);
        if (used + length > most) {
            writer_text(writer, ellipsis);
            return;
        }
        writer_bytes(writer, piece, length);
        used += length;
        text += taken;
    }
}

bool writer_finish(struct writer *writer)
{
    if (writer->failed)
        pose_buffer_free(writer->out);
    return !writer->failed;
}

bool pose_buffer_append(struct pose_buffer *buffer, const void *bytes, size_t size)
{
    struct writer writer;
    writer_init(&writer, buffer, NULL);
    writer_bytes(&writer, bytes, size);
    return !writer.failed;
}
