/* What the cache of indexes calls an entry of an archive, and when it holds. */
#ifndef POSED_SERVER_LIBRARY_INDEX_RECALL_H
#define POSED_SERVER_LIBRARY_INDEX_RECALL_H

#include "server/library/index/cache.h"

/* A digest of everything that was listed: files by name and stamp, containers by stamp. */
struct asset_id recall_context(struct index_archive *const *archives, uint32_t count);
/* Puts a kept entry into its place in the archive; false when there is none that holds. */
bool recall_entry(struct index_cache *cache, struct index_archive *archive, uint32_t entry,
                  const struct asset_id *context);
void remember_entry(struct index_cache *cache, const struct index_archive *archive, uint32_t entry,
                    const struct asset_id *context);

/* Drops what is kept of files that are not there any more, once that is more than half of all. */
void forget_gone(struct index_cache *cache, struct index_archive *const *archives, uint32_t count);

#endif
