/*
 * Encoding LZO1X: greedy, with the last position of each hash of three bytes. The optional matches of 2 and 3 bytes
 * that depend on the state are not used.
 */
#include "lib/packing/lzo1x.h"

#include <string.h>

enum {
    HASH_BITS = 14,
    NEAR = 2048,    /* greatest distance of the short form */
    MIDDLE = 16384, /* of the form without bit 14 */
    FARTHEST = 49151,
    MAX_NEAR = 8, /* length of the short form */
};

/* Positions are stored plus one, so that 0 means none. */
struct lzo1x_encoder {
    uint32_t last[1 << HASH_BITS];
};

/* Output, and the position of the two bits that count the literals after the last match. */
struct output {
    struct writer *writer;
    size_t bits_at; /* SIZE_MAX: nothing was written yet; SIZE_MAX - 1: literals were */
};

static const size_t at_start = SIZE_MAX, after_literals = SIZE_MAX - 1;

struct lzo1x_encoder *lzo1x_encoder_new(struct arena *arena)
{
    return ARENA_NEW(arena, struct lzo1x_encoder, 1);
}

static uint32_t hash_three(const uint8_t *p)
{
    uint32_t word = (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16;
    return word * 2654435761u >> (32 - HASH_BITS);
}

/* A zero byte for each 255, and a last byte that is not zero. */
static void put_run(struct writer *writer, size_t length)
{
    for (; length > 255; length -= 255)
        writer_u8(writer, 0);
    writer_u8(writer, (uint8_t)length);
}

static void put_literals(struct output *output, const uint8_t *bytes, size_t count)
{
    struct writer *writer = output->writer;
    if (!count)
        return;
    if (output->bits_at == at_start && count <= 238) {
        writer_u8(writer, (uint8_t)(17 + count));
    } else if (count <= 3) {
        if (!writer->failed)
            writer->out->data[output->bits_at] |= (uint8_t)count;
    } else if (count <= 18) {
        writer_u8(writer, (uint8_t)(count - 3));
    } else {
        writer_u8(writer, 0);
        put_run(writer, count - 18);
    }
    writer_bytes(writer, bytes, count);
    output->bits_at = after_literals;
}

static void put_match(struct output *output, size_t length, uint32_t distance)
{
    struct writer *writer = output->writer;
    output->bits_at = writer->out->size;
    if (length <= MAX_NEAR && distance <= NEAR) {
        unsigned low = (distance - 1) & 7;
        writer_u8(writer,
                  (uint8_t)((length <= 4 ? 64 | (length - 3) << 5 : 128 | (length - 5) << 5) | low << 2));
        writer_u8(writer, (uint8_t)((distance - 1) >> 3));
        return;
    }
    bool middle = distance <= MIDDLE;
    uint32_t rest = middle ? distance - 1 : distance - MIDDLE;
    unsigned most = middle ? 31 : 7, kind = middle ? 32 : 16 | (rest >> 11 & 8);
    if (length - 2 <= most) {
        writer_u8(writer, (uint8_t)(kind | (length - 2)));
    } else {
        writer_u8(writer, (uint8_t)kind);
        put_run(writer, length - 2 - most);
    }
    output->bits_at = writer->out->size;
    writer_u16le(writer, (uint16_t)(rest << 2));
}

/* The size of a match in bytes, which must be less than its length. */
static unsigned match_cost(size_t length, uint32_t distance)
{
    return length <= MAX_NEAR && distance <= NEAR ? 2 : 3;
}

static size_t match_length(struct pose_bytes bytes, uint32_t candidate, uint32_t position)
{
    size_t left = bytes.size - position, length = 0;
    while (length < left && bytes.data[candidate + length] == bytes.data[position + length])
        length++;
    return length;
}

void lzo1x_encode(struct lzo1x_encoder *encoder, struct pose_bytes bytes, struct writer *writer)
{
    static const uint8_t end[] = {0x11, 0, 0};
    struct output output = {writer, at_start};
    uint32_t position = 0, pending = 0;
    memset(encoder->last, 0, sizeof encoder->last);
    while (bytes.size - position >= 3) {
        uint32_t *last = &encoder->last[hash_three(bytes.data + position)];
        uint32_t candidate = *last, distance = position - (candidate - 1);
        *last = position + 1;
        size_t length = candidate && distance <= FARTHEST ? match_length(bytes, candidate - 1, position) : 0;
        if (length <= match_cost(length, distance)) {
            position++;
            continue;
        }
        put_literals(&output, bytes.data + pending, position - pending);
        put_match(&output, length, distance);
        position += (uint32_t)length;
        pending = position;
    }
    put_literals(&output, bytes.data + pending, bytes.size - pending);
    writer_bytes(writer, end, sizeof end);
}
