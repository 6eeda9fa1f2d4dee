/* Lists of somebody who also sees uploads that wait: rows of these are merged into those that everybody sees. */
#ifndef POSED_SERVER_LIBRARY_ROWS_OWN_ROWS_H
#define POSED_SERVER_LIBRARY_ROWS_OWN_ROWS_H

#include "server/library/rows/rows.h"

struct own_rows;

/* Fills empty rows with what waits of a view. NULL if out of memory. */
struct own_rows *own_rows_new(const struct catalog *view, struct rows *rows);
/* NULL is allowed. */
void own_rows_free(struct own_rows *own);
/* As listing_run over both. An asset that is published as well is as it is there. At most MAX_WAITING rows that wait are
 * listed; behind an offset of MAX_OFFSET there are none. */
enum { MAX_WAITING = 4096, MAX_OFFSET = 20000 };
bool own_rows_run(struct own_rows *own, struct rows_view *published, const struct listing_filter *filter,
                  struct listing *listing);
/* As rows_versions over both. */
bool own_rows_versions(struct own_rows *own, struct rows_view *published, const struct asset_id *ids,
                       uint32_t count, uint32_t *versions);
/* Adds those that wait to the counts of the others, after own_rows_run. */
bool own_rows_count(struct own_rows *own, const struct listing_filter *filter, enum listing_facet facet,
                    struct facet_value values[MAX_FACET_VALUES], uint32_t *count);

#endif
