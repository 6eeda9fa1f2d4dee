#include "server/store/shared/sweeping.h"

#include "server/store/s3/blobs_s3.h"

enum { HOUR_MS = 60 * 60 * 1000, AT_ONCE = 64 };

/* From mark to unmark nobody adds an upload of these bytes; one that comes meanwhile puts them again. A mark that cannot be
 * taken away ends by itself. */
bool sweeping_one(struct blobs *blobs, struct store_catalog *catalog, const struct blob_hash *hash,
                  bool *is_removed, struct store_error *error)
{
    struct store_error ignored;
    bool is_marked;
    *is_removed = false;
    if (!catalog->sharing->mark(catalog, hash, &is_marked, error))
        return false;
    if (!is_marked)
        return true;
    const bool done = blobs_s3_sweep(blobs, hash, is_removed, error);
    catalog->sharing->unmark(catalog, hash, &ignored);
    return done;
}

struct hashes {
    struct blob_hash hashes[AT_ONCE];
    uint32_t count;
};

static bool add_hash(void *user, const struct blob_hash *hash)
{
    struct hashes *hashes = user;
    hashes->hashes[hashes->count++] = *hash;
    return hashes->count < AT_ONCE;
}

bool sweeping_some(struct blobs *blobs, struct store_catalog *catalog, struct store_error *error)
{
    const struct catalog_sharing *sharing = catalog->sharing;
    struct hashes hashes = {.count = 0};
    bool is_ours, is_removed;
    if (!sharing->sweepable(catalog, HOUR_MS, AT_ONCE, add_hash, &hashes, error))
        return false;
    if (!hashes.count)
        return true;
    if (!sharing->sweep_begin(catalog, &is_ours, error) || !is_ours)
        return error->status == STORE_OK;
    bool done = true;
    for (uint32_t i = 0; i < hashes.count && done; i++)
        done = sweeping_one(blobs, catalog, &hashes.hashes[i], &is_removed, error) &&
               sharing->swept(catalog, &hashes.hashes[i], error);
    sharing->sweep_end(catalog);
    return done;
}
