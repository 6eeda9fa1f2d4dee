/* Text as people search for it: case, accents and punctuation do not count. */
#ifndef POSE_CORE_FOLD_H
#define POSE_CORE_FOLD_H

#include <stddef.h>

/*
 * The words of a UTF-8 text in lower case and without accents, each followed by a blank and a blank before the first:
 * " a2o walk anim ". A word is a run of letters and digits; whatever else ASCII has ends it. What does not fit into
 * capacity (at least 2, the NUL counts) is cut at the end. Gives the length, 1 when there are no words.
 */
size_t fold_text(const char *text, char *out, size_t capacity);

#endif
