/* Runs of floats: conversion at any alignment, and where the first is no number. */
#include "lib/core/numbers/floats.h"
#include "tests/support/unit.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

TEST(little_endian_bytes_at_any_place)
{
    static const uint8_t bytes[] = {0xee, 0, 0, 0x80, 0x3f, 0, 0, 0x20, 0xc1, 1, 0, 0, 0};
    float values[3];
    uint8_t back[13] = {0xee};
    floats_from_le(values, bytes + 1, 3);
    ck_assert(values[0] == 1 && values[1] == -10 && values[2] == FLT_TRUE_MIN);
    floats_to_le(back + 1, values, 3);
    ck_assert_mem_eq(back, bytes, sizeof bytes);
    floats_from_le(NULL, NULL, 0);
    floats_to_le(NULL, NULL, 0);
}

TEST(the_first_that_is_no_number)
{
    enum { COUNT = 10000 };
    static const size_t places[] = {0, 1, 7, 4095, 4096, 4097, 9999};
    const float bad[] = {NAN, -NAN, INFINITY, -INFINITY};
    float *values = malloc(COUNT * sizeof *values);
    for (size_t i = 0; i < COUNT; i++)
        values[i] = i % 3 ? i % 2 ? FLT_MAX : -FLT_MAX : FLT_TRUE_MIN;
    ck_assert_uint_eq(floats_find_non_finite(values, COUNT), COUNT);
    for (size_t p = 0; p < sizeof places / sizeof *places; p++) {
        float was = values[places[p]];
        for (size_t b = 0; b < sizeof bad / sizeof *bad; b++) {
            values[places[p]] = bad[b];
            ck_assert_uint_eq(floats_find_non_finite(values, COUNT), places[p]);
            ck_assert_uint_eq(floats_find_non_finite(values, places[p]), places[p]);
        }
        values[places[p]] = was;
    }
    values[300] = values[5000] = NAN;
    ck_assert_uint_eq(floats_find_non_finite(values, COUNT), 300);
    ck_assert_uint_eq(floats_find_non_finite(NULL, 0), 0);
    free(values);
}

/* By the definition of binary16 (IEEE 754, 3.4). */
static double value_of_half(uint16_t half)
{
    int exponent = half >> 10 & 31, mantissa = half & 0x3ff;
    double size = exponent ? ldexp(1024 + mantissa, exponent - 25) : ldexp(mantissa, -24);
    return half & 0x8000 ? -size : size;
}

static uint16_t to_half(float value)
{
    uint8_t bytes[2];
    floats_to_halves_le(bytes, &value, 1);
    return (uint16_t)(bytes[0] | bytes[1] << 8);
}

TEST(halves)
{
    for (unsigned half = 0; half < 0x7c00; half++) { /* each of them, and the middle to the next */
        float value = (float)value_of_half((uint16_t)half), next = (float)value_of_half((uint16_t)(half + 1));
        ck_assert_uint_eq(to_half(value), half);
        ck_assert_uint_eq(to_half(-value), half | 0x8000);
        if (half + 1 < 0x7c00) {
            float middle = (value + next) / 2;
            ck_assert_uint_eq(to_half(middle), half + (half & 1)); /* to the even one */
            ck_assert_uint_eq(to_half(nextafterf(middle, 0)), half);
            ck_assert_uint_eq(to_half(nextafterf(middle, FLT_MAX)), half + 1);
        }
    }
    ck_assert_uint_eq(to_half(1e6f), 0x7bff);
    ck_assert_uint_eq(to_half(-INFINITY), 0xfbff);
    ck_assert_uint_eq(to_half(NAN) & 0x7fff, 0x7e00);
    ck_assert_uint_eq(to_half(FLT_TRUE_MIN), 0);
}
