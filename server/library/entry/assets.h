/* The assets of an entry: their names, and the ids that they have wherever the same bytes are. */
#ifndef POSED_SERVER_LIBRARY_ENTRY_ASSETS_H
#define POSED_SERVER_LIBRARY_ENTRY_ASSETS_H

#include "server/library/index/index.h"

/* If the entry's region runs out of memory, assets are missing: see region.failed. */
void index_add_assets(struct index_entry *entry, const struct pose_document *document);
/*
 * The bytes are hashed once, however many assets a file has. The file name is not included: the same bytes with
 * the same companion files have the same id anywhere. game: forced by the client; NULL. False if out of memory.
 */
bool index_give_ids(struct index_entry *entry, const char *game, const struct pose_document *document,
                    struct pose_bytes bytes, const struct companion_finder *finder);

#endif
