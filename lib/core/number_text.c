/* Numbers as text. */
#include "pose.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

size_t pose_float_text(float value, char *text)
{
    char digits[32];
    int precision = 1;
    do {
        snprintf(digits, sizeof digits, "%.*g", precision, (double)value);
    } while (strtof(digits, NULL) != value && precision++ < 9);
    size_t length = strlen(digits);
    memcpy(text, digits, length);
    return length;
}
