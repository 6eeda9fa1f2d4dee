#include "server/service.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

double clock_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

uint64_t clock_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static void collect(void *user, struct metrics_gauges *gauges)
{
    struct service *service = user;
    if (service->gauges)
        service->gauges(service->gauges_user, gauges);
    struct catalog *catalog = service_enter(service, false, 0);
    for (int kind = 0; kind < ASSET_KIND_COUNT; kind++)
        gauges->assets[kind] = catalog->lists[kind].count;
    service_leave(service, catalog, false);
}

/* Encoded answers get a tenth of what decoded clips get. */
static uint64_t reply_cache_size(const struct config *config)
{
    return config->cache_size / 10;
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
    metrics_add_cache(service->metrics, service->clips);
    metrics_add_cache(service->metrics, service->replies);
    service->index_options = (struct index_options){
        .threads = (unsigned)config->threads,
        .max_entries = (uint32_t)config->max_entries,
    };
    service->index_options.pose.limits = (struct pose_limits){
        .entries = (uint32_t)config->max_entries,
        .unpacked = config->max_unpacked,
        .ratio = (uint32_t)config->max_ratio,
    };
    service->shipped = shipped_skeletons(&service->shipped_count);
    pthread_mutex_init(&service->lock, NULL);
    service->current = catalog_new(NULL, 0, 0, 0, service->shipped, service->shipped_count);
    return service;
}

void service_free(struct service *service)
{
    for (unsigned i = 0; i < SERVICE_LOOPS; i++)
        catalog_unref(service->slots[i].catalog);
    catalog_unref(service->current);
    cache_free(service->clips);
    cache_free(service->replies);
    metrics_free(service->metrics);
    index_release(&service->index);
    pthread_mutex_destroy(&service->lock);
    free(service);
}

static void swap_catalog(struct service *service, struct catalog *catalog)
{
    pthread_mutex_lock(&service->lock);
    struct catalog *old = service->current;
    service->current = catalog;
    atomic_store_explicit(&service->generation, catalog->generation, memory_order_release);
    pthread_mutex_unlock(&service->lock);
    catalog_unref(old);
}

bool service_index(struct service *service, bool *unsettled, struct pose_error *error)
{
    struct index_result result;
    const char *const *paths = (const char *const *)service->config->paths.items;
    bool again = atomic_load(&service->generation) > 0;
    if (!index_paths(paths, service->config->paths.count, &service->index_options,
                     again ? &service->index : NULL, &result, error))
        return false;
    *unsettled = result.unsettled;
    struct catalog *catalog =
        catalog_new(result.archives, result.count, result.count, atomic_load(&service->generation) + 1,
                    service->shipped, service->shipped_count);
    index_release(&service->index);
    service->index = result;
    swap_catalog(service, catalog);
    return true;
}

static struct catalog *hold_current(struct service *service)
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
        return hold_current(service);
    struct catalog_slot *slot = &service->slots[loop];
    uint64_t generation = atomic_load_explicit(&service->generation, memory_order_acquire);
    if (!slot->catalog || slot->catalog->generation != generation) {
        catalog_unref(slot->catalog);
        slot->catalog = hold_current(service);
    }
    return slot->catalog;
}

void service_leave(struct service *service, struct catalog *catalog, bool on_loop)
{
    (void)service;
    if (!on_loop)
        catalog_unref(catalog);
}
