/*
 * Attribute streams compressed by meshoptimizer (Khronos: EXT_meshopt_compression, "Mode 0: attributes" and
 * "Filters"). Its own library would require the C++ runtime, and keys need only this part.
 *
 *   u8 0xa0, blocks, the first element at the end (before it zeros, so that both have at least 32 bytes)
 *   block: of up to 256 elements, and for each of their bytes: two bits for every 16 elements, then the 16
 *   differences as nothing, 2 bits or 4 bits each (all ones: a byte follows), or bytes
 */
#ifndef POSE_PACKING_MESHOPT_H
#define POSE_PACKING_MESHOPT_H

#include "lib/core/arena.h"

enum { MAX_MESHOPT_STRIDE = 256 };

/* The minimum size of a stream of count elements of stride bytes (a multiple of 4, 4 … 256); more than any
 * file's size if there are too many. */
uint64_t meshopt_least(uint64_t count, uint32_t stride);

/* Unpacks count elements of stride bytes to out. bytes must have meshopt_least bytes. Returns NULL, or an error
 * message; one too if arena is stopped, which is asked between blocks. */
const char *meshopt_unpack(struct pose_bytes bytes, uint64_t count, uint32_t stride, uint8_t *out,
                           struct arena *arena);

/* The filters: convert unpacked elements to numbers, in place. */
void meshopt_octahedral(uint8_t *elements, uint64_t count, uint32_t stride);  /* stride 4 or 8 */
void meshopt_quaternion(uint8_t *elements, uint64_t count);                   /* stride 8 */
void meshopt_exponential(uint8_t *elements, uint64_t count, uint32_t stride); /* a multiple of 4 */

#endif
