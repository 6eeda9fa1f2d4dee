/* Numbers of text files, read without regard to any locale. */
#ifndef POSE_CORE_DECIMAL_H
#define POSE_CORE_DECIMAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum decimal_result {
    DECIMAL_OK,
    DECIMAL_BAD,        /* no number, or one of more than DECIMAL_LENGTH characters */
    DECIMAL_NON_FINITE, /* NaN or infinity in any spelling ("1.#QNAN", "inf"), or a float beyond the range */
    DECIMAL_TOO_LARGE,  /* an integer beyond 32 bits */
};

enum { DECIMAL_LENGTH = 127 };

/* The whole text as the nearest float: [+-] digits [. digits] [e [+-] digits], "-5.88894e-005", ".5" and "5." too. */
enum decimal_result decimal_float(const char *text, size_t length, float *value);

/* The whole text as an integer: [+-] digits. */
enum decimal_result decimal_i32(const char *text, size_t length, int32_t *value);

#endif
