#include "server/uploads/adopt.h"

#include "server/library/rows/rows.h"
#include "server/ops/log.h"
#include "server/uploads/announce.h"
#include "server/uploads/kept.h"
#include "server/uploads/reload.h"

#include <string.h>

/* Where an upload is here: in what waits, or in the rows. */
enum presence { ABSENT, OF_PATH, WAITS, LISTED };

static enum presence presence_of(const struct service *service, const struct asset_id *id, uint32_t *index,
                                 bool *is_at_hand)
{
    *is_at_hand = false;
    if (waiting_find(service->waiting, id))
        return WAITS;
    *is_at_hand = catalog_has_archive(service->current, id, index);
    if (*is_at_hand && *index < service->current->path_count)
        return OF_PATH;
    return *is_at_hand || rows_has_archive(atomic_load(&service->rows), id) ? LISTED : ABSENT;
}

/* Says which version a draft shows; 0: none of its own. What is applied again after a start changes nothing. */
static void set_version(const struct adopting *adopting, struct catalog *draft, uint64_t version)
{
    if (version && (version > draft->version || !id_equal(&draft->epoch, &adopting->epoch)))
        catalog_set_version(draft, &adopting->epoch, version);
}

/* A snapshot that is the same but for its version, or without the archive of an index. */
static struct catalog *begin(const struct adopting *adopting, const uint32_t *without, uint64_t version)
{
    static const uint32_t none;
    struct catalog *draft =
        catalog_remove_all(adopting->service->current, without ? without : &none, without ? 1 : 0);
    if (draft)
        set_version(adopting, draft, version);
    return draft;
}

/* Nothing changes but the version. These are called with the write lock held. */
static bool confirm(const struct adopting *adopting, uint64_t version, struct store_error *error)
{
    struct catalog *draft = begin(adopting, NULL, version);
    if (!draft)
        return store_fail(error, STORE_DOWN, "out of memory");
    rows_confirm(atomic_load(&adopting->service->rows), draft);
    service_publish(adopting->service, draft);
    return true;
}

static bool forget(const struct adopting *adopting, const struct asset_id *id, uint64_t version,
                   struct store_error *error)
{
    struct service *service = adopting->service;
    uint32_t index;
    bool is_at_hand;
    const enum presence presence = presence_of(service, id, &index, &is_at_hand);
    memo_left(service->memo, miss_of_archive(id));
    if (presence == WAITS)
        waiting_remove(service->waiting, waiting_find(service->waiting, id));
    if (presence != LISTED)
        return confirm(adopting, version, error);
    struct catalog *draft = begin(adopting, is_at_hand ? &index : NULL, version);
    if (!draft)
        return store_fail(error, STORE_DOWN, "out of memory");
    upload_unserve(service, draft, id);
    return true;
}

static bool list(const struct adopting *adopting, struct index_archive *archive, uint64_t version,
                 struct store_error *error)
{
    struct service *service = adopting->service;
    struct catalog *draft = catalog_append(service->current, archive);
    if (!draft)
        return store_fail(error, STORE_DOWN, "out of memory");
    set_version(adopting, draft, version);
    memo_left(service->memo, miss_of_archive(&archive->id));
    upload_serve(service, draft, archive);
    return true;
}

/* What waited becomes visible. */
static bool show(const struct adopting *adopting, struct index_archive *archive, uint64_t version,
                 struct store_error *error)
{
    struct service *service = adopting->service;
    index_archive_ref(archive);
    atomic_store(&archive->is_waiting, false);
    const bool done = list(adopting, archive, version, error);
    atomic_store(&archive->is_waiting, !done);
    if (done)
        waiting_remove(service->waiting, archive);
    index_archive_unref(archive);
    return done;
}

static bool keep_waiting(const struct adopting *adopting, struct index_archive *archive, uint64_t version,
                         struct store_error *error)
{
    if (!waiting_reserve(adopting->service->waiting))
        return store_fail(error, STORE_DOWN, "out of memory");
    if (!confirm(adopting, version, error))
        return false;
    waiting_add(adopting->service->waiting, archive);
    return true;
}

/* Whether a change has been applied before, as some are after a start: then what is at hand may be what it made. */
static bool is_old(const struct adopting *adopting, uint64_t version)
{
    const struct catalog *current = adopting->service->current;
    return id_equal(&current->epoch, &adopting->epoch) && version <= current->version;
}

/* Whether that is what is here already. It may have been removed and uploaded again, by somebody else. */
static bool is_same(const struct index_archive *archive, const struct upload_row *row)
{
    return archive && archive->created_ms == row->created_ms && !strcmp(archive->name, row->name);
}

/* What can be done with what is here; is_done: it is all. Otherwise it is not here any more. */
static bool settle(const struct adopting *adopting, const struct shared_change *change, bool *is_done,
                   struct store_error *error)
{
    struct service *service = adopting->service;
    const struct upload_row *row = &change->row;
    const uint64_t version = change->change.version;
    uint32_t index;
    bool is_at_hand;
    const enum presence presence = presence_of(service, &row->id, &index, &is_at_hand);
    struct index_archive *waiting = waiting_find(service->waiting, &row->id);
    *is_done = true;
    if (presence == OF_PATH || (waiting && row->is_waiting && is_same(waiting, row)) ||
        (is_at_hand && !row->is_waiting && is_old(adopting, version) &&
         is_same(service->current->archives[index], row)))
        return confirm(adopting, version, error);
    if (waiting && is_same(waiting, row) && !rows_has_archive(atomic_load(&service->rows), &row->id))
        return show(adopting, waiting, version, error);
    *is_done = false;
    return presence == ABSENT || forget(adopting, &row->id, 0, error);
}

/* Lists what was opened, if nothing that it depends on has changed since. */
static bool take(const struct adopting *adopting, struct index_archive *archive,
                 const struct asset_id *context, uint64_t version, bool *is_done, struct store_error *error)
{
    struct service *service = adopting->service;
    *is_done = !index_wants_companions(archive) || id_equal(context, &service->current->context);
    if (!*is_done)
        return true;
    upload_expect(service, archive->expires_ms);
    return atomic_load(&archive->is_waiting) ? keep_waiting(adopting, archive, version, error)
                                             : list(adopting, archive, version, error);
}

bool adopt_upload(const struct adopting *adopting, const struct shared_change *change,
                  struct store_error *error)
{
    struct service *service = adopting->service;
    bool is_done = false, done;
    pthread_mutex_lock(&service->write_lock);
    done = settle(adopting, change, &is_done, error);
    pthread_mutex_unlock(&service->write_lock);
    while (done && !is_done) {
        struct catalog *catalog = service_hold(service);
        const struct reload_beside beside = reload_beside(catalog);
        struct index_archive *archive = reload_row(service, &change->row, &beside, error);
        pthread_mutex_lock(&service->write_lock);
        done = archive && take(adopting, archive, &beside.context, change->change.version, &is_done, error);
        pthread_mutex_unlock(&service->write_lock);
        index_archive_unref(archive);
        catalog_unref(catalog);
    }
    return done;
}

bool adopt_nothing(const struct adopting *adopting, const struct shared_change *change,
                   struct store_error *error)
{
    struct service *service = adopting->service;
    log_message(LOG_WARNING, "the upload %s is not served: %s", change->row.name, error->detail);
    pthread_mutex_lock(&service->write_lock);
    upload_expect(service, change->row.expires_ms);
    const bool done = confirm(adopting, change->change.version, error);
    pthread_mutex_unlock(&service->write_lock);
    return done;
}

bool adopt_removal(const struct adopting *adopting, const struct asset_id *id, uint64_t version,
                   struct store_error *error)
{
    struct service *service = adopting->service;
    pthread_mutex_lock(&service->write_lock);
    const bool done = forget(adopting, id, version, error);
    pthread_mutex_unlock(&service->write_lock);
    return done;
}

bool adopt_epoch(const struct adopting *adopting, struct store_error *error)
{
    struct service *service = adopting->service;
    pthread_mutex_lock(&service->write_lock);
    struct catalog *draft = begin(adopting, NULL, 0);
    if (draft) {
        catalog_set_version(draft, &adopting->epoch, 0);
        rows_confirm(atomic_load(&service->rows), draft);
        service_publish(service, draft);
    }
    pthread_mutex_unlock(&service->write_lock);
    return draft || store_fail(error, STORE_DOWN, "out of memory");
}
