/* Text normalised for searching: case, accents and punctuation are ignored. */
#ifndef POSE_CORE_FOLD_H
#define POSE_CORE_FOLD_H

#include <stddef.h>

/*
 * The words of a UTF-8 text in lower case and without accents, with a blank before the first and after each: " a2o
 * walk anim ". A word is a run of letters and digits; any other ASCII character ends it. Truncated to capacity (at
 * least 2, including the NUL). Returns the length, 1 when there are no words.
 */
size_t fold_text(const char *text, char *out, size_t capacity);

#endif
