#include "server/store/store.h"

#include "server/ops/files.h"
#include "server/ops/log.h"
#include "server/ops/region.h"
#include "server/store/check.h"
#include "server/store/note.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

struct store {
    struct blobs *blobs;
    struct store_catalog *catalog;
    char *spool;
    int lock_fd; /* -1: in memory */
    uint64_t most;
    _Atomic uint64_t bytes;
    atomic_bool down;
    pthread_mutex_t lock; /* of blobs and catalog */
};

/* ----------------------------------------------------------------------------------------------- opening -- */

/* The lock on a folder: held until the descriptor is closed, by this process alone. */
static int lock_folder(const char *folder, struct store_error *error)
{
    if (mkdir(folder, 0700) && errno != EEXIST) {
        store_fail_errno(error, "%s", folder);
        return -1;
    }
    char *path = path_join(folder, "lock");
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0)
        store_fail_errno(error, "%s", path);
    free(path);
    if (fd < 0)
        return -1;
    if (!flock(fd, LOCK_EX | LOCK_NB)) {
        char text[32];
        int size = snprintf(text, sizeof text, "%ld\n", (long)getpid());
        if (ftruncate(fd, 0) || pwrite(fd, text, (size_t)size, 0) != size)
            log_message(LOG_WARNING, "%s/lock: the process cannot be noted there", folder);
        return fd;
    }
    char holder[32] = "";
    ssize_t size = pread(fd, holder, sizeof holder - 1, 0);
    holder[size > 0 ? size : 0] = 0;
    holder[strcspn(holder, "\n")] = 0;
    store_fail(error, STORE_IN_USE, "%s is in use by another posed%s%s%s", folder,
               *holder ? " (process " : "", holder, *holder ? ")" : "");
    close(fd);
    return -1;
}

static bool is_any_note(void *user, const char *name, const char *text, size_t size)
{
    (void)name, (void)text, (void)size;
    *(bool *)user = true;
    return false;
}

/* A catalogue that is lost would make strays of all that is kept. */
static bool refuse_lost(struct store *store, const char *folder, struct store_error *error)
{
    bool has_notes = false;
    if (!store->blobs->each_note(store->blobs, is_any_note, &has_notes, error))
        return false;
    return !has_notes || store_fail_lost(error, folder);
}

/* may_lack: the catalogue is made when it is not there, whatever else is. */
static bool open_parts(struct store *store, const char *folder, bool may_lack, struct store_error *error)
{
    if (!folder) {
        store->blobs = blobs_memory_open();
        store->catalog = store_memory_open();
        store->spool = strdup("/tmp");
        return true;
    }
    store->lock_fd = lock_folder(folder, error);
    if (store->lock_fd < 0)
        return false;
    char *path = path_join(folder, "catalog.db");
    store->spool = path_join(folder, "tmp");
    store->blobs = blobs_files_open(folder, error);
    bool found = may_lack || !access(path, F_OK);
    if (store->blobs && (found || refuse_lost(store, folder, error)))
        store->catalog = store_sqlite_open(path, error);
    free(path);
    return store->catalog != NULL;
}

static struct store *new_store(uint64_t most)
{
    struct store *store = must_alloc(1, sizeof *store);
    store->lock_fd = -1;
    store->most = most;
    pthread_mutex_init(&store->lock, NULL);
    return store;
}

void store_close(struct store *store)
{
    if (!store)
        return;
    if (store->catalog)
        store->catalog->close(store->catalog);
    if (store->blobs)
        store->blobs->close(store->blobs);
    if (store->lock_fd >= 0)
        close(store->lock_fd);
    pthread_mutex_destroy(&store->lock);
    free(store->spool);
    free(store);
}

/* ---------------------------------------------------------------------------------------------- recovery -- */

static bool add_bytes(void *user, const struct upload_row *row)
{
    struct store *store = user;
    atomic_fetch_add(&store->bytes, row->bytes);
    return true;
}

/* Whether a blob belongs to an upload; a stray one is removed. */
static bool sweep_blob(void *user, const struct blob_hash *hash)
{
    struct store *store = user;
    struct store_error error;
    uint64_t count;
    if (store->catalog->count_blob(store->catalog, hash, &count, &error) && !count)
        store->blobs->remove(store->blobs, hash, &error);
    return true;
}

struct id_list {
    size_t count, capacity;
    struct asset_id *ids;
};

static bool list_id(void *user, const struct upload_row *row)
{
    struct id_list *list = user;
    if (list->count == list->capacity) {
        list->capacity = list->capacity ? list->capacity * 2 : 64;
        list->ids = must_grow(list->ids, list->capacity, sizeof *list->ids);
    }
    list->ids[list->count++] = row->id;
    return true;
}

static int compare_ids(const void *a, const void *b)
{
    return id_compare(a, b);
}

struct note_sweep {
    struct store *store;
    const struct id_list *rows;
};

static bool sweep_note(void *user, const char *name, const char *text, size_t size)
{
    const struct note_sweep *sweep = user;
    struct asset_id id;
    struct store_error error;
    (void)text, (void)size;
    bool known = id_parse(name, strlen(name), &id) && sweep->rows->count &&
                 bsearch(&id, sweep->rows->ids, sweep->rows->count, sizeof id, compare_ids);
    if (!known)
        sweep->store->blobs->unnote(sweep->store->blobs, name, &error);
    return true;
}

/* What a crash left behind: bytes and notes without a row, of uploads that were not answered or were deleted. */
static bool sweep(struct store *store, struct store_error *error)
{
    struct id_list rows = {0};
    struct note_sweep notes = {store, &rows};
    bool done = store->catalog->each(store->catalog, list_id, &rows, error);
    if (done && rows.count)
        qsort(rows.ids, rows.count, sizeof *rows.ids, compare_ids);
    done = done && store->blobs->each_note(store->blobs, sweep_note, &notes, error) &&
           store->blobs->each(store->blobs, sweep_blob, store, error);
    free(rows.ids);
    return done;
}

struct store *store_open(const char *folder, uint64_t most, struct store_error *error)
{
    struct store *store = new_store(most);
    bool done = open_parts(store, folder, false, error) && sweep(store, error) &&
                store->catalog->each(store->catalog, add_bytes, store, error);
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

/* Remembers how a write went. */
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

/* Whether it fits beside the others is seen when it is kept: the same bytes may be there already. */
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

static bool write_note(struct store *store, const struct upload_row *row, struct store_error *error)
{
    struct pose_buffer text = {0};
    char name[ID_TEXT];
    id_write(&row->id, name);
    note_write(row, &text);
    bool done = store->blobs->note(store->blobs, name, (const char *)text.data, text.size, error);
    pose_buffer_free(&text);
    return done;
}

/* Removes a blob that no row names. */
static bool drop_blob(struct store *store, const struct blob_hash *hash, struct store_error *error)
{
    uint64_t count;
    if (!store->catalog->count_blob(store->catalog, hash, &count, error))
        return false;
    return count || store->blobs->remove(store->blobs, hash, error);
}

/* Takes back what was not wholly kept, unless it belongs to another upload of the same bytes. */
static void undo(struct store *store, const struct upload_row *row)
{
    struct store_error ignored;
    char name[ID_TEXT];
    id_write(&row->id, name);
    store->blobs->unnote(store->blobs, name, &ignored);
    drop_blob(store, &row->blob, &ignored);
}

bool store_keep(struct store *store, struct blob *blob, struct upload_row *row, struct store_error *error)
{
    row->blob = blob->hash;
    row->bytes = blob->bytes.size;
    pthread_mutex_lock(&store->lock);
    bool done = fits(store, row->bytes, error) && store->blobs->keep(store->blobs, blob, error) &&
                write_note(store, row, error) && store->catalog->add(store->catalog, row, error);
    if (done)
        atomic_fetch_add(&store->bytes, row->bytes);
    else
        undo(store, row);
    pthread_mutex_unlock(&store->lock);
    return note_outcome(store, done, error);
}

struct search {
    const struct asset_id *id;
    struct upload_row found;
    bool is_found;
};

static bool match_id(void *user, const struct upload_row *row)
{
    struct search *search = user;
    if (!id_equal(&row->id, search->id))
        return true;
    search->found = *row;
    search->is_found = true;
    return false;
}

bool store_remove(struct store *store, const struct asset_id *id, struct store_error *error)
{
    struct search search = {.id = id};
    struct store_error ignored;
    char name[ID_TEXT];
    id_write(id, name);
    pthread_mutex_lock(&store->lock);
    bool done = store->catalog->each(store->catalog, match_id, &search, error) &&
                store->catalog->remove(store->catalog, id, error);
    /* It is gone now; what cannot be removed is removed at the next start. */
    if (done && search.is_found) {
        atomic_fetch_sub(&store->bytes, search.found.bytes);
        store->blobs->unnote(store->blobs, name, &ignored);
        drop_blob(store, &search.found.blob, &ignored);
    }
    pthread_mutex_unlock(&store->lock);
    return note_outcome(store, done, error);
}

bool store_each(struct store *store, upload_visit *visit, void *user, struct store_error *error)
{
    pthread_mutex_lock(&store->lock);
    bool done = store->catalog->each(store->catalog, visit, user, error);
    pthread_mutex_unlock(&store->lock);
    return done;
}

struct blob *store_blob(struct store *store, const struct blob_hash *hash, struct store_error *error)
{
    return store->blobs->open(store->blobs, hash, error);
}

/* -------------------------------------------------------------------------------------------- reindexing -- */

struct reindex {
    struct store *store;
    struct reindexed *found;
    void (*report)(const char *line);
    struct region region;
    size_t count, capacity, next;
    struct upload_row *rows;
};

static void tell(const struct reindex *work, const struct upload_row *row, const char *what)
{
    char line[512], hash[HASH_TEXT];
    hash_write(&row->blob, hash);
    snprintf(line, sizeof line, "%.200s (blob %s): %s", row->name, hash, what);
    if (work->report)
        work->report(line);
}

static bool read_note(void *user, const char *name, const char *text, size_t size)
{
    struct reindex *work = user;
    struct upload_row row;
    struct asset_id id;
    struct store_error error;
    struct pose_error why;
    if (!id_parse(name, strlen(name), &id) || !note_read(text, size, &work->region, &row) ||
        !id_equal(&row.id, &id)) {
        if (work->report)
            work->report("a note that is none is passed over");
        return true;
    }
    struct blob *blob = store_blob(work->store, &row.blob, &error);
    if (!blob) {
        work->found->missing++;
        tell(work, &row, "its bytes are missing");
        return true;
    }
    if (blob_check(blob, &why)) {
        if (work->count == work->capacity) {
            work->capacity = work->capacity ? work->capacity * 2 : 64;
            work->rows = must_grow(work->rows, work->capacity, sizeof *work->rows);
        }
        row.bytes = blob->bytes.size;
        work->rows[work->count++] = row;
    } else {
        work->found->damaged++;
        tell(work, &row, "its bytes are damaged");
    }
    blob_release(blob);
    return true;
}

static int compare_rows(const void *a, const void *b)
{
    const struct upload_row *x = a, *y = b;
    if (x->created_ms != y->created_ms)
        return x->created_ms < y->created_ms ? -1 : 1;
    return id_compare(&x->id, &y->id);
}

static bool next_row(void *user, struct upload_row *row)
{
    struct reindex *work = user;
    if (work->next == work->count)
        return false;
    *row = work->rows[work->next++];
    return true;
}

bool store_reindex(const char *folder, struct reindexed *found, void (*report)(const char *line),
                   struct store_error *error)
{
    struct store *store = new_store(0);
    struct reindex work = {.store = store, .found = found, .report = report};
    *found = (struct reindexed){0};
    bool done = open_parts(store, folder, true, error) &&
                store->blobs->each_note(store->blobs, read_note, &work, error);
    if (done && work.count)
        qsort(work.rows, work.count, sizeof *work.rows, compare_rows);
    done = done && store->catalog->rebuild(store->catalog, next_row, &work, error);
    found->kept = work.count;
    free(work.rows);
    region_release(&work.region);
    store_close(store);
    return done;
}
