/*
 * Blobs of a remote store kept on the local disk: DIR/blob-cache/HASH. The least recently used ones make room. Nothing
 * in there is trusted: the hash of what is read back is checked, and the folder may be emptied at any time.
 */
#ifndef POSED_SERVER_STORE_S3_BLOB_CACHE_H
#define POSED_SERVER_STORE_S3_BLOB_CACHE_H

#include "server/ops/files.h"
#include "server/ops/metrics/objects.h"
#include "server/store/blobs.h"

struct blob_cache;

/* limit: bytes; 0 keeps nothing. NULL with the error if the folder cannot be made. */
struct blob_cache *blob_cache_open(const char *folder, uint64_t limit, struct object_metrics *metrics,
                                   struct store_error *error);
void blob_cache_close(struct blob_cache *cache);

/* The following are thread-safe. */

/* Learns of what an earlier process has left. Until then it is found nonetheless, but does not make room. */
void blob_cache_scan(struct blob_cache *cache);
/* Maps a blob whose bytes are sound; false: it is not there. */
bool blob_cache_map(struct blob_cache *cache, const struct blob_hash *hash, struct file_bytes *file);
/* Moves the file of a finished draft, in a folder on the same disk, into the cache. The draft stays readable. Fails
 * silently: it is a cache. */
void blob_cache_keep(struct blob_cache *cache, struct draft *draft);

#endif
