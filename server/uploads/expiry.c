#include "server/uploads/expiry.h"

#include "server/ops/clock.h"
#include "server/ops/log.h"
#include "server/uploads/lacking.h"
#include "server/uploads/uploads.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

struct expiry {
    struct service *service;
    pthread_t thread;
    atomic_bool stopping;
};

static int64_t now_ms(void)
{
    return clock_wall_ns() / 1000000;
}

enum { AGAIN_MS = 60000 };

/* An upload that has expired; false: none has, and next becomes the time at which the next one will. */
static bool find_any_due(struct service *service, int64_t now, int64_t *next, struct asset_id *id)
{
    struct store_error error;
    int64_t expires;
    bool is_there;
    if (!store_next_due(service->store, id, &expires, &is_there, &error)) {
        *next = now + AGAIN_MS;
        return false;
    }
    if (is_there && expires <= now)
        return true;
    *next = is_there ? expires : INT64_MAX;
    return false;
}

/* Removes one that is due; false: none is, or it fails, and next becomes the time to look again. Where others share the
 * list one of them is faster. last: the one before, which does not come again unless it stays. */
static bool remove_next(struct service *service, int64_t now, int64_t *next, struct asset_id *last)
{
    struct store_error error;
    struct asset_id id;
    char text[ID_TEXT];
    if (!find_any_due(service, now, next, &id))
        return false;
    id_write(&id, text);
    if (id_equal(&id, last)) {
        log_message(LOG_WARNING, "the upload %s has expired but is still in the catalogue", text);
        *next = now + AGAIN_MS;
        return false;
    }
    *last = id;
    const bool is_ours = upload_remove(service, &id, NULL, &error);
    if (is_ours)
        log_message(LOG_INFO, "the upload %s has expired and is removed", text);
    if (is_ours || error.status == STORE_MISSING)
        return true;
    log_message(LOG_WARNING, "the upload %s has expired but cannot be removed: %s", text, error.detail);
    *next = now + AGAIN_MS;
    return false;
}

/* Removes what is due without the lock: a store far away may take its time. What is uploaded meanwhile sets the time to look
 * again as well. */
static void remove_due(struct expiry *expiry)
{
    struct service *service = expiry->service;
    struct asset_id last = {0};
    const int64_t now = now_ms();
    int64_t next = INT64_MAX;
    service->next_expiry_ms = INT64_MAX;
    pthread_mutex_unlock(&service->write_lock);
    while (!atomic_load(&expiry->stopping) && remove_next(service, now, &next, &last))
        continue;
    pthread_mutex_lock(&service->write_lock);
    if (next < service->next_expiry_ms)
        service->next_expiry_ms = next;
}

static void look_for_lacking(struct service *service)
{
    pthread_mutex_unlock(&service->write_lock);
    lacking_look(service);
    pthread_mutex_lock(&service->write_lock);
}

static void *run(void *user)
{
    struct expiry *expiry = user;
    struct service *service = expiry->service;
    pthread_mutex_lock(&service->write_lock);
    while (!atomic_load(&expiry->stopping)) {
        const int64_t next = service->next_expiry_ms < service->next_lacking_ms ? service->next_expiry_ms
                                                                                : service->next_lacking_ms;
        const struct timespec until = {.tv_sec = next / 1000, .tv_nsec = next % 1000 * 1000000};
        if (service->next_expiry_ms <= now_ms())
            remove_due(expiry);
        else if (service->next_lacking_ms <= now_ms())
            look_for_lacking(service);
        else if (next == INT64_MAX)
            pthread_cond_wait(&service->expiry_set, &service->write_lock);
        else
            pthread_cond_timedwait(&service->expiry_set, &service->write_lock, &until);
    }
    pthread_mutex_unlock(&service->write_lock);
    return NULL;
}

struct expiry *expiry_start(struct service *service)
{
    struct expiry *expiry = must_alloc(1, sizeof *expiry);
    expiry->service = service;
    if (!pthread_create(&expiry->thread, NULL, run, expiry))
        return expiry;
    free(expiry);
    return NULL;
}

void expiry_stop(struct expiry *expiry)
{
    if (!expiry)
        return;
    struct service *service = expiry->service;
    pthread_mutex_lock(&service->write_lock);
    atomic_store(&expiry->stopping, true);
    pthread_cond_signal(&service->expiry_set);
    pthread_mutex_unlock(&service->write_lock);
    pthread_join(expiry->thread, NULL);
    free(expiry);
}
