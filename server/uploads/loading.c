#include "server/uploads/loading.h"

#include "server/library/rows/rows.h"
#include "server/ops/log.h"
#include "server/uploads/lacking.h"
#include "server/uploads/reload.h"

#include <malloc.h>
#include <stdlib.h>
#include <string.h>

static struct index_archive *open_upload(struct service *service, const struct asset_id *id,
                                         struct store_error *error)
{
    struct catalog *catalog = service_hold(service);
    const struct reload_beside beside = reload_beside(catalog);
    struct index_archive *archive = reload_upload(service, id, &beside, NULL, error);
    catalog_unref(catalog);
    return archive;
}

/* --------------------------------------------------------------------------------------------- for the rows -- */

/* A walk over all uploads. */
struct walk {
    struct service *service;
    struct pose_buffer ids; /* struct asset_id, in order of arrival */
    struct pose_buffer left_out;
    size_t at;
    bool failed, is_away;
};

static bool list_id(void *user, const struct upload_row *row)
{
    struct walk *walk = user;
    walk->failed |= !row->is_waiting && !pose_buffer_append(&walk->ids, &row->id, sizeof row->id);
    return !walk->failed;
}

static void tell_progress(const struct walk *walk)
{
    enum { EVERY = 20000 };
    const size_t done = walk->at / sizeof(struct asset_id);
    if (done % EVERY == 0)
        log_message(LOG_INFO, "rebuilding the lists: %zu of %zu uploads", done,
                    walk->ids.size / sizeof(struct asset_id));
}

/* Whether it is left out: it is lost, or cannot be read; else it is out of reach, as all may be. */
static bool is_left_out(const struct store_error *error)
{
    return error->status == STORE_MISSING || error->status == STORE_UNREAD;
}

/* One that is lost is left out; one that is out of reach at the moment ends the walk, which has failed. */
static struct index_archive *next_upload(void *user)
{
    struct walk *walk = user;
    struct index_archive *archive = NULL;
    while (!archive && !walk->failed && walk->at < walk->ids.size) {
        struct asset_id id;
        struct store_error error;
        memcpy(&id, walk->ids.data + walk->at, sizeof id);
        walk->at += sizeof id;
        archive = open_upload(walk->service, &id, &error);
        if (!archive) {
            char text[ID_TEXT];
            id_write(&id, text);
            walk->is_away |= error.status == STORE_AWAY;
            walk->failed |= !is_left_out(&error) || !pose_buffer_append(&walk->left_out, &id, sizeof id);
            log_message(LOG_WARNING, "the upload %s is not served: %s", text, error.detail);
        }
        tell_progress(walk);
    }
    return archive;
}

static struct index_archive *first_upload(void *user)
{
    struct walk *walk = user;
    struct store_error error;
    walk->ids.size = walk->at = walk->left_out.size = 0;
    walk->failed = !store_each(walk->service->store, list_id, walk, &error);
    return walk->failed ? NULL : next_upload(walk);
}

static bool has_failed(void *user)
{
    const struct walk *walk = user;
    return walk->failed;
}

static const struct asset_id *left_out(void *user, size_t *count)
{
    const struct walk *walk = user;
    *count = walk->left_out.size / sizeof(struct asset_id);
    return (const struct asset_id *)(const void *)walk->left_out.data;
}

static struct index_archive *open_for_rows(void *user, const struct asset_id *id)
{
    const struct walk *walk = user;
    struct store_error error;
    return open_upload(walk->service, id, &error);
}

static void free_walk(struct rows_uploads *uploads)
{
    struct walk *walk = uploads->user;
    pose_buffer_free(&walk->ids);
    pose_buffer_free(&walk->left_out);
    free(walk);
    free(uploads);
}

/* ------------------------------------------------------------------------------------------- what has changed -- */

/* Writes what happened to an upload since the rows were written. */
static bool apply(struct walk *walk, struct rows *rows, const struct upload_change *change)
{
    struct service *service = walk->service;
    struct store_error error;
    struct index_archive *archive = change->is_removed ? NULL : open_upload(service, &change->id, &error);
    if (!change->is_removed && !archive && !is_left_out(&error)) {
        walk->is_away |= error.status == STORE_AWAY;
        return false;
    }
    catalog_set_version(service->current, &service->current->epoch, change->version);
    /* What waits or is gone may have been removed, and published before, without a record of it. */
    bool done = archive && !atomic_load(&archive->is_waiting)
                    ? rows_put(rows, service->current, archive)
                    : rows_remove(rows, service->current, &change->id);
    if (done && !archive && !change->is_removed)
        done = rows_lack(rows, &change->id);
    index_archive_unref(archive);
    return done;
}

enum { BATCH = 256 };

struct changes {
    uint32_t count;
    struct upload_change items[BATCH];
};

static bool take_change(void *user, const struct upload_change *change)
{
    struct changes *changes = user;
    changes->items[changes->count++] = *change;
    return changes->count < BATCH;
}

/* Brings rows of an earlier version up to date; false if they have to be made anew. */
static bool catch_up(struct walk *walk, struct rows *rows, uint64_t version, uint64_t newest)
{
    struct store_error error;
    struct changes *changes = must_alloc(1, sizeof *changes);
    bool done = version <= newest;
    changes->count = BATCH;
    while (done && changes->count == BATCH) {
        changes->count = 0;
        done = store_changes(walk->service->store, version, BATCH, take_change, changes, &error);
        for (uint32_t i = 0; done && i < changes->count; i++) {
            done = apply(walk, rows, &changes->items[i]);
            version = changes->items[i].version;
        }
    }
    free(changes);
    return done;
}

struct bound {
    struct service *service;
    struct catalog *draft;
    struct pose_buffer ids;
    bool failed;
};

static bool list_bound(void *user, const struct upload_row *row)
{
    struct bound *bound = user;
    bound->failed |= !pose_buffer_append(&bound->ids, &row->id, sizeof row->id);
    return !bound->failed;
}

/* Rows first: an upload whose record holds has the rows of it. */
static void refresh_one(struct bound *bound, struct rows *rows, const struct asset_id *id)
{
    const struct reload_beside beside = reload_beside(bound->draft);
    struct store_error error;
    bool is_renewed;
    struct index_archive *archive = reload_upload(bound->service, id, &beside, &is_renewed, &error);
    if (archive && !atomic_load(&archive->is_waiting) && rows_put(rows, bound->draft, archive) && is_renewed)
        reload_keep(bound->service, archive, &beside.context);
    index_archive_unref(archive);
}

/* Uploads that depend on other PATHs than those of the draft are made anew. Where others share the list, the context of a
 * record may be theirs, and says nothing of the rows here: then all are that depend on PATHs. */
static void refresh_uploads(struct service *service, struct catalog *draft)
{
    static const struct asset_id none;
    const struct asset_id *context = store_sharing(service->store) ? &none : &draft->context;
    struct bound bound = {.service = service, .draft = draft};
    struct store_error error;
    struct rows *rows = atomic_load(&service->rows);
    if (rows && store_each_bound(service->store, context, list_bound, &bound, &error)) {
        for (size_t at = 0; at < bound.ids.size; at += sizeof(struct asset_id)) {
            struct asset_id id;
            memcpy(&id, bound.ids.data + at, sizeof id);
            refresh_one(&bound, rows, &id);
        }
    }
    pose_buffer_free(&bound.ids);
}

/* ---------------------------------------------------------------------------------------------------- start -- */

static bool fail_away(struct store_error *error)
{
    return store_fail(
        error, STORE_AWAY,
        "the object store is away, and uploads that are not listed yet cannot be read without it; "
        "start again when it is back");
}

/* Rows that show what is there. */
static bool open_rows(struct service *service, struct walk *walk, struct store_error *error)
{
    struct rows *rows = service_rows(service);
    struct rows_state state;
    struct asset_id epoch;
    uint64_t newest;
    if (!rows)
        return store_fail(error, STORE_DOWN, "out of memory");
    lacking_renew(service, rows);
    if (!store_version(service->store, &newest, &epoch, error))
        return false;
    struct catalog *current = service->current;
    const bool is_known = rows_get_state(rows, &state) && id_equal(&state.epoch, &epoch);
    catalog_set_version(current, &epoch, is_known ? state.version : newest);
    if (is_known && !id_equal(&state.paths, &current->paths))
        rows_change(rows, NULL, current);
    if (is_known && catch_up(walk, rows, state.version, newest)) {
        catalog_set_version(current, &epoch, newest);
        rows_confirm(rows, current);
    } else {
        catalog_set_version(current, &epoch, newest);
        /* The rows stay as they are until all can be read. */
        if (walk->is_away || !rows_build(rows, current))
            return walk->is_away ? fail_away(error)
                                 : store_fail(error, STORE_DOWN, "the lists cannot be made");
    }
    refresh_uploads(service, current);
    service_settle_paths(service, current);
    /* Of lists that were made anew, which takes a tenth of the memory of all uploads. */
    pose_buffer_free(&walk->ids);
    pose_buffer_free(&walk->left_out);
    lacking_expect(service);
    malloc_trim(0);
    return true;
}

static void add_sum(void *user, const char *uploader, uint64_t bytes)
{
    struct service *service = user;
    quotas_add(service->quotas, uploader, (int64_t)bytes);
}

struct waits {
    struct service *service;
    struct pose_buffer ids;
    bool failed;
};

static bool list_waiting(void *user, const struct upload_row *row)
{
    struct waits *waits = user;
    waits->failed |= !pose_buffer_append(&waits->ids, &row->id, sizeof row->id);
    return !waits->failed;
}

/* What waits is in memory. */
static bool load_waiting(struct service *service, struct store_error *error)
{
    struct waits waits = {.service = service};
    bool done = store_each_waiting(service->store, list_waiting, &waits, error);
    for (size_t at = 0; done && at < waits.ids.size; at += sizeof(struct asset_id)) {
        struct asset_id id;
        memcpy(&id, waits.ids.data + at, sizeof id);
        struct index_archive *archive = open_upload(service, &id, error);
        if (!archive) {
            done = error->status != STORE_AWAY;
            continue;
        }
        done = waiting_reserve(service->waiting) || store_fail(error, STORE_DOWN, "out of memory");
        if (done)
            waiting_add(service->waiting, archive);
        index_archive_unref(archive);
    }
    pose_buffer_free(&waits.ids);
    return done;
}

static bool load_all(struct service *service, struct walk *walk, struct store_error *error)
{
    struct asset_id id;
    int64_t expires_ms;
    bool is_there;
    /* Of a shared list they are counted by the others as well. */
    if ((!store_sharing(service->store) && !store_sums(service->store, add_sum, service, error)) ||
        !store_next_due(service->store, &id, &expires_ms, &is_there, error))
        return false;
    service->next_expiry_ms = is_there ? expires_ms : INT64_MAX;
    return load_waiting(service, error) && open_rows(service, walk, error);
}

bool uploads_load(struct service *service, struct store_error *error)
{
    pthread_mutex_lock(&service->write_lock);
    service_set_version(service, service->current);
    pthread_mutex_unlock(&service->write_lock);
    if (!service->config->data)
        return true;
    struct walk *walk = must_alloc(1, sizeof *walk);
    walk->service = service;
    service->open_upload = open_upload;
    service->refresh_uploads = refresh_uploads;
    service->memo = memo_new();
    catalog_be_partial(service->current, service->memo);
    service->uploads = must_alloc(1, sizeof *service->uploads);
    *service->uploads =
        (struct rows_uploads){open_for_rows, first_upload, next_upload, has_failed, left_out, walk};
    service->free_uploads = free_walk;
    return load_all(service, walk, error);
}
