/* A float as the 32 bits that files hold, and back. */
#ifndef POSE_CORE_NUMBERS_FLOAT_BITS_H
#define POSE_CORE_NUMBERS_FLOAT_BITS_H

#include <stdint.h>
#include <string.h>

static inline uint32_t bits_of_float(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline float float_of_bits(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

#endif
