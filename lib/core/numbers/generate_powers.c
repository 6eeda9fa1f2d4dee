/*
 * Run by the build: writes the table of powers of ten that number_text.c and number_parse.c use. An entry is the
 * smallest 64-bit integer g with g * 2^e >= 10^n, its top bit set, so e = floor(log2(10^n)) - 63.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* The writer needs -31 ... 45; the reader, for 19 digits, -65 ... 38. */
enum { FIRST = -65, LAST = 45, WORDS = 10 };

/* Little-endian words. */
struct big {
    uint32_t words[WORDS];
};

static void multiply_by_ten(struct big *big)
{
    uint64_t carry = 0;
    for (int i = 0; i < WORDS; i++) {
        carry += (uint64_t)big->words[i] * 10;
        big->words[i] = (uint32_t)carry;
        carry >>= 32;
    }
}

/* Rounds up; repeated division rounded up gives the rounded-up total quotient. */
static void divide_by_ten(struct big *big)
{
    uint64_t rest = 0;
    for (int i = WORDS; i-- > 0;) {
        rest = rest << 32 | big->words[i];
        big->words[i] = (uint32_t)(rest / 10);
        rest %= 10;
    }
    for (int i = 0; rest && i < WORDS; i++)
        rest = ++big->words[i] == 0;
}

static int bit_length(const struct big *big)
{
    for (int i = WORDS * 32; i-- > 0;) {
        if (big->words[i / 32] >> (i % 32) & 1)
            return i + 1;
    }
    return 0;
}

/* The leading 64 bits, rounded up. */
static uint64_t leading_bits(const struct big *big)
{
    uint64_t bits = 0;
    int length = bit_length(big), inexact = 0;
    for (int i = length; i-- > 0;) {
        uint32_t bit = big->words[i / 32] >> (i % 32) & 1;
        if (length - i <= 64)
            bits = bits << 1 | bit;
        else
            inexact |= (int)bit;
    }
    return length < 64 ? bits << (64 - length) : bits + (uint64_t)inexact;
}

static uint64_t entry(int n)
{
    struct big big = {{1}};
    if (n >= 0) {
        for (int i = 0; i < n; i++)
            multiply_by_ten(&big);
        return leading_bits(&big);
    }
    /* 2^s / 10^-n, with the smallest s that gives 64 bits. */
    for (int s = 64; s < WORDS * 32; s++) {
        big = (struct big){{0}};
        big.words[s / 32] = (uint32_t)1 << (s % 32);
        for (int i = 0; i < -n; i++)
            divide_by_ten(&big);
        if (bit_length(&big) == 64)
            return leading_bits(&big);
    }
    abort();
}

int main(int argc, char **argv)
{
    FILE *out = argc == 2 ? fopen(argv[1], "w") : NULL;
    if (!out)
        return EXIT_FAILURE;
    fprintf(out, "/* Made by generate_powers.c. */\nenum { POWER_FIRST = %d, POWER_LAST = %d };\n\n", FIRST,
            LAST);
    fprintf(out, "static const uint64_t powers_of_ten[POWER_LAST - POWER_FIRST + 1] = {\n");
    for (int n = FIRST; n <= LAST; n++)
        fprintf(out, "    UINT64_C(0x%016llx), /* 1e%d */\n", (unsigned long long)entry(n), n);
    fprintf(out, "};\n");
    return fclose(out) ? EXIT_FAILURE : EXIT_SUCCESS;
}
