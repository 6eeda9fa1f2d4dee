/* What q= asks for: words and phrases, all of which have to be found. */
#ifndef POSED_SERVER_LIBRARY_SEARCH_WORDS_H
#define POSED_SERVER_LIBRARY_SEARCH_WORDS_H

#include <stdbool.h>
#include <stddef.h>

enum { MAX_WORDS = 32, MAX_SEARCH = 1024 };

struct search_word {
    const char *text; /* folded, without the blanks around it */
    size_t length;
    bool is_phrase; /* of quotes: found only as a whole */
};

struct search {
    unsigned count;
    struct search_word words[MAX_WORDS];
    char storage[2 * MAX_SEARCH + 256];
};

/* Cuts q at blanks and punctuation; what is in double quotes stays together. No words: everything is found. False when
 * there are more than MAX_WORDS, or q is longer than MAX_SEARCH bytes. */
bool search_read(struct search *search, const char *q);

/* How well a word is found, the best first. */
enum search_match { MATCH_WHOLE, MATCH_BEGINNING, MATCH_PART, MATCH_NONE };

/* In a text of fold_text. */
enum search_match search_match(const struct search_word *word, const char *folded);

/* How many letters have to be changed, added, left out or swapped to make one word of the other; most + 1 when it is more
 * than most. */
unsigned word_distance(const char *a, size_t a_length, const char *b, size_t b_length, unsigned most);

#endif
