/* Copies the uploads of a folder into an object store. */
#ifndef POSED_SERVER_STORE_MIGRATE_H
#define POSED_SERVER_STORE_MIGRATE_H

#include "server/ops/object_options.h"
#include "server/store/catalog.h"

struct migrated {
    uint64_t copied, there;    /* uploads */
    uint64_t damaged, missing; /* ones whose bytes are not those of their hash, or gone: left out */
};

/*
 * No daemon may be using the folder, whose catalogue then goes with the object store; its files are left alone. May be
 * repeated: what is there is not copied again. report is called with a line for each upload that is left out.
 */
bool store_migrate(const char *folder, const struct object_options *objects, struct migrated *found,
                   void (*report)(void *user, const char *line), struct store_error *error);

#endif
