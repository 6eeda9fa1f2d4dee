#include "server/store/store.h"

#include "server/ops/files.h"
#include "server/ops/log.h"
#include "server/ops/region.h"
#include "server/store/folder.h"
#include "server/store/note.h"
#include "server/store/postgres/catalog.h"
#include "server/store/s3/blobs_s3.h"
#include "server/store/shared/sweeping.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

struct store {
    struct blobs *blobs;
    struct store_catalog *catalog;
    char *folder; /* NULL: in memory */
    char *spool;
    int lock_fd; /* -1: in memory */
    uint64_t most;
    _Atomic uint64_t bytes;
    atomic_bool down;
    bool is_clean;        /* it was left by a daemon that had checked it, and nothing has changed since */
    atomic_bool is_sound; /* it is checked, and no change was left half done: it can be left like that */
    pthread_mutex_t
        lock; /* guards blobs and catalog, unless that is shared: then both take care of themselves */
};

static bool is_shared(const struct store *store)
{
    return store->catalog && store->catalog->sharing;
}

static void lock_backends(struct store *store)
{
    if (!is_shared(store))
        pthread_mutex_lock(&store->lock);
}

static void unlock_backends(struct store *store)
{
    if (!is_shared(store))
        pthread_mutex_unlock(&store->lock);
}

/* ----------------------------------------------------------------------------------------------- opening -- */

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

/* ---------------------------------------------------------------------------------------------- recovery -- */

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
        done = open_catalog(store, folder, error) &&
               (store->is_clean || !is_to_reconcile(store) || reconcile(store, error)) &&
               (!is_other || !store->catalog->renew || store->catalog->renew(store->catalog, error)) &&
               (!is_other || folder_forget_mark(folder, error)) && store_sums(store, add_bytes, store, error);
        if (!done)
            advise(error, folder);
    }
    store->is_sound = done && is_alone;
    if (done)
        return store;
    store_close(store);
    return NULL;
}

/* ----------------------------------------------------------------------------------------------- keeping -- */

const char *store_spool_folder(const struct store *store)
{
    return store->spool;
}

uint64_t store_bytes(const struct store *store)
{
    return atomic_load(&store->bytes);
}

bool store_is_up(const struct store *store)
{
    return !atomic_load(&store->down);
}

bool store_is_away(const struct store *store)
{
    return (store->blobs->is_away && store->blobs->is_away(store->blobs)) ||
           (is_shared(store) && store->catalog->sharing->is_away(store->catalog));
}

const struct object_metrics *store_objects(const struct store *store)
{
    return store->blobs->count ? store->blobs->count(store->blobs) : NULL;
}

/* Records the result of a write. */
static bool note_outcome(struct store *store, bool done, const struct store_error *error)
{
    if (done || error->status == STORE_DOWN) {
        bool was_down = atomic_exchange(&store->down, !done);
        if (!done && !was_down)
            log_message(LOG_WARNING, "the store is down: %s", error->detail);
    }
    return done;
}

static bool fits(struct store *store, uint64_t size, struct store_error *error)
{
    uint64_t held = atomic_load(&store->bytes);
    if (!store->most || (size <= store->most && held <= store->most - size))
        return true;
    store_fail(error, STORE_FULL, "the store holds %llu bytes, and max-store allows %llu",
               (unsigned long long)held, (unsigned long long)store->most);
    error->limit = "max-store";
    return false;
}

/* Whether it fits with the others is only checked when it is kept: the same bytes may already be stored. */
static bool could_fit(struct store *store, uint64_t size, struct store_error *error)
{
    return !store->most || size <= store->most || fits(store, size, error);
}

struct draft *store_begin(struct store *store, uint64_t size, struct store_error *error)
{
    if (!could_fit(store, size, error))
        return NULL;
    struct draft *draft = store->blobs->begin(store->blobs, error);
    if (!draft)
        note_outcome(store, false, error);
    return draft;
}

struct blob *store_seal(struct store *store, struct draft *draft, struct store_error *error)
{
    if (could_fit(store, draft->size, error))
        return store->blobs->seal(store->blobs, draft, error);
    draft_free(draft);
    return NULL;
}

/* A change that was left half done is looked at by the next start. */
static void leave_sound(struct store *store, bool done)
{
    if (!done)
        atomic_store(&store->is_sound, false);
}

static bool unnote(struct store *store, const struct asset_id *id, struct store_error *error)
{
    char name[ID_TEXT];
    id_write(id, name);
    return store->blobs->unnote(store->blobs, name, error);
}

/* Removes a blob that no row refers to. */
static bool drop_blob(struct store *store, const struct blob_hash *hash, struct store_error *error)
{
    uint64_t count;
    if (!store->catalog->count_blob(store->catalog, hash, &count, error))
        return false;
    return count || store->blobs->remove(store->blobs, hash, error);
}

/* Removes what was only partly kept, unless another upload has the same bytes. */
static void undo(struct store *store, const struct upload_row *row)
{
    struct store_error ignored;
    leave_sound(store, unnote(store, &row->id, &ignored));
    leave_sound(store, drop_blob(store, &row->blob, &ignored));
}

/* If the folder was replaced after opening, nothing is written to the new one, and nothing counts as
 * removed from it. */
static bool is_in_place(const struct store *store, struct store_error *error)
{
    return !store->folder || folder_is_in_place(store->folder, store->lock_fd, error);
}

const struct catalog_sharing *store_sharing(const struct store *store)
{
    return is_shared(store) ? store->catalog->sharing : NULL;
}

struct store_catalog *store_catalog_of(struct store *store)
{
    return store->catalog;
}

void store_count(struct store *store)
{
    struct store_error ignored;
    uint64_t bytes;
    if (store->catalog->sharing->bytes(store->catalog, &bytes, &ignored))
        atomic_store(&store->bytes, bytes);
}

/* What fails is tried again. */
void store_sweep_some(struct store *store)
{
    struct store_error error = {.status = STORE_OK};
    if (!store_is_away(store))
        sweeping_some(store->blobs, store->catalog, &error);
}

static bool refuse_room(const struct upload_row *row, enum addition addition, struct store_error *error)
{
    const bool is_quota = addition == ADDITION_NO_QUOTA;
    store_fail(error, STORE_FULL,
               is_quota ? "the uploads of %s and this one hold more bytes than the token's quota allows"
                        : "with this upload, by %s, the store would hold more bytes than max-store allows",
               row->uploader ? row->uploader : "nobody");
    error->limit = is_quota ? "quota" : "max-store";
    return false;
}

bool store_add(struct store *store, struct blob *blob, struct upload_row *row, uint64_t quota,
               enum addition *addition, struct store_error *error)
{
    enum { PAUSE_MS = 50, PATIENCE = 100 };
    const struct timespec pause = {.tv_nsec = PAUSE_MS * 1000000L};
    const struct addition_room room = {.most = store->most, .quota = quota};
    row->blob = blob->hash;
    row->bytes = blob->bytes.size;
    row->record.checked = blob->stamp;
    for (int i = 0; i < PATIENCE; i++) {
        uint64_t version;
        if (!is_in_place(store, error) || !store->blobs->push(store->blobs, blob, error) ||
            !store->catalog->sharing->add(store->catalog, row, &room, addition, &version, error))
            return false;
        if (*addition == ADDITION_NEW)
            row->version = version;
        if (*addition != ADDITION_SWEPT)
            return *addition == ADDITION_NEW || *addition == ADDITION_KNOWN ||
                   refuse_room(row, *addition, error);
        /* What was put may be what is being removed. */
        nanosleep(&pause, NULL);
        blobs_s3_push_again(blob);
    }
    return store_fail(error, STORE_AWAY, "the bytes of this upload are being removed at the moment");
}

bool store_pushes(const struct store *store)
{
    return store->blobs->push;
}

bool store_push(struct store *store, struct blob *blob, struct upload_row *row, struct store_error *error)
{
    if (!store_pushes(store))
        return true;
    row->blob = blob->hash;
    row->is_noted = fits(store, blob->bytes.size, error) && is_in_place(store, error) &&
                    store->blobs->push(store->blobs, blob, error) && note_keep(store->blobs, row, error);
    return row->is_noted;
}

bool store_pull(struct store *store, const struct asset_id *id, struct store_error *error)
{
    if (!store->blobs->push || is_shared(store))
        return true;
    const bool done = is_in_place(store, error) && unnote(store, id, error);
    leave_sound(store, done);
    return done;
}

bool store_keep(struct store *store, struct blob *blob, struct upload_row *row, struct store_error *error)
{
    if (is_shared(store)) /* by store_add */
        return store->blobs->keep(store->blobs, blob, error);
    row->blob = blob->hash;
    row->bytes = blob->bytes.size;
    pthread_mutex_lock(&store->lock);
    bool done = fits(store, row->bytes, error) && is_in_place(store, error) &&
                store->blobs->keep(store->blobs, blob, error) &&
                (row->is_noted || note_keep(store->blobs, row, error));
    row->record.checked = blob->stamp;
    done = done && store->catalog->add(store->catalog, row, error);
    if (done)
        atomic_fetch_add(&store->bytes, row->bytes);
    else
        undo(store, row);
    pthread_mutex_unlock(&store->lock);
    return note_outcome(store, done, error);
}

bool store_remove(struct store *store, const struct asset_id *id, struct store_error *error)
{
    struct upload_row row;
    struct store_error ignored;
    bool is_there;
    if (is_shared(store))
        return true;
    pthread_mutex_lock(&store->lock);
    bool done =
        is_in_place(store, error) && store->catalog->find(store->catalog, id, &row, NULL, &is_there, error) &&
        (store->blobs->push || unnote(store, id, error)) && store->catalog->remove(store->catalog, id, error);
    /* Without note and row the upload is gone; a blob left behind is removed at the next start. */
    if (done && is_there) {
        atomic_fetch_sub(&store->bytes, row.bytes);
        leave_sound(store, drop_blob(store, &row.blob, &ignored));
    }
    leave_sound(store, done);
    pthread_mutex_unlock(&store->lock);
    return note_outcome(store, done, error);
}

struct publishing {
    struct store *store;
    struct store_error *error;
};

static bool note_published(void *user, const struct upload_row *row)
{
    const struct publishing *work = user;
    return note_keep(work->store->blobs, row, work->error);
}

bool store_publish(struct store *store, const struct asset_id *id, struct store_error *error)
{
    struct publishing work = {store, error};
    if (is_shared(store))
        return true;
    pthread_mutex_lock(&store->lock);
    bool done = is_in_place(store, error) &&
                store->catalog->publish(store->catalog, id, note_published, &work, error);
    leave_sound(store, done);
    pthread_mutex_unlock(&store->lock);
    return note_outcome(store, done, error);
}

bool store_each(struct store *store, upload_visit *visit, void *user, struct store_error *error)
{
    lock_backends(store);
    bool done = store->catalog->each(store->catalog, visit, user, error);
    unlock_backends(store);
    return done;
}

void upload_row_own_texts(struct upload_row *row, struct region *texts)
{
    row->name = texts ? region_text(texts, row->name) : NULL;
    row->format = texts ? region_text(texts, row->format) : NULL;
    row->game = texts ? region_text(texts, row->game) : NULL;
    row->uploader = texts ? region_text(texts, row->uploader) : NULL;
}

bool store_row(struct store *store, const struct asset_id *id, struct upload_row *row, struct region *texts,
               struct pose_buffer *buffer, struct store_error *error)
{
    struct store_error ignored;
    bool is_there = false;
    lock_backends(store);
    const bool done = store->catalog->find(store->catalog, id, row, texts, &is_there, error);
    row->record = (struct upload_record){0};
    if (done && is_there && !store->catalog->records(store->catalog, row, 1, buffer, &ignored))
        row->record = (struct upload_record){0};
    unlock_backends(store);
    if (done && texts->failed)
        return store_fail(error, STORE_DOWN, "out of memory");
    return done && (is_there || store_fail(error, STORE_MISSING, "no such upload"));
}

bool store_records(struct store *store, struct upload_row *rows, size_t count, struct pose_buffer *buffers,
                   struct store_error *error)
{
    lock_backends(store);
    bool done = store->catalog->records(store->catalog, rows, count, buffers, error);
    unlock_backends(store);
    return done;
}

bool store_set_records(struct store *store, const struct upload_row *rows, size_t count,
                       struct store_error *error)
{
    lock_backends(store);
    bool done = is_in_place(store, error) && store->catalog->set_records(store->catalog, rows, count, error);
    unlock_backends(store);
    return done;
}

/* ---------------------------------------------------------------------------------------------- questions -- */

bool store_version(struct store *store, uint64_t *version, struct asset_id *epoch, struct store_error *error)
{
    lock_backends(store);
    bool done = store->catalog->version(store->catalog, version, epoch, error);
    unlock_backends(store);
    return done;
}

bool store_changes(struct store *store, uint64_t after, uint32_t most, upload_change_visit *visit, void *user,
                   struct store_error *error)
{
    lock_backends(store);
    bool done = store->catalog->changes(store->catalog, after, most, visit, user, error);
    unlock_backends(store);
    return done;
}

/* What is asked of a catalogue that has no answer of its own: all rows are visited. */
struct asking {
    upload_visit *visit;
    upload_sum_visit *sum;
    void *user;
    struct asset_id id;
    int64_t expires_ms;
};

static bool sum_row(void *user, const struct upload_row *row)
{
    const struct asking *asking = user;
    asking->sum(asking->user, row->uploader, row->bytes);
    return true;
}

static bool find_due(void *user, const struct upload_row *row)
{
    struct asking *asking = user;
    if (row->expires_ms && row->expires_ms < asking->expires_ms) {
        asking->id = row->id;
        asking->expires_ms = row->expires_ms;
    }
    return true;
}

static bool visit_waiting(void *user, const struct upload_row *row)
{
    const struct asking *asking = user;
    return !row->is_waiting || asking->visit(asking->user, row);
}

bool store_sums(struct store *store, upload_sum_visit *visit, void *user, struct store_error *error)
{
    struct store_catalog *catalog = store->catalog;
    struct asking asking = {.sum = visit, .user = user};
    lock_backends(store);
    bool done = catalog->sums ? catalog->sums(catalog, visit, user, error)
                              : catalog->each(catalog, sum_row, &asking, error);
    unlock_backends(store);
    return done;
}

bool store_next_due(struct store *store, struct asset_id *id, int64_t *expires_ms, bool *is_there,
                    struct store_error *error)
{
    struct store_catalog *catalog = store->catalog;
    struct asking asking = {.expires_ms = INT64_MAX};
    lock_backends(store);
    bool done = catalog->next_due ? catalog->next_due(catalog, id, expires_ms, is_there, error)
                                  : catalog->each(catalog, find_due, &asking, error);
    unlock_backends(store);
    if (!catalog->next_due) {
        *id = asking.id;
        *expires_ms = asking.expires_ms;
        *is_there = asking.expires_ms != INT64_MAX;
    }
    return done;
}

bool store_each_waiting(struct store *store, upload_visit *visit, void *user, struct store_error *error)
{
    struct store_catalog *catalog = store->catalog;
    struct asking asking = {.visit = visit, .user = user};
    lock_backends(store);
    bool done = catalog->each_waiting ? catalog->each_waiting(catalog, visit, user, error)
                                      : catalog->each(catalog, visit_waiting, &asking, error);
    unlock_backends(store);
    return done;
}

bool store_each_bound(struct store *store, const struct asset_id *context, upload_visit *visit, void *user,
                      struct store_error *error)
{
    struct store_catalog *catalog = store->catalog;
    lock_backends(store);
    bool done = catalog->each_bound ? catalog->each_bound(catalog, context, visit, user, error)
                                    : catalog->each(catalog, visit, user, error);
    unlock_backends(store);
    return done;
}

struct blob *store_blob(struct store *store, const struct upload_row *row, enum blob_place place,
                        struct store_error *error)
{
    return store->blobs->open(store->blobs, &row->blob, row->bytes, place, error);
}

/* -------------------------------------------------------------------------------------------- reindexing -- */

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
