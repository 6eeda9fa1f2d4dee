/* Looks at everything that a shared catalogue names, while those who share it go on. */
#ifndef POSED_SERVER_STORE_SHARED_REINDEX_H
#define POSED_SERVER_STORE_SHARED_REINDEX_H

#include "server/ops/catalog_options.h"
#include "server/ops/object_options.h"
#include "server/store/draft.h"

#include <stdint.h>

struct reindexed {
    uint64_t sound, damaged, missing; /* uploads */
};

/*
 * Verifies the bytes of every upload. What indexing has made of a sound one is made anew when it is next asked for, and the
 * totals are those of the rows again. The folder is for temporary files. report is called for each upload that is not
 * sound. STORE_AWAY, or another error, if it cannot go on: then it can be called again.
 */
bool reindex_shared(const char *folder, const struct object_options *objects,
                    const struct catalog_options *catalog, struct reindexed *found,
                    void (*report)(void *user, const char *line), void *user, struct store_error *error);

#endif
