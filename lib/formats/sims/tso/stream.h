/*
 * How fields of The Sims Online's character files are encoded: integers big-endian, floats little-endian, texts with
 * their length in a byte in front and in Windows-1252 (tso-anim.md, section 1).
 */
#ifndef POSE_FORMATS_SIMS_TSO_STREAM_H
#define POSE_FORMATS_SIMS_TSO_STREAM_H

#include "lib/formats/sims/stream.h"

extern const struct sims_encoding tso_encoding;

/* The first word of a file: false (and the failure "bad_version") when it is another one. */
bool tso_version(struct sims_stream *s, uint32_t known);
/* A boolean in a byte, with whatever value it has. */
void tso_flag(struct sims_stream *s, const char *field, uint32_t *value);
/* A text with a length of 16 bits. */
void tso_long_text(struct sims_stream *s, const char *field, const char **text);
/* A count of 16 bits. */
bool tso_short_count(struct sims_stream *s, const char *field, uint32_t *count, unsigned bytes);
/* count floats at once. Errors name the item: items[12].rotation. */
void tso_floats(struct sims_stream *s, const char *items, float *values, size_t count, unsigned components);

#endif
