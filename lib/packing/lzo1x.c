/* Decoding: as in refpack.c, a fast path far from the ends of both buffers, and a careful one that checks each
 * byte. */
#include "lib/packing/lzo1x.h"

#include "lib/packing/window.h"

enum {
    STATE_RUN = 4,        /* state after a run of literals */
    END_DISTANCE = 16384, /* of the instruction that ends a stream */
    FIRST_RUN = 17,       /* a first byte above it: that many literals more */
    MAX_SHORT_MATCH = 33, /* match without a run, or literals */
    /* What the fast path may access: an instruction with its literals, its output, and one copy step beyond. */
    INPUT_MARGIN = 3 + MAX_SHORT_MATCH + 2 * COPY_STEP,
    OUTPUT_MARGIN = MAX_SHORT_MATCH + 3 + 2 * COPY_STEP,
};

struct decoder {
    const uint8_t *in, *in_end;
    uint8_t *start, *out, *out_end;
    unsigned state;
};

/* A match and the literals after it. */
struct instruction {
    size_t length;
    uint32_t distance;
    unsigned literals;
};

/* -------------------------------------------------------------------------------------------- fast gear -- */

/*
 * Parses the match that starts at in with the byte c. Returns the byte after it, or NULL if it has a run or is the
 * end.
 */
static inline const uint8_t *parse_short(const uint8_t *in, unsigned c, unsigned state,
                                         struct instruction *match)
{
    if (c >= 64) {
        match->length = c >= 128 ? 5 + (c >> 5 & 3) : 3 + (c >> 5 & 1);
        match->distance = ((uint32_t)in[1] << 3) + (c >> 2 & 7) + 1;
        match->literals = c & 3;
        return in + 2;
    }
    if (c < 16) {
        match->length = state == STATE_RUN ? 3 : 2;
        match->distance = ((uint32_t)in[1] << 2) + (c >> 2) + (state == STATE_RUN ? 2049 : 1);
        match->literals = c & 3;
        return in + 2;
    }
    unsigned word = in[1] | (unsigned)in[2] << 8, length = c >= 32 ? c & 31 : c & 7;
    match->length = 2 + length;
    match->distance = c >= 32 ? (word >> 2) + 1 : END_DISTANCE + ((c & 8) << 11) + (word >> 2);
    match->literals = word & 3;
    return length && (c >= 32 || match->distance != END_DISTANCE) ? in + 3 : NULL;
}

/* Executes instructions until one is near the end of a buffer, has a run, is the end, or is invalid; that one is
 * left. */
static void decode_fast(struct decoder *decoder)
{
    const uint8_t *in = decoder->in;
    uint8_t *out = decoder->out;
    unsigned state = decoder->state;
    while (decoder->in_end - in >= INPUT_MARGIN && decoder->out_end - out >= OUTPUT_MARGIN) {
        unsigned c = *in;
        if (c < 16 && state == 0) {
            if (!c)
                break;
            memcpy(out, in + 1, 18);
            in += 1 + 3 + c;
            out += 3 + c;
            state = STATE_RUN;
            continue;
        }
        struct instruction match;
        const uint8_t *literals = parse_short(in, c, state, &match);
        if (!literals || match.distance > (size_t)(out - decoder->start))
            break;
        copy_match(out, match.distance, match.length);
        out += match.length;
        memcpy(out, literals, 4);
        in = literals + match.literals;
        out += match.literals;
        state = match.literals;
    }
    decoder->in = in;
    decoder->out = out;
    decoder->state = state;
}

/* ----------------------------------------------------------------------------------------- careful gear -- */

/* Reads the length of a run from the bytes after c. Bounded by the size of the input. */
static size_t read_run(struct reader *reader)
{
    size_t length = 0;
    uint8_t byte;
    while ((byte = reader_u8(reader, "run")) == 0 && !reader->failed)
        length += 255;
    return length + byte;
}

static bool put_literals(struct reader *reader, struct decoder *decoder, uint64_t at, size_t count)
{
    const uint8_t *literals = reader_bytes(reader, count, "literals");
    if (!literals)
        return false;
    if (count > (size_t)(decoder->out_end - decoder->out))
        return reader_fail_at(reader, at, "instruction", "output_overflow", "the output exceeds %zu bytes",
                              (size_t)(decoder->out_end - decoder->start));
    if (count)
        memcpy(decoder->out, literals, count);
    decoder->out += count;
    return true;
}

static bool put_match(struct reader *reader, struct decoder *decoder, uint64_t at,
                      const struct instruction *match)
{
    size_t written = (size_t)(decoder->out - decoder->start),
           room = (size_t)(decoder->out_end - decoder->out);
    if (match->distance > written)
        return reader_fail_at(reader, at, "instruction", "bad_reference",
                              "a copy from %u bytes back, only %zu are there", match->distance, written);
    if (match->length > room)
        return reader_fail_at(reader, at, "instruction", "output_overflow", "the output exceeds %zu bytes",
                              written + room);
    copy_match_exactly(decoder->out, match->distance, match->length);
    decoder->out += match->length;
    return true;
}

/* Reads the rest of an instruction after its first byte c. */
static struct instruction read_match(struct reader *reader, unsigned c, unsigned state)
{
    if (c < 16 || c >= 64) {
        uint8_t bytes[3] = {(uint8_t)c, reader_u8(reader, "distance"), 0};
        struct instruction match;
        parse_short(bytes, c, state, &match);
        return match;
    }
    unsigned most = c >= 32 ? 31 : 7;
    size_t length = c & most;
    if (!length)
        length = most + read_run(reader);
    uint16_t word = reader_u16le(reader, "distance");
    return (struct instruction){
        .length = 2 + length,
        .distance = c >= 32 ? (word >> 2) + 1u : END_DISTANCE + ((c & 8) << 11) + (word >> 2),
        .literals = word & 3,
    };
}

/* Executes one instruction, with every byte checked. *ended: it was the end. */
static bool decode_instruction(struct reader *reader, struct decoder *decoder, bool *ended)
{
    uint64_t at = reader_offset(reader);
    unsigned c = reader_u8(reader, "instruction");
    if (c < 16 && decoder->state == 0) {
        size_t count = c ? 3 + c : 18 + read_run(reader);
        decoder->state = STATE_RUN;
        return !reader->failed && put_literals(reader, decoder, at, count);
    }
    struct instruction match = read_match(reader, c, decoder->state);
    *ended = !reader->failed && c >= 16 && c < 32 && match.distance == END_DISTANCE;
    if (reader->failed || *ended)
        return *ended;
    decoder->state = match.literals;
    return put_match(reader, decoder, at, &match) && put_literals(reader, decoder, at, match.literals);
}

/* A stream may begin with literals. */
static bool decode_first(struct reader *reader, struct decoder *decoder)
{
    if (!reader_left(reader) || *reader->at <= FIRST_RUN)
        return true;
    uint64_t at = reader_offset(reader);
    unsigned count = reader_u8(reader, "instruction") - (unsigned)FIRST_RUN;
    decoder->state = count < STATE_RUN ? count : STATE_RUN;
    return put_literals(reader, decoder, at, count);
}

bool lzo1x_decode(struct reader *reader, uint8_t *out, size_t capacity, size_t *written)
{
    struct decoder decoder = {reader->at, reader->end, out, out, out + capacity, 0};
    bool ended = false, done = decode_first(reader, &decoder);
    while (done && !ended) {
        decoder.in = reader->at;
        decode_fast(&decoder);
        reader->at = decoder.in;
        done = decode_instruction(reader, &decoder, &ended);
    }
    *written = (size_t)(decoder.out - out);
    if (done && reader_left(reader))
        return reader_fail_at(reader, reader_offset(reader), NULL, "trailing_bytes",
                              "%zu bytes follow the end of the stream", reader_left(reader));
    return done;
}
