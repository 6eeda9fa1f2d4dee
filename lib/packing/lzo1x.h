/*
 * LZO1X, the compression of Metroid Prime 2's paks. Written from the description in prime-pak.md; instructions by
 * their first byte c, where state is the number of literals that the one before copied (4: a whole run of them):
 *
 *     0-15     state 0    literals 3 + c (or 18 + run)                         state becomes 4
 *     0-15     state 1-3  match of 2    distance 1..1024
 *     0-15     state 4    match of 3    distance 2049..3072
 *     16-31               match of 2 + (c & 7) or 9 + run     distance 16384..49151; 16384 itself is the end
 *     32-63               match of 2 + (c & 31) or 33 + run   distance 1..16384
 *     64-127              match of 3 or 4                      distance 1..2048
 *     128-255             match of 5 to 8                      distance 1..2048
 *
 * A run is 255 for every zero byte, and the first other byte. Each match carries 0 to 3 literals behind it.
 */
#ifndef POSE_PACKING_LZO1X_H
#define POSE_PACKING_LZO1X_H

#include "lib/core/arena.h"
#include "lib/core/bytes/reader.h"
#include "lib/core/bytes/writer.h"

/*
 * Decodes the stream that the reader stands at, to its end, which must be the stream's. At most capacity bytes are
 * written to out (not NULL), *written says how many.
 *
 * False on failure (reported by the reader at the instruction): truncated, output_overflow, bad_reference,
 * trailing_bytes.
 */
bool lzo1x_decode(struct reader *reader, uint8_t *out, size_t capacity, size_t *written);

/* Tables of the encoder: one serves any number of streams, one after the other. */
struct lzo1x_encoder;
/* In the arena; NULL when memory is out. */
struct lzo1x_encoder *lzo1x_encoder_new(struct arena *arena);
/* Appends the bytes (at most UINT32_MAX - 1) as one stream, which may be longer than they are. */
void lzo1x_encode(struct lzo1x_encoder *encoder, struct pose_bytes bytes, struct writer *writer);

#endif
