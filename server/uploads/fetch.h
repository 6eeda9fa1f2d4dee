/* Uploads that somebody asked for and that are not at hand join the catalogue. */
#ifndef POSED_SERVER_UPLOADS_FETCH_H
#define POSED_SERVER_UPLOADS_FETCH_H

#include "server/library/rows/rows.h"
#include "server/library/service.h"

/*
 * On the pool, with no turn begun: makes all that the turn has missed complete, and returns a snapshot in which it is,
 * referenced. view (may be NULL) becomes a view of the rows that show this snapshot. NULL: something cannot be had at the
 * moment.
 */
struct catalog *uploads_fetch(struct service *service, const struct catalog_turn *turn,
                              struct rows_view **view);

#endif
