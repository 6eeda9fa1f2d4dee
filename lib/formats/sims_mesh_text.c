/* The body of a mesh as lines of text (.skn): a text or a row a line, columns parted by white space. */
#include "lib/formats/sims_mesh.h"

#include <string.h>

static unsigned row_size(unsigned columns)
{
    return 2 * columns - 1; /* a digit each, and what parts them */
}

static const char *read_text(struct mesh_source *source, const char *field)
{
    if (source->arena)
        return lines_text(&source->lines, source->arena, field);
    return lines_next(&source->lines, field) ? "" : NULL;
}

static int32_t read_count(struct mesh_source *source, const char *field)
{
    lines_record(&source->lines, field);
    int32_t count = lines_i32(&source->lines, field);
    lines_done(&source->lines);
    return count;
}

/* Steps over rows that begin as a number does: enough to know the format by. */
static bool pass_rows(struct mesh_source *source, uint32_t rows)
{
    struct lines *lines = &source->lines;
    for (uint32_t i = 0; i < rows && lines_record(lines, NULL); i++) {
        if (!strchr("-+.0123456789", *lines->at))
            return reader_fail(source->reader, "bad_number", "no row of numbers");
    }
    return !source->reader->failed;
}

static bool read_integers(struct mesh_source *source, const struct mesh_list *list, uint32_t rows,
                          uint32_t *out)
{
    if (!out)
        return pass_rows(source, rows);
    struct lines *lines = &source->lines;
    for (uint32_t i = 0; i < rows && !source->reader->failed; i++) {
        reader_enter(source->reader, list->name, i);
        lines_record(lines, list->column_names[0]);
        for (unsigned column = 0; column < list->columns; column++)
            *out++ = (uint32_t)lines_i32(lines, list->column_names[column]);
        lines_done(lines);
        reader_leave(source->reader);
    }
    return !source->reader->failed;
}

static bool read_floats(struct mesh_source *source, const struct mesh_list *list, uint32_t rows,
                        unsigned width, float *first, float *second)
{
    if (!first)
        return pass_rows(source, rows);
    struct lines *lines = &source->lines;
    for (uint32_t i = 0; i < rows && !source->reader->failed; i++) {
        reader_enter(source->reader, list->name, i);
        lines_record(lines, list->column_names[0]);
        for (unsigned column = 0; column < width; column++)
            *first++ = lines_float(lines, list->column_names[column]);
        for (unsigned column = width; column < list->columns; column++)
            *second++ = lines_float(lines, list->column_names[column]);
        lines_done(lines);
        reader_leave(source->reader);
    }
    return !source->reader->failed;
}

/* Rows have no fixed place: they are counted again, since this is for errors alone. */
static uint64_t seek(struct mesh_source *source, const struct mesh_place *place, unsigned columns,
                     uint32_t row, unsigned column)
{
    (void)columns;
    struct reader reader = *source->reader;
    reader.error = NULL;
    reader.at = place->at;
    struct lines lines = {.reader = &reader, .number = place->line};
    const char *text = NULL;
    size_t length;
    for (uint32_t i = 0; i <= row; i++)
        lines_record(&lines, NULL);
    for (unsigned i = 0; i <= column; i++)
        lines_field(&lines, &text, &length);
    source->reader->line = lines.number;
    return reader.base + (uint64_t)((const uint8_t *)text - reader.start);
}

/* A text that would read back as another one is refused. */
static bool write_text(struct mesh_sink *sink, const uint8_t *text, size_t size)
{
    bool around = size && (strchr(" \t", text[0]) || strchr(" \t", text[size - 1]));
    bool inside = memchr(text, '\n', size) || memchr(text, '\r', size);
    if (around || inside)
        return error_set(sink->job->error, POSE_BAD_ARGUMENT, "text_not_encodable",
                         "a name has blanks around it or a line break in it, which a line cannot hold");
    writer_bytes(sink->writer, text, size);
    writer_text(sink->writer, "\r\n");
    return true;
}

static void write_integers(struct mesh_sink *sink, const int32_t *row, unsigned columns)
{
    for (unsigned i = 0; i < columns; i++)
        writer_format(sink->writer, i + 1 < columns ? "%d " : "%d\r\n", row[i]);
}

static void write_count(struct mesh_sink *sink, uint32_t count)
{
    writer_format(sink->writer, "%u\r\n", count);
}

static void write_floats(struct mesh_sink *sink, const float *row, unsigned columns)
{
    for (unsigned i = 0; i < columns; i++) {
        writer_float(sink->writer, row[i]);
        writer_text(sink->writer, i + 1 < columns ? " " : "\r\n");
    }
}

const struct mesh_encoding mesh_encoding_text = {
    .weight_first = false,
    .row_size = row_size,
    .read_text = read_text,
    .read_count = read_count,
    .read_integers = read_integers,
    .read_floats = read_floats,
    .seek = seek,
    .write_text = write_text,
    .write_count = write_count,
    .write_integers = write_integers,
    .write_floats = write_floats,
};
