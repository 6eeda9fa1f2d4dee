#include "lib/formats/sims/sims1/stream.h"

#include <string.h>

/* -------------------------------------------------------------------------------------------------- text -- */

static void read_integer_line(struct sims_stream *s, const char *field, int32_t *value)
{
    *value = 0;
    if (!lines_record(&s->lines, field))
        return;
    *value = lines_i32(&s->lines, field);
    lines_done(&s->lines);
}

static void read_number_line(struct sims_stream *s, const char *field, float *value)
{
    *value = 0;
    if (!lines_record(&s->lines, field))
        return;
    *value = lines_float(&s->lines, field);
    lines_done(&s->lines);
}

/* The surrounding bars are decoration. */
static void read_vector_line(struct sims_stream *s, const char *field, float *values, unsigned count)
{
    struct lines *lines = &s->lines;
    memset(values, 0, count * sizeof *values);
    if (!lines_record(lines, field))
        return;
    if (lines->at < lines->end && *lines->at == '|')
        lines->at++;
    if (lines->at < lines->end && lines->end[-1] == '|')
        lines->end--;
    for (unsigned i = 0; i < count; i++)
        values[i] = lines_float(lines, field);
    lines_done(lines);
}

static void read_text_line(struct sims_stream *s, const char *field, const char **text)
{
    *text = "";
    if (!lines_next(&s->lines, field))
        return;
    const char *line = s->lines.at;
    *text = sims_keep_text(s, (const uint8_t *)line, (size_t)(s->lines.end - line));
}

static void write_integer_line(struct sims_stream *s, const char *field, int32_t *value)
{
    (void)field;
    writer_format(s->writer, "%d\r\n", *value);
}

static void write_number_line(struct sims_stream *s, const char *field, float *value)
{
    (void)field;
    writer_float(s->writer, *value);
    writer_text(s->writer, "\r\n");
}

static void write_vector_line(struct sims_stream *s, const char *field, float *values, unsigned count)
{
    (void)field;
    writer_text(s->writer, "| ");
    for (unsigned i = 0; i < count; i++) {
        writer_float(s->writer, values[i]);
        writer_u8(s->writer, ' ');
    }
    writer_text(s->writer, "|\r\n");
}

/* Whether a line would read back as a different text. */
static bool loses_by_lines(const char *text)
{
    size_t length = strlen(text);
    return strpbrk(text, "\r\n") ||
           (length && (strchr(" \t\v\f", text[0]) || strchr(" \t\v\f", text[length - 1])));
}

static void write_text_line(struct sims_stream *s, const char *field, const char **text)
{
    size_t length = strlen(*text);
    if (loses_by_lines(*text)) {
        sims_refuse(s, field, "bad_text",
                    "text in a line cannot contain line breaks or begin or end with blanks");
        return;
    }
    uint8_t *bytes = arena_alloc(s->arena, length, 1);
    size_t size = bytes ? sims_text_bytes(s, field, *text, bytes, length) : 0;
    writer_bytes(s->writer, bytes, size);
    writer_text(s->writer, "\r\n");
}

const struct sims_encoding sims1_text_encoding = {
    .is_text = true,
    .read = {read_integer_line, read_number_line, read_vector_line, read_text_line},
    .write = {write_integer_line, write_number_line, write_vector_line, write_text_line},
};

/* ------------------------------------------------------------------------------------------------ binary -- */

enum { LONG_TEXT = 255 };

static void read_integer_binary(struct sims_stream *s, const char *field, int32_t *value)
{
    *value = reader_i32le(&s->reader, field);
}

static void read_number_binary(struct sims_stream *s, const char *field, float *value)
{
    *value = reader_finite_f32le(&s->reader, field, "non_finite");
}

static void read_vector_binary(struct sims_stream *s, const char *field, float *values, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        read_number_binary(s, field, &values[i]);
}

static void read_text_binary(struct sims_stream *s, const char *field, const char **text)
{
    uint32_t length = reader_u8(&s->reader, field);
    if (length == LONG_TEXT)
        length = reader_u32le(&s->reader, field);
    *text = sims_keep_text(s, reader_bytes(&s->reader, length, field), length);
}

static void write_integer_binary(struct sims_stream *s, const char *field, int32_t *value)
{
    (void)field;
    writer_u32le(s->writer, (uint32_t)*value);
}

static void write_number_binary(struct sims_stream *s, const char *field, float *value)
{
    (void)field;
    writer_f32le(s->writer, *value);
}

static void write_vector_binary(struct sims_stream *s, const char *field, float *values, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        write_number_binary(s, field, &values[i]);
}

static void write_text_binary(struct sims_stream *s, const char *field, const char **text)
{
    size_t length = strlen(*text);
    uint8_t *bytes = arena_alloc(s->arena, length, 1);
    size_t size = bytes ? sims_text_bytes(s, field, *text, bytes, length) : 0;
    writer_u8(s->writer, (uint8_t)(size < LONG_TEXT ? size : LONG_TEXT));
    if (size >= LONG_TEXT)
        writer_u32le(s->writer, (uint32_t)size);
    writer_bytes(s->writer, bytes, size);
}

const struct sims_encoding sims1_binary_encoding = {
    .read = {read_integer_binary, read_number_binary, read_vector_binary, read_text_binary},
    .write = {write_integer_binary, write_number_binary, write_vector_binary, write_text_binary},
};
