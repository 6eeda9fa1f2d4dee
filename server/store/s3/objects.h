/*
 * Objects of one prefix: requests with a second try, counted, and not even begun while the store is away. A thread of
 * its own finds out whether it is, and when it is back.
 */
#ifndef POSED_SERVER_STORE_S3_OBJECTS_H
#define POSED_SERVER_STORE_S3_OBJECTS_H

#include "server/ops/metrics/objects.h"
#include "server/store/blobs.h"
#include "server/store/s3/place.h"

struct objects;

/* Called by the thread every few seconds. */
typedef void objects_chore(void *user);

/* NULL with the error; the store need not answer. */
struct objects *objects_open(const struct object_options *options, struct store_error *error);
void objects_close(struct objects *objects);
void objects_start(struct objects *objects, objects_chore *chore, void *user);
bool objects_are_away(const struct objects *objects);
struct object_metrics *objects_metrics(struct objects *objects);

/* Errors are STORE_MISSING, STORE_AWAY, or STORE_BROKEN: the bytes are wrong. Names are below the prefix, "blobs/…". */

/* Into a draft, which is NULL on failure. folder: for its file; without room there it is in memory. want: the hash that
 * its bytes must have, NULL: any. */
struct draft *objects_get(struct objects *objects, const char *name, const char *folder, uint64_t most,
                          const struct blob_hash *want, struct store_error *error);
bool objects_put(struct objects *objects, const char *name, const void *bytes, size_t size,
                 const struct blob_hash *hash, struct store_error *error);
bool objects_remove(struct objects *objects, const char *name, struct store_error *error);
bool objects_head(struct objects *objects, const char *name, struct s3_object *found,
                  struct store_error *error);
/* Keys are names. */
bool objects_list(struct objects *objects, const char *folder, s3_visit *visit, void *user,
                  struct store_error *error);
bool objects_reach(struct objects *objects, struct store_error *error);

#endif
