/* Removes bytes that no upload needs from an object store, beside others who add uploads at the same time. */
#ifndef POSED_SERVER_STORE_SHARED_SWEEPING_H
#define POSED_SERVER_STORE_SHARED_SWEEPING_H

#include "server/store/shared/sharing.h"

/* Removes a blob that no row names and that is an hour old. Only for who has the right to sweep. */
bool sweeping_one(struct blobs *blobs, struct store_catalog *catalog, const struct blob_hash *hash,
                  bool *is_removed, struct store_error *error);
/* The same for some of those whose uploads were removed an hour ago, unless another process is at it. */
bool sweeping_some(struct blobs *blobs, struct store_catalog *catalog, struct store_error *error);

#endif
