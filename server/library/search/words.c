#include "server/library/search/words.h"

#include "lib/core/fold.h"

#include <string.h>

/* Adds one run of q, which was either in quotes or not. */
static bool add_run(struct search *search, size_t *used, const char *run, size_t length, bool is_phrase)
{
    char text[MAX_SEARCH + 1];
    memcpy(text, run, length);
    text[length] = 0;
    char *folded = search->storage + *used;
    size_t folded_length = fold_text(text, folded, sizeof search->storage - *used);
    *used += folded_length + 1;
    for (char *at = folded + 1; *at;) {
        size_t size = is_phrase ? folded_length - 2 : strcspn(at, " ");
        if (search->count == MAX_WORDS)
            return false;
        at[size] = 0;
        search->words[search->count++] = (struct search_word){at, size, is_phrase};
        at += size + 1;
    }
    return true;
}

bool search_read(struct search *search, const char *q)
{
    size_t used = 0;
    search->count = 0;
    if (strlen(q) > MAX_SEARCH)
        return false;
    for (bool is_phrase = false;; is_phrase = !is_phrase) {
        size_t length = strcspn(q, "\"");
        /* Folding at most doubles a run, and blanks are added around it. */
        if (length && used + 2 * length + 4 > sizeof search->storage)
            return false;
        if (length && !add_run(search, &used, q, length, is_phrase))
            return false;
        if (!q[length])
            return true;
        q += length + 1;
    }
}

enum search_match search_match(const struct search_word *word, const char *folded)
{
    enum search_match best = MATCH_NONE;
    for (const char *at = folded; (at = strstr(at, word->text)); at++) {
        /* A folded text begins with a blank, and words do not contain any. */
        if (at[-1] != ' ')
            best = best == MATCH_NONE ? MATCH_PART : best;
        else if (at[word->length] == ' ')
            return MATCH_WHOLE;
        else
            best = MATCH_BEGINNING;
    }
    return word->is_phrase ? MATCH_NONE : best;
}
