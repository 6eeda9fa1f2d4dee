/* Lists of what a search finds. */
#ifndef POSED_SERVER_LIBRARY_ROWS_SEARCH_H
#define POSED_SERVER_LIBRARY_ROWS_SEARCH_H

#include "server/library/rows/hits.h"

/*
 * The page of a search. Few hits are all ranked and sorted. Of many the rows of one rank after the other are found in the
 * order of their numbers; or, in another order, rows are met along that order: so a page costs about the same however
 * many hits there are, and its order is the same either way. False: it is to be met along the order.
 */
bool search_page(struct rows_link *link, const struct listing_filter *filter, struct listing *listing);

/* Each hit, by a row that has its number, format, loop and content. */
typedef void search_visit(void *user, sqlite3_stmt *row);
void search_each(struct rows_link *link, const struct listing_filter *filter, search_visit *visit,
                 void *user);

/* The sort key of a row is a text. */
bool search_has_text_key(enum listing_sort sort);

#endif
