/*
 * RefPack, the compression of FAR3 (The Sims Online) and DBPF (The Sims 3): opcodes that copy literals from the
 * input and runs from the output. Each container has its own header before them, which is not handled here.
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

/* The maximum output of packed bytes of opcodes, to bound allocations. */
uint64_t refpack_bound(uint64_t packed);

/*
 * Decodes the opcodes at the reader's position into exactly size bytes at out (not NULL); never writes beyond them.
 * The reader is then after the stop opcode: the rest are trailing bytes. *stopped says whether there was one; it is
 * optional if the stream ends when its output is complete.
 *
 * Returns false on failure (reported by the reader at the opcode): truncated, output_overflow, bad_reference,
 * output_short. out then holds what was decoded so far.
 */
bool refpack_decode(struct reader *reader, uint8_t *out, size_t size, bool *stopped);

/* Tables of the encoder, about 770 kB; can be reused for any number of files in sequence. */
struct refpack_encoder;
/* Allocated in the arena; NULL if out of memory. */
struct refpack_encoder *refpack_encoder_new(struct arena *arena);
/* Appends the opcodes for bytes (at most UINT32_MAX - 1) and a stop. They may be longer than the input. */
void refpack_encode(struct refpack_encoder *encoder, struct pose_bytes bytes, struct writer *writer);

#endif
