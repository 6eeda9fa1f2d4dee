/*
 * RefPack, the compression of FAR3 (The Sims Online) and DBPF (The Sims 3): opcodes that copy literals from the
 * input and runs from the output. Each container puts a header of its own before them; here are the opcodes alone.
 *
 *     00-7F  b0 b1           literals b0 & 3    length 3..10    distance 1..1024
 *     80-BF  b0 b1 b2        literals b1 >> 6   length 4..67    distance 1..16384
 *     C0-DF  b0 b1 b2 b3     literals b0 & 3    length 5..1028  distance 1..131072
 *     E0-FB  b0              literals 4..112 in steps of 4
 *     FC-FF  b0              literals b0 & 3, then stop
 */
#ifndef POSE_PACKING_REFPACK_H
#define POSE_PACKING_REFPACK_H

#include "lib/core/arena.h"
#include "lib/core/bytes/reader.h"
#include "lib/core/bytes/writer.h"

/* The most output that packed bytes of opcodes can give: nothing larger need ever be allocated for them. */
uint64_t refpack_bound(uint64_t packed);

/*
 * Decodes the opcodes that the reader stands at into exactly size bytes at out (not NULL); never writes beyond them. The reader
 * then stands behind the stop opcode: what it has left is trailing bytes. *stopped says whether there was one; a
 * stream that ends with its output complete needs none.
 *
 * False on failure (reported by the reader at the opcode): truncated, output_overflow, bad_reference, output_short.
 * out then holds what was decoded so far.
 */
bool refpack_decode(struct reader *reader, uint8_t *out, size_t size, bool *stopped);

/* Tables of the encoder, about 770 kB: one serves any number of files, one after the other. */
struct refpack_encoder;
/* In the arena; NULL when memory is out. */
struct refpack_encoder *refpack_encoder_new(struct arena *arena);
/* Appends the opcodes for bytes (at most UINT32_MAX - 1) and a stop. They may be longer than the bytes. */
void refpack_encode(struct refpack_encoder *encoder, struct pose_bytes bytes, struct writer *writer);

#endif
