#include "server/uploads/follow.h"

#include "server/events/changes.h"
#include "server/library/rows/rows.h"
#include "server/ops/clock.h"
#include "server/ops/log.h"
#include "server/ops/metrics/database.h"
#include "server/uploads/adopt.h"
#include "server/uploads/announce.h"

#include <stdlib.h>
#include <string.h>

enum { AT_ONCE = 64, POLL_MS = 1000, AWAY_POLL_MS = 250, SWEEP_MS = 5000 };

struct follower {
    pthread_t thread;
    atomic_bool stopping;
    bool is_started;
    pthread_mutex_t lock; /* guards the following; who runs a round has the rest for itself */
    pthread_cond_t ended;
    bool is_running;
    uint64_t begun, finished; /* rounds */
    struct store_error error; /* of the last round */
    uint64_t applied;         /* the version up to which everything is known here */
    struct adopting adopting; /* of the epoch that is followed */
};

/* ------------------------------------------------------------------------------------------------ a round -- */

struct batch {
    struct region texts;
    uint32_t count;
    struct shared_change changes[AT_ONCE];
    struct pose_buffer data[AT_ONCE];
    bool no_memory;
};

/* A copy: what is done with it asks the database in turn. */
static bool collect(void *user, const struct shared_change *change)
{
    struct batch *batch = user;
    struct shared_change *copy = &batch->changes[batch->count];
    struct pose_buffer *data = &batch->data[batch->count];
    *copy = *change;
    upload_row_own_texts(&copy->row, &batch->texts);
    copy->by = region_text(&batch->texts, change->by);
    copy->reason = region_text(&batch->texts, change->reason);
    data->size = 0;
    if (change->row.record.data.size) {
        batch->no_memory |=
            !pose_buffer_append(data, change->row.record.data.data, change->row.record.data.size);
        copy->row.record.data = (struct pose_bytes){data->data, data->size};
    }
    batch->no_memory |= batch->texts.failed;
    return !batch->no_memory && ++batch->count < AT_ONCE;
}

/* What is out of reach at the moment is tried again, and everything behind it waits for that; what cannot be served at all
 * is left out, as at a start. */
static bool apply(struct follower *follower, const struct shared_change *change, struct store_error *error)
{
    struct service *service = follower->adopting.service;
    struct database_metrics *metrics = store_sharing(service->store)->count(store_catalog_of(service->store));
    bool done = change->change.is_removed
                    ? adopt_removal(&follower->adopting, &change->change.id, change->change.version, error)
                    : adopt_upload(&follower->adopting, change, error);
    if (!done && error->status != STORE_AWAY && error->status != STORE_DOWN)
        done = adopt_nothing(&follower->adopting, change, error);
    if (!done)
        return false;
    announce_shared(service, change);
    const int64_t lag = clock_wall_ns() - (int64_t)change->change.version;
    atomic_store(&metrics->lag_ns, lag > 0 ? (uint64_t)lag : 0);
    follower->applied = change->change.version;
    return true;
}

/* The next changes; is_last: there are no more. */
static bool apply_some(struct follower *follower, struct batch *batch, bool *is_last,
                       struct store_error *error)
{
    struct service *service = follower->adopting.service;
    struct store_catalog *catalog = store_catalog_of(service->store);
    batch->count = 0;
    bool done = catalog->sharing->changes(catalog, follower->applied, AT_ONCE, collect, batch, error);
    if (batch->no_memory)
        done = store_fail(error, STORE_DOWN, "out of memory");
    *is_last = batch->count < AT_ONCE;
    for (uint32_t i = 0; i < batch->count && done; i++) {
        atomic_store(&catalog->sharing->count(catalog)->behind, batch->count - i);
        done = apply(follower, &batch->changes[i], error);
    }
    if (done)
        atomic_store(&catalog->sharing->count(catalog)->behind, 0);
    region_release(&batch->texts);
    batch->texts = (struct region){.may_fail = true};
    service_trim(follower->adopting.service);
    return done;
}

struct ids {
    struct asset_id *ids;
    size_t count, capacity;
    bool failed;
};

static bool add_id(void *user, const struct upload_row *row)
{
    struct ids *ids = user;
    if (ids->count == ids->capacity) {
        const size_t capacity = ids->capacity ? ids->capacity * 2 : 1024;
        struct asset_id *larger = reallocarray(ids->ids, capacity, sizeof *larger);
        ids->failed = !larger;
        if (!larger)
            return false;
        ids->ids = larger;
        ids->capacity = capacity;
    }
    ids->ids[ids->count++] = row->id;
    return true;
}

static int compare_ids(const void *a, const void *b)
{
    return id_compare(a, b);
}

static bool list_waiting(struct service *service, struct ids *here)
{
    uint32_t count;
    bool going = true;
    pthread_mutex_lock(&service->write_lock);
    struct index_archive *const *waiting = waiting_archives(service->waiting, &count);
    for (uint32_t i = 0; i < count && going; i++)
        going = add_id(here, &(struct upload_row){.id = waiting[i]->id});
    pthread_mutex_unlock(&service->write_lock);
    return going;
}

/* The ids of the uploads that are here, from malloc; those of PATHs may be among them. */
static bool list_here(struct service *service, struct ids *here)
{
    enum { PAGE = 4096 };
    struct rows_view *view;
    uint32_t count = PAGE;
    bool going = list_waiting(service, here);
    if (!going || !rows_view_any(atomic_load(&service->rows), &view))
        return false;
    struct asset_id *page = try_alloc(PAGE, sizeof *page);
    going = page;
    for (uint64_t first = 0; going && count == PAGE; first += PAGE) {
        going = rows_ids(view, ASSET_KIND_COUNT, first, PAGE, page, &count);
        for (uint32_t i = 0; i < count && going; i++)
            going = add_id(here, &(struct upload_row){.id = page[i]});
    }
    free(page);
    rows_view_close(view);
    return going;
}

/* Everything is compared: after so long that removals are forgotten, or because the catalogue was made anew. What was added
 * comes with the changes since the beginning. */
static bool compare_all(struct follower *follower, struct store_error *error)
{
    struct service *service = follower->adopting.service;
    struct ids there = {0}, here = {0};
    bool done = store_each(service->store, add_id, &there, error);
    if (there.failed || (done && !list_here(service, &here)))
        done = store_fail(error, STORE_DOWN, "out of memory");
    if (there.count)
        qsort(there.ids, there.count, sizeof *there.ids, compare_ids);
    for (size_t i = 0; i < here.count && done; i++) {
        if (!there.count || !bsearch(&here.ids[i], there.ids, there.count, sizeof *there.ids, compare_ids))
            done = adopt_removal(&follower->adopting, &here.ids[i], 0, error);
    }
    free(there.ids);
    free(here.ids);
    if (done) {
        log_message(LOG_INFO, "the uploads here were compared with all of the catalogue");
        follower->applied = 0;
    }
    return done;
}

static bool run_round(struct follower *follower, struct store_error *error)
{
    struct store_catalog *catalog = store_catalog_of(follower->adopting.service->store);
    struct asset_id epoch;
    uint64_t version;
    bool is_last = false;
    if (!catalog->version(catalog, &version, &epoch, error))
        return false;
    if (!id_equal(&epoch, &follower->adopting.epoch)) {
        if (!compare_all(follower, error))
            return false;
        /* Until here the rows name the earlier one: who ends meanwhile makes them anew. */
        follower->adopting.epoch = epoch;
        if (!adopt_epoch(&follower->adopting, error))
            return false;
    }
    if (version == follower->applied)
        return true;
    struct batch *batch = must_alloc(1, sizeof *batch);
    batch->texts.may_fail = true;
    bool done = true;
    while (done && !is_last) {
        done = apply_some(follower, batch, &is_last, error);
        if (!done && error->status == STORE_MISSING)
            done = compare_all(follower, error);
    }
    for (uint32_t i = 0; i < AT_ONCE; i++)
        pose_buffer_free(&batch->data[i]);
    free(batch);
    if (done && version > follower->applied) /* the last ones were refused, or the upload is gone again */
        follower->applied = version;
    store_count(follower->adopting.service->store);
    return done;
}

bool follow_catch_up(struct service *service, struct store_error *error)
{
    struct follower *follower = service->follower;
    if (!follower)
        return true;
    pthread_mutex_lock(&follower->lock);
    const uint64_t wanted = follower->begun + 1; /* one that is running may have asked already */
    while (follower->finished < wanted) {
        struct store_error found = {.status = STORE_OK};
        if (follower->is_running) {
            pthread_cond_wait(&follower->ended, &follower->lock);
            continue;
        }
        follower->is_running = true;
        follower->begun++;
        pthread_mutex_unlock(&follower->lock);
        if (run_round(follower, &found))
            found.status = STORE_OK;
        pthread_mutex_lock(&follower->lock);
        follower->error = found;
        follower->is_running = false;
        follower->finished = follower->begun;
        pthread_cond_broadcast(&follower->ended);
    }
    *error = follower->error;
    pthread_mutex_unlock(&follower->lock);
    return error->status == STORE_OK;
}

/* In the place of a round, so that a removal that comes after the row was read is applied after this. */
static bool adopt_again(struct follower *follower, const struct asset_id *id, struct store_error *error)
{
    struct shared_change change = {.change.id = *id, .kind = SHARED_ADD};
    struct region texts = {.may_fail = true};
    struct pose_buffer buffer = {0};
    const bool done = store_row(follower->adopting.service->store, id, &change.row, &texts, &buffer, error) &&
                      adopt_upload(&follower->adopting, &change, error);
    pose_buffer_free(&buffer);
    region_release(&texts);
    return done;
}

bool follow_again(struct service *service, const struct asset_id *id, struct store_error *error)
{
    struct follower *follower = service->follower;
    pthread_mutex_lock(&follower->lock);
    while (follower->is_running)
        pthread_cond_wait(&follower->ended, &follower->lock);
    follower->is_running = true;
    pthread_mutex_unlock(&follower->lock);
    const bool done = adopt_again(follower, id, error);
    pthread_mutex_lock(&follower->lock);
    follower->is_running = false;
    pthread_cond_broadcast(&follower->ended);
    pthread_mutex_unlock(&follower->lock);
    return done;
}

/* ---------------------------------------------------------------------------------------------- the thread -- */

static void *run(void *user)
{
    struct follower *follower = user;
    struct store_catalog *catalog = store_catalog_of(follower->adopting.service->store);
    uint64_t swept_ms = clock_ms();
    while (!atomic_load(&follower->stopping)) {
        struct store_error error;
        catalog->sharing->wait(catalog, catalog->sharing->is_away(catalog) ? AWAY_POLL_MS : POLL_MS);
        if (atomic_load(&follower->stopping))
            break;
        follow_catch_up(follower->adopting.service, &error);
        service_trim(follower->adopting.service);
        if (clock_ms() - swept_ms >= SWEEP_MS) {
            store_sweep_some(follower->adopting.service->store);
            swept_ms = clock_ms();
        }
    }
    return NULL;
}

bool follow_prepare(struct service *service, struct store_error *error)
{
    if (!store_sharing(service->store))
        return true;
    struct store_catalog *catalog = store_catalog_of(service->store);
    struct follower *follower = must_alloc(1, sizeof *follower);
    follower->adopting.service = service;
    pthread_mutex_init(&follower->lock, NULL);
    pthread_cond_init(&follower->ended, NULL);
    service->follower = follower;
    if (!catalog->version(catalog, &follower->applied, &follower->adopting.epoch, error))
        return false;
    /* Numbers of changes are versions, which are the same everywhere. */
    changes_free(service->changes);
    service->newest_change = follower->applied;
    service->changes = changes_new(follower->applied);
    return true;
}

bool follow_start(struct service *service)
{
    struct follower *follower = service->follower;
    if (follower)
        follower->is_started = !pthread_create(&follower->thread, NULL, run, follower);
    return !follower || follower->is_started;
}

void follow_stop(struct service *service)
{
    struct follower *follower = service->follower;
    if (!follower || !follower->is_started)
        return;
    atomic_store(&follower->stopping, true);
    store_sharing(service->store)->wake(store_catalog_of(service->store));
    pthread_join(follower->thread, NULL);
    follower->is_started = false;
}

void follow_free(struct service *service)
{
    struct follower *follower = service->follower;
    if (!follower)
        return;
    pthread_cond_destroy(&follower->ended);
    pthread_mutex_destroy(&follower->lock);
    free(follower);
    service->follower = NULL;
}
