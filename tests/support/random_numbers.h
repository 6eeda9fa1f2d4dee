/* Numbers that look random and are the same in every run. */
#ifndef TESTS_SUPPORT_RANDOM_NUMBERS_H
#define TESTS_SUPPORT_RANDOM_NUMBERS_H

#include <stdint.h>

static uint64_t random_state;

static inline uint32_t random_below(uint32_t bound)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((random_state >> 33) % bound);
}

/* From -1 to 1. */
static inline double random_number(void)
{
    return (double)random_below(1u << 30) / (1 << 29) - 1;
}

#endif
