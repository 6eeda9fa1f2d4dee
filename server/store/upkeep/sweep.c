#include "server/store/upkeep/sweep.h"

#include "server/ops/region.h"
#include "server/store/folder.h"
#include "server/store/note.h"
#include "server/store/s3/blobs_s3.h"
#include "server/store/postgres/catalog.h"
#include "server/store/set.h"
#include "server/store/shared/sweeping.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { HOUR_S = 60 * 60 };

struct candidate {
    struct blob_hash hash; /* must be first: set_compare_hashes */
    uint64_t size;
};

struct work {
    struct blobs *blobs;
    struct store_catalog *catalog;
    struct set named;      /* hashes in rows, then in notes too */
    struct set candidates; /* what no row names */
    struct swept *found;
    bool cannot_tell;
};

static bool hold_row(void *user, const struct upload_row *row)
{
    struct work *work = user;
    set_add(&work->named, &row->blob);
    return true;
}

static bool visit_blob(void *user, const struct blob_hash *hash, uint64_t size, int64_t age_s)
{
    struct work *work = user;
    const struct candidate candidate = {*hash, size};
    if (set_has(&work->named, hash, set_compare_hashes))
        return true;
    if (age_s < HOUR_S)
        work->found->young++;
    else
        set_add(&work->candidates, &candidate);
    return true;
}

static bool visit_note(void *user, const char *name, const char *text, size_t size)
{
    struct work *work = user;
    struct region region = {0};
    struct upload_row row;
    (void)name;
    work->cannot_tell = !text || note_read(text, size, &region, &row) != NOTE_WHOLE;
    if (!work->cannot_tell)
        set_add(&work->named, &row.blob);
    region_release(&region);
    return !work->cannot_tell;
}

/* Only if there is something to remove: each note is a request. */
static bool hold_notes(struct work *work, struct store_error *error)
{
    if (!work->candidates.count)
        return true;
    if (!work->blobs->each_note(work->blobs, visit_note, work, error))
        return false;
    set_sort(&work->named, set_compare_hashes);
    return !work->cannot_tell ||
           store_fail(error, STORE_BROKEN,
                      "a note cannot be read, and may name anything: nothing is removed");
}

static bool remove_all(struct work *work, struct store_error *error)
{
    bool done = true;
    for (size_t i = 0; i < work->candidates.count && done; i++) {
        const struct candidate *candidate = set_at(&work->candidates, i);
        bool is_removed = false;
        if (set_has(&work->named, &candidate->hash, set_compare_hashes))
            continue;
        done = work->catalog->sharing
                   ? sweeping_one(work->blobs, work->catalog, &candidate->hash, &is_removed, error)
                   : blobs_s3_sweep(work->blobs, &candidate->hash, &is_removed, error);
        work->found->removed += is_removed;
        work->found->bytes += is_removed ? candidate->size : 0;
    }
    return done;
}

/* A catalogue that is not there would name nothing. */
static bool open_catalog(struct work *work, const char *folder, struct store_error *error)
{
    char *path = path_join(folder, "catalog.db");
    bool is_there = !access(path, R_OK | W_OK);
    work->catalog = is_there ? store_sqlite_open(path, error) : NULL;
    free(path);
    return is_there
               ? work->catalog != NULL
               : store_fail(error, STORE_BROKEN, "%.180s has no catalogue; posed reindex makes one", folder);
}

static bool open_shared(struct work *work, const struct catalog_options *options, uint64_t timeout_ms,
                        struct store_error *error)
{
    bool is_ours;
    work->catalog = store_postgres_open(options, timeout_ms, error);
    return work->catalog && work->catalog->sharing->sweep_begin(work->catalog, &is_ours, error) &&
           (is_ours || store_fail(error, STORE_IN_USE, "somebody else is sweeping at the moment"));
}

static bool sweep(struct work *work, const char *folder, const struct catalog_options *catalog,
                  uint64_t timeout_ms, struct store_error *error)
{
    if (!(catalog->url ? open_shared(work, catalog, timeout_ms, error) : open_catalog(work, folder, error)) ||
        !work->catalog->each(work->catalog, hold_row, work, error))
        return false;
    set_sort(&work->named, set_compare_hashes);
    return blobs_s3_each_aged(work->blobs, visit_blob, work, error) && hold_notes(work, error) &&
           remove_all(work, error);
}

bool store_sweep(const char *folder, const struct object_options *objects,
                 const struct catalog_options *catalog, struct swept *found, struct store_error *error)
{
    struct work work = {
        .found = found, .named.size = sizeof(struct blob_hash), .candidates.size = sizeof(struct candidate)};
    *found = (struct swept){0};
    const int lock = folder_lock(folder, error);
    if (lock < 0)
        return false;
    work.blobs = blobs_s3_open(objects, folder, 0, error);
    bool done = work.blobs && sweep(&work, folder, catalog, objects->timeout_ms, error);
    if (work.catalog)
        work.catalog->close(work.catalog);
    if (work.blobs)
        work.blobs->close(work.blobs);
    free(work.named.items);
    free(work.candidates.items);
    close(lock);
    return done;
}
