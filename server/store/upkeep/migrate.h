/* Copies the uploads of a folder into an object store. */
#ifndef POSED_SERVER_STORE_UPKEEP_MIGRATE_H
#define POSED_SERVER_STORE_UPKEEP_MIGRATE_H

#include "server/ops/catalog_options.h"
#include "server/ops/object_options.h"
#include "server/store/catalog.h"

struct migrated {
    uint64_t copied, there;    /* uploads */
    uint64_t damaged, missing; /* ones whose bytes are not those of their hash, or gone: left out */
};

/*
 * No daemon may be using the folder, whose catalogue then goes with the object store; its files are left alone. With
 * catalog->url its rows and records are copied there, and no notes are made; daemons may be using that. May be
 * repeated: what is there is not copied again. report is called with a line for each upload that is left out.
 */
bool store_migrate(const char *folder, const struct object_options *objects,
                   const struct catalog_options *catalog, struct migrated *found,
                   void (*report)(void *user, const char *line), struct store_error *error);

#endif
