/* In which archives an asset is, and under which names. */
#ifndef POSED_SERVER_LIBRARY_ROWS_PLACES_H
#define POSED_SERVER_LIBRARY_ROWS_PLACES_H

#include "server/library/rows/writing.h"

/* All assets of the upload that is being written, which comes last, or those that it did not have before. */
void places_join(struct writing *work, bool is_new);
/* Makes the rows of all assets of an archive what they are to be, and whether they are in the one that is being written. */
void places_touch_all(struct writing *work, const struct index_archive *archive);
/* The same of what differs between two versions of a folder. */
void places_touch_changes(struct writing *work, const struct index_archive *before,
                          const struct index_archive *after);
/* The same of what the rows have in the archive. */
void places_touch_kept(struct writing *work);

#endif
