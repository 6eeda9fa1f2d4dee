#include "lib/packing/runs.h"

#include <libdeflate.h>
#include <stdlib.h>
#include <string.h>

enum {
    END = 256,
    FIRST_LENGTH = 257, /* symbols of lengths follow the end's */
    LENGTH_SYMBOLS = 29,
    LEAST_RUN = 3,
    MOST_RUN = 258,
    WORTH = 8, /* zeros that are looked for at once */
    MOST_BITS = 15,
    WRITE_AT_ONCE = 4096, /* tokens */
};

/* RFC 1951, 3.2.5: the first length of each symbol; the rest is in the extra bits. */
static const uint16_t first_lengths[LENGTH_SYMBOLS] = {3,  4,  5,  6,   7,   8,   9,   10,  11, 13,
                                                       15, 17, 19, 23,  27,  31,  35,  43,  51, 59,
                                                       67, 83, 99, 115, 131, 163, 195, 227, 258};
static const uint8_t extra_bits[LENGTH_SYMBOLS] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2,
                                                   2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0};

static unsigned symbol_of(unsigned length)
{
    unsigned symbol = LENGTH_SYMBOLS - 1;
    while (first_lengths[symbol] > length)
        symbol--;
    return symbol;
}

/* ------------------------------------------------------------------------------------------------- the code -- */

struct code {
    uint8_t sizes[RUNS_SYMBOLS];
    uint16_t bits[RUNS_SYMBOLS]; /* from the lowest */
};

/* A symbol or a pair of nodes, and how often it comes. */
struct node {
    uint64_t count;
    uint16_t symbol, parent;
};

static int by_count(const void *a, const void *b)
{
    const struct node *first = a, *second = b;
    if (first->count != second->count)
        return first->count < second->count ? -1 : 1;
    return (first->symbol > second->symbol) - (first->symbol < second->symbol);
}

/* The less frequent of the next leaf and the next pair. */
static uint16_t take_least(const struct node *nodes, unsigned leaves, unsigned *leaf, unsigned *pair,
                           unsigned end)
{
    if (*leaf < leaves && (*pair == end || nodes[*leaf].count <= nodes[*pair].count))
        return (uint16_t)(*leaf)++;
    return (uint16_t)(*pair)++;
}

/* Huffman's tree over leaves in order, at least two; the longest code. */
static unsigned grow(struct node *nodes, unsigned leaves, uint8_t sizes[RUNS_SYMBOLS])
{
    unsigned leaf = 0, pair = leaves, longest = 0;
    uint8_t depths[2 * RUNS_SYMBOLS];
    const unsigned end = 2 * leaves - 1;
    for (unsigned i = leaves; i < end; i++) {
        const uint16_t a = take_least(nodes, leaves, &leaf, &pair, i),
                       b = take_least(nodes, leaves, &leaf, &pair, i);
        nodes[i].count = nodes[a].count + nodes[b].count;
        nodes[a].parent = nodes[b].parent = (uint16_t)i;
    }
    depths[end - 1] = 0;
    for (unsigned i = end - 1; i-- > 0;) {
        depths[i] = (uint8_t)(depths[nodes[i].parent] + 1);
        if (i >= leaves)
            continue;
        sizes[nodes[i].symbol] = depths[i];
        longest = depths[i] > longest ? depths[i] : longest;
    }
    return longest;
}

/* Codes of at most 15 bits: rare symbols count for more until that is so. */
static void find_sizes(const uint32_t counts[RUNS_SYMBOLS], uint8_t sizes[RUNS_SYMBOLS])
{
    struct node nodes[2 * RUNS_SYMBOLS];
    for (unsigned shift = 0;; shift++) {
        unsigned leaves = 0;
        for (unsigned i = 0; i < RUNS_SYMBOLS; i++) {
            if (counts[i])
                nodes[leaves++] = (struct node){.count = (counts[i] >> shift) + 1, .symbol = (uint16_t)i};
        }
        qsort(nodes, leaves, sizeof *nodes, by_count);
        if (grow(nodes, leaves, sizes) <= MOST_BITS)
            return;
    }
}

static uint16_t turned(uint32_t bits, unsigned size)
{
    uint32_t out = 0;
    for (unsigned i = 0; i < size; i++)
        out |= (bits >> i & 1) << (size - 1 - i);
    return (uint16_t)out;
}

/* Codes of one size follow each other, and the shorter come first (RFC 1951, 3.2.2). */
static void make_code(const uint32_t counts[RUNS_SYMBOLS], struct code *code)
{
    uint32_t next = 0;
    memset(code, 0, sizeof *code);
    find_sizes(counts, code->sizes);
    for (unsigned size = 1; size <= MOST_BITS; size++, next <<= 1) {
        for (unsigned i = 0; i < RUNS_SYMBOLS; i++) {
            if (code->sizes[i] == size)
                code->bits[i] = turned(next++, size);
        }
    }
}

/* ------------------------------------------------------------------------------------------------- a block -- */

static void put_bits(struct runs *runs, uint32_t bits, unsigned count)
{
    runs->bits |= (uint64_t)bits << runs->bit_count;
    for (runs->bit_count += count; runs->bit_count >= 8; runs->bit_count -= 8, runs->bits >>= 8)
        writer_u8(runs->writer, (uint8_t)runs->bits);
}

/* What says the sizes of the codes is a code itself: four bits for each size, from 0 to 15. */
static void put_head(struct runs *runs, const struct code *code, bool is_last)
{
    enum { SIZES = 19, SIZE_OF_REPEATS = 3 };
    put_bits(runs, is_last, 1);
    put_bits(runs, 2, 2);
    put_bits(runs, RUNS_SYMBOLS - 257, 5);
    put_bits(runs, 0, 5); /* one distance */
    put_bits(runs, SIZES - 4, 4);
    for (unsigned i = 0; i < SIZES; i++)
        put_bits(runs, i < SIZE_OF_REPEATS ? 0 : 4, 3);
    for (unsigned i = 0; i < RUNS_SYMBOLS; i++)
        put_bits(runs, turned(code->sizes[i], 4), 4);
    put_bits(runs, turned(1, 4), 4); /* of the distance 1 */
}

/* What is written for a token. */
struct word {
    uint32_t bits, count;
};

static void make_words(const struct code *code, struct word words[RUNS_LITERALS + RUNS_LENGTHS])
{
    for (unsigned i = 0; i < RUNS_LITERALS; i++)
        words[i] = (struct word){code->bits[i], code->sizes[i]};
    for (unsigned length = LEAST_RUN; length < RUNS_LENGTHS; length++) {
        const unsigned symbol = symbol_of(length), size = code->sizes[FIRST_LENGTH + symbol];
        words[RUNS_LITERALS + length] =
            (struct word){code->bits[FIRST_LENGTH + symbol] | (length - first_lengths[symbol]) << size,
                          size + extra_bits[symbol] + 1}; /* and the bit of the distance, 0 */
    }
}

static void put_tokens(struct runs *runs, const struct word *words, const uint16_t *tokens, unsigned count)
{
    uint8_t *start = writer_reserve(runs->writer, count * sizeof(uint32_t) + sizeof runs->bits), *to = start;
    if (!start)
        return;
    uint64_t bits = runs->bits;
    unsigned bit_count = runs->bit_count;
    for (unsigned i = 0; i < count; i += 2) { /* both have room beside seven bits that are left */
        const struct word first = words[tokens[i]],
                          second = i + 1 < count ? words[tokens[i + 1]] : (struct word){0};
        bits |= (first.bits | (uint64_t)second.bits << first.count) << bit_count;
        bit_count += first.count + second.count;
        for (unsigned k = 0; k < sizeof bits; k++)
            to[k] = (uint8_t)(bits >> 8 * k);
        to += bit_count / 8;
        bits >>= bit_count & ~7u;
        bit_count &= 7;
    }
    writer_commit(runs->writer, (size_t)(to - start));
    runs->bits = bits;
    runs->bit_count = bit_count;
}

/* By token; two tables, so that the same token twice does not wait for itself. */
static void count_tokens(const struct runs *runs, uint32_t counts[RUNS_SYMBOLS])
{
    uint32_t tables[2][RUNS_LITERALS + RUNS_LENGTHS] = {0};
    for (uint32_t i = 0; i + 1 < runs->count; i += 2) {
        tables[0][runs->tokens[i]]++;
        tables[1][runs->tokens[i + 1]]++;
    }
    if (runs->count % 2)
        tables[0][runs->tokens[runs->count - 1]]++;
    for (unsigned i = 0; i < RUNS_LITERALS; i++)
        counts[i] = tables[0][i] + tables[1][i];
    for (unsigned length = LEAST_RUN; length < RUNS_LENGTHS; length++)
        counts[FIRST_LENGTH + symbol_of(length)] +=
            tables[0][RUNS_LITERALS + length] + tables[1][RUNS_LITERALS + length];
}

static void put_block(struct runs *runs, bool is_last)
{
    struct code code;
    struct word words[RUNS_LITERALS + RUNS_LENGTHS] = {0};
    uint32_t counts[RUNS_SYMBOLS] = {[END] = 1};
    count_tokens(runs, counts);
    counts[0] += !runs->count; /* a code has two symbols */
    make_code(counts, &code);
    put_head(runs, &code, is_last);
    make_words(&code, words);
    for (uint32_t i = 0; i < runs->count; i += WRITE_AT_ONCE) {
        const uint32_t rest = runs->count - i;
        put_tokens(runs, words, runs->tokens + i, rest < WRITE_AT_ONCE ? rest : WRITE_AT_ONCE);
    }
    put_bits(runs, code.bits[END], code.sizes[END]);
    runs->count = 0;
}

/* ------------------------------------------------------------------------------------------------- tokens -- */

static void add_token(struct runs *runs, unsigned token)
{
    if (runs->count == RUNS_TOKENS)
        put_block(runs, false);
    runs->tokens[runs->count++] = (uint16_t)token;
}

static void add_run(struct runs *runs, size_t size)
{
    add_token(runs, 0);
    for (size--; size >= LEAST_RUN;) {
        const size_t length = size < MOST_RUN ? size : MOST_RUN;
        add_token(runs, RUNS_LITERALS + (unsigned)length);
        size -= length;
    }
    while (size--)
        add_token(runs, 0);
}

/* The bytes up to the last that is not 0, of eight that are not all 0; how many. */
static size_t add_literals(struct runs *runs, const uint8_t *bytes)
{
    size_t count = WORTH;
    while (!bytes[count - 1])
        count--;
    if (runs->count + WORTH > RUNS_TOKENS)
        put_block(runs, false);
    for (unsigned i = 0; i < WORTH; i++) /* those beyond are written over */
        runs->tokens[runs->count + i] = bytes[i];
    runs->count += (uint32_t)count;
    return count;
}

static bool is_zero(const uint8_t *bytes)
{
    uint64_t word;
    memcpy(&word, bytes, sizeof word);
    return !word;
}

void runs_begin(struct runs *runs, struct writer *writer)
{
    static const uint8_t head[2] = {0x78, 0x01};
    runs->writer = writer;
    runs->bits = 0;
    runs->bit_count = 0;
    runs->check = 1;
    runs->count = 0;
    writer_bytes(writer, head, sizeof head);
}

void runs_add(struct runs *runs, const uint8_t *bytes, size_t size)
{
    const uint8_t *end = bytes + size;
    runs->check = libdeflate_adler32(runs->check, bytes, size);
    while (end - bytes >= WORTH) {
        const uint8_t *start = bytes;
        if (!is_zero(bytes)) {
            bytes += add_literals(runs, bytes);
            continue;
        }
        while (end - bytes >= WORTH && is_zero(bytes))
            bytes += WORTH;
        while (bytes < end && !*bytes)
            bytes++;
        add_run(runs, (size_t)(bytes - start));
    }
    while (bytes < end)
        add_token(runs, *bytes++);
}

void runs_end(struct runs *runs)
{
    put_block(runs, true);
    put_bits(runs, 0, (8 - runs->bit_count) % 8);
    writer_u32be(runs->writer, runs->check);
}
