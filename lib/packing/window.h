/* Wide copies for decompressors: they copy whole steps, so may write up to one step past the end. */
#ifndef POSE_PACKING_WINDOW_H
#define POSE_PACKING_WINDOW_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { COPY_STEP = 16 }; /* bytes that a copy may read and write past its end */

/* Copies length bytes in steps of 8 or 16; source and target may overlap when they are at least a step apart. */
static inline void copy_steps(uint8_t *to, const uint8_t *from, size_t length, const unsigned step)
{
    const uint8_t *end = to + length;
    do {
        uint8_t bytes[COPY_STEP]; /* through a register, so that the compiler need not assume overlap */
        memcpy(bytes, from, step);
        memcpy(to, bytes, step);
        to += step;
        from += step;
    } while (to < end);
}

/* Copies a match: length bytes from distance bytes back, which repeat if they overlap. */
static inline void copy_match(uint8_t *to, size_t distance, size_t length)
{
    const uint8_t *from = to - distance;
    if (distance >= COPY_STEP) {
        copy_steps(to, from, length, COPY_STEP);
    } else if (distance >= 8) {
        copy_steps(to, from, length, 8);
    } else {
        /* The pattern repeats every distance bytes, so any multiple works as well: use one of at least 8. */
        for (unsigned i = 0; i < 8; i++)
            to[i] = from[i];
        size_t apart = (8 + distance - 1) / distance * distance;
        if (length > 8)
            copy_steps(to + 8, to + 8 - apart, length - 8, 8);
    }
}

/* Copies a match exactly: writes nothing past its end. */
static inline void copy_match_exactly(uint8_t *to, size_t distance, size_t length)
{
    size_t wide = length > 2 * COPY_STEP ? length - COPY_STEP : 0;
    if (wide)
        copy_match(to, distance, wide);
    for (size_t i = wide; i < length; i++)
        to[i] = to[(ptrdiff_t)i - (ptrdiff_t)distance];
}

#endif
