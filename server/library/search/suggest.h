/* Suggestions for a search without results. */
#ifndef POSED_SERVER_LIBRARY_SEARCH_SUGGEST_H
#define POSED_SERVER_LIBRARY_SEARCH_SUGGEST_H

#include "server/library/rows/rows.h"
#include "server/library/search/words.h"

/* Names of rows similar to q, the most similar first: among those that share a run of three letters with it, and the first
 * ones of all. From malloc. */
enum { MAX_SUGGESTIONS = 5 };
unsigned listing_suggest(struct rows_view *view, enum asset_kind kind, const struct search *search,
                         char *names[MAX_SUGGESTIONS]);

#endif
