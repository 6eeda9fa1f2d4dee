/* Opens the store: locks its folder, opens or rebuilds its catalogue, and repairs what a crash left half done. */
#include "server/store/store.h"

#include "server/ops/files.h"
#include "server/ops/log.h"
#include "server/ops/region.h"
#include "server/store/folder.h"
#include "server/store/inside.h"
#include "server/store/note.h"
#include "server/store/postgres/catalog.h"
#include "server/store/upkeep/recover.h"
#include "server/store/s3/blobs_s3.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* An unusable catalogue is moved aside and rebuilt: uploads are in notes and blobs. */
static bool open_catalog(struct store *store, const char *folder, struct store_error *error)
{
    char *path = path_join(folder, "catalog.db");
    bool done = true;
    if (access(path, F_OK))
        done = errno == ENOENT ? folder_lose_catalog(folder, error) : store_fail_errno(error, "%s", path);
    done = done && folder_lose_no_index(folder, error);
    if (done)
        store->catalog =
            store->is_clean ? store_sqlite_open_unchecked(path, error) : store_sqlite_open(path, error);
    if (done && !store->catalog && error->status == STORE_BROKEN) {
        log_message(LOG_WARNING, "%s; %s is now in lost/ and is rebuilt", error->detail, path);
        if (folder_lose_catalog(folder, error))
            store->catalog = store_sqlite_open(path, error);
    }
    free(path);
    return store->catalog;
}

/* Opens the folder and its blobs, or (objects->blobs) those of an object store. */
static bool open_folder(struct store *store, const char *folder, const struct object_options *objects,
                        uint64_t cache_size, struct store_error *error)
{
    const bool is_far = objects && objects->blobs;
    store->folder = strdup(folder);
    store->spool = path_join(folder, "tmp");
    store->lock_fd = folder_lock(folder, error);
    if (store->lock_fd >= 0)
        store->blobs =
            is_far ? blobs_s3_open(objects, folder, cache_size, error) : blobs_files_open(folder, error);
    return store->blobs;
}

static void open_memory(struct store *store)
{
    store->blobs = blobs_memory_open();
    store->catalog = store_memory_open();
    store->spool = strdup("/tmp");
}

static struct store *new_store(uint64_t most)
{
    struct store *store = must_alloc(1, sizeof *store);
    store->lock_fd = -1;
    store->most = most;
    pthread_mutex_init(&store->lock, NULL);
    return store;
}

static void close_catalog(struct store *store)
{
    if (store->catalog)
        store->catalog->close(store->catalog);
    store->catalog = NULL;
}

void store_close(struct store *store)
{
    if (!store)
        return;
    close_catalog(store);
    if (store->blobs)
        store->blobs->close(store->blobs);
    reserve_leave(&store->reserve);
    struct store_error ignored;
    if (atomic_load(&store->is_sound) && !atomic_load(&store->down) &&
        folder_is_in_place(store->folder, store->lock_fd, &ignored))
        folder_leave_clean(store->folder);
    if (store->lock_fd >= 0)
        close(store->lock_fd);
    pthread_mutex_destroy(&store->lock);
    free(store->spool);
    free(store->folder);
    free(store);
}

static void add_bytes(void *user, const char *uploader, uint64_t bytes)
{
    struct store *store = user;
    (void)uploader;
    atomic_fetch_add(&store->bytes, bytes);
}

/* Logs one line for each of the first few. */
static void log_line_of(void *user, const char *line)
{
    enum { MAX_LINES = 100 };
    uint64_t *lines = user;
    if (++*lines <= MAX_LINES)
        log_message(LOG_WARNING, "%s", line);
}

static void log_found(const char *folder, const struct recovered *found)
{
    log_message(
        LOG_WARNING,
        "%s: %llu uploads adopted, %llu notes mended, %llu deleted ones forgotten, %llu damaged, %llu "
        "missing, %llu unreadable, %llu strays in lost/",
        folder, (unsigned long long)found->adopted, (unsigned long long)found->noted,
        (unsigned long long)found->forgotten, (unsigned long long)found->damaged,
        (unsigned long long)found->missing, (unsigned long long)found->unread,
        (unsigned long long)found->lost);
}

/* Catalogue and folder may disagree after a crash, a copy made during a write, or manual changes. */
static bool reconcile(struct store *store, struct store_error *error)
{
    uint64_t lines = 0;
    struct recovered found;
    struct recovery recovery = {.blobs = store->blobs,
                                .catalog = store->catalog,
                                .adopts = true,
                                .loses = !store->blobs->push,
                                .report = log_line_of,
                                .user = &lines};
    bool done = recover(&recovery, &found, error);
    if (done && lines)
        log_found(store->folder, &found);
    if (done && found.adopted + found.forgotten && store->catalog->renew)
        done = store->catalog->renew(store->catalog, error);
    return done;
}

/* Adds advice to an error that will persist. */
static void advise(struct store_error *error, const char *folder)
{
    size_t used = strlen(error->detail);
    if (error->status != STORE_IN_USE && error->status != STORE_NEWER && error->status != STORE_AWAY)
        snprintf(error->detail + used, sizeof error->detail - used,
                 "; posed reindex --data %.100s rebuilds the catalogue", folder);
}

static bool stop_at_once(void *user, const struct upload_row *row)
{
    (void)row;
    *(bool *)user = true;
    return false;
}

/* Far away every note would be a request: they are read only where the rows may have been lost. */
static bool is_to_reconcile(struct store *store)
{
    struct store_error ignored;
    bool has_rows = false;
    return !store->blobs->push ||
           (store->catalog->each(store->catalog, stop_at_once, &has_rows, &ignored) && !has_rows);
}

static bool open_alone(struct store *store, const char *folder, bool is_other, struct store_error *error)
{
    atomic_store(&store->bytes, 0);
    /* What the log holds has to fit the reserve when it is merged on a full disk. */
    return open_catalog(store, folder, error) &&
           store->catalog->bound_log(store->catalog, store->reserve.size / 2, error) &&
           (store->is_clean || !is_to_reconcile(store) || reconcile(store, error)) &&
           (!is_other || !store->catalog->renew || store->catalog->renew(store->catalog, error)) &&
           (!is_other || folder_forget_mark(folder, error)) && store_sums(store, add_bytes, store, error);
}

static bool keep_note(void *user, const struct upload_row *row)
{
    struct store *store = user;
    struct store_error ignored;
    store->is_sound = note_keep(store->blobs, row, &ignored);
    return store->is_sound;
}

/*
 * Where notes are far away they are not read at a start, so those of what waits are written again after a crash: one may tell of
 * a publication that was not finished. If they cannot be, the next start tries again.
 */
static bool settle_notes(struct store *store)
{
    struct store_error ignored;
    store->is_sound = true;
    if (store->blobs->push && !store->is_clean)
        store->is_sound =
            store->catalog->each_waiting(store->catalog, keep_note, store, &ignored) && store->is_sound;
    return store->is_sound;
}

struct store *store_open(const char *folder, uint64_t most, struct store_error *error)
{
    return store_open_objects(folder, NULL, 0, most, error);
}

struct store *store_open_objects(const char *folder, const struct object_options *objects,
                                 uint64_t cache_size, uint64_t most, struct store_error *error)
{
    return store_open_shared(folder, objects, NULL, cache_size, most, error);
}

/* What a folder that had uploads of its own has is left alone. */
static bool open_shared_catalog(struct store *store, const struct catalog_options *options,
                                uint64_t timeout_ms, struct store_error *error)
{
    char *path = path_join(store->folder, "catalog.db");
    uint64_t bytes;
    if (!access(path, F_OK))
        log_message(LOG_WARNING,
                    "%s is not used: the catalogue is that of --catalog; posed migrate copies uploads", path);
    free(path);
    store->catalog = store_postgres_open(options, timeout_ms, error);
    if (!store->catalog || !store->catalog->sharing->bytes(store->catalog, &bytes, error))
        return false;
    atomic_store(&store->bytes, bytes);
    return true;
}

struct store *store_open_shared(const char *folder, const struct object_options *objects,
                                const struct catalog_options *catalog, uint64_t cache_size, uint64_t most,
                                struct store_error *error)
{
    struct store *store = new_store(most);
    if (!folder) {
        open_memory(store);
        return store;
    }
    bool done = open_folder(store, folder, objects, cache_size, error);
    const bool is_alone = !catalog || !catalog->url;
    if (done && !is_alone) {
        done = open_shared_catalog(store, catalog, objects->timeout_ms, error);
    } else if (done) {
        bool is_other;
        store->is_clean = folder_was_clean(folder, &is_other);
        reserve_init(&store->reserve, folder);
        done = open_alone(store, folder, is_other, error);
        if (!done && error->status == STORE_FULL && reserve_release(&store->reserve)) {
            close_catalog(store);
            done = open_alone(store, folder, is_other, error);
            reserve_hold(&store->reserve); /* before lists and pictures take it */
        }
        if (!done)
            advise(error, folder);
    }
    store->is_sound = done && is_alone && settle_notes(store);
    if (done)
        return store;
    store_close(store);
    return NULL;
}

/* Saves what the old catalogue knows and the notes do not, if it is readable. False: it must not be
 * replaced. */
static bool save_rows(struct store *store, struct store_error *error)
{
    struct recovered found;
    char *path = path_join(store->folder, "catalog.db");
    struct stat status;
    bool is_there = !lstat(path, &status) || errno != ENOENT;
    bool is_ours = is_there && S_ISREG(status.st_mode) && !access(path, R_OK | W_OK);
    error->status = STORE_OK;
    if (folder_lose_no_logs(store->folder, error))
        store->catalog = is_ours ? store_sqlite_open(path, error) : NULL;
    free(path);
    /* A catalogue that may be only temporarily unreadable is not discarded. */
    if (!store->catalog)
        return error->status == STORE_OK || error->status == STORE_BROKEN;
    struct recovery recovery = {.blobs = store->blobs, .catalog = store->catalog, .is_last = true};
    bool done = recover(&recovery, &found, error);
    close_catalog(store);
    return done;
}

/* Writes the catalogue of all valid notes in tmp. */
static bool write_rows(struct store *store, struct recovery *recovery, struct recovered *found,
                       struct store_error *error)
{
    char *path = path_join(store->spool, "catalog.db");
    store->catalog = store_sqlite_open(path, error);
    free(path);
    recovery->blobs = store->blobs;
    recovery->catalog = store->catalog;
    recovery->adopts = recovery->is_anew = true;
    bool done = store->catalog && recover(recovery, found, error);
    close_catalog(store);
    return done;
}

bool store_reindex(const char *folder, const struct object_options *objects, struct recovered *found,
                   void (*report)(void *user, const char *line), struct store_error *error)
{
    struct store *store = new_store(0);
    struct recovery recovery = {.report = report};
    bool done = open_folder(store, folder, objects, 0, error) && save_rows(store, error) &&
                write_rows(store, &recovery, found, error) && folder_lose_catalog(folder, error) &&
                folder_publish_catalog(folder, error);
    store_close(store);
    return done;
}
