/*
 * Long lists of rows on a sims_stream, all integers or all floats: a row a line in text, else read and written at
 * once. What rows may hold is checked after the list was read; it remembers where it began, and an error about a value
 * finds its place from there, so that reading itself carries nothing along.
 */
#ifndef POSE_FORMATS_SIMS_ROWS_H
#define POSE_FORMATS_SIMS_ROWS_H

#include "lib/formats/sims/stream.h"

/* What rows are, as errors name them. */
struct sims_row_type {
    const char *list;  /* "faces" */
    const char *count; /* "face_count" */
    unsigned columns;
    const char *column_names[6];
};

struct sims_rows {
    const struct sims_row_type *type;
    uint32_t count;
    const uint8_t *at; /* when reading: where the first row began, */
    uint32_t line;     /* and the line before it */
};

/* The count in front of the list; false when the stream failed. */
bool sims_rows_count(struct sims_stream *s, struct sims_rows *rows);
/* The rows follow now. When reading they must be there, count of them. */
bool sims_rows_begin(struct sims_stream *s, struct sims_rows *rows);

/* All columns of all rows. values may be NULL in a walk. */
void sims_rows_integers(struct sims_stream *s, const struct sims_rows *rows, uint32_t *values);
/* The same for floats, all finite: the first width columns of each row in first, the others (if any) in second. */
void sims_rows_floats(struct sims_stream *s, const struct sims_rows *rows, unsigned width, float *first,
                      float *second);

/* Offset in the file of a value that was read; its line becomes the reader's. */
uint64_t sims_rows_seek(struct sims_stream *s, const struct sims_rows *rows, uint32_t row, unsigned column);
/* A failure at that value. Always false. */
bool sims_rows_fail(struct sims_stream *s, const struct sims_rows *rows, uint32_t row, unsigned column,
                    const char *code, const char *format, ...) POSE_PRINTF(6, 7);

#endif
