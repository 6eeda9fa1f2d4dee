/* The rows that a search finds, and how well they match. */
#ifndef POSED_SERVER_LIBRARY_ROWS_HITS_H
#define POSED_SERVER_LIBRARY_ROWS_HITS_H

#include "server/library/rows/query.h"

struct listing_hit {
    char *text; /* its key by which lists are sorted, from malloc; NULL: the value */
    double value;
    uint64_t number;
    struct asset_id id;
};

struct listing_hits {
    size_t count, capacity;
    struct listing_hit *items;
};

/* False without memory. */
bool hits_add(struct listing_hits *hits, const struct listing_hit *hit);
void hits_sort(struct listing_hits *hits, bool is_descending);
void hits_release(struct listing_hits *hits);
/* The page of sorted hits behind the listing's cursor, or at its offset; and the total. */
void hits_take_page(const struct listing_hits *hits, struct listing *listing);

/* Ranks, the best is 0: how well the worst word matches, and by that where. A name counts more than a path, and a path more
 * than joints and events; but a whole word anywhere counts more than a prefix. */
enum { ROWS_IN_NAME, ROWS_IN_PATH, ROWS_IN_CONTENTS, ROWS_WEIGHT_MATCH = 4 };
enum { ROWS_NO_RANK = MATCH_NONE * ROWS_WEIGHT_MATCH };

/* The words of the content that was looked at last. */
struct hit_texts {
    int64_t content;
    char *words;
};

/* How well a row matches; -1: not. */
int hits_rank(struct rows_link *link, const struct listing_filter *filter, const char *words, int64_t content,
              struct hit_texts *texts);
void hits_release_texts(struct hit_texts *texts);

#endif
