/*
 * Files in a folder, each named by a hash, that can be removed at any time: which ones there are, and which were used
 * last, so that those used least recently make room. Their contents are the caller's business, who must not trust them.
 */
#ifndef POSED_SERVER_STORE_KEPT_FILES_H
#define POSED_SERVER_STORE_KEPT_FILES_H

#include "server/store/draft.h"

#include <stdatomic.h>

/* How the names of files begin that are not finished; those of an earlier process are removed by the scan. */
#define KEPT_NEW "new-"

struct kept_files;

/* limit: bytes, of files rounded up to whole blocks (1: as they are). bytes and evictions are counted into; they must
 * outlive all use but kept_files_free. */
struct kept_files *kept_files_new(const char *folder, uint64_t limit, uint64_t block, _Atomic uint64_t *bytes,
                                  _Atomic uint64_t *evictions);
void kept_files_free(struct kept_files *files);
/* Where the file of that name is or would be; from malloc. */
char *kept_files_path(const struct kept_files *files, const struct blob_hash *hash);

/* The following are thread-safe. */

/* Learns of what an earlier process has left, later ones as used later. */
void kept_files_scan(struct kept_files *files);
/* Notes that a file, which is there, was used. */
void kept_files_use(struct kept_files *files, const struct blob_hash *hash, uint64_t size);
/* Renames a finished file into place, replacing an older one of that name, and makes room. False if it cannot. */
bool kept_files_take(struct kept_files *files, const char *from, const struct blob_hash *hash, uint64_t size);
/* Removes a file that cannot be used. */
void kept_files_drop(struct kept_files *files, const struct blob_hash *hash);

#endif
