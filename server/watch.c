#include "server/watch.h"

#include "server/log.h"

#include <libgen.h>
#include <stdlib.h>
#include <string.h>

/* After a change the index waits for quiet, so that a copy of many files is one new catalogue. */
enum { QUIET_MS = 100, SLOWEST_MS = 600, FALLBACK_MS = 2000 };

struct watched {
    uv_fs_event_t event; /* first: closed by its handle */
    char *path;
    bool open;
};

struct watch {
    struct service *service;
    uv_loop_t *loop;
    uv_timer_t timer;
    uv_work_t work;
    struct watched **places;
    size_t count;
    uint64_t first_change_ms; /* of those not indexed yet, 0: none */
    bool working, again, stopped, unsettled;
    bool blind; /* a folder could not be watched: look again every now and then */
};

static void schedule(struct watch *watch);

static void on_closed(uv_handle_t *handle)
{
    struct watched *watched = (struct watched *)handle;
    free(watched->path);
    free(watched);
}

static void close_places(struct watch *watch)
{
    for (size_t i = 0; i < watch->count; i++)
        uv_close((uv_handle_t *)&watch->places[i]->event, on_closed);
    free(watch->places);
    watch->places = NULL;
    watch->count = 0;
}

static void on_change(uv_fs_event_t *event, const char *name, int events, int status)
{
    (void)name;
    (void)events;
    (void)status;
    struct watch *watch = event->data;
    if (!watch->first_change_ms)
        watch->first_change_ms = clock_ms();
    schedule(watch);
}

static void add_place(struct watch *watch, const char *path)
{
    for (size_t i = 0; i < watch->count; i++) {
        if (!strcmp(watch->places[i]->path, path))
            return;
    }
    struct watched *watched = must_alloc(1, sizeof *watched);
    watched->path = strdup(path);
    watched->event.data = watch;
    watch->places = must_grow(watch->places, watch->count + 1, sizeof(struct watched *));
    watch->places[watch->count++] = watched;
    uv_fs_event_init(watch->loop, &watched->event);
    watched->event.data = watch;
    if (uv_fs_event_start(&watched->event, on_change, path, 0))
        watch->blind = true;
}

/* Folders themselves, and the folder of each file that was given alone: a replaced file is another inode. */
static void watch_places(struct watch *watch)
{
    const struct index_result *index = &watch->service->index;
    watch->blind = false;
    for (uint32_t i = 0; i < index->directory_count; i++)
        add_place(watch, index->directories[i]);
    const struct operands *paths = &watch->service->config->paths;
    for (size_t i = 0; i < paths->count; i++) {
        char *copy = strdup(paths->items[i]);
        if (copy)
            add_place(watch, dirname(copy));
        free(copy);
    }
}

static void run_index(uv_work_t *work)
{
    struct watch *watch = work->data;
    struct pose_error error;
    bool unsettled = false;
    pose_error_init(&error);
    if (!service_index(watch->service, &unsettled, &error)) {
        log_message(LOG_WARNING, "kept the catalogue as it was: %s", error.detail);
        unsettled = true;
    }
    watch->unsettled = unsettled;
}

static void on_indexed(uv_work_t *work, int status)
{
    (void)status;
    struct watch *watch = work->data;
    watch->working = false;
    if (watch->stopped)
        return;
    close_places(watch);
    watch_places(watch);
    if (watch->again || watch->unsettled) {
        watch->again = false;
        watch->first_change_ms = clock_ms();
    }
    schedule(watch);
}

static void on_timer(uv_timer_t *timer)
{
    struct watch *watch = timer->data;
    if (watch->stopped)
        return;
    if (watch->working) {
        watch->again = true;
        return;
    }
    watch->first_change_ms = 0;
    watch->working = true;
    watch->work.data = watch;
    if (uv_queue_work(watch->loop, &watch->work, run_index, on_indexed)) {
        watch->working = false;
        schedule(watch);
    }
}

static void schedule(struct watch *watch)
{
    if (watch->stopped)
        return;
    if (watch->first_change_ms) {
        uint64_t waited = clock_ms() - watch->first_change_ms;
        uint64_t delay = watch->unsettled ? INDEX_SETTLE_MS : QUIET_MS;
        if (waited + delay > SLOWEST_MS)
            delay = waited < SLOWEST_MS ? SLOWEST_MS - waited : 0;
        uv_timer_start(&watch->timer, on_timer, delay, 0);
    } else if (watch->blind) {
        uv_timer_start(&watch->timer, on_timer, FALLBACK_MS, 0);
    }
}

struct watch *watch_start(uv_loop_t *loop, struct service *service)
{
    struct watch *watch = must_alloc(1, sizeof *watch);
    watch->service = service;
    watch->loop = loop;
    uv_timer_init(loop, &watch->timer);
    watch->timer.data = watch;
    watch_places(watch);
    schedule(watch);
    return watch;
}

void watch_stop(struct watch *watch)
{
    if (watch->stopped)
        return;
    watch->stopped = true;
    uv_timer_stop(&watch->timer);
    uv_close((uv_handle_t *)&watch->timer, NULL);
    close_places(watch);
}

void watch_free(struct watch *watch)
{
    free(watch);
}
