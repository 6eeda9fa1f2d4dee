/*
 * The only access to untrusted bytes. The first failure is kept and later reads return zero, so a decoder can read
 * a whole record and check once. Getters take the field's name, and state the byte order because one format mixes
 * both.
 *
 *     reader_enter(r, "joints", i);
 *     uint32_t keys = reader_u32le(r, "rot_keys");
 *     if (!reader_count(r, keys, 8, "keys"))      -> joints[3].rot_keys at byte 61: 20 keys of 8 bytes
 *         return false;                              promised, 139 bytes left
 *     reader_leave(r);
 */
#ifndef POSE_CORE_BYTES_READER_H
#define POSE_CORE_BYTES_READER_H

#include "lib/core/error.h"

enum { READER_DEPTH = 12 };

struct reader_level {
    const char *name;
    uint64_t index; /* READER_NO_INDEX: a plain name */
};

#define READER_NO_INDEX UINT64_MAX

struct reader {
    const uint8_t *start, *at, *end;
    uint64_t base; /* offset of start in the file, for a reader of a part */
    struct pose_error *error;
    bool failed;
    const uint8_t *last;    /* start of the last value: errors about a value point here */
    const char *last_field; /* its name */
    uint32_t line;          /* line of the last value in a text file, from 1; 0 in binary files */
    unsigned depth;
    struct reader_level path[READER_DEPTH];
};

/* error may be NULL: a reader for probing. */
void reader_init(struct reader *reader, struct pose_bytes bytes, struct pose_error *error);
/* A reader of [offset, offset + size) of the same file, with the same error and path; fails the parent if the
 * range is out of bounds. */
bool reader_part(struct reader *parent, struct reader *part, uint64_t offset, uint64_t size,
                 const char *field);

/* The path shown in errors: "joints[3]." */
void reader_enter(struct reader *reader, const char *name, uint64_t index);
void reader_leave(struct reader *reader);

static inline size_t reader_left(const struct reader *reader)
{
    return (size_t)(reader->end - reader->at);
}
/* Offset in the file of the next byte, and of the last value read. */
static inline uint64_t reader_offset(const struct reader *reader)
{
    return reader->base + (uint64_t)(reader->at - reader->start);
}
uint64_t reader_last_offset(const struct reader *reader);

/* A borrowed pointer to the next size bytes; NULL, with the error "truncated", if there are fewer. */
const uint8_t *reader_bytes(struct reader *reader, uint64_t size, const char *field);

uint8_t reader_u8(struct reader *reader, const char *field);
uint16_t reader_u16le(struct reader *reader, const char *field);
uint16_t reader_u16be(struct reader *reader, const char *field);
uint32_t reader_u24le(struct reader *reader, const char *field);
uint32_t reader_u32be(struct reader *reader, const char *field);
int32_t reader_i32be(struct reader *reader, const char *field);
uint64_t reader_u64le(struct reader *reader, const char *field);

/* Inline because they are called very often, for counts and lengths between bulk data. */
static inline uint32_t reader_u32le(struct reader *reader, const char *field)
{
    const uint8_t *p = reader->at;
    if (reader_left(reader) < 4) { /* also after a failure */
        reader_bytes(reader, 4, field);
        return 0;
    }
    reader->last = p;
    reader->last_field = field;
    reader->at += 4;
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}
static inline int32_t reader_i32le(struct reader *reader, const char *field)
{
    return (int32_t)reader_u32le(reader, field);
}

/* Any value, including NaN. */
float reader_f32le(struct reader *reader, const char *field);
/* NaN and infinity fail with not_finite, or with code if the spec has another name for it. */
float reader_finite_f32le(struct reader *reader, const char *field, const char *code);
float reader_finite_f32be(struct reader *reader, const char *field, const char *code);

/* Bytes up to a NUL, which is consumed; error "unterminated_string" without one. length excludes the NUL. */
const char *reader_cstring(struct reader *reader, size_t *length, const char *field);
bool reader_skip(struct reader *reader, uint64_t size, const char *field);
bool reader_seek(struct reader *reader, uint64_t offset, const char *field);

/*
 * Checks a count that was just read: count items of at least item_size bytes each must be left. what names them in
 * the message ("keys"); code is the spec's name for the failure.
 */
bool reader_count(struct reader *reader, uint64_t count, uint64_t item_size, const char *what,
                  const char *code);

/* Reports a failure at the last value read. Always returns false. */
bool reader_fail(struct reader *reader, const char *code, const char *format, ...) POSE_PRINTF(3, 4);
/* The same at an offset of the file, about a field (NULL: the path alone). */
bool reader_fail_at(struct reader *reader, uint64_t offset, const char *field, const char *code,
                    const char *format, ...) POSE_PRINTF(5, 6);
/* The same for an exceeded limit. */
bool reader_limit_at(struct reader *reader, uint64_t offset, const char *field, const char *limit,
                     const char *format, ...) POSE_PRINTF(5, 6);

#endif
