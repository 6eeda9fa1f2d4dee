#include "lib/core/bytes/reader.h"

#include "lib/core/numbers/float_bits.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void reader_init(struct reader *reader, struct pose_bytes bytes, struct pose_error *error)
{
    static const uint8_t nothing[1];
    memset(reader, 0, sizeof *reader);
    reader->start = bytes.data ? bytes.data : nothing;
    reader->at = reader->last = reader->start;
    reader->end = reader->start + (bytes.data ? bytes.size : 0);
    reader->error = error;
}

void reader_enter(struct reader *reader, const char *name, uint64_t index)
{
    if (reader->depth < READER_DEPTH)
        reader->path[reader->depth] = (struct reader_level){name, index};
    reader->depth++;
}

void reader_leave(struct reader *reader)
{
    if (reader->depth)
        reader->depth--;
}

/* "joints[3].rot_keys" from the path and the field. */
static void write_path(const struct reader *reader, const char *field, char *text, size_t size)
{
    size_t used = 0;
    text[0] = 0;
    unsigned depth = reader->depth < READER_DEPTH ? reader->depth : READER_DEPTH;
    for (unsigned i = 0; i < depth; i++) {
        const struct reader_level *level = &reader->path[i];
        char part[80];
        if (level->index == READER_NO_INDEX)
            snprintf(part, sizeof part, "%s%s", used ? "." : "", level->name);
        else
            snprintf(part, sizeof part, "%s%s[%llu]", used ? "." : "", level->name,
                     (unsigned long long)level->index);
        used += (size_t)snprintf(text + used, size - used, "%s", part);
        if (used >= size)
            return;
    }
    if (field)
        snprintf(text + used, size - used, "%s%s", used ? "." : "", field);
}

static bool vfail(struct reader *reader, uint64_t offset, const char *field, const char *code,
                  const char *format, va_list arguments)
{
    if (reader->failed)
        return false;
    reader->failed = true;
    reader->at = reader->end;
    struct pose_error *error = reader->error;
    if (!error || error->status != POSE_OK)
        return false;
    char reason[200], path[sizeof error->field];
    vsnprintf(reason, sizeof reason, format, arguments);
    write_path(reader, field, path, sizeof path);
    if (reader->line)
        error_set(error, POSE_BAD_DATA, code, "%s%sat line %u: %s", path, path[0] ? " " : "", reader->line,
                  reason);
    else
        error_set(error, POSE_BAD_DATA, code, "%s%sat byte %llu: %s", path, path[0] ? " " : "",
                  (unsigned long long)offset, reason);
    error->offset = offset;
    error->line = reader->line;
    memcpy(error->field, path, sizeof path);
    return false;
}

bool reader_fail(struct reader *reader, const char *code, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vfail(reader, reader_last_offset(reader), reader->last_field, code, format, arguments);
    va_end(arguments);
    return false;
}

bool reader_fail_at(struct reader *reader, uint64_t offset, const char *field, const char *code,
                    const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vfail(reader, offset, field, code, format, arguments);
    va_end(arguments);
    return false;
}

bool reader_limit_at(struct reader *reader, uint64_t offset, const char *field, const char *limit,
                     const char *format, ...)
{
    struct pose_error *error = reader->error;
    bool is_first = !reader->failed && error && error->status == POSE_OK;
    va_list arguments;
    va_start(arguments, format);
    vfail(reader, offset, field, "over_limit", format, arguments);
    va_end(arguments);
    if (is_first) {
        error->status = POSE_OVER_LIMIT;
        snprintf(error->limit, sizeof error->limit, "%s", limit);
    }
    return false;
}

uint64_t reader_last_offset(const struct reader *reader)
{
    return reader->base + (uint64_t)(reader->last - reader->start);
}

/* For an offset outside of the file, the error points to where it was read. */
static bool fail_outside(struct reader *reader, uint64_t offset, uint64_t size, const char *field)
{
    uint64_t end = reader->base + (uint64_t)(reader->end - reader->start);
    uint64_t place = offset <= end ? offset : reader_last_offset(reader);
    return reader_fail_at(reader, place, field, "truncated",
                          "%llu bytes at %llu lie outside of the file, which ends at %llu",
                          (unsigned long long)size, (unsigned long long)offset, (unsigned long long)end);
}

bool reader_part(struct reader *parent, struct reader *part, uint64_t offset, uint64_t size,
                 const char *field)
{
    *part = *parent;
    if (parent->failed)
        return false;
    uint64_t begin = offset - parent->base;
    uint64_t whole = (uint64_t)(parent->end - parent->start);
    if (offset < parent->base || begin > whole || size > whole - begin) {
        fail_outside(parent, offset, size, field);
        part->failed = true;
        part->at = part->end;
        return false;
    }
    part->start = part->at = part->last = parent->start + begin;
    part->end = part->start + size;
    part->base = offset;
    part->last_field = NULL;
    return true;
}

const uint8_t *reader_bytes(struct reader *reader, uint64_t size, const char *field)
{
    if (reader->failed)
        return NULL;
    reader->last = reader->at;
    reader->last_field = field;
    if (size > reader_left(reader)) {
        reader_fail(reader, "truncated", "%llu byte%s promised, %zu left", (unsigned long long)size,
                    size == 1 ? "" : "s", reader_left(reader));
        return NULL;
    }
    const uint8_t *bytes = reader->at;
    reader->at += size;
    return bytes;
}

bool reader_skip(struct reader *reader, uint64_t size, const char *field)
{
    return reader_bytes(reader, size, field) != NULL;
}

bool reader_seek(struct reader *reader, uint64_t offset, const char *field)
{
    if (reader->failed)
        return false;
    uint64_t size = (uint64_t)(reader->end - reader->start);
    if (offset < reader->base || offset - reader->base > size)
        return fail_outside(reader, offset, 0, field);
    reader->at = reader->start + (offset - reader->base);
    return true;
}

uint8_t reader_u8(struct reader *reader, const char *field)
{
    const uint8_t *p = reader_bytes(reader, 1, field);
    return p ? p[0] : 0;
}

uint16_t reader_u16le(struct reader *reader, const char *field)
{
    const uint8_t *p = reader_bytes(reader, 2, field);
    return p ? (uint16_t)((unsigned)p[0] | (unsigned)p[1] << 8) : (uint16_t)0;
}

uint16_t reader_u16be(struct reader *reader, const char *field)
{
    const uint8_t *p = reader_bytes(reader, 2, field);
    return p ? (uint16_t)((unsigned)p[0] << 8 | (unsigned)p[1]) : (uint16_t)0;
}

uint32_t reader_u24le(struct reader *reader, const char *field)
{
    const uint8_t *p = reader_bytes(reader, 3, field);
    return p ? (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 : 0;
}

uint32_t reader_u32be(struct reader *reader, const char *field)
{
    const uint8_t *p = reader_bytes(reader, 4, field);
    return p ? (uint32_t)p[3] | (uint32_t)p[2] << 8 | (uint32_t)p[1] << 16 | (uint32_t)p[0] << 24 : 0;
}

int32_t reader_i32be(struct reader *reader, const char *field)
{
    return (int32_t)reader_u32be(reader, field);
}

uint64_t reader_u64le(struct reader *reader, const char *field)
{
    const uint8_t *p = reader_bytes(reader, 8, field);
    if (!p)
        return 0;
    uint64_t value = 0;
    for (int i = 7; i >= 0; i--)
        value = value << 8 | p[i];
    return value;
}

float reader_f32le(struct reader *reader, const char *field)
{
    return float_of_bits(reader_u32le(reader, field));
}

static float reader_f32be(struct reader *reader, const char *field)
{
    return float_of_bits(reader_u32be(reader, field));
}

static float check_finite(struct reader *reader, float value, const char *code)
{
    if (isfinite(value))
        return value;
    reader_fail(reader, code, "%s is not a finite number", isnan(value) ? "NaN" : "infinity");
    return 0;
}

float reader_finite_f32le(struct reader *reader, const char *field, const char *code)
{
    return check_finite(reader, reader_f32le(reader, field), code);
}

float reader_finite_f32be(struct reader *reader, const char *field, const char *code)
{
    return check_finite(reader, reader_f32be(reader, field), code);
}

const char *reader_cstring(struct reader *reader, size_t *length, const char *field)
{
    *length = 0;
    if (reader->failed)
        return NULL;
    reader->last = reader->at;
    reader->last_field = field;
    const uint8_t *nul = memchr(reader->at, 0, reader_left(reader));
    if (!nul) {
        reader_fail(reader, "unterminated_string", "the string is not terminated");
        return NULL;
    }
    const char *text = (const char *)reader->at;
    *length = (size_t)(nul - reader->at);
    reader->at = nul + 1;
    return text;
}

bool reader_count(struct reader *reader, uint64_t count, uint64_t item_size, const char *what,
                  const char *code)
{
    if (reader->failed)
        return false;
    uint64_t bytes;
    if (!__builtin_mul_overflow(count, item_size, &bytes) && bytes <= reader_left(reader))
        return true;
    return reader_fail(reader, code, "%llu %s of %llu bytes promised, %zu bytes left",
                       (unsigned long long)count, what, (unsigned long long)item_size, reader_left(reader));
}
