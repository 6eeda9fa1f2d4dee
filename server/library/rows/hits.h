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
void hits_free(struct listing_hits *hits);

/* The words of the content that was looked at last. */
struct hit_texts {
    char *phrase; /* for the index of words */
    int64_t content;
    char *words;
};

/* Appends where to find the rows that may match. texts must live as long as the query. */
void hits_find(struct rows_link *link, struct query *query, const struct listing_filter *filter,
               const struct listing *listing, struct hit_texts *texts);
/* How well a row matches, the best is 0; -1: not. */
int hits_rank(struct rows_link *link, const struct listing_filter *filter, const char *words, int64_t content,
              struct hit_texts *texts);
void hits_release_texts(struct hit_texts *texts);

#endif
