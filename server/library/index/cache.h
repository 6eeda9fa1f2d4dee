/*
 * Results of indexing, kept over restarts and keyed by path, size, modification time and inode of files. The file
 * is in the store's folder and safe to delete at any time.
 */
#ifndef POSED_SERVER_LIBRARY_INDEX_CACHE_H
#define POSED_SERVER_LIBRARY_INDEX_CACHE_H

#include "server/library/entry/entry.h"

struct index_cache;

/* NULL (with a line in the log) if it is unusable: then everything is decoded at each start. */
struct index_cache *index_cache_open(const char *path);
void index_cache_close(struct index_cache *cache);

/* The following functions are thread-safe. root is the path of a folder, file or container; name is that
 * of a file below it, or identifies an entry in it. */

/* Wraps many calls in one transaction. */
void index_cache_begin(struct index_cache *cache);
void index_cache_end(struct index_cache *cache);

/*
 * The cached entry, NULL if there is none with that stamp. An entry that asked for companions is only valid in the
 * context in which it was stored: the digest of everything that was listed.
 */
struct index_entry *index_cache_find(struct index_cache *cache, const char *root, const char *name,
                                     const struct file_stamp *stamp, const struct asset_id *context);
void index_cache_keep(struct index_cache *cache, const char *root, const char *name,
                      const struct file_stamp *stamp, const struct asset_id *context,
                      const struct index_entry *entry);

/* The id of a container: a hash over all its bytes. */
bool index_cache_find_id(struct index_cache *cache, const char *path, const struct file_stamp *stamp,
                         struct asset_id *id);
void index_cache_keep_id(struct index_cache *cache, const char *path, const struct file_stamp *stamp,
                         const struct asset_id *id);

/* The number of rows. */
uint64_t index_cache_count(struct index_cache *cache);
/* Drops all rows except named ones: call index_cache_prune, index_cache_spare for each row to keep, then
 * index_cache_pruned, in one transaction. */
bool index_cache_prune(struct index_cache *cache);
void index_cache_spare(struct index_cache *cache, const char *root, const char *name);
void index_cache_spare_id(struct index_cache *cache, const char *path);
void index_cache_pruned(struct index_cache *cache);

#endif
