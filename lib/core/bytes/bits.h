/*
 * Reads a stream of bits stored as big-endian 32-bit words and consumed from the lowest bit of each word upwards; a
 * field that crosses words has its low bits in the first (prime-anim.md, 2.3). Reading cannot fail: past the last
 * word there are zeros, so the caller must check beforehand that the bits are there.
 */
#ifndef POSE_CORE_BYTES_BITS_H
#define POSE_CORE_BYTES_BITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct bits {
    const uint8_t *words; /* 4 bytes each, unaligned */
    uint64_t word_count;
    uint64_t at; /* bits consumed */
};

enum { BITS_PEEK = 33 }; /* bits of bits_peek that are valid at any alignment */

void bits_init(struct bits *bits, const uint8_t *words, uint64_t word_count);

/* True when bit `index` of the whole stream is set; index < 32 * word_count. */
static inline bool bits_test(const struct bits *bits, uint64_t index)
{
    return bits->words[index / 32 * 4 + 3 - index % 32 / 8] >> index % 8 & 1;
}
/* The first index in [from, end) whose bit is set; end when there is none. end <= 32 * word_count. */
uint64_t bits_find(const struct bits *bits, uint64_t from, uint64_t end);

/* The next bits, the first one lowest; only the lowest BITS_PEEK are guaranteed to be valid. */
static inline uint64_t bits_peek(const struct bits *bits)
{
    uint64_t word = bits->at / 32, window = 0;
    const uint8_t *from = bits->words + word * 4;
    if (word + 1 < bits->word_count) {
        memcpy(&window, from, 8);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
        window = __builtin_bswap64(window);
#endif
        window = window << 32 | window >> 32;
    } else if (word < bits->word_count) {
        window = (uint64_t)from[0] << 24 | (uint64_t)from[1] << 16 | (uint64_t)from[2] << 8 | from[3];
    }
    return window >> bits->at % 32;
}

/* The lowest width bits of a window as a two's complement number; width 0 ... 32, and 0 gives 0. */
static inline int32_t bits_sign_extend(uint64_t window, unsigned width)
{
    return (int32_t)((int64_t)(window << 1 << (63 - width)) >> 1 >> (63 - width));
}

/* Reads a two's complement number. */
static inline int32_t bits_signed(struct bits *bits, unsigned width)
{
    int32_t value = bits_sign_extend(bits_peek(bits), width);
    bits->at += width;
    return value;
}

/* Reads one bit. */
static inline bool bits_flag(struct bits *bits)
{
    bool flag = bits_peek(bits) & 1;
    bits->at++;
    return flag;
}

#endif
