#include "lib/core/floats.h"

#include <string.h>

/* The byte order of the host is known to the compiler: one of the branches below is no code at all. */
#define HOST_IS_LITTLE (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)

void floats_from_le(float *to, const uint8_t *from, size_t count)
{
    if (!count)
        return;
    memcpy(to, from, count * sizeof *to);
    for (size_t i = 0; !HOST_IS_LITTLE && i < count; i++) {
        uint32_t bits;
        memcpy(&bits, &to[i], sizeof bits);
        bits = __builtin_bswap32(bits);
        memcpy(&to[i], &bits, sizeof bits);
    }
}

void floats_to_le(uint8_t *to, const float *from, size_t count)
{
    if (!count)
        return;
    memcpy(to, from, count * sizeof *from);
    for (size_t i = 0; !HOST_IS_LITTLE && i < count; i++) {
        uint32_t bits;
        memcpy(&bits, to + 4 * i, sizeof bits);
        bits = __builtin_bswap32(bits);
        memcpy(to + 4 * i, &bits, sizeof bits);
    }
}

/* The largest bit pattern without its sign: NaN and infinity are 0x7f800000 and above. A plain maximum, so that the
 * compiler may do many at once. */
static uint32_t largest_magnitude(const float *values, size_t count)
{
    uint32_t largest = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        bits &= 0x7fffffff;
        largest = bits > largest ? bits : largest;
    }
    return largest;
}

size_t floats_find_non_finite(const float *values, size_t count)
{
    enum { BLOCK = 1024, INFINITE = 0x7f800000 };
    for (size_t block = 0; block < count; block += BLOCK) {
        size_t size = count - block < BLOCK ? count - block : BLOCK;
        if (largest_magnitude(values + block, size) < INFINITE)
            continue;
        for (size_t i = block; i < block + size; i++) {
            if (largest_magnitude(values + i, 1) >= INFINITE)
                return i;
        }
    }
    return count;
}
