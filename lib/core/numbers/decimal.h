/* Parses numbers in text files, with the reason for a failure; based on numbers.h. */
#ifndef POSE_CORE_NUMBERS_DECIMAL_H
#define POSE_CORE_NUMBERS_DECIMAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum decimal_result {
    DECIMAL_OK,
    DECIMAL_BAD,        /* not a number */
    DECIMAL_NON_FINITE, /* NaN or infinity in any spelling ("1.#QNAN", "inf"), or a float beyond the range */
    DECIMAL_TOO_LARGE,  /* an integer beyond 32 bits */
};

/* The whole text as the nearest float, as number_parse_float reads it. value is 0 on failure. */
enum decimal_result decimal_float(const char *text, size_t length, float *value);

/* The whole text as an integer: [+-] digits. value is 0 on failure. */
enum decimal_result decimal_i32(const char *text, size_t length, int32_t *value);

#endif
