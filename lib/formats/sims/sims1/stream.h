/*
 * How fields of The Sims 1's files are encoded: as text, a field a line (.cmx, .skn), or in binary, little-endian with
 * a byte of length in front of a text, which 255 escapes to an i32 (.bcf, .bmf).
 */
#ifndef POSE_FORMATS_SIMS_SIMS1_STREAM_H
#define POSE_FORMATS_SIMS_SIMS1_STREAM_H

#include "lib/formats/sims/stream.h"

extern const struct sims_encoding sims1_text_encoding;
extern const struct sims_encoding sims1_binary_encoding;

#endif
