#include "lib/formats/sims/stream.h"

#include "lib/core/text.h"

#include <stdio.h>
#include <string.h>

void sims_stream_read(struct sims_stream *s, const struct sims_encoding *encoding, struct pose_bytes bytes,
                      struct arena *arena, struct pose_error *error)
{
    *s =
        (struct sims_stream){.encoding = encoding, .fields = &encoding->read, .arena = arena, .error = error};
    reader_init(&s->reader, bytes, error);
    if (encoding->is_text)
        lines_init(&s->lines, &s->reader);
}

void sims_stream_walk(struct sims_stream *s, const struct sims_encoding *encoding, struct pose_bytes bytes)
{
    sims_stream_read(s, encoding, bytes, NULL, NULL);
}

void sims_stream_write(struct sims_stream *s, const struct sims_encoding *encoding, struct encode_job *job)
{
    *s = (struct sims_stream){.encoding = encoding,
                              .fields = &encoding->write,
                              .writer = job->writer,
                              .arena = job->arena,
                              .error = job->error};
    reader_init(&s->reader, (struct pose_bytes){0}, job->error);
}

bool sims_failed(const struct sims_stream *s)
{
    return s->reader.failed || (s->writer && s->writer->failed) || (s->arena && s->arena->failed);
}

void sims_unsigned(struct sims_stream *s, const char *field, uint32_t *value)
{
    int32_t bits = (int32_t)*value;
    s->fields->integer(s, field, &bits);
    *value = (uint32_t)bits;
}

/* The unit of item sizes, for the message. */
bool sims_check_count(struct sims_stream *s, const char *field, uint32_t count, unsigned bytes,
                      unsigned lines)
{
    if (sims_is_writing(s))
        return !sims_failed(s);
    (void)field;
    if (count > INT32_MAX && !s->encoding->big_endian) /* The Sims 1 counts in signed integers */
        return reader_fail(&s->reader, "count_too_large", "invalid count %d", (int32_t)count);
    return reader_count(&s->reader, count, s->encoding->is_text ? lines : bytes, "items", "count_too_large");
}

bool sims_count(struct sims_stream *s, const char *field, uint32_t *count, unsigned bytes, unsigned lines)
{
    sims_unsigned(s, field, count);
    return sims_check_count(s, field, *count, bytes, lines);
}

void *sims_items(struct sims_stream *s, void *items, uint32_t count, size_t size)
{
    if (sims_is_writing(s))
        return items;
    return s->arena ? arena_alloc(s->arena, count, size) : NULL;
}

void sims_refuse(struct sims_stream *s, const char *field, const char *code, const char *format, ...)
{
    char reason[240];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reason, sizeof reason, format, arguments);
    va_end(arguments);
    s->reader.failed = true;
    if (error_is_set(s->error) || !s->error)
        return;
    error_set(s->error, POSE_BAD_DATA, code, "%s: %s", field, reason);
    snprintf(s->error->field, sizeof s->error->field, "%s", field);
}

size_t sims_text_bytes(struct sims_stream *s, const char *field, const char *text, uint8_t *bytes,
                       size_t capacity)
{
    int64_t size = text ? text_to_windows1252(text, bytes, capacity) : 0;
    if (size >= 0)
        return (size_t)size;
    sims_refuse(s, field, "bad_text", "\"%.40s%s\" is longer than %zu bytes or not in Windows-1252", text,
                strlen(text) > 40 ? "…" : "", capacity);
    return 0;
}

const char *sims_keep_text(struct sims_stream *s, const uint8_t *bytes, size_t length)
{
    const char *text = s->arena && bytes ? text_from_windows1252(s->arena, bytes, length) : NULL;
    return text ? text : "";
}
