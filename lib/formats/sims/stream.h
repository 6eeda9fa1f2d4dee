/*
 * The fields of a Sims file, one after another, in any of the encodings.
 *
 * The text files of The Sims 1, its binary files and those of The Sims Online hold the same records. A record is
 * described once, by a function that visits its fields in file order; the stream determines whether the visit
 * reads them, writes them or only walks past them (a probe, which stores nothing):
 *
 *     static void visit_pair(struct sims_stream *s, struct sims_pair *pair)
 *     {
 *         sims_text(s, "key", &pair->key);
 *         sims_text(s, "value", &pair->value);
 *     }
 *
 * Failure is sticky, as in the reader: all later fields read as zero or empty.
 */
#ifndef POSE_FORMATS_SIMS_STREAM_H
#define POSE_FORMATS_SIMS_STREAM_H

#include "lib/core/bytes/lines.h"
#include "lib/formats/codec.h"

struct sims_stream;

/* How fields of one encoding are read or written. */
struct sims_fields {
    void (*integer)(struct sims_stream *s, const char *field, int32_t *value);
    void (*number)(struct sims_stream *s, const char *field, float *value); /* always finite */
    void (*vector)(struct sims_stream *s, const char *field, float *values, unsigned count);
    void (*text)(struct sims_stream *s, const char *field, const char **text); /* UTF-8; "" while walking */
};

struct sims_encoding {
    bool is_text;    /* a field is a line; otherwise bytes */
    bool big_endian; /* integers only; floats are always little-endian */
    struct sims_fields read, write;
};

struct sims_stream {
    const struct sims_encoding *encoding;
    const struct sims_fields *fields;
    struct reader reader;  /* its path is used in both directions */
    struct lines lines;    /* on it, for reading text */
    struct writer *writer; /* NULL when reading */
    struct arena *arena;   /* owns what is read; NULL: the stream walks */
    struct pose_error *error;
};

void sims_stream_read(struct sims_stream *s, const struct sims_encoding *encoding, struct pose_bytes bytes,
                      struct arena *arena, struct pose_error *error);
/* Walks over the bytes: allocates nothing, reports nothing. */
void sims_stream_walk(struct sims_stream *s, const struct sims_encoding *encoding, struct pose_bytes bytes);
void sims_stream_write(struct sims_stream *s, const struct sims_encoding *encoding, struct encode_job *job);

static inline bool sims_is_writing(const struct sims_stream *s)
{
    return s->writer != NULL;
}
bool sims_failed(const struct sims_stream *s);

static inline void sims_enter(struct sims_stream *s, const char *name, uint64_t index)
{
    reader_enter(&s->reader, name, index);
}
static inline void sims_leave(struct sims_stream *s)
{
    reader_leave(&s->reader);
}

static inline void sims_integer(struct sims_stream *s, const char *field, int32_t *value)
{
    s->fields->integer(s, field, value);
}
void sims_unsigned(struct sims_stream *s, const char *field, uint32_t *value);
static inline void sims_number(struct sims_stream *s, const char *field, float *value)
{
    s->fields->number(s, field, value);
}
static inline void sims_vector(struct sims_stream *s, const char *field, float *values, unsigned count)
{
    s->fields->vector(s, field, values, count);
}
static inline void sims_text(struct sims_stream *s, const char *field, const char **text)
{
    s->fields->text(s, field, text);
}

/*
 * A count of items that follow. When reading, it is accepted only if the file has room for them, each taking at
 * least that many bytes (or, in text, lines); never if negative.
 */
bool sims_count(struct sims_stream *s, const char *field, uint32_t *count, unsigned bytes, unsigned lines);
/* The same for a count read in another width. */
bool sims_check_count(struct sims_stream *s, const char *field, uint32_t count, unsigned bytes,
                      unsigned lines);
/* The array of items: a new one when reading, the given one when writing, NULL when walking. */
void *sims_items(struct sims_stream *s, void *items, uint32_t count, size_t size);
/* Whether to continue with item i of count. */
static inline bool sims_more(const struct sims_stream *s, uint32_t i, uint32_t count)
{
    return i < count && !sims_failed(s);
}

/* Writing: refuses a value that the target cannot hold. */
void sims_refuse(struct sims_stream *s, const char *field, const char *code, const char *format, ...)
    POSE_PRINTF(4, 5);
/* Converts a text to be written to Windows-1252; returns the number of bytes, at most capacity; refuses what
 * does not fit. */
size_t sims_text_bytes(struct sims_stream *s, const char *field, const char *text, uint8_t *bytes,
                       size_t capacity);
/* Converts Windows-1252 bytes to text in the stream's arena; "" while walking. */
const char *sims_keep_text(struct sims_stream *s, const uint8_t *bytes, size_t length);

#endif
