#include "lib/core/bytes/bit_writer.h"

enum { WORD = 32 };

void bit_writer_init(struct bit_writer *bits, struct writer *writer)
{
    *bits = (struct bit_writer){.writer = writer};
}

void bit_writer_put(struct bit_writer *bits, int64_t value, unsigned width)
{
    uint64_t mask = (UINT64_C(1) << width) - 1;
    bits->pending |= ((uint64_t)value & mask) << bits->count;
    bits->count += width;
    if (bits->count < WORD)
        return;
    writer_u32be(bits->writer, (uint32_t)bits->pending);
    bits->pending >>= WORD;
    bits->count -= WORD;
}

void bit_writer_finish(struct bit_writer *bits)
{
    if (bits->count)
        writer_u32be(bits->writer, (uint32_t)bits->pending);
    bits->pending = 0;
    bits->count = 0;
}

unsigned bit_width_signed(int64_t value)
{
    uint64_t rest = (uint64_t)(value < 0 ? ~value : value);
    unsigned width = 1;
    for (; rest; rest >>= 1)
        width++;
    return width;
}
