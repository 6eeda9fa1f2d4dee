#include "lib/core/bytes/bits.h"

void bits_init(struct bits *bits, const uint8_t *words, uint64_t word_count)
{
    *bits = (struct bits){.words = words, .word_count = word_count};
}

uint64_t bits_find(const struct bits *bits, uint64_t from, uint64_t end)
{
    struct bits at = *bits;
    while (from < end) {
        at.at = from;
        uint32_t window = (uint32_t)bits_peek(&at);
        if (window) {
            from += (unsigned)__builtin_ctz(window);
            return from < end ? from : end;
        }
        from += 32;
    }
    return end;
}
