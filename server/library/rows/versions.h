/* Clips that seem to be versions of one: what they have in common is a number, by which the rows are indexed. */
#ifndef POSED_SERVER_LIBRARY_ROWS_VERSIONS_H
#define POSED_SERVER_LIBRARY_ROWS_VERSIONS_H

#include "server/library/rows/rows.h"

/* That number of a clip; false if it is not there. */
bool versions_shape(struct rows_view *view, const struct asset_id *id, int64_t *shape);
/* How many clips have it, at most MAX_VERSIONS; */
uint32_t versions_count(struct rows_view *view, int64_t shape);
/* which they are. */
uint32_t versions_list(struct rows_view *view, int64_t shape, struct asset_id ids[MAX_VERSIONS]);

#endif
