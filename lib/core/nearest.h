/* The words that a misspelled one may have meant. */
#ifndef POSE_CORE_NEAREST_H
#define POSE_CORE_NEAREST_H

#include <stddef.h>

enum { NEAREST_COUNT = 3, NEAREST_CAPACITY = 64 };

struct nearest {
    char wanted[NEAREST_CAPACITY];
    unsigned count;
    unsigned distances[NEAREST_COUNT];
    char words[NEAREST_COUNT][NEAREST_CAPACITY]; /* nearest first */
};

/* What was asked for: length bytes. Nothing is near to what is longer than a word may be. */
void nearest_begin(struct nearest *nearest, const char *wanted, size_t length);
/* A word that there is. Kept when it is near: by letters that are missing, wrong, swapped or too many, whatever their
 * case, or when one begins with the other. Costs nothing for words of very different length. */
void nearest_offer(struct nearest *nearest, const char *word);
/* All of a table that NULL ends; NULL: none. */
void nearest_offer_all(struct nearest *nearest, const char *const *words);

/* "; did you mean \"limit\"?", or "": to be put after the message. */
enum { NEAREST_HINT = NEAREST_CAPACITY + 24 };
void nearest_hint(const struct nearest *nearest, char hint[NEAREST_HINT]);

#endif
