/*
 * Long lists of rows on a sims_stream, all integers or all floats: one row per line in text, otherwise read and
 * written at once. Row values are checked after the list has been read; the list remembers where it began, and
 * errors compute the position of a value from that, so that reading needs no bookkeeping.
 */
#ifndef POSE_FORMATS_SIMS_ROWS_H
#define POSE_FORMATS_SIMS_ROWS_H

#include "lib/formats/sims/stream.h"

/* The kind of rows, as named in errors. */
struct sims_row_type {
    const char *list;  /* "faces" */
    const char *count; /* "face_count" */
    unsigned columns;
    const char *column_names[6];
};

struct sims_rows {
    const struct sims_row_type *type;
    uint32_t count;
    const uint8_t *at; /* when reading: start of the first row, */
    uint32_t line;     /* and the line before it */
};

/* The count before the list; false if the stream failed. */
bool sims_rows_count(struct sims_stream *s, struct sims_rows *rows);
/* Starts the rows. When reading, checks that count rows are present. */
bool sims_rows_begin(struct sims_stream *s, struct sims_rows *rows);

/* All columns of all rows. values may be NULL while walking. */
void sims_rows_integers(struct sims_stream *s, const struct sims_rows *rows, uint32_t *values);
/* The same for floats, all finite: the first width columns of each row go to first, the others (if any) to
 * second. */
void sims_rows_floats(struct sims_stream *s, const struct sims_rows *rows, unsigned width, float *first,
                      float *second);

/* The file offset of a value that was read; sets the reader's line to its line. */
uint64_t sims_rows_seek(struct sims_stream *s, const struct sims_rows *rows, uint32_t row, unsigned column);
/* Fails with an error at that value. Always false. */
bool sims_rows_fail(struct sims_stream *s, const struct sims_rows *rows, uint32_t row, unsigned column,
                    const char *code, const char *format, ...) POSE_PRINTF(6, 7);

#endif
