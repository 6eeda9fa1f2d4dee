/* Runs of floats: conversion at any alignment, and where the first is no number. */
#include "lib/core/numbers/floats.h"
#include "tests/support/unit.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

START_TEST(little_endian_bytes_at_any_place)
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
END_TEST

START_TEST(the_first_that_is_no_number)
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
END_TEST

int main(void)
{
    TCase *floats = tcase_create("floats");
    tcase_add_test(floats, little_endian_bytes_at_any_place);
    tcase_add_test(floats, the_first_that_is_no_number);
    return unit_run("floats", floats, NULL);
}
