#include "lib/formats/sims/tso/stream.h"

#include "lib/core/numbers/floats.h"

static void read_integer(struct sims_stream *s, const char *field, int32_t *value)
{
    *value = reader_i32be(&s->reader, field);
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
    uint8_t length = reader_u8(&s->reader, field);
    *text = sims_keep_text(s, reader_bytes(&s->reader, length, field), length);
}

static void write_integer(struct sims_stream *s, const char *field, int32_t *value)
{
    (void)field;
    writer_u32be(s->writer, (uint32_t)*value);
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
    uint8_t bytes[255];
    size_t size = sims_text_bytes(s, field, *text, bytes, sizeof bytes);
    writer_u8(s->writer, (uint8_t)size);
    writer_bytes(s->writer, bytes, size);
}

const struct sims_encoding tso_encoding = {
    .big_endian = true,
    .read = {read_integer, read_number, read_vector, read_text},
    .write = {write_integer, write_number, write_vector, write_text},
};

bool tso_version(struct sims_stream *s, uint32_t known)
{
    uint32_t version = known;
    sims_unsigned(s, "version", &version);
    if (version == known)
        return !sims_failed(s);
    return reader_fail(&s->reader, "bad_version", "version %u, only %u is supported", version, known);
}

void tso_flag(struct sims_stream *s, const char *field, uint32_t *value)
{
    if (sims_is_writing(s))
        writer_u8(s->writer, (uint8_t)*value);
    else
        *value = reader_u8(&s->reader, field);
}

void tso_long_text(struct sims_stream *s, const char *field, const char **text)
{
    if (!sims_is_writing(s)) {
        uint16_t length = reader_u16be(&s->reader, field);
        *text = sims_keep_text(s, reader_bytes(&s->reader, length, field), length);
        return;
    }
    enum { MAX_LENGTH = 65535 };
    uint8_t *bytes = arena_alloc(s->arena, MAX_LENGTH, 1);
    size_t size = bytes ? sims_text_bytes(s, field, *text, bytes, MAX_LENGTH) : 0;
    writer_u16be(s->writer, (uint16_t)size);
    writer_bytes(s->writer, bytes, size);
}

bool tso_short_count(struct sims_stream *s, const char *field, uint32_t *count, unsigned bytes)
{
    if (!sims_is_writing(s))
        *count = reader_u16be(&s->reader, field);
    else if (*count > UINT16_MAX)
        sims_refuse(s, field, "too_many", "%u do not fit into 16 bits", *count);
    else
        writer_u16be(s->writer, (uint16_t)*count);
    return sims_check_count(s, field, *count, bytes, 0);
}

static void check_floats(struct sims_stream *s, const char *items, uint64_t offset, const float *values,
                         size_t count, unsigned components)
{
    static const char *const names[] = {"x", "y", "z", "w"};
    size_t bad = floats_find_non_finite(values, count);
    if (bad == count)
        return;
    sims_enter(s, items, bad / components);
    reader_fail_at(&s->reader, offset + 4 * bad, names[bad % components], "non_finite",
                   "NaN or infinity is not a finite number");
    sims_leave(s);
}

void tso_floats(struct sims_stream *s, const char *items, float *values, size_t count, unsigned components)
{
    if (sims_is_writing(s)) {
        uint8_t *to = writer_reserve(s->writer, 4 * count);
        if (!to)
            return;
        floats_to_le(to, values, count);
        writer_commit(s->writer, 4 * count);
        return;
    }
    uint64_t offset = reader_offset(&s->reader);
    const uint8_t *from = reader_bytes(&s->reader, (uint64_t)4 * count, items);
    if (!from || !values)
        return;
    floats_from_le(values, from, count);
    check_floats(s, items, offset, values, count, components);
}
