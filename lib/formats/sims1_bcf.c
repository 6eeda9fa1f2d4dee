/*
 * The Sims 1: character file in binary (.bcf, inside of archives .cmx.bcf): the fields of .cmx without its header.
 * Integers and booleans are i32, floats f32, all little-endian; a text is a byte with its length and its bytes, 255
 * meaning that an i32 with the length follows. No magic number and no version.
 *
 * From the notes of the engine's author and other readers. No real file could be had: verified on files that were made
 * of real .cmx, and by what others read.
 */
#include "lib/core/text.h"
#include "lib/formats/sims1_body.h"

#include <string.h>

#define EXTENSIONS ".bcf"

enum { LONG_TEXT = 255 };

/* ----------------------------------------------------------------------------------------------- reading -- */

static void read_integer(struct sims_stream *s, const char *field, int32_t *value)
{
    *value = reader_i32le(&s->reader, field);
}

static void read_number(struct sims_stream *s, const char *field, float *value)
{
    *value = reader_finite_f32le(&s->reader, field, "non_finite");
}

static void read_vector(struct sims_stream *s, const char *field, float *values, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        read_number(s, field, &values[i]);
}

static void read_text(struct sims_stream *s, const char *field, const char **text)
{
    uint32_t length = reader_u8(&s->reader, field);
    if (length == LONG_TEXT)
        length = reader_u32le(&s->reader, field);
    *text = sims_keep_text(s, reader_bytes(&s->reader, length, field), length);
}

/* ----------------------------------------------------------------------------------------------- writing -- */

static void write_integer(struct sims_stream *s, const char *field, int32_t *value)
{
    (void)field;
    writer_u32le(s->writer, (uint32_t)*value);
}

static void write_number(struct sims_stream *s, const char *field, float *value)
{
    (void)field;
    writer_f32le(s->writer, *value);
}

static void write_vector(struct sims_stream *s, const char *field, float *values, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        write_number(s, field, &values[i]);
}

static void write_text(struct sims_stream *s, const char *field, const char **text)
{
    size_t length = strlen(*text);
    uint8_t *bytes = arena_alloc(s->arena, length, 1);
    size_t size = bytes ? sims_text_bytes(s, field, *text, bytes, length) : 0;
    writer_u8(s->writer, (uint8_t)(size < LONG_TEXT ? size : LONG_TEXT));
    if (size >= LONG_TEXT)
        writer_u32le(s->writer, (uint32_t)size);
    writer_bytes(s->writer, bytes, size);
}

static const struct sims_encoding binary_encoding = {
    .read = {read_integer, read_number, read_vector, read_text},
    .write = {write_integer, write_number, write_vector, write_text},
};

/* --------------------------------------------------------------------------------------------- the codec -- */

/* Without a magic number only a file that holds something and ends exactly is one, whatever its name. */
static enum probe_result probe(const struct pose_source *source)
{
    struct sims_stream s;
    struct sims1_body body = {0};
    sims_stream_walk(&s, &binary_encoding, source->bytes);
    sims1_visit_body(&s, &body);
    if (!sims_failed(&s) && !reader_left(&s.reader) &&
        (body.skeleton_count || body.suit_count || body.skill_count))
        return PROBE_SURE;
    return source->name && text_has_extension(source->name, EXTENSIONS) ? PROBE_NAME : PROBE_NO;
}

static bool decode(struct decode_job *job)
{
    struct sims_stream s;
    struct sims1_body body = {0};
    sims_stream_read(&s, &binary_encoding, job->source->bytes, job->arena, job->error);
    sims1_visit_body(&s, &body);
    if (sims_failed(&s))
        return false;
    if (reader_left(&s.reader))
        warning_add(&job->warnings, POSE_WARNING, "trailing_bytes", reader_offset(&s.reader),
                    "%zu bytes after the last skill", reader_left(&s.reader));
    return sims1_document_build(job, &s, &body);
}

static bool encode(struct encode_job *job)
{
    struct sims_stream s;
    struct sims1_body body;
    if (!sims1_body_build(job, &body))
        return false;
    sims_stream_write(&s, &binary_encoding, job);
    sims1_visit_body(&s, &body);
    return !sims_failed(&s);
}

const struct codec codec_sims1_bcf = {
    .format = {.id = "sims1-bcf",
               .title = "The Sims character file, binary",
               .extensions = EXTENSIONS,
               .media_type = "application/x-sims1-bcf",
               .kinds = "clip skeleton character"},
    .probe = probe,
    .decode = decode,
    .encode = encode,
};
