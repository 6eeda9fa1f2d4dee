/* The query q=: words and phrases, all of which must match. */
#ifndef POSED_SERVER_LIBRARY_SEARCH_WORDS_H
#define POSED_SERVER_LIBRARY_SEARCH_WORDS_H

#include <stdbool.h>
#include <stddef.h>

enum { MAX_WORDS = 32, MAX_SEARCH = 1024 };

struct search_word {
    const char *text; /* folded, without surrounding blanks */
    size_t length;
    bool is_phrase; /* was in quotes: only matches as a whole */
};

struct search {
    unsigned count;
    struct search_word words[MAX_WORDS];
    char storage[2 * MAX_SEARCH + 256];
};

/* Splits q at blanks and punctuation; text in double quotes stays together. Without words everything
 * matches. False if there are more than MAX_WORDS, or q is longer than MAX_SEARCH bytes. */
bool search_read(struct search *search, const char *q);

/* How well a word matches, best first. */
enum search_match { MATCH_WHOLE, MATCH_BEGINNING, MATCH_PART, MATCH_NONE };

/* Searches a text made by fold_text. */
enum search_match search_match(const struct search_word *word, const char *folded);

#endif
