#include "server/library/service.h"

#include "lib/core/error.h"
#include "server/ops/work/effort.h"
#include "server/ops/clock.h"
#include "server/events/changes.h"
#include "server/library/index/cache.h"
#include "server/library/index/upload.h"
#include "server/library/rows/rows.h"
#include "server/ops/log.h"
#include "server/ops/region.h"
#include "server/ops/spill.h"
#include "server/ops/work/yield.h"

#include <stdlib.h>
#include <string.h>

static void collect(void *user, struct metrics_gauges *gauges)
{
    struct service *service = user;
    if (service->gauges)
        service->gauges(service->gauges_user, gauges);
    struct catalog *catalog = service_enter(service, false, 0);
    const struct rows *rows = service->memo ? atomic_load(&service->rows) : NULL;
    for (int kind = 0; kind < ASSET_KIND_COUNT; kind++)
        gauges->assets[kind] = rows ? rows_tally(rows, kind) : catalog->lists[kind].present;
    service_leave(service, catalog, false);
    gauges->store_bytes = service->store ? store_bytes(service->store) : 0;
    gauges->written_bytes = draft_written();
    gauges->decodes = index_decodes();
    const struct index_weights held = index_weights();
    gauges->catalog = (struct cache_counts){.misses = atomic_load(&service->fetched),
                                            .evictions = atomic_load(&service->left),
                                            .bytes = held.bytes,
                                            .limit = service->config->catalog_cache,
                                            .entries = held.count};
    gauges->paths_over_limit = atomic_load(&service->paths_over_limit);
}

/* Encoded answers get a tenth of the memory of decoded clips. */
static uint64_t reply_cache_size(const struct config *config)
{
    return config->cache_size / 10;
}

struct index_options service_limits(const struct config *config)
{
    struct index_options options = {
        .threads = (unsigned)config->threads,
        .max_entries = (uint32_t)config->max_entries,
        .max_path_entries = (uint32_t)config->max_path_entries,
    };
    options.pose.limits = (struct pose_limits){
        .entries = (uint32_t)config->max_entries,
        .unpacked = config->max_unpacked,
        .ratio = (uint32_t)config->max_ratio,
    };
    options.pose.stop = yield_stop();
    return options;
}

struct service *service_new(const struct config *config, const char *const *routes)
{
    struct service *service = aligned_alloc(64, (sizeof *service + 63) & ~(size_t)63);
    if (!service)
        return NULL;
    memset(service, 0, sizeof *service);
    service->config = config;
    service->clips = cache_new("clips", config->cache_size - reply_cache_size(config));
    service->replies = cache_new("replies", reply_cache_size(config));
    struct metrics_options options = {.version = pose_version(),
                                      .revision = pose_revision(),
                                      .routes = routes,
                                      .collect = collect,
                                      .user = service};
    service->metrics = metrics_new(&options);
    if (!service->clips || !service->replies || !service->metrics)
        abort();
    if (config->rate_limit > 0 && !(service->rate_limit = rate_limit_new(config->rate_limit)))
        abort();
    metrics_add_cache(service->metrics, service->clips);
    metrics_add_cache(service->metrics, service->replies);
    service->index_options = service_limits(config);
    service->refused = refused_new();
    service->index_options.pose.refusals = refused_get(service->refused);
    service->waiting = waiting_new();
    service->newest_change = (uint64_t)clock_wall_ns();
    service->changes = changes_new(service->newest_change);
    service->quotas = quotas_new();
    service->next_expiry_ms = service->next_lacking_ms = INT64_MAX;
    pthread_cond_init(&service->expiry_set, NULL);
    service->shipped = shipped_skeletons(&service->shipped_count);
    pthread_mutex_init(&service->lock, NULL);
    pthread_mutex_init(&service->write_lock, NULL);
    pthread_mutex_init(&service->fetch_lock, NULL);
    pthread_mutex_init(&service->rows_lock, NULL);
    pthread_cond_init(&service->fetch_opened, NULL);
    service->current = catalog_new(NULL, 0, 0, NULL, service->shipped, service->shipped_count);
    if (!service->current)
        abort();
    return service;
}

void service_free(struct service *service)
{
    for (unsigned i = 0; i < SERVICE_LOOPS; i++) {
        catalog_unref(service->slots[i].catalog);
        free(service->plans[i]);
    }
    catalog_unref(service->current);
    waiting_free(service->waiting);
    refused_free(service->refused);
    changes_free(service->changes);
    quotas_free(service->quotas);
    pthread_cond_destroy(&service->expiry_set);
    cache_free(service->clips);
    cache_free(service->replies);
    metrics_free(service->metrics);
    rate_limit_free(service->rate_limit);
    tokens_close(service->tokens);
    index_release(&service->index);
    index_cache_close(service->index_options.cache);
    store_close(service->store);
    picture_files_close(service->pictures);
    rows_close(atomic_load(&service->rows));
    memo_free(service->memo);
    if (service->free_uploads)
        service->free_uploads(service->uploads);
    pthread_mutex_destroy(&service->fetch_lock);
    pthread_mutex_destroy(&service->rows_lock);
    pthread_cond_destroy(&service->fetch_opened);
    pthread_mutex_destroy(&service->lock);
    pthread_mutex_destroy(&service->write_lock);
    free(service);
}

/* Builds a catalogue of the PATHs' archives and then the uploads, to be published; NULL if out of memory.
 * Call with the write lock held. */
static struct catalog *service_draft(struct service *service, const struct index_neighbours *paths,
                                     struct index_archive *const *uploads, uint32_t upload_count)
{
    uint32_t count = paths->count + upload_count;
    struct index_archive **all = try_alloc((size_t)count + 1, sizeof(struct index_archive *));
    if (!all)
        return NULL;
    if (paths->count)
        memcpy(all, paths->archives, paths->count * sizeof(struct index_archive *));
    if (upload_count)
        memcpy(all + paths->count, uploads, upload_count * sizeof(struct index_archive *));
    struct catalog *catalog =
        catalog_new(all, count, paths->count, service->current, service->shipped, service->shipped_count);
    free(all);
    return catalog;
}

void service_set_version(struct service *service, struct catalog *draft)
{
    struct store_error ignored;
    struct asset_id epoch;
    uint64_t version;
    if (service->store && !store_sharing(service->store) &&
        store_version(service->store, &version, &epoch, &ignored))
        catalog_set_version(draft, &epoch, version);
}

void service_publish(struct service *service, struct catalog *draft)
{
    catalog_publish(draft);
    pthread_mutex_lock(&service->lock);
    struct catalog *old = service->current;
    service->current = draft;
    atomic_store_explicit(&service->generation, draft->generation, memory_order_release);
    pthread_mutex_unlock(&service->lock);
    catalog_unref(old);
}

/* Indexes an upload anew if its companions may be among changed files of the command line. Referenced. */
static struct index_archive *refresh(struct service *service, struct index_archive *archive,
                                     const struct index_neighbours *paths)
{
    if (!index_wants_companions(archive)) {
        index_archive_ref(archive);
        return archive;
    }
    struct upload_source source = {.name = archive->name,
                                   .bytes = archive->map.bytes,
                                   .format = archive->forced_format,
                                   .game = archive->forced_game,
                                   .has_parts = archive->archive && !strcmp(archive->format, "folder"),
                                   .id = archive->id};
    struct index_archive *fresh = index_upload(&source, paths, &service->index_options);
    const struct index_standing standing = index_standing_of(archive);
    fresh->blob = archive->blob;
    blob_ref(archive->blob);
    index_set_standing(fresh, &standing);
    return fresh;
}

/* The same for those that wait. */
static void refresh_waiting(struct service *service, const struct index_neighbours *paths)
{
    uint32_t count;
    struct index_archive **archives = waiting_archives(service->waiting, &count);
    struct index_archive **fresh = try_alloc(count, sizeof(struct index_archive *));
    for (uint32_t i = 0; fresh && i < count; i++)
        fresh[i] = refresh(service, archives[i], paths);
    if (fresh)
        waiting_replace(service->waiting, fresh);
    free(fresh);
}

/* The uploads at hand as they are beside new contents of the PATHs; those that depend on them are made anew, or (of a
 * partial catalogue) are not at hand any more. From malloc, each referenced; NULL if out of memory. Called with the
 * service's write lock held. */
static struct index_archive **refresh_uploads(struct service *service, const struct index_neighbours *paths,
                                              uint32_t *count)
{
    const struct catalog *catalog = service->current;
    struct index_archive **uploads =
        try_alloc((size_t)catalog->archive_count + 1, sizeof(struct index_archive *));
    *count = 0;
    for (uint32_t i = catalog->path_count; uploads && i < catalog->archive_count; i++) {
        if (!tables_has_archive(catalog, i))
            continue;
        if (service->memo && index_wants_companions(catalog->archives[i])) {
            catalog_forget(catalog, i);
            continue;
        }
        uploads[(*count)++] = refresh(service, catalog->archives[i], paths);
    }
    return uploads;
}

struct keys {
    struct pose_buffer list;
    bool failed;
};

static void keep_key(void *user, const struct catalog_key *key)
{
    struct keys *keys = user;
    keys->failed |= !pose_buffer_append(&keys->list, key, sizeof *key);
}

void service_settle_paths(struct service *service, struct catalog *draft)
{
    struct rows *rows = atomic_load(&service->rows);
    struct keys keys = {.failed = false};
    if (!service->memo || !rows)
        return;
    rows_each_shared(rows, keep_key, &keys);
    /* What is not said to be whole is looked up. */
    if (!keys.failed)
        catalog_set_paths_whole(draft, service->current,
                                (const struct catalog_key *)(const void *)keys.list.data,
                                keys.list.size / sizeof(struct catalog_key));
    pose_buffer_free(&keys.list);
}

struct holding {
    struct rows *rows;
    struct keys keys; /* of all that uploads hold, sorted, if many are asked for */
    bool is_listed;
};

static int compare_keys(const void *a, const void *b)
{
    const struct catalog_key *x = a, *y = b;
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    return id_compare(&x->id, &y->id);
}

static bool is_held(void *user, const struct catalog_key *key)
{
    const struct holding *holding = user;
    const struct pose_buffer *list = &holding->keys.list;
    struct asset_id ignored;
    if (holding->keys.failed)
        return true; /* what is not said to be whole is looked up */
    if (!holding->is_listed)
        return rows_holders(holding->rows, key->kind, &key->id, &ignored, 1) > 0;
    return list->size && bsearch(key, list->data, list->size / sizeof *key, sizeof *key, compare_keys);
}

/* Says of the new items of a draft whether they are whole. */
static void settle_new(const struct service *service, struct catalog *draft)
{
    enum { MANY = 100 };
    const struct catalog *before = service->current;
    struct holding holding = {.rows = atomic_load(&service->rows)};
    uint64_t count = 0;
    if (!service->memo || !holding.rows)
        return;
    for (int kind = 0; kind < ASSET_KIND_COUNT; kind++)
        count += draft->lists[kind].count - before->lists[kind].count;
    if (count > MANY) {
        struct pose_buffer *list = &holding.keys.list;
        holding.is_listed = true;
        rows_each_shared(holding.rows, keep_key, &holding.keys);
        if (list->size)
            qsort(list->data, list->size / sizeof(struct catalog_key), sizeof(struct catalog_key),
                  compare_keys);
    }
    catalog_set_new_whole(draft, before, is_held, &holding);
    pose_buffer_free(&holding.keys.list);
}

/* Whether an upload at hand depends on what is beside it. */
static bool has_dependent(const struct catalog *catalog)
{
    bool any = false;
    for (uint32_t i = catalog->path_count; i < catalog->archive_count && !any; i++)
        any = tables_has_archive(catalog, i) && index_wants_companions(catalog->archives[i]);
    return any;
}

/* A draft with the new contents of the PATHs. If little has changed, at the cost of that. NULL if out of memory. */
static struct catalog *draft_paths(struct service *service, const struct index_neighbours *paths,
                                   bool *is_small)
{
    struct catalog *draft = has_dependent(service->current)
                                ? NULL
                                : catalog_change_paths(service->current, paths->archives, paths->count);
    *is_small = draft;
    if (draft)
        return draft;
    uint32_t count;
    struct index_archive **uploads = refresh_uploads(service, paths, &count);
    if (!uploads)
        return NULL;
    draft = service_draft(service, paths, uploads, count);
    for (uint32_t i = 0; i < count; i++)
        index_archive_unref(uploads[i]);
    free(uploads);
    return draft;
}

/* Publishes the new contents of the PATHs, followed by the uploads; false if out of memory. */
static bool join_uploads(struct service *service, const struct index_result *paths)
{
    struct index_neighbours neighbours = {paths->archives, paths->count};
    bool is_small;
    if (service->current->generation && id_equal(&service->current->context, &paths->context) &&
        catalog_has_paths(service->current, paths->archives, paths->count))
        return true;
    struct catalog *draft = draft_paths(service, &neighbours, &is_small);
    struct rows *rows = atomic_load(&service->rows);
    if (!draft)
        return false;
    draft->context = paths->context;
    if (rows)
        rows_change(rows, service->current, draft);
    if (service->memo && service->refresh_uploads)
        service->refresh_uploads(service, draft);
    if (is_small)
        settle_new(service, draft);
    else
        service_settle_paths(service, draft);
    service_publish(service, draft);
    refresh_waiting(service, &neighbours);
    return true;
}

/* Loops that have nothing to do let go of a snapshot of an earlier time, which would keep what it has from being freed. */
static void sweep_slots(struct service *service)
{
    const uint64_t generation = atomic_load_explicit(&service->generation, memory_order_acquire);
    for (unsigned i = 0; i < SERVICE_LOOPS; i++) {
        struct catalog_slot *slot = &service->slots[i];
        struct catalog *old = NULL;
        int expected = SLOT_FREE;
        if (!atomic_compare_exchange_strong_explicit(&slot->use, &expected, SLOT_SWEPT, memory_order_acquire,
                                                     memory_order_relaxed))
            continue;
        if (slot->catalog && slot->catalog->generation != generation) {
            old = slot->catalog;
            slot->catalog = NULL;
        }
        atomic_store_explicit(&slot->use, SLOT_FREE, memory_order_release);
        catalog_unref(old);
    }
}

bool service_index(struct service *service, bool *unsettled, struct pose_error *error)
{
    return service_index_changed(service, NULL, unsettled, error);
}

bool service_index_changed(struct service *service, const struct index_changes *changes, bool *unsettled,
                           struct pose_error *error)
{
    struct index_result result;
    const char *const *paths = (const char *const *)service->config->paths.items;
    bool again = atomic_load(&service->generation) > 0;
    if (!index_paths_changed(paths, service->config->paths.count, &service->index_options,
                             again ? &service->index : NULL, changes, &result, error))
        return false;
    *unsettled = result.unsettled.count;
    pthread_mutex_lock(&service->write_lock);
    bool joined = join_uploads(service, &result);
    pthread_mutex_unlock(&service->write_lock);
    service_trim(service);
    sweep_slots(service);
    if (!joined) {
        index_release(&result);
        pose_error_init(error);
        return error_no_memory(error);
    }
    index_release(&service->index);
    service->index = result;
    spill_rest();
    if (atomic_exchange(&service->paths_over_limit, result.over_count) < result.over_count)
        log_message(LOG_WARNING, "%s", PATHS_OVER_LIMIT);
    return true;
}

/*
 * Rows of all that there is take seconds for a large folder, so they are made of a snapshot, without the write lock: whoever
 * changes something meanwhile need not wait. What has changed by then is added with the lock held. NULL if out of memory.
 */
static struct rows *make_rows(struct service *service)
{
    char *path = service->config->data ? path_join(service->config->data, "lists.db") : NULL;
    struct rows *rows = rows_open(path);
    free(path);
    if (!rows)
        return NULL;
    struct catalog *made = service->memo ? NULL : service_hold(service);
    if (made)
        rows_change(rows, NULL, made);
    pthread_mutex_lock(&service->write_lock);
    if (!made) /* by who loads the uploads, see there */
        rows_be_partial(rows, service->uploads);
    else if (made != service->current)
        rows_change(rows, made, service->current);
    atomic_store(&service->rows, rows);
    pthread_mutex_unlock(&service->write_lock);
    catalog_unref(made);
    return rows;
}

struct rows *service_rows(struct service *service)
{
    struct rows *rows = atomic_load(&service->rows);
    if (rows)
        return rows;
    pthread_mutex_lock(&service->rows_lock);
    rows = atomic_load(&service->rows);
    if (!rows)
        rows = make_rows(service);
    pthread_mutex_unlock(&service->rows_lock);
    return rows;
}

struct index_options service_request_options(const struct service *service)
{
    struct index_options options = service->index_options;
    options.pose.is_common_only = true;
    options.pose.allocator = &effort_allocator;
    options.effort = effort_here();
    options.pose.stop = options.effort ? &options.effort->stop : NULL;
    return options;
}

struct catalog *service_hold(struct service *service)
{
    pthread_mutex_lock(&service->lock);
    struct catalog *catalog = service->current;
    catalog_ref(catalog);
    pthread_mutex_unlock(&service->lock);
    return catalog;
}

struct catalog *service_enter(struct service *service, bool on_loop, unsigned loop)
{
    if (!on_loop)
        return service_hold(service);
    struct catalog_slot *slot = &service->slots[loop];
    int expected = SLOT_FREE;
    while (!atomic_compare_exchange_weak_explicit(&slot->use, &expected, SLOT_USED, memory_order_acquire,
                                                  memory_order_relaxed))
        expected = SLOT_FREE; /* it is swept: a few instructions */
    uint64_t generation = atomic_load_explicit(&service->generation, memory_order_acquire);
    if (!slot->catalog || slot->catalog->generation != generation) {
        catalog_unref(slot->catalog);
        slot->catalog = service_hold(service);
    }
    return slot->catalog;
}

void service_leave(struct service *service, struct catalog *catalog, bool on_loop)
{
    (void)service;
    if (!on_loop)
        catalog_unref(catalog);
}

void service_leave_loop(struct service *service, unsigned loop)
{
    atomic_store_explicit(&service->slots[loop].use, SLOT_FREE, memory_order_release);
}

/* Takes out of a list of archives what somebody who fetches needs, or it would leave as soon as it is there. How many are
 * left. */
static uint32_t without_needed(const struct service *service, uint32_t *archives, uint32_t count)
{
    const struct catalog *catalog = service->current;
    bool *is_needed = count && service->fetches ? try_alloc(catalog->archive_count, sizeof *is_needed) : NULL;
    uint32_t kept = 0, index;
    if (!is_needed)
        return service->fetches ? 0 : count;
    for (const struct service_fetch *fetch = service->fetches; fetch; fetch = fetch->next) {
        for (size_t at = 0; at < fetch->needed.size; at += sizeof(struct asset_id)) {
            struct asset_id id;
            memcpy(&id, fetch->needed.data + at, sizeof id);
            if (catalog_has_archive(catalog, &id, &index))
                is_needed[index] = true;
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        if (!is_needed[archives[i]])
            archives[kept++] = archives[i];
    }
    free(is_needed);
    return kept;
}

void service_trim(struct service *service)
{
    const uint64_t most = service->config->catalog_cache;
    if (!service->memo || index_weights().bytes <= most || pthread_mutex_trylock(&service->write_lock))
        return;
    /* Some at once, but not so many that freeing them takes long: a loop may have to. */
    uint32_t count = 0;
    uint32_t *leaving = catalog_held(service->current) > most
                            ? catalog_leave(service->current, most - most / 32, &count)
                            : NULL;
    count = without_needed(service, leaving, count);
    struct catalog *draft = count ? catalog_remove_all(service->current, leaving, count) : NULL;
    if (draft) {
        service_publish(service, draft);
        atomic_fetch_add(&service->left, count);
    }
    free(leaving);
    pthread_mutex_unlock(&service->write_lock);
    sweep_slots(service);
}
