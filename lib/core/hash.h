/* Hashes: those of file formats, and those for internal tables. */
#ifndef POSE_CORE_HASH_H
#define POSE_CORE_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* FNV-1 (multiply, then xor) of text with ASCII letters in lower case, as The Sims 3 hashes names. */
uint32_t hash_fnv32(const char *text, size_t length);
uint64_t hash_fnv64(const char *text, size_t length);
/* The same for text in pieces: continues from the hash of the previous piece. */
uint64_t hash_fnv64_more(uint64_t hash, const char *text, size_t length);

/* FNV-1a (xor, then multiply), for internal tables; without_case: ASCII letters in lower case. */
uint64_t hash_fnv1a(const char *text, size_t length, bool without_case);

/* Hashes the bits of floats, to find equal lists; not used in files. */
uint64_t hash_floats(const float *values, uint32_t count);

#endif
