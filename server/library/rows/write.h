/* Makes rows what a snapshot says, within a transaction; what fails is noted in the link. */
#ifndef POSED_SERVER_LIBRARY_ROWS_WRITE_H
#define POSED_SERVER_LIBRARY_ROWS_WRITE_H

#include "server/library/rows/link.h"

/* The whole snapshot; before (may be NULL): the one that the rows show. */
void write_changes(struct rows_link *link, const struct catalog *before, const struct catalog *after);
/* An archive of the snapshot that the rows do not have yet; an upload that they still have. */
void write_added(struct rows_link *link, const struct catalog *after, uint32_t index);
/* An upload that may be in no snapshot; whether the rows have it or not. */
void write_put(struct rows_link *link, const struct catalog *after, struct index_archive *upload);
/* All, with the uploads that are opened. */
void write_all(struct rows_link *link, const struct catalog *after);
void write_removed(struct rows_link *link, const struct catalog *after, const struct asset_id *id);

#endif
