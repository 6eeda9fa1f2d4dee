#include "server/daemon/watch.h"

#include "server/daemon/way.h"
#include "server/ops/clock.h"
#include "server/ops/files.h"
#include "server/ops/log.h"
#include "server/ops/region.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* After a change, indexing waits until no more follow, so that copying many files results in one new
 * catalogue. A file that changed less than INDEX_SETTLE_MS ago waits for the next run, so all of it takes less than a
 * second. */
enum { QUIET_MS = 100, SLOWEST_MS = 300, FALLBACK_MS = 2000 };

/* If so many events come before they are looked at, the system may have dropped some (max_queued_events): everything is
 * looked at. */
enum { MANY_EVENTS = 4096 };

struct watched {
    uv_fs_event_t event; /* must be first: freed through its handle */
    char *path;
    char *name; /* in the folder: a PATH leads through it; NULL: an indexed folder, where every name counts */
    uint64_t inode;
    bool kept; /* used while watch_places runs */
};

struct watch {
    struct service *service;
    uv_loop_t *loop;
    uv_timer_t timer;
    uv_work_t work;
    struct watched **places;
    size_t count;
    uint64_t first_change_ms;              /* time of the first change not indexed yet, 0: none */
    struct index_changes changes, running; /* what has changed; what the current run looks at */
    unsigned event_count, most_events;
    bool is_unknown, runs_unknown; /* anything may have changed */
    bool working, again, stopped, unsettled;
    bool failed; /* the last indexing run */
    uint32_t lost_count;
    struct {
        bool failed, unsettled, has_moved;
        uint32_t lost_count;
    } outcome;             /* of the current indexing run: owned by its thread until on_indexed */
    bool blind;            /* a folder could not be watched: poll instead */
    bool needs_neighbours; /* of the current index, since a thread may be making another one */
};

static void schedule(struct watch *watch);

static void on_closed(uv_handle_t *handle)
{
    struct watched *watched = (struct watched *)handle;
    free(watched->path);
    free(watched->name);
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

/* Whether a PATH is a single file that needs companions, which may be any file of its folder. */
static bool needs_neighbours(const struct watch *watch)
{
    const struct index_result *index = &watch->service->index;
    for (uint32_t i = 0; i < index->count; i++) {
        const struct index_archive *archive = index->archives[i];
        if (!strcmp(archive->format, "file") && archive->entry_count && archive->entries[0]->wants_companions)
            return true;
    }
    return false;
}

/* Notes that something at a path has changed. */
static void note_change(struct watch *watch, const char *path)
{
    struct index_changes *changes = &watch->changes;
    watch->event_count++;
    /* A file that is written makes many events one after the other. */
    if (changes->count && !strcmp(changes->paths[changes->count - 1], path))
        return;
    if (watch->event_count > watch->most_events || !index_changes_add(changes, path))
        watch->is_unknown = true;
    if (watch->is_unknown)
        index_changes_release(changes);
}

/* Whether an event is about the folder itself. */
static bool is_of_itself(const char *path, const char *name)
{
    size_t length;
    const char *base = path_base(path, &length);
    return strlen(name) == length && !memcmp(base, name, length);
}

static void on_change(uv_fs_event_t *event, const char *name, int events, int status)
{
    (void)events;
    struct watch *watch = event->data;
    const struct watched *watched = (const struct watched *)event;
    if (watched->name && name && strcmp(watched->name, name) && !watch->needs_neighbours)
        return;
    if (watched->name || !name || status || watch->needs_neighbours || is_of_itself(watched->path, name)) {
        watch->is_unknown = true;
    } else if (*name != '.') {
        char *path = path_join(watched->path, name);
        note_change(watch, path);
        free(path);
    } else {
        return;
    }
    if (!watch->first_change_ms)
        watch->first_change_ms = clock_ms();
    schedule(watch);
}

static int compare_places(const void *a, const void *b)
{
    const struct watched *x = *(struct watched *const *)a, *y = *(struct watched *const *)b;
    int order = strcmp(x->path, y->path);
    return order ? order : strcmp(x->name ? x->name : "", y->name ? y->name : "");
}

static char *copy_text(const char *text)
{
    size_t size = strlen(text) + 1;
    return memcpy(must_alloc(size, 1), text, size);
}

static struct watched *new_place(const char *path, const char *name)
{
    struct file_stamp stamp = {0};
    bool is_directory;
    struct watched *watched = must_alloc(1, sizeof *watched);
    watched->path = copy_text(path);
    watched->name = name ? copy_text(name) : NULL;
    file_stat(path, &stamp, &is_directory);
    watched->inode = stamp.inode;
    return watched;
}

struct places {
    struct watched **items;
    size_t count;
};

static void add_step(void *user, const char *folder, const char *name)
{
    struct places *places = user;
    places->items = must_grow(places->items, places->count + 1, sizeof(struct watched *));
    places->items[places->count++] = new_place(folder, name);
}

/* The indexed folders, and what leads to each PATH, since a replaced file or link is another inode. Sorted, without
 * duplicates. NULL if out of memory. */
static struct watched **list_places(const struct watch *watch, size_t *count)
{
    const struct index_result *index = &watch->service->index;
    const struct operands *paths = &watch->service->config->paths;
    struct places places = {
        .items = try_alloc(index->directories ? index->directories->count : 0, sizeof(struct watched *))};
    if (!places.items)
        return NULL;
    for (uint32_t i = 0; index->directories && i < index->directories->count; i++)
        places.items[places.count++] = new_place(index->directories->paths[i], NULL);
    for (size_t i = 0; i < paths->count; i++)
        way_walk(paths->items[i], add_step, &places);
    if (places.count)
        qsort(places.items, places.count, sizeof(struct watched *), compare_places);
    *count = 0;
    for (size_t i = 0; i < places.count; i++) {
        if (*count && !compare_places(&places.items[*count - 1], &places.items[i]))
            on_closed((uv_handle_t *)&places.items[i]->event);
        else
            places.items[(*count)++] = places.items[i];
    }
    return places.items;
}

/* The watched place with that path and inode, or NULL. */
static struct watched *find_place(const struct watch *watch, struct watched *wanted)
{
    struct watched **found =
        watch->count ? bsearch(&wanted, watch->places, watch->count, sizeof(struct watched *), compare_places)
                     : NULL;
    return found && (*found)->inode == wanted->inode ? *found : NULL;
}

/*
 * Watches the places of the new index. Unchanged places keep their handles, so that no change is missed. True if
 * there are new places: changes there before they were watched still need to be indexed.
 */
static bool watch_places(struct watch *watch)
{
    size_t count;
    struct watched **places = list_places(watch, &count);
    bool is_new = false;
    watch->blind = !places;
    if (!places)
        return false;
    watch->needs_neighbours = needs_neighbours(watch);
    for (size_t i = 0; i < count; i++) {
        struct watched *known = find_place(watch, places[i]);
        if (known) {
            on_closed((uv_handle_t *)&places[i]->event);
            known->kept = true;
            places[i] = known;
            continue;
        }
        places[i]->kept = is_new = true;
        if (places[i]->name)
            watch->is_unknown = true;
        else
            note_change(watch, places[i]->path);
        uv_fs_event_init(watch->loop, &places[i]->event);
        places[i]->event.data = watch;
        if (uv_fs_event_start(&places[i]->event, on_change, places[i]->path, 0))
            watch->blind = true;
    }
    for (size_t i = 0; i < watch->count; i++) {
        if (!watch->places[i]->kept)
            uv_close((uv_handle_t *)&watch->places[i]->event, on_closed);
    }
    free(watch->places);
    watch->places = places;
    watch->count = count;
    for (size_t i = 0; i < count; i++)
        places[i]->kept = false;
    return is_new;
}

static void run_index(uv_work_t *work)
{
    struct watch *watch = work->data;
    struct pose_error error;
    bool unsettled = false;
    pose_error_init(&error);
    const struct index_directories *before = watch->service->index.directories;
    bool done = service_index_changed(watch->service, watch->runs_unknown ? NULL : &watch->running,
                                      &unsettled, &error);
    /* One that is another since has an address of its own: the former is kept until the run is over. */
    watch->outcome.has_moved = watch->runs_unknown || !done || watch->service->index.directories != before;
    if (!done && !watch->failed)
        log_message(LOG_WARNING, "kept the catalogue as it was: %s", error.detail);
    if (watch->service->index.lost_count > watch->lost_count)
        log_message(LOG_WARNING, "a PATH is gone, and with it what it held");
    watch->outcome.failed = !done;
    watch->outcome.lost_count = watch->service->index.lost_count;
    watch->outcome.unsettled = unsettled;
}

static void on_indexed(uv_work_t *work, int status)
{
    (void)status;
    struct watch *watch = work->data;
    watch->working = false;
    watch->failed = watch->outcome.failed;
    watch->unsettled = watch->outcome.unsettled;
    watch->lost_count = watch->outcome.lost_count;
    if (watch->stopped)
        return;
    bool is_new = watch->outcome.has_moved && watch_places(watch);
    index_changes_release(&watch->running);
    watch->is_unknown |= watch->failed;
    if (watch->again || watch->unsettled || is_new) {
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
    /* The fall-back is asked for by nobody. */
    watch->runs_unknown = watch->is_unknown || watch->blind;
    watch->running = watch->changes;
    watch->changes = (struct index_changes){0};
    watch->is_unknown = false;
    watch->event_count = 0;
    if (uv_queue_work(watch->loop, &watch->work, run_index, on_indexed)) {
        watch->working = false;
        watch->is_unknown = true;
        index_changes_release(&watch->running);
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
    } else if (watch->blind || watch->failed) {
        uv_timer_start(&watch->timer, on_timer, FALLBACK_MS, 0);
    }
}

/* How many events can be trusted to be all. */
static unsigned most_events(void)
{
    FILE *file = fopen("/proc/sys/fs/inotify/max_queued_events", "re");
    unsigned queued = 0;
    if (file && fscanf(file, "%u", &queued) != 1)
        queued = 0;
    if (file)
        fclose(file);
    return queued / 2 < MANY_EVENTS ? queued / 2 : MANY_EVENTS;
}

struct watch *watch_start(uv_loop_t *loop, struct service *service)
{
    struct watch *watch = must_alloc(1, sizeof *watch);
    watch->service = service;
    watch->loop = loop;
    watch->most_events = most_events();
    uv_timer_init(loop, &watch->timer);
    watch->timer.data = watch;
    if (watch_places(watch))
        watch->first_change_ms = clock_ms(); /* since indexing */
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

void watch_finish(struct watch *watch)
{
    watch_stop(watch);
    if (watch->working)
        uv_cancel((uv_req_t *)&watch->work); /* unless it is running already */
    while (watch->working)
        uv_run(watch->loop, UV_RUN_ONCE);
}

void watch_free(struct watch *watch)
{
    index_changes_release(&watch->changes);
    index_changes_release(&watch->running);
    free(watch);
}
