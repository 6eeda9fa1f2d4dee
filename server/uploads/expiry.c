#include "server/uploads/expiry.h"

#include "server/ops/clock.h"
#include "server/ops/log.h"
#include "server/uploads/uploads.h"

#include <stdlib.h>
#include <time.h>

struct expiry {
    struct service *service;
    pthread_t thread;
    bool stopping; /* guarded by the service's write lock */
};

static int64_t now_ms(void)
{
    return clock_wall_ns() / 1000000;
}

/* The archive (NULL: it is gone) if it has expired, otherwise NULL; next becomes the time at which it will, if that is
 * earlier. */
static const struct index_archive *look_at(const struct index_archive *archive, int64_t now, int64_t *next)
{
    const int64_t expires = archive ? archive->expires_ms : 0;
    if (expires && expires <= now)
        return archive;
    if (expires && expires < *next)
        *next = expires;
    return NULL;
}

/* An upload that has expired, or NULL; next becomes the time at which the next one will. */
static const struct index_archive *find_any_due(struct service *service, int64_t now, int64_t *next)
{
    const struct catalog *current = service->current;
    uint32_t count;
    struct index_archive *const *waiting = waiting_archives(service->waiting, &count);
    const struct index_archive *due = NULL;
    for (uint32_t i = 0; i < count && !due; i++)
        due = look_at(waiting[i], now, next);
    for (uint32_t i = current->path_count; i < current->archive_count && !due; i++)
        due = look_at(catalog_archive(current, i), now, next);
    return due;
}

/* Removes what is due, and waits for the lock meanwhile. When nothing more is, or it fails, next_expiry_ms is the time
 * to look again. */
static void remove_due(struct service *service)
{
    enum { AGAIN_MS = 60000 };
    const struct index_archive *due;
    const int64_t now = now_ms();
    int64_t next = INT64_MAX;
    while ((due = find_any_due(service, now, &next))) {
        struct store_error error;
        char text[ID_TEXT];
        const struct asset_id id = due->id;
        id_write(&id, text);
        pthread_mutex_unlock(&service->write_lock); /* a store far away may take its time */
        bool done = upload_remove(service, &id, NULL, &error) || error.status == STORE_MISSING;
        pthread_mutex_lock(&service->write_lock);
        if (!done) {
            log_message(LOG_WARNING, "the upload %s has expired but cannot be removed: %s", text,
                        error.detail);
            next = now + AGAIN_MS;
            break;
        }
        log_message(LOG_INFO, "the upload %s has expired and is removed", text);
        next = INT64_MAX;
    }
    service->next_expiry_ms = next;
}

static void *run(void *user)
{
    struct expiry *expiry = user;
    struct service *service = expiry->service;
    pthread_mutex_lock(&service->write_lock);
    while (!expiry->stopping) {
        const int64_t next = service->next_expiry_ms;
        const struct timespec until = {.tv_sec = next / 1000, .tv_nsec = next % 1000 * 1000000};
        if (next <= now_ms())
            remove_due(service);
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
    expiry->stopping = true;
    pthread_cond_signal(&service->expiry_set);
    pthread_mutex_unlock(&service->write_lock);
    pthread_join(expiry->thread, NULL);
    free(expiry);
}
