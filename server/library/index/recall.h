/* Cache keys for the entries of an archive, and their validity. */
#ifndef POSED_SERVER_LIBRARY_INDEX_RECALL_H
#define POSED_SERVER_LIBRARY_INDEX_RECALL_H

#include "server/library/index/cache.h"

/* A digest of everything listed: files by name and stamp. */
struct asset_id recall_context(struct index_archive *const *archives, uint32_t count);
/* Stores a cached entry in its slot of the archive; false if there is no valid one. */
bool recall_entry(struct index_cache *cache, struct index_archive *archive, uint32_t entry,
                  const struct asset_id *context);
void remember_entry(struct index_cache *cache, const struct index_archive *archive, uint32_t entry,
                    const struct asset_id *context);

/* Drops rows for files that no longer exist, once these are more than half of all rows. */
void forget_gone(struct index_cache *cache, struct index_archive *const *archives, uint32_t count);

#endif
