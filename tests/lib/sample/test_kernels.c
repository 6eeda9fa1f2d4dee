/* The kernels without AVX2 give the floats of those with it, bit for bit: what WebAssembly and a server agree on. */
#include "lib/sample/sampler.h"
#include "tests/support/random_numbers.h"
#include "tests/support/unit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ROUNDS = 60000, RULES = 6 };

struct block {
    float from[4 * LANES], to[4 * LANES];
    double fractions[LANES];
    uint32_t places[LANES];
    float expected[4 * LANES], rows[4 * LANES];
};

/* Of length 1, or nearly; sometimes with parts that are nothing or next to it. */
static void random_rotation(float *q)
{
    double parts[4], square = 0;
    for (unsigned i = 0; i < 4; i++) {
        parts[i] = random_below(8) ? random_number() : random_below(2) ? 0.0 : random_number() * 1e-38;
        square += parts[i] * parts[i];
    }
    for (unsigned i = 0; i < 4; i++)
        q[i * LANES] = square > 1e-9 ? (float)(parts[i] / sqrt(square)) : i == 3;
}

/* Next to the first key, opposite to it, or anywhere. */
static void random_keys(float *from, float *to)
{
    random_rotation(from);
    random_rotation(to);
    const double sign = random_below(2) ? 1 : -1, share = pow(10, -5 * fabs(random_number()));
    if (random_below(3))
        for (unsigned i = 0; i < 4; i++)
            to[i * LANES] = (float)(sign * (double)from[i * LANES] + share * (double)to[i * LANES]);
}

static void random_block(struct block *block)
{
    static const double ends[] = {0, 1, 0.5, 1e-5, 0.99999, 1e-9};
    memset(block->expected, 0, sizeof block->expected);
    memset(block->rows, 0, sizeof block->rows);
    for (unsigned lane = 0; lane < LANES; lane++) {
        random_keys(block->from + lane, block->to + lane);
        block->fractions[lane] =
            random_below(6) ? fabs(random_number()) : ends[random_below(sizeof ends / sizeof *ends)];
        block->places[lane] = lane * 4;
    }
}

static void expect_same(const struct block *block)
{
    for (unsigned i = 0; i < 4 * LANES; i++) {
        if (memcmp(&block->rows[i], &block->expected[i], sizeof(float)) !=
            0) /* an assertion each takes seconds */
            ck_abort_msg("%a instead of %a", (double)block->rows[i], (double)block->expected[i]);
    }
}

TEST_EACH(same_bits, RULES)
{
    struct sample_kernels wide, single = sample_kernels_single((enum pose_rules)_i);
    if (!sample_kernels_avx2((enum pose_rules)_i, &wide)) {
        fprintf(stderr, "SKIPPED: no AVX2 here\n");
        return;
    }
    random_state = 5;
    for (int round = 0; round < ROUNDS; round++) {
        struct block block;
        random_block(&block);
        wide.rotations(1, block.from, block.to, block.fractions, block.places, block.expected);
        single.rotations(1, block.from, block.to, block.fractions, block.places, block.rows);
        expect_same(&block);
        wide.vectors(1, block.from, block.to, block.fractions, block.places, block.expected);
        single.vectors(1, block.from, block.to, block.fractions, block.places, block.rows);
        expect_same(&block);
    }
}

/* Sums that only one rounding gets right: half-way between two floats, but for a part that a double has no room for. */
TEST(sums_half_way)
{
    static const struct {
        float a, b, c;
    } sums[] = {
        {0x1.000002p0f, 0x1.8p-24f, 0x1p60f},
        {0x1p-30f, 0x1p-30f, 0x1.000001p0f},
        {0x1.000002p-24f, 0x1p-40f, 0x1.000002p0f},
        {0x1p-24f, 0x1.000002p0f, 1},
        {-0x1p-24f, 0x1.fffffep-1f, 1},
        {0x1p-75f, 0x1p-75f, 0x1.8p-149f},
        {0x1.8p-75f, 0x1.000002p-75f, 0x1p-149f},
        {0x1.8p-75f, -0x1.000002p-75f, 0x1p-149f},
        {-0x1.fffffep-25f, 0x1.000002p0f, 0x1.8p0f},
        {0x1.000002p-24f, 0x1.fffffep-1f, 0x1.8p0f},
    };
    struct sample_kernels wide, single = sample_kernels_single(POSE_RULES_PLAIN);
    if (!sample_kernels_avx2(POSE_RULES_PLAIN, &wide))
        return;
    /* A vector is a (1 - u) + b u: with u of a power of 2 both products are exact, their sum is what is looked at. */
    for (unsigned i = 0; i < sizeof sums / sizeof *sums; i++) {
        struct block block;
        random_block(&block);
        for (unsigned lane = 0; lane < LANES; lane++) {
            block.fractions[lane] = ldexp(1, -(int)lane * 3);
            for (unsigned k = 0; k < 3; k++) {
                block.from[k * LANES + lane] = k ? sums[i].c : sums[i].a;
                block.to[k * LANES + lane] = k == 1 ? sums[i].a : sums[i].b;
            }
        }
        wide.vectors(1, block.from, block.to, block.fractions, block.places, block.expected);
        single.vectors(1, block.from, block.to, block.fractions, block.places, block.rows);
        expect_same(&block);
    }
}
