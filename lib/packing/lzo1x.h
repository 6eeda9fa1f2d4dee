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
 * A run is 255 for each zero byte, plus the first other byte. Each match is followed by 0 to 3 literals.
 */
#ifndef POSE_PACKING_LZO1X_H
#define POSE_PACKING_LZO1X_H

#include "lib/core/arena.h"
#include "lib/core/bytes/reader.h"
#include "lib/core/bytes/writer.h"

/*
 * Decodes the stream at the reader's position, which must extend to the reader's end. Writes at most capacity bytes
 * to out (not NULL); *written is their number.
 *
 * Returns false on failure (reported by the reader at the instruction): truncated, output_overflow, bad_reference,
 * trailing_bytes.
 */
bool lzo1x_decode(struct reader *reader, uint8_t *out, size_t capacity, size_t *written);

/* Tables of the encoder; can be reused for any number of streams in sequence. */
struct lzo1x_encoder;
/* Allocated in the arena; NULL if out of memory. */
struct lzo1x_encoder *lzo1x_encoder_new(struct arena *arena);
/* Appends the bytes (at most UINT32_MAX - 1) as one stream, which may be longer than the input. */
void lzo1x_encode(struct lzo1x_encoder *encoder, struct pose_bytes bytes, struct writer *writer);

#endif
