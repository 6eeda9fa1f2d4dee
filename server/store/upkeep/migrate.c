#include "server/store/upkeep/migrate.h"

#include "server/ops/parallel.h"
#include "server/ops/region.h"
#include "server/store/folder.h"
#include "server/store/note.h"
#include "server/store/postgres/catalog.h"
#include "server/store/upkeep/recover.h"
#include "server/store/s3/blobs_s3.h"
#include "server/store/set.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { THREADS = 8 };

/* An upload of the folder. */
struct item {
    struct upload_row row;
};

struct work {
    struct blobs *from, *to;
    struct store_catalog *rows;   /* of the folder */
    struct store_catalog *shared; /* where they go; NULL: notes are made */
    struct set items;             /* struct item, in any order */
    struct set there;             /* hashes of the store's blobs before */
    struct region region;
    struct migrated *found;
    void (*report)(void *user, const char *line);
    void *user;
    pthread_mutex_t lock; /* guards found, report, and what has failed */
    bool has_failed;
    struct store_error error;
};

static bool visit_note(void *user, const char *name, const char *text, size_t size)
{
    struct work *work = user;
    struct item item;
    struct asset_id id;
    if (text && id_parse(name, strlen(name), &id) &&
        note_read(text, size, &work->region, &item.row) == NOTE_WHOLE && id_equal(&id, &item.row.id))
        set_add(&work->items, &item);
    return true;
}

static bool visit_there(void *user, const struct blob_hash *hash)
{
    struct work *work = user;
    set_add(&work->there, hash);
    return true;
}

static void leave_out(struct work *work, const struct upload_row *row, uint64_t *count, const char *why)
{
    char hash[HASH_TEXT], line[400];
    hash_write(&row->blob, hash);
    snprintf(line, sizeof line, "%.200s (blob %s): %s", row->name, hash, why);
    pthread_mutex_lock(&work->lock);
    ++*count;
    work->report(work->user, line);
    pthread_mutex_unlock(&work->lock);
}

static void count_one(struct work *work, bool done, bool is_new, const struct store_error *error)
{
    pthread_mutex_lock(&work->lock);
    if (done && is_new)
        work->found->copied++;
    else if (done)
        work->found->there++;
    else if (!work->has_failed)
        work->error = *error;
    work->has_failed |= !done;
    pthread_mutex_unlock(&work->lock);
}

/* The row with its record. One that is being swept at the moment is tried again at the next call. */
static bool add_row(struct work *work, const struct upload_row *row, bool *is_new, struct store_error *error)
{
    static const struct addition_room no_limit;
    struct upload_row copy = *row;
    struct pose_buffer buffer = {0};
    enum addition addition;
    uint64_t version;
    pthread_mutex_lock(&work->lock);
    bool done = work->rows->records(work->rows, &copy, 1, &buffer, error);
    pthread_mutex_unlock(&work->lock);
    copy.record.checked = (struct file_stamp){0}; /* of the file in the folder */
    done = done && work->shared->sharing->add(work->shared, &copy, &no_limit, &addition, &version, error);
    pose_buffer_free(&buffer);
    *is_new = done && addition == ADDITION_NEW;
    return done &&
           (addition != ADDITION_SWEPT ||
            store_fail(error, STORE_AWAY, "the bytes of %.100s are being removed at the moment", row->name));
}

/* Verifies the bytes here; the store verifies what arrives. Bytes first, then the note or the row. What is there is put again
 * if it is for a row: its time is what protects it. */
static bool copy(struct work *work, struct blob *blob, const struct upload_row *row, bool *is_new,
                 struct store_error *error)
{
    *is_new = !set_has(&work->there, &row->blob, set_compare_hashes);
    if (work->shared)
        return blobs_s3_put(work->to, &row->blob, blob->bytes, error) && add_row(work, row, is_new, error);
    return (!*is_new || blobs_s3_import(work->to, &row->blob, blob->bytes, is_new, error)) &&
           note_keep(work->to, row, error);
}

static bool has_failed(struct work *work)
{
    pthread_mutex_lock(&work->lock);
    const bool failed = work->has_failed;
    pthread_mutex_unlock(&work->lock);
    return failed;
}

static void migrate_one(void *user, size_t index)
{
    struct work *work = user;
    const struct item *item = set_at(&work->items, index);
    struct store_error error;
    struct pose_error why;
    bool is_new = false;
    if (has_failed(work))
        return;
    struct blob *blob = work->from->open(work->from, &item->row.blob, 0, BLOB_IN_MEMORY, &error);
    if (!blob && error.status == STORE_MISSING) {
        leave_out(work, &item->row, &work->found->missing, "its bytes are missing");
    } else if (blob && !blob_check(blob, &why)) {
        leave_out(work, &item->row, &work->found->damaged, "its bytes are damaged");
    } else {
        const bool done = blob && copy(work, blob, &item->row, &is_new, &error);
        count_one(work, done, is_new, &error);
    }
    blob_release(blob);
}

/* Every row gets its note, from which it could be made again. */
static bool mend(struct blobs *from, const char *folder, struct store_error *error)
{
    char *path = path_join(folder, "catalog.db");
    struct recovered ignored;
    struct store_catalog *catalog = access(path, F_OK) ? NULL : store_sqlite_open(path, error);
    const bool is_missing = !catalog && access(path, F_OK);
    free(path);
    if (!catalog)
        return !is_missing ? false
                           : store_fail(error, STORE_BROKEN,
                                        "%.180s has no catalogue; posed reindex makes one", folder);
    struct recovery recovery = {.blobs = from, .catalog = catalog, .adopts = true, .is_last = true};
    bool done = recover(&recovery, &ignored, error);
    catalog->close(catalog);
    return done;
}

/* What the shared catalogue has already is left out before its bytes are looked at: they were put before its row. */
static bool leave_known(struct work *work, struct store_error *error)
{
    size_t kept = 0;
    for (size_t i = 0; i < work->items.count; i++) {
        struct item *item = (struct item *)work->items.items + i;
        struct upload_row row;
        bool is_there;
        if (!work->shared->find(work->shared, &item->row.id, &row, NULL, &is_there, error))
            return false;
        work->found->there += is_there;
        if (!is_there)
            ((struct item *)work->items.items)[kept++] = *item;
    }
    work->items.count = kept;
    return true;
}

static bool open_rows(struct work *work, const char *folder, const struct catalog_options *catalog,
                      uint64_t timeout_ms, struct store_error *error)
{
    char *path = path_join(folder, "catalog.db");
    work->shared = store_postgres_open(catalog, timeout_ms, error);
    work->rows = work->shared ? store_sqlite_open(path, error) : NULL;
    free(path);
    return work->rows;
}

static bool migrate(struct work *work, const char *folder, const struct catalog_options *catalog,
                    uint64_t timeout_ms, struct store_error *error)
{
    if (!mend(work->from, folder, error) ||
        (catalog->url && !open_rows(work, folder, catalog, timeout_ms, error)) ||
        !work->from->each_note(work->from, visit_note, work, error) ||
        !work->to->each(work->to, visit_there, work, error))
        return false;
    set_sort(&work->there, set_compare_hashes);
    if (work->shared && !leave_known(work, error))
        return false;
    parallel_for(work->items.count, THREADS, migrate_one, work);
    if (work->has_failed)
        *error = work->error;
    return !work->has_failed;
}

bool store_migrate(const char *folder, const struct object_options *objects,
                   const struct catalog_options *catalog, struct migrated *found,
                   void (*report)(void *user, const char *line), struct store_error *error)
{
    struct work work = {.found = found,
                        .report = report,
                        .items.size = sizeof(struct item),
                        .there.size = sizeof(struct blob_hash)};
    *found = (struct migrated){0};
    const int lock = folder_lock(folder, error);
    if (lock < 0)
        return false;
    pthread_mutex_init(&work.lock, NULL);
    work.from = blobs_files_open(folder, error);
    work.to = work.from ? blobs_s3_open(objects, folder, 0, error) : NULL;
    bool done = work.to && migrate(&work, folder, catalog, objects->timeout_ms, error);
    if (work.to)
        work.to->close(work.to);
    if (work.from)
        work.from->close(work.from);
    if (work.rows)
        work.rows->close(work.rows);
    if (work.shared)
        work.shared->close(work.shared);
    pthread_mutex_destroy(&work.lock);
    region_release(&work.region);
    free(work.items.items);
    free(work.there.items);
    close(lock);
    return done;
}
