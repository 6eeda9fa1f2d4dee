/*
 * What indexing found out, kept over restarts: by path, size, modification time and inode of files. A file in the
 * store's folder that can be thrown away at any time.
 */
#ifndef POSED_SERVER_LIBRARY_INDEX_CACHE_H
#define POSED_SERVER_LIBRARY_INDEX_CACHE_H

#include "server/library/index/entry.h"

struct index_cache;

/* NULL (and a line in the log) when it cannot be used: then everything is decoded at each start. */
struct index_cache *index_cache_open(const char *path);
void index_cache_close(struct index_cache *cache);

/* What follows may be called by several threads. root is the path of a folder, file or container, name that of a file
 * below it, or what tells an entry in it. */

/* Around many calls: one transaction. */
void index_cache_begin(struct index_cache *cache);
void index_cache_end(struct index_cache *cache);

/*
 * An entry, NULL when there is none of that stamp. One that asked for companions is found only in the context in which
 * it was kept: the digest of everything that was listed.
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

/* Rows that are kept. */
uint64_t index_cache_count(struct index_cache *cache);
/* Drops all rows but those that are named in between: index_cache_prune, index_cache_spare for each that stays,
 * index_cache_pruned. Within a transaction. */
bool index_cache_prune(struct index_cache *cache);
void index_cache_spare(struct index_cache *cache, const char *root, const char *name);
void index_cache_spare_id(struct index_cache *cache, const char *path);
void index_cache_pruned(struct index_cache *cache);

#endif
