#include "lib/core/hash.h"

#include "lib/core/text.h"

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
