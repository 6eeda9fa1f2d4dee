#include "server/library/waiting.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { VIEWS = 4, MAX_NAME = 65 };

struct view {
    bool is_used, sees_all;
    char name[MAX_NAME];
    uint64_t version, generation; /* of what waits, and of the published catalogue */
    uint64_t used;                /* when */
    struct catalog *catalog;      /* NULL: nothing of theirs waits */
};

struct waiting {
    pthread_mutex_t lock; /* guards the list */
    atomic_uint count;
    uint32_t capacity;
    struct index_archive **archives;
    uint64_t version;

    pthread_mutex_t view_lock; /* guards the views; taken before the other */
    struct view views[VIEWS];
    uint64_t uses;
};

struct waiting *waiting_new(void)
{
    struct waiting *waiting = must_alloc(1, sizeof *waiting);
    pthread_mutex_init(&waiting->lock, NULL);
    pthread_mutex_init(&waiting->view_lock, NULL);
    return waiting;
}

void waiting_free(struct waiting *waiting)
{
    if (!waiting)
        return;
    for (int i = 0; i < VIEWS; i++)
        catalog_unref(waiting->views[i].catalog);
    for (uint32_t i = 0; i < waiting->count; i++)
        index_archive_unref(waiting->archives[i]);
    free(waiting->archives);
    pthread_mutex_destroy(&waiting->lock);
    pthread_mutex_destroy(&waiting->view_lock);
    free(waiting);
}

uint32_t waiting_count(const struct waiting *waiting)
{
    return atomic_load_explicit(&waiting->count, memory_order_acquire);
}

/* ------------------------------------------------------------------------------------------------ changing -- */

bool waiting_reserve(struct waiting *waiting)
{
    bool done = true;
    pthread_mutex_lock(&waiting->lock);
    if (waiting->count == waiting->capacity) {
        uint32_t capacity = waiting->capacity ? waiting->capacity * 2 : 16;
        struct index_archive **larger = reallocarray(waiting->archives, capacity, sizeof *larger);
        done = larger;
        waiting->archives = larger ? larger : waiting->archives;
        waiting->capacity = larger ? capacity : waiting->capacity;
    }
    pthread_mutex_unlock(&waiting->lock);
    return done;
}

void waiting_add(struct waiting *waiting, struct index_archive *archive)
{
    pthread_mutex_lock(&waiting->lock);
    const uint32_t count = waiting->count;
    index_archive_ref(archive);
    waiting->archives[count] = archive;
    atomic_store_explicit(&waiting->count, count + 1, memory_order_release);
    waiting->version++;
    pthread_mutex_unlock(&waiting->lock);
}

void waiting_remove(struct waiting *waiting, const struct index_archive *archive)
{
    struct index_archive *found = NULL;
    pthread_mutex_lock(&waiting->lock);
    uint32_t count = waiting->count, kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (waiting->archives[i] == archive)
            found = waiting->archives[i];
        else
            waiting->archives[kept++] = waiting->archives[i];
    }
    atomic_store_explicit(&waiting->count, kept, memory_order_release);
    waiting->version++;
    pthread_mutex_unlock(&waiting->lock);
    if (found)
        index_archive_unref(found);
}

struct index_archive *waiting_find(const struct waiting *waiting, const struct asset_id *id)
{
    for (uint32_t i = 0; i < waiting->count; i++) {
        if (id_equal(&waiting->archives[i]->id, id))
            return waiting->archives[i];
    }
    return NULL;
}

struct index_archive **waiting_archives(struct waiting *waiting, uint32_t *count)
{
    *count = waiting->count;
    return waiting->archives;
}

void waiting_replace(struct waiting *waiting, struct index_archive *const *archives)
{
    pthread_mutex_lock(&waiting->lock);
    for (uint32_t i = 0; i < waiting->count; i++) {
        index_archive_unref(waiting->archives[i]);
        waiting->archives[i] = archives[i];
    }
    waiting->version++;
    pthread_mutex_unlock(&waiting->lock);
}

/* --------------------------------------------------------------------------------------------------- views -- */

static bool is_whose(const struct index_archive *archive, const char *name)
{
    return !name || (archive->uploader && !strcmp(archive->uploader, name));
}

/* Those of that name, referenced, from malloc; NULL if out of memory. */
static struct index_archive **gather(struct waiting *waiting, const char *name, uint64_t *version,
                                     uint32_t *count)
{
    pthread_mutex_lock(&waiting->lock);
    struct index_archive **all = try_alloc((size_t)waiting->count + 1, sizeof(struct index_archive *));
    *version = waiting->version;
    *count = 0;
    for (uint32_t i = 0; all && i < waiting->count; i++) {
        if (is_whose(waiting->archives[i], name)) {
            index_archive_ref(waiting->archives[i]);
            all[(*count)++] = waiting->archives[i];
        }
    }
    pthread_mutex_unlock(&waiting->lock);
    return all;
}

/* Fills in catalog and version; false if out of memory. */
static bool build(struct waiting *waiting, const struct catalog *published, const char *name,
                  struct view *view)
{
    uint32_t count;
    struct index_archive **all = gather(waiting, name, &view->version, &count);
    if (!all)
        return false;
    view->catalog = count ? catalog_with(published, all, count) : NULL;
    view->generation = published->generation;
    for (uint32_t i = 0; i < count; i++)
        index_archive_unref(all[i]);
    if (view->catalog)
        view->catalog->digest =
            id_quick(&view->catalog->digest, &view->version, sizeof view->version); /* states change too */
    free(all);
    return view->catalog || !count;
}

/* The slot of that name, or the one that was not used for longest. */
static struct view *slot_of(struct waiting *waiting, const char *name)
{
    struct view *oldest = &waiting->views[0];
    for (int i = 0; i < VIEWS; i++) {
        struct view *view = &waiting->views[i];
        if (view->is_used && view->sees_all == !name && !strcmp(view->name, name ? name : ""))
            return view;
        if (view->used < oldest->used)
            oldest = view;
    }
    catalog_unref(oldest->catalog);
    *oldest = (struct view){.is_used = true, .sees_all = !name, .generation = UINT64_MAX};
    strncpy(oldest->name, name ? name : "", sizeof oldest->name - 1);
    return oldest;
}

static bool is_current(struct waiting *waiting, const struct view *view, const struct catalog *published)
{
    pthread_mutex_lock(&waiting->lock);
    bool same = view->version == waiting->version;
    pthread_mutex_unlock(&waiting->lock);
    return same && view->generation == published->generation;
}

/* Called with the lock of the views held. */
static enum waiting_answer get(struct waiting *waiting, const struct catalog *published, const char *name,
                               bool may_build, struct catalog **result)
{
    struct view *view = slot_of(waiting, name);
    if (!is_current(waiting, view, published)) {
        if (!may_build)
            return WAITING_MUST_WAIT;
        catalog_unref(view->catalog);
        view->catalog = NULL;
        view->generation = UINT64_MAX;
        if (!build(waiting, published, name, view))
            return WAITING_NO_MEMORY;
    }
    view->used = ++waiting->uses;
    if (!view->catalog)
        return WAITING_NONE;
    catalog_ref(view->catalog);
    *result = view->catalog;
    return WAITING_VIEW;
}

enum waiting_answer waiting_view(struct waiting *waiting, const struct catalog *published, const char *name,
                                 bool may_build, struct catalog **view)
{
    if (!may_build && pthread_mutex_trylock(&waiting->view_lock))
        return WAITING_MUST_WAIT;
    if (may_build)
        pthread_mutex_lock(&waiting->view_lock);
    enum waiting_answer answer = get(waiting, published, name, may_build, view);
    pthread_mutex_unlock(&waiting->view_lock);
    return answer;
}
