/*
 * Field encodings of The Sims Online's character files: integers big-endian, floats little-endian, texts in
 * Windows-1252 preceded by a length byte (tso-anim.md, section 1).
 */
#ifndef POSE_FORMATS_SIMS_TSO_STREAM_H
#define POSE_FORMATS_SIMS_TSO_STREAM_H

#include "lib/formats/sims/stream.h"

extern const struct sims_encoding tso_encoding;

/* The first word of a file: false (with the error "bad_version") if it differs. */
bool tso_version(struct sims_stream *s, uint32_t known);
/* A boolean stored in a byte; keeps any value. */
void tso_flag(struct sims_stream *s, const char *field, uint32_t *value);
/* A text with a 16-bit length. */
void tso_long_text(struct sims_stream *s, const char *field, const char **text);
/* A 16-bit count. */
bool tso_short_count(struct sims_stream *s, const char *field, uint32_t *count, unsigned bytes);
/* count floats at once. Errors name the item: items[12].rotation. */
void tso_floats(struct sims_stream *s, const char *items, float *values, size_t count, unsigned components);

#endif
