#include "server/uploads/lacking.h"

#include "server/ops/clock.h"
#include "server/ops/log.h"
#include "server/uploads/kept.h"

#include <string.h>

/* At a start, and each time later. Looking for one is opening a file that is not there. */
enum { MOST_AT_START = 1000, MOST_AT_ONCE = 64, EVERY_MS = 3000 };

static struct index_archive *open_one(struct service *service, const struct asset_id *id)
{
    struct store_error ignored;
    struct index_archive *archive = service->open_upload(service, id, &ignored);
    if (!archive || !atomic_load(&archive->is_waiting))
        return archive;
    index_archive_unref(archive);
    return NULL;
}

void lacking_renew(struct service *service, struct rows *rows)
{
    struct asset_id ids[MOST_AT_ONCE], last;
    struct store_error ignored;
    uint32_t count = MOST_AT_ONCE;
    if (store_sharing(service->store))
        return;
    for (uint32_t seen = 0; count == MOST_AT_ONCE && seen < MOST_AT_START; seen += count) {
        count = rows_lacking(rows, seen ? &last : NULL, ids, MOST_AT_ONCE);
        for (uint32_t i = 0; i < count; i++) {
            struct index_archive *archive = open_one(service, &ids[i]);
            if (archive)
                store_publish(service->store, &ids[i], &ignored);
            index_archive_unref(archive);
            last = ids[i];
        }
    }
}

void lacking_expect(struct service *service)
{
    struct rows *rows = atomic_load(&service->rows);
    struct asset_id id;
    const bool is_any = rows && !store_sharing(service->store) && rows_lacking(rows, NULL, &id, 1);
    service->next_lacking_ms = is_any ? clock_wall_ns() / 1000000 + EVERY_MS : INT64_MAX;
}

/* As an upload that comes now: its row in the store gets another version, so that lists with it are known from those without. */
static void bring_back(struct service *service, struct rows *rows, struct index_archive *archive)
{
    struct store_error error;
    char text[ID_TEXT];
    if (rows_has_archive(rows, &archive->id))
        return;
    id_write(&archive->id, text);
    struct catalog *draft = catalog_append(service->current, archive);
    if (!draft || !store_publish(service->store, &archive->id, &error)) {
        catalog_give_up(draft);
        return;
    }
    upload_serve(service, draft, archive);
    memo_left_archive(service->memo, &archive->id, archive->name);
    log_message(LOG_INFO, "the upload %s can be read again, and is listed", text);
}

void lacking_look(struct service *service)
{
    struct asset_id ids[MOST_AT_ONCE];
    pthread_mutex_lock(&service->write_lock);
    struct rows *rows = service->memo ? atomic_load(&service->rows) : NULL;
    const uint32_t count = rows ? rows_lacking(rows, &service->last_lacking, ids, MOST_AT_ONCE) : 0;
    service->last_lacking = count == MOST_AT_ONCE ? ids[count - 1] : (struct asset_id){0};
    pthread_mutex_unlock(&service->write_lock);
    for (uint32_t i = 0; i < count; i++) {
        struct index_archive *archive = open_one(service, &ids[i]);
        if (!archive)
            continue;
        pthread_mutex_lock(&service->write_lock);
        bring_back(service, rows, archive);
        pthread_mutex_unlock(&service->write_lock);
        index_archive_unref(archive);
    }
    pthread_mutex_lock(&service->write_lock);
    lacking_expect(service);
    pthread_mutex_unlock(&service->write_lock);
}
