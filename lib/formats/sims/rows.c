#include "lib/formats/sims/rows.h"

#include "lib/core/numbers/floats.h"

#include <stdio.h>
#include <string.h>

bool sims_rows_count(struct sims_stream *s, struct sims_rows *rows)
{
    sims_unsigned(s, rows->type->count, &rows->count);
    if (!sims_is_writing(s) && rows->count > INT32_MAX)
        return reader_fail(&s->reader, "count_too_large", "invalid count %d", (int32_t)rows->count);
    return !sims_failed(s);
}

bool sims_rows_begin(struct sims_stream *s, struct sims_rows *rows)
{
    if (sims_is_writing(s))
        return !sims_failed(s);
    /* A text row has at least one digit per column and separators. */
    unsigned size = s->encoding->is_text ? 2 * rows->type->columns - 1 : 4 * rows->type->columns;
    rows->at = s->reader.at;
    rows->line = s->lines.number;
    return reader_count(&s->reader, rows->count, size, rows->type->list, "count_too_large");
}

/* ----------------------------------------------------------------------------------------- text, a row a line -- */

/* Skips rows that begin like a number: enough to recognise the format. */
static void pass_lines(struct sims_stream *s, const struct sims_rows *rows)
{
    for (uint32_t i = 0; i < rows->count && lines_record(&s->lines, rows->type->list); i++) {
        if (!strchr("-+.0123456789", *s->lines.at))
            reader_fail(&s->reader, "bad_number", "not a row of numbers");
    }
}

static void read_integer_lines(struct sims_stream *s, const struct sims_rows *rows, uint32_t *values)
{
    for (uint32_t i = 0; sims_more(s, i, rows->count); i++) {
        sims_enter(s, rows->type->list, i);
        lines_record(&s->lines, rows->type->column_names[0]);
        for (unsigned column = 0; column < rows->type->columns; column++)
            *values++ = (uint32_t)lines_i32(&s->lines, rows->type->column_names[column]);
        lines_done(&s->lines);
        sims_leave(s);
    }
}

static void read_float_lines(struct sims_stream *s, const struct sims_rows *rows, unsigned width,
                             float *first, float *second)
{
    for (uint32_t i = 0; sims_more(s, i, rows->count); i++) {
        sims_enter(s, rows->type->list, i);
        lines_record(&s->lines, rows->type->column_names[0]);
        for (unsigned column = 0; column < rows->type->columns; column++) {
            float value = lines_float(&s->lines, rows->type->column_names[column]);
            if (column < width)
                *first++ = value;
            else
                *second++ = value;
        }
        lines_done(&s->lines);
        sims_leave(s);
    }
}

static void write_integer_lines(struct sims_stream *s, const struct sims_rows *rows, const uint32_t *values)
{
    for (uint32_t i = 0; i < rows->count; i++) {
        for (unsigned column = 1; column <= rows->type->columns; column++)
            writer_format(s->writer, column < rows->type->columns ? "%d " : "%d\r\n", (int32_t)*values++);
    }
}

static void write_float_lines(struct sims_stream *s, const struct sims_rows *rows, unsigned width,
                              const float *first, const float *second)
{
    for (uint32_t i = 0; i < rows->count; i++) {
        for (unsigned column = 0; column < rows->type->columns; column++) {
            writer_float(s->writer, column < width ? *first++ : *second++);
            writer_text(s->writer, column + 1 < rows->type->columns ? " " : "\r\n");
        }
    }
}

/* --------------------------------------------------------------------------------------- binary, all at once -- */

/* On any given host one of the two compiles to nothing. */
static uint32_t from_little(uint32_t bits)
{
    return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? bits : __builtin_bswap32(bits);
}

static uint32_t from_big(uint32_t bits)
{
    return __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? bits : __builtin_bswap32(bits);
}

/* Converts between a byte order and the host's, in either direction. to may equal from. */
static void convert_integers(const struct sims_stream *s, void *to, const void *from, size_t count)
{
    uint8_t *out = to;
    const uint8_t *in = from;
    uint32_t bits;
    for (size_t i = 0; s->encoding->big_endian && i < count; i++) {
        memcpy(&bits, in + 4 * i, sizeof bits);
        bits = from_big(bits);
        memcpy(out + 4 * i, &bits, sizeof bits);
    }
    for (size_t i = 0; !s->encoding->big_endian && i < count; i++) {
        memcpy(&bits, in + 4 * i, sizeof bits);
        bits = from_little(bits);
        memcpy(out + 4 * i, &bits, sizeof bits);
    }
}

static void write_integers(struct sims_stream *s, const uint32_t *values, size_t count)
{
    uint8_t *to = writer_reserve(s->writer, 4 * count);
    if (!to)
        return;
    convert_integers(s, to, values, count);
    writer_commit(s->writer, 4 * count);
}

static void read_floats(const struct sims_rows *rows, const uint8_t *from, unsigned width, float *first,
                        float *second)
{
    size_t rest = rows->type->columns - width;
    if (!rest) {
        floats_from_le(first, from, (size_t)rows->count * width);
        return;
    }
    for (uint32_t i = 0; i < rows->count; i++, from += 4 * rows->type->columns) {
        floats_from_le(first + (size_t)i * width, from, width);
        floats_from_le(second + (size_t)i * rest, from + 4 * width, rest);
    }
}

static void write_floats(struct sims_stream *s, const struct sims_rows *rows, unsigned width,
                         const float *first, const float *second)
{
    size_t size = 4 * (size_t)rows->count * rows->type->columns, rest = rows->type->columns - width;
    uint8_t *to = writer_reserve(s->writer, size);
    if (to && !rest)
        floats_to_le(to, first, size / 4);
    for (uint32_t i = 0; to && rest && i < rows->count; i++, to += 4 * rows->type->columns) {
        floats_to_le(to, first + (size_t)i * width, width);
        floats_to_le(to + 4 * width, second + (size_t)i * rest, rest);
    }
    writer_commit(s->writer, size);
}

/* Checks the values of one array, whose first column is `column` of the rows. */
static void check_finite(struct sims_stream *s, const struct sims_rows *rows, const float *values,
                         size_t width, unsigned column)
{
    size_t count = rows->count * width, found = floats_find_non_finite(values, count);
    if (found < count)
        sims_rows_fail(s, rows, (uint32_t)(found / width), column + (unsigned)(found % width), "non_finite",
                       "NaN or infinity is not a finite number");
}

/* ------------------------------------------------------------------------------------------ entry points -- */

void sims_rows_integers(struct sims_stream *s, const struct sims_rows *rows, uint32_t *values)
{
    size_t count = (size_t)rows->count * rows->type->columns;
    if (sims_is_writing(s)) {
        if (s->encoding->is_text)
            write_integer_lines(s, rows, values);
        else
            write_integers(s, values, count);
    } else if (s->encoding->is_text) {
        if (values)
            read_integer_lines(s, rows, values);
        else
            pass_lines(s, rows);
    } else {
        const uint8_t *from = reader_bytes(&s->reader, 4 * count, rows->type->list);
        if (from && values)
            convert_integers(s, values, from, count);
    }
}

void sims_rows_floats(struct sims_stream *s, const struct sims_rows *rows, unsigned width, float *first,
                      float *second)
{
    if (sims_is_writing(s)) {
        if (s->encoding->is_text)
            write_float_lines(s, rows, width, first, second);
        else
            write_floats(s, rows, width, first, second);
    } else if (s->encoding->is_text) {
        if (first)
            read_float_lines(s, rows, width, first, second);
        else
            pass_lines(s, rows);
    } else {
        const uint8_t *from =
            reader_bytes(&s->reader, 4 * (uint64_t)rows->count * rows->type->columns, rows->type->list);
        if (!from || !first)
            return;
        read_floats(rows, from, width, first, second);
        check_finite(s, rows, first, width, 0);
        check_finite(s, rows, second, rows->type->columns - width, width);
    }
}

/* Lines have no fixed position and are counted again, which happens only for errors. */
static uint64_t seek_line(struct sims_stream *s, const struct sims_rows *rows, uint32_t row, unsigned column)
{
    struct reader reader = s->reader;
    reader.error = NULL;
    reader.failed = false;
    reader.at = rows->at;
    struct lines lines = {.reader = &reader, .number = rows->line};
    const char *text = (const char *)rows->at;
    size_t length;
    for (uint32_t i = 0; i <= row; i++)
        lines_record(&lines, NULL);
    for (unsigned i = 0; i <= column; i++)
        lines_field(&lines, &text, &length);
    s->reader.line = lines.number;
    return reader.base + (uint64_t)((const uint8_t *)text - reader.start);
}

uint64_t sims_rows_seek(struct sims_stream *s, const struct sims_rows *rows, uint32_t row, unsigned column)
{
    if (s->encoding->is_text)
        return seek_line(s, rows, row, column);
    uint64_t values = (uint64_t)row * rows->type->columns + column;
    return s->reader.base + (uint64_t)(rows->at - s->reader.start) + 4 * values;
}

bool sims_rows_fail(struct sims_stream *s, const struct sims_rows *rows, uint32_t row, unsigned column,
                    const char *code, const char *format, ...)
{
    char reason[160];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reason, sizeof reason, format, arguments);
    va_end(arguments);
    uint64_t offset = sims_rows_seek(s, rows, row, column);
    sims_enter(s, rows->type->list, row);
    reader_fail_at(&s->reader, offset, rows->type->column_names[column], code, "%s", reason);
    sims_leave(s);
    return false;
}
