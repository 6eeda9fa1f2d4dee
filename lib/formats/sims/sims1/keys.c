#include "lib/formats/sims/sims1/keys.h"

#include <math.h>
#include <string.h>

enum {
    LAST_DIFFERENCE = 0xfc, /* codes 00 to FC: a difference from the table */
    RESERVED = 0xfd,
    RUN = 0xfe,     /* u16 n: the same value n + 1 times */
    LITERAL = 0xff, /* f32 */
    MAX_RUN = 65536,
    RUN_SIZE = 3,
};

static const char *const part_names[SIMS_PARTS] = {"translations", "rotations"};
static const char *const component_names[] = {"x", "y", "z", "w"};

/* table[i] = sign(u) * |u|^4 * 0.1 with u = 2i / 252 - 1. */
static float difference_of(unsigned code)
{
    double u = 2.0 * code / LAST_DIFFERENCE - 1;
    return (float)(copysign(u * u * u * u, u) * 0.1);
}

static void fill_table(float table[LAST_DIFFERENCE + 1])
{
    for (unsigned code = 0; code <= LAST_DIFFERENCE; code++)
        table[code] = difference_of(code);
}

static uint32_t load_u16(const uint8_t *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8;
}

static float load_f32(const uint8_t *p)
{
    uint32_t bits = load_u16(p) | load_u16(p + 2) << 16;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* ---------------------------------------------------------------------------------------------- decoding -- */

/* The sequence of values: one accumulator and at most one unfinished run, across all components. */
struct sequence {
    const uint8_t *at, *end;
    float value;
    uint32_t run; /* remaining values of it */
};

enum outcome { DONE, ENDS_EARLY, IS_RESERVED, NOT_FINITE };

/* Reads the next count values into every stride-th float. On failure s->at is at the bad code, *index its value. */
static enum outcome take_values(struct sequence *s, const float *table, float *to, uint32_t count,
                                unsigned stride, uint32_t *index)
{
    const uint8_t *at = s->at, *end = s->end;
    float value = s->value;
    enum outcome outcome = DONE;
    uint32_t i = 0;
    while (i < count) {
        if (s->run) {
            uint32_t stop = s->run < count - i ? i + s->run : count;
            s->run -= stop - i;
            for (; i < stop; i++)
                to[(size_t)i * stride] = value;
            continue;
        }
        /* Most codes are differences: a tight loop for these. */
        while (i < count && at < end && *at <= LAST_DIFFERENCE) {
            value += table[*at++];
            to[(size_t)i++ * stride] = value;
        }
        if (i == count)
            break;
        size_t left = (size_t)(end - at);
        if (left < 1 || (*at == RUN && left < 3) || (*at == LITERAL && left < 5)) {
            outcome = ENDS_EARLY;
            break;
        }
        if (*at == RUN) {
            s->run = load_u16(at + 1) + 1;
            at += 3;
            continue;
        }
        if (*at == RESERVED || !isfinite(load_f32(at + 1))) {
            outcome = *at == RESERVED ? IS_RESERVED : NOT_FINITE;
            break;
        }
        value = load_f32(at + 1);
        at += 5;
        to[(size_t)i++ * stride] = value;
    }
    s->at = at;
    s->value = value;
    *index = i;
    return outcome;
}

static bool fail(struct reader *r, uint64_t offset, const char *field, enum outcome outcome)
{
    if (outcome == ENDS_EARLY)
        return reader_fail_at(r, offset, field, "truncated", "the skill has more keys than the file");
    if (outcome == IS_RESERVED)
        return reader_fail_at(r, offset, field, "reserved_code", "code FD has no meaning");
    return reader_fail_at(r, offset, field, "non_finite", "the literal is NaN or infinity");
}

/* Only skips codes, until they yield that many values or end. */
static enum outcome skip_codes(const uint8_t **at, const uint8_t *end, uint64_t wanted, uint64_t *count)
{
    while (*at < end && *count < wanted) {
        const uint8_t *p = *at;
        size_t left = (size_t)(end - p);
        if (*p <= LAST_DIFFERENCE) {
            *count += 1;
            *at += 1;
        } else if (*p == RESERVED) {
            return IS_RESERVED;
        } else if (left < (*p == RUN ? 3 : 5)) {
            return ENDS_EARLY;
        } else if (*p == RUN) {
            *count += load_u16(p + 1) + 1;
            *at += 3;
        } else {
            if (!isfinite(load_f32(p + 1)))
                return NOT_FINITE;
            *count += 1;
            *at += 5;
        }
    }
    return DONE;
}

uint64_t sims1_keys_count(struct reader *r)
{
    uint64_t count = 0;
    enum outcome outcome = skip_codes(&r->at, r->end, UINT64_MAX, &count);
    if (outcome == ENDS_EARLY)
        reader_fail_at(r, reader_offset(r), "codes", "truncated", "the last code is cut off");
    else if (outcome != DONE)
        fail(r, reader_offset(r), "codes", outcome);
    return count;
}

/* Up to a moderate ratio decoding finds the error; beyond it values are counted before memory is allocated for
 * them. */
bool sims1_keys_check(struct reader *r, const struct sims_pool *pools)
{
    enum { PLAIN_RATIO = 64 };
    uint64_t wanted = 3 * (uint64_t)pools[0].count + 4 * (uint64_t)pools[1].count, count = 0;
    if (wanted / PLAIN_RATIO <= reader_left(r))
        return true;
    const uint8_t *at = r->at;
    enum outcome outcome = skip_codes(&at, r->end, wanted, &count);
    if (count >= wanted)
        return true;
    return fail(r, r->base + (uint64_t)(at - r->start), "codes", outcome == DONE ? ENDS_EARLY : outcome);
}

static bool decode_part(struct reader *r, struct sequence *s, const float *table, int part,
                        struct sims_pool *pool, const char **crossed)
{
    unsigned components = part_components((enum pose_part)part);
    for (unsigned c = 0; c < components && pool->count; c++) {
        uint32_t index;
        if (s->run)
            *crossed = part_names[part];
        enum outcome outcome = take_values(s, table, pool->values + c, pool->count, components, &index);
        if (outcome == DONE)
            continue;
        reader_enter(r, part_names[part], index);
        fail(r, r->base + (uint64_t)(s->at - r->start), component_names[c], outcome);
        reader_leave(r);
        return false;
    }
    return true;
}

bool sims1_keys_decode(struct reader *r, struct arena *arena, struct warning_list *warnings,
                       struct sims_pool *pools)
{
    float table[LAST_DIFFERENCE + 1];
    const char *crossed = NULL;
    if (r->failed || !sims1_keys_check(r, pools))
        return false;
    fill_table(table);
    struct sequence s = {.at = r->at, .end = r->end};
    for (int part = 0; part < SIMS_PARTS; part++) {
        size_t components = part_components((enum pose_part)part);
        pools[part].values = ARENA_NEW(arena, float, pools[part].count *components);
        if (!pools[part].values || !decode_part(r, &s, table, part, &pools[part], &crossed))
            return false;
    }
    if (s.run) /* the last code: nothing follows a run that continues */
        return reader_fail_at(r, r->base + (uint64_t)(s.at - RUN_SIZE - r->start), "codes", "run_too_long",
                              "the run exceeds the skill by %u values", s.run);
    if (crossed)
        warning_add(warnings, POSE_WARNING, "run_crosses_component", POSE_NO_OFFSET,
                    "a run continues into the next component of the %s; the game's own files end it there",
                    crossed);
    r->at = s.at;
    return true;
}

/* ---------------------------------------------------------------------------------------------- encoding -- */

struct packing {
    struct writer *writer;
    const float *table;
    enum sims1_keys_mode mode;
    float value;  /* as a decoder computes it */
    uint32_t run; /* values of a run not yet written */
};

static void end_run(struct packing *p)
{
    if (!p->run)
        return;
    writer_u8(p->writer, RUN);
    writer_u16le(p->writer, (uint16_t)(p->run - 1));
    p->run = 0;
}

static void lengthen_run(struct packing *p)
{
    if (p->run == MAX_RUN)
        end_run(p);
    p->run++;
}

static void put_literal(struct packing *p, float value)
{
    end_run(p);
    writer_u8(p->writer, LITERAL);
    writer_f32le(p->writer, value);
    p->value = value;
}

/* The code with the difference nearest to d, |d| <= 0.1. */
static unsigned nearest_code(const float *table, double d)
{
    double u = copysign(sqrt(sqrt(fabs(d) * 10)), d);
    int code = (int)lround((u + 1) * LAST_DIFFERENCE / 2);
    unsigned best = code < 0 ? 0 : code > LAST_DIFFERENCE ? LAST_DIFFERENCE : (unsigned)code;
    /* The estimate by fourth root is off by one at most. */
    if (best > 0 && fabs(table[best - 1] - d) < fabs(table[best] - d))
        return best - 1;
    if (best < LAST_DIFFERENCE && fabs(table[best + 1] - d) < fabs(table[best] - d))
        return best + 1;
    return best;
}

/* The original tool's choice, with a bound on the error left by a difference. */
static void put_compact(struct packing *p, float value)
{
    double d = (double)value - p->value;
    if (fabs(d) < (p->run ? 1e-5 : 1e-6)) {
        lengthen_run(p);
        return;
    }
    unsigned code = fabs(d) <= (double)0.1f ? nearest_code(p->table, d) : RESERVED;
    if (code == RESERVED || fabs(p->table[code] - d) > 5e-4) {
        put_literal(p, value);
        return;
    }
    end_run(p);
    writer_u8(p->writer, (uint8_t)code);
    p->value += p->table[code];
}

static void put_lossless(struct packing *p, float value)
{
    if (!memcmp(&value, &p->value, sizeof value))
        lengthen_run(p);
    else
        put_literal(p, value);
}

/* A component begins with a literal and ends its runs, so that all decoders agree on it. */
static void put_component(struct packing *p, const float *values, uint32_t count, unsigned stride)
{
    for (uint32_t i = 0; i < count; i++) {
        float value = values[(size_t)i * stride];
        if (i == 0)
            put_literal(p, value);
        else if (p->mode == SIMS1_KEYS_LOSSLESS)
            put_lossless(p, value);
        else
            put_compact(p, value);
    }
    end_run(p);
}

void sims1_keys_encode(struct writer *writer, const struct sims_pool *pools, enum sims1_keys_mode mode)
{
    float table[LAST_DIFFERENCE + 1];
    fill_table(table);
    struct packing p = {.writer = writer, .table = table, .mode = mode};
    for (int part = 0; part < SIMS_PARTS; part++) {
        unsigned components = part_components((enum pose_part)part);
        for (unsigned c = 0; pools[part].count && c < components; c++) /* if empty, values may be NULL */
            put_component(&p, pools[part].values + c, pools[part].count, components);
    }
}
