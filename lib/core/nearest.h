/* Suggestions for a misspelled word. */
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

/* The number of letters to insert, delete, replace or swap with their neighbour to turn one word into the other,
 * ignoring the case of ASCII letters; most + 1 if it is more than most or b has NEAREST_CAPACITY bytes or more. */
unsigned nearest_distance(const char *a, size_t a_length, const char *b, size_t b_length, unsigned most);

/* Sets the wanted word, of length bytes. A word that is too long gets no suggestions. */
void nearest_begin(struct nearest *nearest, const char *wanted, size_t length);
/* Offers a valid word. It is kept if it is near, that is, if a few letters are missing, wrong, swapped or added,
 * ignoring case, or if one is a prefix of the other. Cheap for words of very different length. */
void nearest_offer(struct nearest *nearest, const char *word);
/* Offers all words of a NULL-terminated list; NULL: none. */
void nearest_offer_all(struct nearest *nearest, const char *const *words);

/* Writes "; did you mean \"limit\"?" or "", to append to the message. */
enum { NEAREST_HINT = NEAREST_CAPACITY + 24 };
void nearest_hint(const struct nearest *nearest, char hint[NEAREST_HINT]);

#endif
