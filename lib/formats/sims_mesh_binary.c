/*
 * The body of a mesh in binary: integers little-endian with texts whose length escapes at 255 (.bmf), or big-endian
 * with texts of at most 255 bytes (.mesh). Floats are little-endian in both.
 */
#include "lib/formats/sims_mesh.h"

#include "lib/core/floats.h"
#include "lib/core/text.h"

static unsigned row_size(unsigned columns)
{
    return 4 * columns;
}

/* ----------------------------------------------------------------------------------------------- reading -- */

static const char *take_text(struct mesh_source *source, uint32_t size, const char *field)
{
    const uint8_t *bytes = reader_bytes(source->reader, size, field);
    if (!bytes)
        return NULL;
    return source->arena ? text_from_windows1252(source->arena, bytes, size) : "";
}

static const char *read_short_text(struct mesh_source *source, const char *field)
{
    return take_text(source, reader_u8(source->reader, field), field);
}

static const char *read_long_text(struct mesh_source *source, const char *field)
{
    uint32_t size = reader_u8(source->reader, field);
    if (size == 255)
        size = reader_u32le(source->reader, field);
    return take_text(source, size, field);
}

static int32_t read_count_le(struct mesh_source *source, const char *field)
{
    return reader_i32le(source->reader, field);
}

static int32_t read_count_be(struct mesh_source *source, const char *field)
{
    return reader_i32be(source->reader, field);
}

static uint32_t load_u32le(const uint8_t *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static uint32_t load_u32be(const uint8_t *p)
{
    return (uint32_t)p[3] | (uint32_t)p[2] << 8 | (uint32_t)p[1] << 16 | (uint32_t)p[0] << 24;
}

static bool read_integers_le(struct mesh_source *source, const struct mesh_list *list, uint32_t rows,
                             uint32_t *out)
{
    size_t count = (size_t)rows * list->columns;
    const uint8_t *bytes = reader_bytes(source->reader, 4 * count, list->name);
    for (size_t i = 0; bytes && out && i < count; i++)
        out[i] = load_u32le(bytes + 4 * i);
    return bytes != NULL;
}

static bool read_integers_be(struct mesh_source *source, const struct mesh_list *list, uint32_t rows,
                             uint32_t *out)
{
    size_t count = (size_t)rows * list->columns;
    const uint8_t *bytes = reader_bytes(source->reader, 4 * count, list->name);
    for (size_t i = 0; bytes && out && i < count; i++)
        out[i] = load_u32be(bytes + 4 * i);
    return bytes != NULL;
}

static bool read_floats(struct mesh_source *source, const struct mesh_list *list, uint32_t rows,
                        unsigned width, float *first, float *second)
{
    size_t count = (size_t)rows * list->columns;
    const uint8_t *bytes = reader_bytes(source->reader, 4 * count, list->name);
    if (!bytes || !first)
        return bytes != NULL;
    if (!second) {
        floats_from_le(first, bytes, count);
        return true;
    }
    unsigned rest = list->columns - width;
    for (uint32_t i = 0; i < rows; i++, bytes += 4 * list->columns) {
        floats_from_le(first + (size_t)i * width, bytes, width);
        floats_from_le(second + (size_t)i * rest, bytes + 4 * width, rest);
    }
    return true;
}

static uint64_t seek(struct mesh_source *source, const struct mesh_place *place, unsigned columns,
                     uint32_t row, unsigned column)
{
    const struct reader *reader = source->reader;
    return reader->base + (uint64_t)(place->at - reader->start) + 4 * ((uint64_t)row * columns + column);
}

/* ----------------------------------------------------------------------------------------------- writing -- */

static bool write_short_text(struct mesh_sink *sink, const uint8_t *text, size_t size)
{
    if (size > 255)
        return error_set(sink->job->error, POSE_BAD_ARGUMENT, "text_too_long",
                         "a name of %zu bytes is longer than the 255 that fit", size);
    writer_u8(sink->writer, (uint8_t)size);
    writer_bytes(sink->writer, text, size);
    return true;
}

static bool write_long_text(struct mesh_sink *sink, const uint8_t *text, size_t size)
{
    writer_u8(sink->writer, (uint8_t)(size < 255 ? size : 255));
    if (size >= 255)
        writer_u32le(sink->writer, (uint32_t)size);
    writer_bytes(sink->writer, text, size);
    return true;
}

static void write_count_le(struct mesh_sink *sink, uint32_t count)
{
    writer_u32le(sink->writer, count);
}

static void write_count_be(struct mesh_sink *sink, uint32_t count)
{
    writer_u32be(sink->writer, count);
}

static void write_integers_le(struct mesh_sink *sink, const int32_t *row, unsigned columns)
{
    for (unsigned i = 0; i < columns; i++)
        writer_u32le(sink->writer, (uint32_t)row[i]);
}

static void write_integers_be(struct mesh_sink *sink, const int32_t *row, unsigned columns)
{
    for (unsigned i = 0; i < columns; i++)
        writer_u32be(sink->writer, (uint32_t)row[i]);
}

static void write_floats(struct mesh_sink *sink, const float *row, unsigned columns)
{
    for (unsigned i = 0; i < columns; i++)
        writer_f32le(sink->writer, row[i]);
}

const struct mesh_encoding mesh_encoding_little_endian = {
    .weight_first = true,
    .row_size = row_size,
    .read_text = read_long_text,
    .read_count = read_count_le,
    .read_integers = read_integers_le,
    .read_floats = read_floats,
    .seek = seek,
    .write_text = write_long_text,
    .write_count = write_count_le,
    .write_integers = write_integers_le,
    .write_floats = write_floats,
};

const struct mesh_encoding mesh_encoding_big_endian = {
    .weight_first = true,
    .row_size = row_size,
    .read_text = read_short_text,
    .read_count = read_count_be,
    .read_integers = read_integers_be,
    .read_floats = read_floats,
    .seek = seek,
    .write_text = write_short_text,
    .write_count = write_count_be,
    .write_integers = write_integers_be,
    .write_floats = write_floats,
};
