/*
 * Writes fields of any width into big-endian 32-bit words, the least significant bit of each word first: the bit
 * order of Metroid Prime's streams (prime-anim.md, 2.3). A field that crosses words has its low bits in the first
 * one.
 */
#ifndef POSE_CORE_BYTES_BIT_WRITER_H
#define POSE_CORE_BYTES_BIT_WRITER_H

#include "lib/core/bytes/writer.h"

struct bit_writer {
    struct writer *writer;
    uint64_t pending; /* bits not yet written, the lowest first */
    unsigned count;   /* of pending bits, < 32 */
};

void bit_writer_init(struct bit_writer *bits, struct writer *writer);
/* Writes the low width bits of value (two's complement); width 0 ... 32, and 0 writes nothing. */
void bit_writer_put(struct bit_writer *bits, int64_t value, unsigned width);
/* Pads the last word with zeros. The underlying writer may be used directly afterwards. */
void bit_writer_finish(struct bit_writer *bits);

/* The narrowest width that holds the number in two's complement, at least 1. */
unsigned bit_width_signed(int64_t value);

#endif
