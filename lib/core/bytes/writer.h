/* A growing buffer. Failure (out of memory) is sticky: write a whole file and check once at the end. */
#ifndef POSE_CORE_BYTES_WRITER_H
#define POSE_CORE_BYTES_WRITER_H

#include "lib/core/error.h"
#include "lib/core/escape.h"

#include <string.h>

struct writer {
    struct pose_buffer *out;
    struct pose_error *error;
    bool failed;
    size_t checked;               /* limit and stop are not checked again up to this size */
    size_t limit;                 /* of the whole file; 0: none */
    const struct pose_stop *stop; /* may be NULL */
};

/* out must be empty; its allocator stays as it is (NULL: malloc). */
void writer_init(struct writer *writer, struct pose_buffer *out, struct pose_error *error);
/* The same, for a part of another writer's file: takes over its limits. */
void writer_init_part(struct writer *writer, struct pose_buffer *out, const struct writer *whole);
/* Fails early if size more bytes would exceed the limit of the file; returns true if they fit. */
bool writer_expect(struct writer *writer, size_t size);
/* Makes room for about size more bytes at once, within reason, where the size is known beforehand: saves growing. */
void writer_prepare(struct writer *writer, size_t size);
/* Reserves room for size more bytes and returns a pointer to it, or NULL. Advance with writer_commit. */
uint8_t *writer_reserve(struct writer *writer, size_t size);
void writer_commit(struct writer *writer, size_t size);

void writer_bytes(struct writer *writer, const void *bytes, size_t size);
void writer_zeros(struct writer *writer, size_t size);
void writer_u8(struct writer *writer, uint8_t value);
void writer_u16le(struct writer *writer, uint16_t value);
void writer_u16be(struct writer *writer, uint16_t value);
void writer_u32le(struct writer *writer, uint32_t value);
void writer_u32be(struct writer *writer, uint32_t value);
void writer_u64le(struct writer *writer, uint64_t value);
void writer_f32le(struct writer *writer, float value);
void writer_f32be(struct writer *writer, float value);
/* Overwrites bytes already written. */
void writer_patch_u32le(struct writer *writer, size_t offset, uint32_t value);
void writer_patch_u32be(struct writer *writer, size_t offset, uint32_t value);

/* Text, without its NUL. */
void writer_text(struct writer *writer, const char *text);
void writer_format(struct writer *writer, const char *format, ...) POSE_PRINTF(2, 3);
/* The shortest decimal of a float; 0 if it is not finite. */
void writer_float(struct writer *writer, float value);
void writer_integer(struct writer *writer, int64_t value);
void writer_unsigned(struct writer *writer, uint64_t value);
/* Untrusted text, escaped: at most that many bytes (SIZE_MAX: all), with "…" where it is cut. */
void writer_escaped(struct writer *writer, enum escape_kind kind, const char *text, size_t most);

/* Returns true if nothing failed; otherwise the buffer is emptied. */
bool writer_finish(struct writer *writer);

#endif
