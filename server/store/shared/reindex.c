#include "server/store/shared/reindex.h"

#include "server/ops/parallel.h"
#include "server/ops/region.h"
#include "server/store/folder.h"
#include "server/store/postgres/catalog.h"
#include "server/store/s3/blobs_s3.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { THREADS = 8, AT_ONCE = 256 };

struct work {
    struct blobs *blobs;
    struct store_catalog *catalog;
    struct region texts; /* of the rows */
    struct upload_row rows[AT_ONCE];
    size_t count;
    struct reindexed *found;
    void (*report)(void *user, const char *line);
    void *user;
    pthread_mutex_t lock; /* guards found, report, and what has failed */
    bool has_failed;
    struct store_error error;
};

/* An upload whose bytes cannot be had, or (error NULL) are sound. */
static void count_one(struct work *work, const struct upload_row *row, const struct store_error *error)
{
    char hash[HASH_TEXT], line[400];
    hash_write(&row->blob, hash);
    const bool is_missing = error && error->status == STORE_MISSING;
    pthread_mutex_lock(&work->lock);
    work->found->sound += !error;
    work->found->missing += is_missing;
    work->found->damaged += error && !is_missing;
    if (error) {
        snprintf(line, sizeof line, "%.200s (blob %s): its bytes are %s", row->name, hash,
                 is_missing ? "missing" : "damaged");
        work->report(work->user, line);
    }
    pthread_mutex_unlock(&work->lock);
}

static void fail(struct work *work, const struct store_error *error)
{
    pthread_mutex_lock(&work->lock);
    if (!work->has_failed)
        work->error = *error;
    work->has_failed = true;
    pthread_mutex_unlock(&work->lock);
}

static bool has_failed(struct work *work)
{
    pthread_mutex_lock(&work->lock);
    const bool failed = work->has_failed;
    pthread_mutex_unlock(&work->lock);
    return failed;
}

/* What comes from the store has been verified. */
static void look_at(void *user, size_t index)
{
    struct work *work = user;
    const struct upload_row *row = &work->rows[index];
    struct store_error error;
    if (has_failed(work))
        return;
    struct blob *blob = work->blobs->open(work->blobs, &row->blob, row->bytes, BLOB_IN_MEMORY, &error);
    if (!blob && error.status != STORE_MISSING && error.status != STORE_BROKEN)
        fail(work, &error);
    else if (!blob)
        count_one(work, row, &error);
    else if (work->catalog->sharing->outdate(work->catalog, &row->id, &error))
        count_one(work, row, NULL);
    else
        fail(work, &error);
    blob_release(blob);
}

static void look_at_all(struct work *work)
{
    parallel_for(work->count, THREADS, look_at, work);
    region_release(&work->texts);
    work->texts = (struct region){0};
    work->count = 0;
}

static bool take_row(void *user, const struct upload_row *row)
{
    struct work *work = user;
    struct upload_row *copy = &work->rows[work->count++];
    *copy = *row;
    upload_row_own_texts(copy, &work->texts);
    if (work->count == AT_ONCE)
        look_at_all(work);
    return !has_failed(work);
}

static bool reindex(struct work *work, struct store_error *error)
{
    const bool done = work->catalog->each(work->catalog, take_row, work, error);
    if (done)
        look_at_all(work);
    region_release(&work->texts);
    if (done && work->has_failed)
        *error = work->error;
    return done && !work->has_failed && work->catalog->sharing->recount(work->catalog, error);
}

bool reindex_shared(const char *folder, const struct object_options *objects,
                    const struct catalog_options *catalog, struct reindexed *found,
                    void (*report)(void *user, const char *line), void *user, struct store_error *error)
{
    struct work *work = must_alloc(1, sizeof *work);
    work->found = found;
    work->report = report;
    work->user = user;
    *found = (struct reindexed){0};
    const int lock = folder_lock(folder, error);
    pthread_mutex_init(&work->lock, NULL);
    work->blobs = lock >= 0 ? blobs_s3_open(objects, folder, 0, error) : NULL;
    work->catalog = work->blobs ? store_postgres_open(catalog, objects->timeout_ms, error) : NULL;
    const bool done = work->catalog && reindex(work, error);
    if (work->catalog)
        work->catalog->close(work->catalog);
    if (work->blobs)
        work->blobs->close(work->blobs);
    pthread_mutex_destroy(&work->lock);
    if (lock >= 0)
        close(lock);
    free(work);
    return done;
}
