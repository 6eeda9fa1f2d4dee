/* Search words, joints and events: what assets of one rig have alike is one row, which counts those that use it. */
#ifndef POSED_SERVER_LIBRARY_ROWS_CONTENTS_H
#define POSED_SERVER_LIBRARY_ROWS_CONTENTS_H

#include "server/library/rows/writing.h"

/* The number of an asset's content, which is added if it is new. */
int64_t content_find(struct writing *work, const struct index_asset *asset);
/* Counts a use of it, or one less, and the events of the asset that uses it; what is unused is dropped. */
void content_use(struct writing *work, int kind, int64_t number, int by);

#endif
