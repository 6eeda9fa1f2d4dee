/*
 * Reads text files line by line, on a reader: errors have line and byte, and are sticky like the reader's. Lines
 * end with CR LF or LF. A line is plain text, or a record of fields separated by blanks and tabs.
 *
 *     lines_record(&lines, "faces");           the next line that is not blank
 *     a = lines_i32(&lines, "a");
 *     lines_done(&lines);                       no further fields allowed
 */
#ifndef POSE_CORE_BYTES_LINES_H
#define POSE_CORE_BYTES_LINES_H

#include "lib/core/arena.h"
#include "lib/core/bytes/reader.h"

struct lines {
    struct reader *reader; /* stands at the next line */
    uint32_t number;       /* of the current line, from 1; 0 before the first */
    const char *at, *end;  /* the rest of the current line, trimmed */
};

void lines_init(struct lines *lines, struct reader *reader);

/* The next line, even if blank; field names it in the error "truncated". */
bool lines_next(struct lines *lines, const char *field);
/* The next line that is neither blank nor begins with "//". */
bool lines_record(struct lines *lines, const char *field);
/* The next field of the current record; false at its end. */
bool lines_field(struct lines *lines, const char **text, size_t *length);
/* The next field as a number; errors "bad_number" (also when there is none) and "non_finite". */
int32_t lines_i32(struct lines *lines, const char *field);
float lines_float(struct lines *lines, const char *field);
/* Fails with "bad_number" if the record has more fields. */
bool lines_done(struct lines *lines);

/* True if only blank lines are left. */
bool lines_at_end(const struct lines *lines);

#endif
