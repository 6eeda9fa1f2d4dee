/*
 * Field encodings of The Sims 1's files: text with one field per line (.cmx, .skn), or little-endian binary with
 * a length byte before a text, where 255 means that an i32 length follows (.bcf, .bmf).
 */
#ifndef POSE_FORMATS_SIMS_SIMS1_STREAM_H
#define POSE_FORMATS_SIMS_SIMS1_STREAM_H

#include "lib/formats/sims/stream.h"

extern const struct sims_encoding sims1_text_encoding;
extern const struct sims_encoding sims1_binary_encoding;

#endif
