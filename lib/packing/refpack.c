/*
 * Decoding has two paths. Far from the ends of both buffers, commands are executed with wide copies that may write
 * past their own end (the next command overwrites that); near the ends, and for invalid input, each command is
 * checked to the byte. The limits of the commands are those of far.md and dbpf.md, which agree.
 */
#include "lib/packing/refpack.h"

#include "lib/packing/window.h"

#include <string.h>

enum {
    MAX_RUN = 112,    /* of literals in one command */
    MAX_MATCH = 1028, /* of one command */
    FARTHEST = 131072,
    /* What the fast path may access: a command with its literals, its output, and one wide copy beyond. */
    INPUT_MARGIN = 4 + MAX_RUN + COPY_STEP,
    OUTPUT_MARGIN = 3 + MAX_MATCH + 2 * COPY_STEP,
};

uint64_t refpack_bound(uint64_t packed)
{
    /* At most 257 bytes per byte: four make a match of 1028; literals and other commands give less. */
    return packed > UINT64_MAX / MAX_MATCH ? UINT64_MAX : (packed / 4 + 1) * MAX_MATCH;
}

/* -------------------------------------------------------------------------------------------- decoding -- */

struct decoder {
    const uint8_t *in, *in_end;
    uint8_t *start, *out, *out_end;
};

struct command {
    unsigned size; /* of its opcode bytes */
    unsigned literals;
    unsigned length; /* 0: literals only */
    unsigned distance;
};

/* Bytes of a command that starts with b0, without its literals. */
static inline unsigned command_size(uint8_t b0)
{
    return b0 < 0x80 ? 2 : b0 < 0xc0 ? 3 : b0 < 0xe0 ? 4 : 1;
}

static inline struct command parse_command(const uint8_t *p)
{
    unsigned b0 = p[0];
    if (b0 < 0x80)
        return (struct command){2, b0 & 3, (b0 >> 2 & 7) + 3, ((b0 & 0x60) << 3 | p[1]) + 1};
    if (b0 < 0xc0)
        return (struct command){3, p[1] >> 6, (b0 & 0x3f) + 4, ((p[1] & 0x3fu) << 8 | p[2]) + 1};
    if (b0 < 0xe0)
        return (struct command){4, b0 & 3, ((b0 & 0x0c) << 6 | p[3]) + 5,
                                ((b0 & 0x10) << 12 | (unsigned)p[1] << 8 | p[2]) + 1};
    if (b0 < 0xfc)
        return (struct command){1, ((b0 & 0x1f) + 1) * 4, 0, 0};
    return (struct command){1, b0 & 3, 0, 0};
}

/* Executes commands until one is near the end of a buffer, is a stop, or is invalid; that one is left. */
static void decode_fast(struct decoder *decoder)
{
    const uint8_t *in = decoder->in;
    uint8_t *out = decoder->out;
    while (decoder->in_end - in >= INPUT_MARGIN && decoder->out_end - out >= OUTPUT_MARGIN) {
        if (*in >= 0xfc)
            break;
        struct command command = parse_command(in);
        const uint8_t *literals = in + command.size;
        if (!command.length) {
            copy_steps(out, literals, command.literals, COPY_STEP);
        } else {
            if (command.distance > (size_t)(out - decoder->start) + command.literals)
                break;
            memcpy(out, literals, 4);
            copy_match(out + command.literals, command.distance, command.length);
        }
        in = literals + command.literals;
        out += command.literals + command.length;
    }
    decoder->in = in;
    decoder->out = out;
}

/* Executes the command at the reader's position, with every byte checked. */
static bool decode_command(struct reader *reader, struct decoder *decoder)
{
    uint64_t offset = reader_offset(reader);
    size_t left = (size_t)(decoder->in_end - decoder->in);
    size_t room = (size_t)(decoder->out_end - decoder->out);
    size_t written = (size_t)(decoder->out - decoder->start);
    if (left < command_size(*decoder->in))
        return reader_fail_at(reader, offset, "opcode", "truncated", "an opcode of %u bytes, %zu left",
                              command_size(*decoder->in), left);
    struct command command = parse_command(decoder->in);
    if (left - command.size < command.literals)
        return reader_fail_at(reader, offset, "opcode", "truncated", "%u literal bytes promised, %zu left",
                              command.literals, left - command.size);
    if (command.literals + command.length > room)
        return reader_fail_at(reader, offset, "opcode", "output_overflow",
                              "%u bytes more than the stated size of %zu",
                              command.literals + command.length - (unsigned)room, written + room);
    if (command.length && command.distance > written + command.literals)
        return reader_fail_at(reader, offset, "opcode", "bad_reference",
                              "a copy from %u bytes back, only %zu are there", command.distance,
                              written + command.literals);
    memcpy(decoder->out, decoder->in + command.size, command.literals);
    decoder->out += command.literals;
    copy_match_exactly(decoder->out, command.distance, command.length);
    decoder->out += command.length;
    decoder->in += command.size + command.literals;
    return true;
}

bool refpack_decode(struct reader *reader, uint8_t *out, size_t size, bool *stopped)
{
    *stopped = false;
    if (reader->failed)
        return false;
    struct decoder decoder = {reader->at, reader->end, out, out, out + size};
    while (!*stopped && decoder.in < decoder.in_end) {
        decode_fast(&decoder);
        reader->at = decoder.in;
        uint8_t b0 = *decoder.in; /* in bounds: the fast path leaves part of its margin */
        if (!decode_command(reader, &decoder))
            return false;
        *stopped = b0 >= 0xfc;
    }
    size_t written = (size_t)(decoder.out - out);
    reader->at = decoder.in;
    if (written < size)
        return reader_fail_at(reader, reader_offset(reader), "opcode", "output_short",
                              "%s after %zu of %zu bytes", *stopped ? "the stop code is" : "the opcodes end",
                              written, size);
    return true;
}

/* -------------------------------------------------------------------------------------------- encoding -- */

enum {
    HASH_BITS = 16,
    CHAIN_DEPTH = 96, /* candidates checked for each position */
};

/* Positions are stored plus one, so that 0 means none. */
struct refpack_encoder {
    uint32_t head[1 << HASH_BITS];
    uint32_t previous[FARTHEST]; /* by position modulo the window */
};

struct refpack_encoder *refpack_encoder_new(struct arena *arena)
{
    return ARENA_NEW(arena, struct refpack_encoder, 1);
}

static uint32_t hash_three(const uint8_t *p)
{
    uint32_t word = (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16;
    return word * 2654435761u >> (32 - HASH_BITS);
}

static void remember(struct refpack_encoder *encoder, struct pose_bytes bytes, uint32_t position)
{
    if (bytes.size - position < 3)
        return;
    uint32_t *head = &encoder->head[hash_three(bytes.data + position)];
    encoder->previous[position % FARTHEST] = *head;
    *head = position + 1;
}

/* Size of a match's opcode in bytes; 0 if no command can express it. */
static unsigned match_cost(uint32_t length, uint32_t distance)
{
    if (length <= 10 && distance <= 1024)
        return length >= 3 ? 2 : 0;
    if (length <= 67 && distance <= 16384)
        return length >= 4 ? 3 : 0;
    return length >= 5 ? 4 : 0;
}

struct match {
    uint32_t length, distance;
    uint32_t saved; /* bytes */
};

static struct match find_match(const struct refpack_encoder *encoder, struct pose_bytes bytes,
                               uint32_t position)
{
    struct match best = {0};
    const uint8_t *here = bytes.data + position;
    size_t left = bytes.size - position;
    uint32_t most = left < MAX_MATCH ? (uint32_t)left : MAX_MATCH;
    if (most < 3)
        return best;
    uint32_t next = encoder->head[hash_three(here)];
    for (unsigned tries = CHAIN_DEPTH; next && tries && best.length < most; tries--) {
        uint32_t candidate = next - 1, distance = position - candidate;
        if (distance > FARTHEST)
            break;
        const uint8_t *there = bytes.data + candidate;
        uint32_t length = 0;
        if (there[best.length] == here[best.length]) {
            while (length < most && there[length] == here[length])
                length++;
        }
        unsigned cost = match_cost(length, distance);
        if (cost && length - cost > best.saved)
            best = (struct match){length, distance, length - cost};
        next = encoder->previous[candidate % FARTHEST];
    }
    return best;
}

/* Writes literals as separate commands until at most three are left, which go into the next command. */
static const uint8_t *put_literals(struct writer *writer, const uint8_t *from, const uint8_t *to)
{
    while (to - from > 3) {
        unsigned run = to - from > MAX_RUN ? MAX_RUN : (unsigned)(to - from) & ~3u;
        writer_u8(writer, (uint8_t)(0xe0 + run / 4 - 1));
        writer_bytes(writer, from, run);
        from += run;
    }
    return from;
}

static void put_match(struct writer *writer, unsigned literals, const struct match *match)
{
    uint32_t distance = match->distance - 1, length = match->length;
    switch (match_cost(length, match->distance)) {
    case 2:
        writer_u8(writer, (uint8_t)((distance >> 3 & 0x60) | (length - 3) << 2 | literals));
        writer_u8(writer, (uint8_t)distance);
        break;
    case 3:
        writer_u8(writer, (uint8_t)(0x80 | (length - 4)));
        writer_u8(writer, (uint8_t)(literals << 6 | distance >> 8));
        writer_u8(writer, (uint8_t)distance);
        break;
    default:
        writer_u8(writer, (uint8_t)(0xc0 | (distance >> 12 & 0x10) | ((length - 5) >> 6 & 0x0c) | literals));
        writer_u8(writer, (uint8_t)(distance >> 8));
        writer_u8(writer, (uint8_t)distance);
        writer_u8(writer, (uint8_t)(length - 5));
    }
}

void refpack_encode(struct refpack_encoder *encoder, struct pose_bytes bytes, struct writer *writer)
{
    static const uint8_t nothing[1];
    const uint8_t *data = bytes.size ? bytes.data : nothing, *pending = data;
    memset(encoder->head, 0, sizeof encoder->head);
    uint32_t position = 0;
    while (position < bytes.size) {
        struct match match = find_match(encoder, bytes, position);
        uint32_t end = position + (match.length ? match.length : 1);
        if (match.length) {
            pending = put_literals(writer, pending, data + position);
            unsigned literals = (unsigned)(data + position - pending);
            put_match(writer, literals, &match);
            writer_bytes(writer, pending, literals);
            pending = data + end;
        }
        for (; position < end; position++)
            remember(encoder, bytes, position);
    }
    pending = put_literals(writer, pending, data + bytes.size);
    unsigned literals = (unsigned)(data + bytes.size - pending);
    writer_u8(writer, (uint8_t)(0xfc | literals));
    writer_bytes(writer, pending, literals);
}
