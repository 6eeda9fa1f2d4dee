/* Eight characters at once, as the bytes of an integer: whether there is one that ends a run of ordinary ones. */
#ifndef POSE_CORE_EIGHT_H
#define POSE_CORE_EIGHT_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define EIGHT_ONES UINT64_C(0x0101010101010101)
#define EIGHT_TOPS UINT64_C(0x8080808080808080)

static inline uint64_t eight_at(const char *text)
{
    uint64_t eight;
    memcpy(&eight, text, sizeof eight);
    return eight;
}

/* Whether one is not ASCII. */
static inline bool eight_has_top(uint64_t eight)
{
    return eight & EIGHT_TOPS;
}

/* Whether one is below a limit, of at most 0x80. */
static inline bool eight_has_below(uint64_t eight, unsigned char limit)
{
    return (eight - EIGHT_ONES * limit) & ~eight & EIGHT_TOPS;
}

static inline bool eight_has(uint64_t eight, char character)
{
    return eight_has_below(eight ^ EIGHT_ONES * (unsigned char)character, 1);
}

#endif
