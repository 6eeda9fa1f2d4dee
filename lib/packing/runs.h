/*
 * Deflate (RFC 1951, in the frame of RFC 1950) of bytes most of which are runs of 0, such as the differences between the
 * pixels of a picture that is drawn: literals and repetitions of the last byte alone. A library that looks for everything
 * that repeats spends most of its time inside the runs.
 */
#ifndef POSE_PACKING_RUNS_H
#define POSE_PACKING_RUNS_H

#include "lib/core/bytes/writer.h"

enum {
    RUNS_TOKENS = 1 << 15, /* of a block */
    RUNS_LITERALS = 256,
    RUNS_LENGTHS = 259, /* those from 3 on are used */
    RUNS_SYMBOLS = 286, /* literals, the end of a block, 29 ranges of lengths */
};

struct runs {
    struct writer *writer;
    uint64_t bits; /* that are not written yet, from the lowest */
    unsigned bit_count;
    uint32_t check, count;
    uint16_t tokens[RUNS_TOKENS]; /* a literal, or 256 + the length of a repetition */
};

/* Failure is the writer's. */
void runs_begin(struct runs *runs, struct writer *writer);
void runs_add(struct runs *runs, const uint8_t *bytes, size_t size);
void runs_end(struct runs *runs);

#endif
