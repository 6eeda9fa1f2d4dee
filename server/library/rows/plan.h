/*
 * How the words of a search are found: what the indices of runs of three characters know of them, and the expressions that
 * find candidates. A row's rank is that of its worst word, so the rows of a rank are found without those of other ranks.
 */
#ifndef POSED_SERVER_LIBRARY_ROWS_PLAN_H
#define POSED_SERVER_LIBRARY_ROWS_PLAN_H

#include "server/library/rows/hits.h"

enum { MAX_EXPRESSION = 1 << 15 };

struct plan {
    const struct listing_filter *filter;
    struct plan_word {
        bool is_free;   /* found by the index, and in no contents */
        int best;       /* the best rank that some row has of it; ROWS_NO_RANK: it is nowhere */
        bool is_folded; /* it has three characters or more */
    } words[MAX_WORDS];
    const struct search_word *longest; /* of three characters or more; NULL: none */
    bool has_free, is_all_free;
    int first;             /* no row has a better rank */
    int64_t most_contents; /* at most so many rows have contents with the longest word */
    struct query_words found;
    char own[MAX_EXPRESSION], contents[MAX_EXPRESSION];
};

/* NULL if out of memory. To be freed with free. */
struct plan *plan_new(struct rows_link *link, const struct listing_filter *filter);
/* What finds all hits, and maybe others; NULL: every row has to be looked at. Valid until the next one is asked for. */
const struct query_words *plan_all(struct plan *plan);
/* The same for the hits of a rank; is_empty: there are none. */
const struct query_words *plan_rank(struct plan *plan, int rank, int64_t after, bool *is_empty);
/* How many plan_all finds at most, counted up to a bound; all rows of the kind if it is NULL. The number of the last one
 * that was counted. */
int64_t plan_count(struct rows_link *link, struct plan *plan, int64_t most, int64_t *last);

#endif
