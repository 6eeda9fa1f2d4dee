#include "server/uploads/fetch.h"

#include "server/ops/clock.h"
#include "server/ops/log.h"
#include "server/uploads/reload.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_NAMED = 64, ROUNDS = 16 };

/* The uploads that what is missed needs, in order of arrival. */
struct needed {
    uint32_t count;
    struct asset_id ids[MAX_NAMED + 1];
};

/* What has to be loaded. */
struct loading {
    struct service *service;
    struct rows *rows;
    struct service_fetch fetch;
    struct pose_buffer ids;  /* struct asset_id */
    struct asset_id context; /* of the PATHs when it was listed */
    bool is_away, no_memory; /* is_away: something cannot be read at the moment */
};

/* No such miss: it says that the upload is lost, and (asset) whether that was told. */
static struct miss lost(const struct asset_id *id, bool is_told)
{
    struct miss what = miss_of_archive(id);
    what.asset = is_told ? ASSET_CHARACTER : ASSET_IMAGE;
    return what;
}

/* What is lost is not looked for again for one or two of these. */
static uint64_t moment(void)
{
    enum { PAUSE_S = 2, BEFORE_ANY = 2 };
    return clock_ms() / 1000 / PAUSE_S + BEFORE_ANY;
}

static bool is_lost(const struct service *service, const struct asset_id *id)
{
    const struct miss what = lost(id, false);
    return memo_has(service->memo, &what, UINT64_MAX) && !memo_has(service->memo, &what, moment() - 2);
}

static struct needed needed_by(struct rows *rows, const struct miss *what)
{
    struct needed needed = {.count = 0};
    switch (what->kind) {
    case MISS_ASSET:
        needed.count = rows_holders(rows, what->asset, &what->id, needed.ids, CATALOG_MOST_UPLOADS);
        break;
    case MISS_ARCHIVE:
        needed.ids[0] = what->id;
        needed.count = rows_has_archive(rows, &what->id);
        break;
    case MISS_NAMED:
        needed.count = rows_named(rows, what->archive, what->clip, needed.ids, MAX_NAMED);
        if (!needed.count) /* for what its clips are called */
            needed.count = rows_named(rows, what->archive, NULL, needed.ids, 1);
        break;
    }
    return needed;
}

static bool is_at_hand(const struct service *service, const struct asset_id *id, uint32_t *index)
{
    return catalog_has_archive(service->current, id, index);
}

static bool is_listed(const struct loading *work, const struct asset_id *id)
{
    for (size_t at = 0; at < work->ids.size; at += sizeof *id) {
        if (!memcmp(work->ids.data + at, id, sizeof *id))
            return true;
    }
    return false;
}

/* Lists what is not at hand of all that is missed, and what may not leave. */
static void list_absent(struct loading *work, const struct catalog_turn *turn)
{
    uint32_t index;
    work->ids.size = work->fetch.needed.size = 0;
    work->context = work->service->current->context;
    rows_take_failure(work->rows);
    for (uint32_t i = 0; i < turn->count; i++) {
        const struct needed needed = needed_by(work->rows, &turn->misses[i]);
        work->no_memory |=
            !pose_buffer_append(&work->fetch.needed, needed.ids, needed.count * sizeof *needed.ids);
        for (uint32_t k = 0; k < needed.count; k++) {
            if (!is_at_hand(work->service, &needed.ids[k], &index) &&
                !is_lost(work->service, &needed.ids[k]) && !is_listed(work, &needed.ids[k]))
                work->no_memory |= !pose_buffer_append(&work->ids, &needed.ids[k], sizeof needed.ids[k]);
        }
    }
    work->is_away |= rows_take_failure(work->rows);
}

/* ------------------------------------------------------------------------------------------------- loading -- */

static void set_alone(void *user, const struct catalog_key *key)
{
    const struct catalog *catalog = user;
    struct catalog_item *item = catalog_at_hand(catalog, key->kind, &key->id);
    if (item)
        catalog_set_whole(catalog, item);
}

/* With the write lock held: puts an upload that the rows have behind those at hand; false if out of memory. */
static bool uploads_bring(struct service *service, struct index_archive *archive)
{
    struct rows *rows = atomic_load(&service->rows);
    struct catalog *draft = catalog_append(service->current, archive);
    if (!draft)
        return false;
    if (rows)
        rows_each_alone(rows, &archive->id, set_alone, draft);
    service_publish(service, draft);
    return true;
}

/* What is lost is told once, and is looked for again now and then; what is out of reach comes back. */
static void report(struct loading *work, const struct asset_id *id, const struct store_error *error)
{
    char text[ID_TEXT];
    struct upload_row row;
    struct store_error ignored;
    struct region texts = {.may_fail = true};
    struct pose_buffer buffer = {0};
    const bool stays = error->status == STORE_MISSING;
    const struct miss what = lost(id, false), told = lost(id, true);
    const bool is_told = stays && memo_has(work->service->memo, &told, UINT64_MAX);
    id_write(id, text);
    const bool has_row = store_row(work->service->store, id, &row, &texts, &buffer, &ignored);
    if (!is_told)
        log_message(LOG_WARNING, "the upload %s is not served%s: %s", has_row && row.name ? row.name : text,
                    stays ? "" : " at the moment", error->detail);
    if (stays) {
        pthread_mutex_lock(&work->service->write_lock);
        memo_keep(work->service->memo, &what, moment());
        memo_keep(work->service->memo, &told, 0);
        pthread_mutex_unlock(&work->service->write_lock);
    }
    work->is_away |= !stays;
    pose_buffer_free(&buffer);
    region_release(&texts);
}

/* Whether it may join: it may have been removed meanwhile, or depend on other PATHs. */
static bool is_wanted(const struct loading *work, const struct index_archive *archive)
{
    const struct service *service = work->service;
    uint32_t index;
    return !is_at_hand(service, &archive->id, &index) && !atomic_load(&archive->is_waiting) &&
           rows_has_archive(work->rows, &archive->id) &&
           (!index_wants_companions(archive) || id_equal(&work->context, &service->current->context));
}

/* Whether somebody else opens it. */
static bool is_opening(const struct service *service, const struct asset_id *id)
{
    for (const struct service_fetch *fetch = service->fetches; fetch; fetch = fetch->next) {
        if (fetch->opening && id_equal(fetch->opening, id))
            return true;
    }
    return false;
}

/* False, after that was done: somebody else was opening it. */
static bool begin_opening(struct loading *work, const struct asset_id *id)
{
    struct service *service = work->service;
    bool is_ours = true;
    pthread_mutex_lock(&service->fetch_lock);
    while (is_opening(service, id)) {
        is_ours = false;
        pthread_cond_wait(&service->fetch_opened, &service->fetch_lock);
    }
    if (is_ours)
        work->fetch.opening = id;
    pthread_mutex_unlock(&service->fetch_lock);
    return is_ours;
}

static void end_opening(struct loading *work)
{
    struct service *service = work->service;
    pthread_mutex_lock(&service->fetch_lock);
    work->fetch.opening = NULL;
    pthread_cond_broadcast(&service->fetch_opened);
    pthread_mutex_unlock(&service->fetch_lock);
}

/* row: as it was read just now; NULL: it is read. */
static struct index_archive *open_one(struct service *service, const struct asset_id *id,
                                      const struct upload_row *row, struct store_error *error)
{
    if (!row)
        return service->open_upload(service, id, error);
    struct catalog *catalog = service_hold(service);
    const struct reload_beside beside = reload_beside(catalog);
    struct index_archive *archive = reload_row(service, row, &beside, error);
    catalog_unref(catalog);
    return archive;
}

static void load_one(struct loading *work, const struct asset_id *id, const struct upload_row *row)
{
    struct service *service = work->service;
    struct store_error error;
    struct index_archive *archive = open_one(service, id, row, &error);
    if (!archive) {
        report(work, id, &error);
        return;
    }
    pthread_mutex_lock(&service->write_lock);
    if (is_wanted(work, archive)) {
        work->no_memory |= !uploads_bring(service, archive);
        atomic_fetch_add(&service->fetched, 1);
    }
    pthread_mutex_unlock(&service->write_lock);
    index_archive_unref(archive);
}

enum { AT_ONCE = 16 };

/* Rows that are read together, since a list that others share is far away. */
struct batch {
    size_t count;
    struct upload_row rows[AT_ONCE];
    bool are_there[AT_ONCE];
    struct pose_buffer buffers[AT_ONCE];
    struct region texts;
};

/* False if they have to be read one by one. */
static bool batch_read(struct batch *batch, struct store *store, const uint8_t *ids, size_t count)
{
    struct store_error ignored;
    *batch = (struct batch){.count = count, .texts.may_fail = true};
    for (size_t i = 0; i < count; i++)
        memcpy(&batch->rows[i].id, ids + i * sizeof(struct asset_id), sizeof(struct asset_id));
    return count > 1 && store_sharing(store) &&
           store_rows(store, batch->rows, count, &batch->texts, batch->buffers, batch->are_there, &ignored);
}

static void batch_release(struct batch *batch)
{
    for (size_t i = 0; i < batch->count; i++)
        pose_buffer_free(&batch->buffers[i]);
    region_release(&batch->texts);
}

/* Loads what is listed, with nothing locked, and puts it behind the others. What others open meanwhile is looked at again by
 * the next round. */
static void load(struct loading *work)
{
    const size_t count = work->ids.size / sizeof(struct asset_id);
    for (size_t at = 0; at < count && !work->is_away && !work->no_memory; at += AT_ONCE) {
        const size_t some = count - at < AT_ONCE ? count - at : AT_ONCE;
        const uint8_t *ids = work->ids.data + at * sizeof(struct asset_id);
        struct batch batch;
        const bool is_read = batch_read(&batch, work->service->store, ids, some);
        for (size_t i = 0; i < some && !work->is_away && !work->no_memory; i++) {
            struct asset_id id;
            memcpy(&id, ids + i * sizeof id, sizeof id);
            if (!begin_opening(work, &id))
                continue;
            load_one(work, &id, is_read && batch.are_there[i] ? &batch.rows[i] : NULL);
            end_opening(work);
        }
        batch_release(&batch);
    }
}

/* ---------------------------------------------------------------------------------------- what is complete -- */

static int compare(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

/* The uploads at hand that hold an item, in the order of the snapshot; at most that many. */
static uint32_t list_places(const struct catalog *catalog, const struct catalog_item *item, uint32_t *places,
                            uint32_t most)
{
    struct place_walk walk = {0};
    uint32_t count = 0;
    while (count < most && catalog_next_place(catalog, item, &walk)) {
        const uint32_t archive = walk.place.archive;
        if (archive >= catalog->path_count && (!count || places[count - 1] != archive))
            places[count++] = archive;
    }
    return count;
}

/* Whether the uploads at hand that hold it begin with these, in their order. */
static bool is_in_order(const struct service *service, const struct needed *needed, const uint32_t *places,
                        uint32_t count)
{
    uint32_t at = 0, index;
    for (uint32_t i = 0; i < needed->count; i++) {
        if (!is_at_hand(service, &needed->ids[i], &index) || index < service->current->path_count)
            continue;
        if (at == count || places[at] != index)
            return false;
        at++;
    }
    return true;
}

/* Takes those out that are in the way, and puts the needed ones behind the others in their order. */
static bool put_in_order(struct service *service, const struct needed *needed, uint32_t *places,
                         uint32_t count)
{
    struct index_archive *archives[CATALOG_MOST_UPLOADS];
    uint32_t taken = 0, index;
    for (uint32_t i = 0; i < needed->count && taken < CATALOG_MOST_UPLOADS; i++) {
        if (is_at_hand(service, &needed->ids[i], &index) && index >= service->current->path_count) {
            archives[taken] = service->current->archives[index];
            index_archive_ref(archives[taken++]);
        }
    }
    qsort(places, count, sizeof *places, compare);
    struct catalog *draft = catalog_remove_all(service->current, places, count);
    bool done = draft;
    if (draft)
        service_publish(service, draft);
    for (uint32_t i = 0; i < taken; i++) {
        done = done && uploads_bring(service, archives[i]);
        index_archive_unref(archives[i]);
    }
    return done;
}

/* Makes an asset whole whose uploads are at hand. */
static bool settle_asset(struct loading *work, const struct miss *what)
{
    enum { MAX_PLACES = 1024 };
    struct service *service = work->service;
    uint32_t places[MAX_PLACES];
    struct catalog_item *item = catalog_at_hand(service->current, what->asset, &what->id);
    if (item) {
        const struct needed needed = needed_by(work->rows, what);
        const uint32_t count = list_places(service->current, item, places, MAX_PLACES);
        if (!is_in_order(service, &needed, places, count) && !put_in_order(service, &needed, places, count))
            return false;
        item = catalog_at_hand(service->current, what->asset, &what->id);
    }
    if (item)
        catalog_set_whole(service->current, item);
    return true;
}

static bool needs_lost(const struct loading *work, const struct miss *what)
{
    const struct needed needed = needed_by(work->rows, what);
    for (uint32_t i = 0; i < needed.count; i++) {
        if (is_lost(work->service, &needed.ids[i]))
            return true;
    }
    return false;
}

static bool settle(struct loading *work, const struct catalog_turn *turn)
{
    struct service *service = work->service;
    for (uint32_t i = 0; i < turn->count; i++) {
        if (turn->misses[i].kind == MISS_ASSET && !settle_asset(work, &turn->misses[i]))
            return false;
    }
    work->is_away |= rows_take_failure(work->rows);
    if (work->is_away) /* what the rows do not tell is not remembered as missing */
        return false;
    /* Nothing leaves from here on. What is without a lost upload is so for this turn only. */
    for (uint32_t i = 0; i < turn->count; i++) {
        if (!needs_lost(work, &turn->misses[i]))
            memo_keep(service->memo, &turn->misses[i], service->current->generation);
    }
    return true;
}

/* With the write lock held: the snapshot in which nothing is missed any more. */
static struct catalog *finish(struct loading *work, const struct catalog_turn *turn, struct rows_view **view)
{
    struct service *service = work->service;
    if (!settle(work, turn))
        return NULL;
    list_absent(work, turn); /* what was in the way of one may be needed by another */
    if (work->ids.size || work->is_away ||
        (view && rows_view_open(work->rows, service->current, view) == ROWS_FAILED))
        return NULL;
    return service_hold(service);
}

static void enter(struct loading *work)
{
    struct service *service = work->service;
    pthread_mutex_lock(&service->fetch_lock);
    pthread_mutex_lock(&service->write_lock);
    work->fetch.next = service->fetches;
    work->fetch.link = &service->fetches;
    if (work->fetch.next)
        work->fetch.next->link = &work->fetch.next;
    service->fetches = &work->fetch;
    pthread_mutex_unlock(&service->write_lock);
    pthread_mutex_unlock(&service->fetch_lock);
}

static void leave(struct loading *work)
{
    struct service *service = work->service;
    pthread_mutex_lock(&service->fetch_lock);
    pthread_mutex_lock(&service->write_lock);
    *work->fetch.link = work->fetch.next;
    if (work->fetch.next)
        work->fetch.next->link = work->fetch.link;
    pthread_mutex_unlock(&service->write_lock);
    pthread_mutex_unlock(&service->fetch_lock);
    pose_buffer_free(&work->fetch.needed);
}

struct catalog *uploads_fetch(struct service *service, const struct catalog_turn *turn,
                              struct rows_view **view)
{
    struct loading work = {.service = service, .rows = service_rows(service)};
    struct catalog *fetched = NULL;
    if (!work.rows || turn->is_over)
        return NULL;
    enter(&work);
    for (int i = 0; i < ROUNDS && !fetched && !work.is_away && !work.no_memory; i++) {
        pthread_mutex_lock(&service->write_lock);
        list_absent(&work, turn);
        if (!work.ids.size && !work.is_away)
            fetched = finish(&work, turn, view);
        pthread_mutex_unlock(&service->write_lock);
        if (!fetched)
            load(&work);
    }
    leave(&work);
    service_trim(service);
    pose_buffer_free(&work.ids);
    return fetched;
}
