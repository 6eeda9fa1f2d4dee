#include "lib/core/hash.h"

#include "lib/core/text.h"

#include <string.h>

uint32_t hash_fnv32(const char *text, size_t length)
{
    uint32_t hash = 0x811c9dc5u;
    for (size_t i = 0; i < length; i++)
        hash = hash * 0x01000193u ^ (unsigned char)text_lower(text[i]);
    return hash;
}

uint64_t hash_fnv64(const char *text, size_t length)
{
    return hash_fnv64_more(0xcbf29ce484222325u, text, length);
}

uint64_t hash_fnv64_more(uint64_t hash, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        hash = hash * 0x100000001b3u ^ (unsigned char)text_lower(text[i]);
    return hash;
}

uint64_t hash_fnv1a(const char *text, size_t length, bool without_case)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)(without_case ? text_lower(text[i]) : text[i])) * 0x100000001b3u;
    return hash;
}

uint64_t hash_floats(const float *values, uint32_t count)
{
    const uint64_t spread = UINT64_C(0x9e3779b97f4a7c15); /* 2^64 / golden ratio */
    uint64_t lanes[2] = {count, ~(uint64_t)count};
    /* Four at a time, in two lanes, which do not wait for each other; the rest alone. */
    uint32_t i = 0;
    for (; count - i >= 4; i += 4) {
        uint64_t bits[2];
        memcpy(bits, &values[i], sizeof bits);
        for (unsigned lane = 0; lane < 2; lane++) {
            lanes[lane] = (lanes[lane] ^ bits[lane]) * spread;
            lanes[lane] ^= lanes[lane] >> 29;
        }
    }
    uint64_t hash = lanes[0] ^ lanes[1] * spread;
    for (; i < count; i++) {
        uint32_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        hash = (hash ^ bits) * spread;
        hash ^= hash >> 29;
    }
    return hash;
}
