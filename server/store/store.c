/* Keeps uploads, and removes them. */
#include "server/store/store.h"

#include "server/ops/log.h"
#include "server/store/folder.h"
#include "server/store/inside.h"
#include "server/store/note.h"
#include "server/store/s3/blobs_s3.h"
#include "server/store/shared/sweeping.h"

#include <sys/statvfs.h>
#include <time.h>

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
           (store_is_shared(store) && store->catalog->sharing->is_away(store->catalog));
}

const struct object_metrics *store_objects(const struct store *store)
{
    return store->blobs->count ? store->blobs->count(store->blobs) : NULL;
}

/* Free bytes on the disk of the folder, 0 if it has no free inodes; UINT64_MAX if unknown. */
static uint64_t free_bytes(const struct store *store)
{
    struct statvfs disk;
    if (!store->folder || statvfs(store->folder, &disk))
        return UINT64_MAX;
    return disk.f_files && !disk.f_favail ? 0 : (uint64_t)disk.f_bavail * disk.f_frsize;
}

bool store_is_full(const struct store *store)
{
    enum { LEAST = 256 << 10 }; /* what the catalogue and the lists need beside a small upload */
    const uint64_t room = free_bytes(store), full_at = atomic_load(&store->full_at);
    return room < LEAST + reserve_missing(&store->reserve) || (full_at && room < full_at - 1 + LEAST);
}

/* Records the result of a write. */
static bool note_outcome(struct store *store, bool done, const struct store_error *error)
{
    if (done)
        atomic_store(&store->full_at, 0);
    else if (error->status == STORE_FULL && !error->limit)
        atomic_store(&store->full_at, free_bytes(store) + 1);
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

const struct catalog_sharing *store_sharing(const struct store *store)
{
    return store_is_shared(store) ? store->catalog->sharing : NULL;
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
        if (!store_is_in_place(store, error) || !store->blobs->push(store->blobs, blob, error) ||
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
    row->is_noted = fits(store, blob->bytes.size, error) && store_is_in_place(store, error) &&
                    store->blobs->push(store->blobs, blob, error) && note_keep(store->blobs, row, error);
    return row->is_noted;
}

bool store_pull(struct store *store, const struct asset_id *id, struct store_error *error)
{
    if (!store->blobs->push || store_is_shared(store))
        return true;
    const bool done = store_is_in_place(store, error) && unnote(store, id, error);
    leave_sound(store, done);
    return done;
}

/* Uploads do not take the room that a deletion needs. */
static bool leaves_reserve(struct store *store, struct store_error *error)
{
    return reserve_hold(&store->reserve) ||
           store_fail(error, STORE_FULL, "the disk has no room beside what deletions need");
}

bool store_keep(struct store *store, struct blob *blob, struct upload_row *row, struct store_error *error)
{
    if (store_is_shared(store)) /* by store_add */
        return store->blobs->keep(store->blobs, blob, error);
    row->blob = blob->hash;
    row->bytes = blob->bytes.size;
    pthread_mutex_lock(&store->lock);
    bool done = fits(store, row->bytes, error) && store_is_in_place(store, error) &&
                leaves_reserve(store, error) && store->blobs->keep(store->blobs, blob, error) &&
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

/* Removes note and row, if they are there. */
static bool remove_upload(struct store *store, const struct asset_id *id, struct upload_row *row,
                          bool *is_there, struct store_error *error)
{
    return store->catalog->find(store->catalog, id, row, NULL, is_there, error) &&
           (store->blobs->push || unnote(store, id, error)) &&
           store->catalog->remove(store->catalog, id, error);
}

/* After a deletion on a full disk: what it has freed is held for the next one. */
static void hold_again(struct store *store)
{
    struct store_error ignored;
    if (!reserve_hold(&store->reserve) && store->catalog->shorten &&
        store->catalog->shorten(store->catalog, &ignored))
        reserve_hold(&store->reserve);
}

bool store_remove(struct store *store, const struct asset_id *id, struct store_error *error)
{
    struct upload_row row;
    struct store_error ignored;
    bool is_there;
    if (store_is_shared(store))
        return true;
    pthread_mutex_lock(&store->lock);
    bool done = store_is_in_place(store, error) && remove_upload(store, id, &row, &is_there, error);
    if (!done && error->status == STORE_FULL && reserve_release(&store->reserve))
        done = remove_upload(store, id, &row, &is_there, error);
    /* Without note and row the upload is gone; a blob left behind is removed at the next start. */
    if (done && is_there) {
        atomic_fetch_sub(&store->bytes, row.bytes);
        leave_sound(store, drop_blob(store, &row.blob, &ignored));
    }
    if (done)
        hold_again(store);
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
    if (store_is_shared(store))
        return true;
    pthread_mutex_lock(&store->lock);
    bool done = store_is_in_place(store, error) &&
                store->catalog->publish(store->catalog, id, note_published, &work, error);
    leave_sound(store, done);
    pthread_mutex_unlock(&store->lock);
    return note_outcome(store, done, error);
}

bool store_set_records(struct store *store, const struct upload_row *rows, size_t count,
                       struct store_error *error)
{
    store_lock(store);
    bool done =
        store_is_in_place(store, error) && store->catalog->set_records(store->catalog, rows, count, error);
    store_unlock(store);
    return done;
}

struct blob *store_blob(struct store *store, const struct upload_row *row, enum blob_place place,
                        struct store_error *error)
{
    return store->blobs->open(store->blobs, &row->blob, row->bytes, place, error);
}
