/* What others changed in a shared catalogue becomes what is served here: one upload at a time. */
#ifndef POSED_SERVER_UPLOADS_ADOPT_H
#define POSED_SERVER_UPLOADS_ADOPT_H

#include "server/library/service.h"

struct adopting {
    struct service *service;
    struct asset_id epoch; /* of the catalogue whose versions these are */
};

/* Each returns false with error (STORE_DOWN: out of memory), with nothing changed. None may be called with the write lock
 * held. */

/* Somebody has added or published it. False if that is not possible at the moment, or (STORE_MISSING) at all. */
bool adopt_upload(const struct adopting *adopting, const struct shared_change *change,
                  struct store_error *error);
/* It cannot be served: error says why, which is logged. */
bool adopt_nothing(const struct adopting *adopting, const struct shared_change *change,
                   struct store_error *error);
/* version 0: not one of the changes. */
bool adopt_removal(const struct adopting *adopting, const struct asset_id *id, uint64_t version,
                   struct store_error *error);
/* The catalogue was rebuilt: what is served counts as its first version. */
bool adopt_epoch(const struct adopting *adopting, struct store_error *error);

#endif
