/*
 * Blobs in an S3 object store, the third of blobs.h's kinds:
 *     PREFIX/blobs/HASH   the bytes, by the hex digits of their SHA-256
 *     PREFIX/notes/NAME   the notes
 * and in DIR, which is local, tmp/ and the cache (blob_cache.h). Bytes are at the store before push returns; they are
 * believed only when their hash is right. A blob that is removed stays for an hour: see remove.
 */
#ifndef POSED_SERVER_STORE_S3_BLOBS_S3_H
#define POSED_SERVER_STORE_S3_BLOBS_S3_H

#include "server/ops/object_options.h"
#include "server/store/blobs.h"

/* cache_size: of the local cache. The store need not answer. */
struct blobs *blobs_s3_open(const struct object_options *options, const char *folder, uint64_t cache_size,
                            struct store_error *error);
/* Whether the store answers, and lets us in. Changes nothing. */
bool blobs_s3_check(const struct object_options *options, struct store_error *error);

/* The next push of that blob puts its bytes even if they have been put. */
void blobs_s3_push_again(struct blob *blob);

/* Called with how long ago the blob was written. False ends the walk. */
typedef bool aged_visit(void *user, const struct blob_hash *hash, uint64_t size, int64_t age_s);
bool blobs_s3_each_aged(struct blobs *blobs, aged_visit *visit, void *user, struct store_error *error);
/* Removes a blob at once if it is still that old. */
bool blobs_s3_sweep(struct blobs *blobs, const struct blob_hash *hash, bool *is_removed,
                    struct store_error *error);
/* Puts verified bytes, whether or not they are there. */
bool blobs_s3_put(struct blobs *blobs, const struct blob_hash *hash, struct pose_bytes bytes,
                  struct store_error *error);
/* Puts what a file store has, unless it is there: its bytes have been verified. */
bool blobs_s3_import(struct blobs *blobs, const struct blob_hash *hash, struct pose_bytes bytes, bool *is_new,
                     struct store_error *error);

#endif
