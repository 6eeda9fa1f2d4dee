/* Removes from an object store the bytes that no upload names: what deletions, or uploads that were not finished, leave. */
#ifndef POSED_SERVER_STORE_UPKEEP_SWEEP_H
#define POSED_SERVER_STORE_UPKEEP_SWEEP_H

#include "server/ops/catalog_options.h"
#include "server/ops/object_options.h"
#include "server/store/catalog.h"

struct swept {
    uint64_t removed, bytes; /* blobs, and their sizes */
    uint64_t young;          /* ones that nobody names, but of the last hour */
};

/*
 * The folder has the catalogue; no daemon may be using it. With catalog->url it is there, and daemons may be using it; the folder
 * is for temporary files. Neither a row nor a note names what is removed, and it is an
 * hour old. Nothing is removed if a note cannot be read.
 */
bool store_sweep(const char *folder, const struct object_options *objects,
                 const struct catalog_options *catalog, struct swept *found, struct store_error *error);

#endif
