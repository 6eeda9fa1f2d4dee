/* Suggestions for a search without results. */
#ifndef POSED_SERVER_LIBRARY_SEARCH_SUGGEST_H
#define POSED_SERVER_LIBRARY_SEARCH_SUGGEST_H

#include "server/library/catalog.h"
#include "server/library/search/words.h"

/* Names of the catalogue similar to q, the most similar first; borrowed. */
enum { MAX_SUGGESTIONS = 5 };
unsigned listing_suggest(const struct catalog *catalog, enum asset_kind kind, const struct search *search,
                         const char *names[MAX_SUGGESTIONS]);

#endif
