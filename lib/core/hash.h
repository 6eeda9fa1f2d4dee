/* Hashes: those that file formats use, and one of our own. */
#ifndef POSE_CORE_HASH_H
#define POSE_CORE_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* FNV-1 (multiply, then xor) over text with ASCII letters in lower case, as The Sims 3 names things. */
uint32_t hash_fnv32(const char *text, size_t length);
uint64_t hash_fnv64(const char *text, size_t length);
/* The same for text in pieces: goes on from the hash of what came before. */
uint64_t hash_fnv64_more(uint64_t hash, const char *text, size_t length);

/* FNV-1a (xor, then multiply), of our own tables; without_case: ASCII letters in lower case. */
uint64_t hash_fnv1a(const char *text, size_t length, bool without_case);

/* Of floats bit for bit, to find equal lists; in no file. */
uint64_t hash_floats(const float *values, uint32_t count);

#endif
