/*
 * The fields of a Sims file, one after another, in whichever encoding the file has.
 *
 * The text files of The Sims 1, its binary files and those of The Sims Online hold the same records. A record is
 * described once, by a function that visits its fields in the order of the file; whether that visit reads them,
 * writes them or only walks past them (a probe, which keeps nothing) is the stream's affair:
 *
 *     static void visit_pair(struct sims_stream *s, struct sims_pair *pair)
 *     {
 *         sims_text(s, "key", &pair->key);
 *         sims_text(s, "value", &pair->value);
 *     }
 *
 * Failure is sticky, as in the reader: every later field reads as nothing.
 */
#ifndef POSE_FORMATS_SIMS_STREAM_H
#define POSE_FORMATS_SIMS_STREAM_H

#include "lib/core/bytes/lines.h"
#include "lib/formats/codec.h"

struct sims_stream;

/* How fields of one encoding are read, or written. */
struct sims_fields {
    void (*integer)(struct sims_stream *s, const char *field, int32_t *value);
    void (*number)(struct sims_stream *s, const char *field, float *value); /* always finite */
    void (*vector)(struct sims_stream *s, const char *field, float *values, unsigned count);
    void (*text)(struct sims_stream *s, const char *field, const char **text); /* UTF-8; "" when walking */
};

struct sims_encoding {
    bool is_text;    /* a field is a line; else its bytes */
    bool big_endian; /* integers; floats never are */
    struct sims_fields read, write;
};

struct sims_stream {
    const struct sims_encoding *encoding;
    const struct sims_fields *fields;
    struct reader reader;  /* its path is kept in both directions */
    struct lines lines;    /* on it, when reading text */
    struct writer *writer; /* NULL when reading */
    struct arena *arena;   /* what is read lives here; NULL: the stream walks */
    struct pose_error *error;
};

void sims_stream_read(struct sims_stream *s, const struct sims_encoding *encoding, struct pose_bytes bytes,
                      struct arena *arena, struct pose_error *error);
/* Reads without keeping anything: allocates nothing, reports nothing. */
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
 * A count of items that follow. When reading it is believed only when the file has room for them, each of at least
 * that many bytes (or, in text, lines); a negative one never is.
 */
bool sims_count(struct sims_stream *s, const char *field, uint32_t *count, unsigned bytes, unsigned lines);
/* The same for a count that was read in another width. */
bool sims_check_count(struct sims_stream *s, const char *field, uint32_t count, unsigned bytes,
                      unsigned lines);
/* The array of the items: a new one when reading, the one that is there when writing, NULL when walking. */
void *sims_items(struct sims_stream *s, void *items, uint32_t count, size_t size);
/* Whether to go on with item i of count. */
static inline bool sims_more(const struct sims_stream *s, uint32_t i, uint32_t count)
{
    return i < count && !sims_failed(s);
}

/* A value that the target cannot hold, when writing. */
void sims_refuse(struct sims_stream *s, const char *field, const char *code, const char *format, ...)
    POSE_PRINTF(4, 5);
/* Windows-1252 bytes of a text that is to be written: how many, at most capacity; refuses what does not fit. */
size_t sims_text_bytes(struct sims_stream *s, const char *field, const char *text, uint8_t *bytes,
                       size_t capacity);
/* Windows-1252 bytes as text in the stream's arena; "" when walking. */
const char *sims_keep_text(struct sims_stream *s, const uint8_t *bytes, size_t length);

#endif
