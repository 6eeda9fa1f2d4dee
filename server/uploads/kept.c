#include "server/uploads/kept.h"

#include "server/library/index/pack.h"
#include "server/library/rows/rows.h"
#include "server/uploads/parts.h"

#include <stdlib.h>
#include <string.h>

/* A ZIP of several parts is an archive of its own; a ZIP of one stands for that part. */
void upload_find_bytes(struct upload_source *source, const struct blob *blob, bool is_zip)
{
    source->bytes = blob->bytes;
    source->has_parts = is_zip && !parts_only(blob->bytes, &source->bytes);
}

/* Packs an archive that was indexed beside the PATHs of that context. Without memory, or if its contents may change,
 * there is no record. */
struct upload_record upload_make_record(const struct index_archive *archive, const struct asset_id *context,
                                        struct pose_buffer *buffer)
{
    struct upload_record record = {
        .revision = index_pack_revision(), .is_bound = index_wants_companions(archive), .context = *context};
    if (index_pack_archive(archive, buffer))
        record.data = (struct pose_bytes){buffer->data, buffer->size};
    return record;
}

void upload_set_standing(struct index_archive *archive, const struct upload_row *row)
{
    const struct index_standing standing = {.created_ms = row->created_ms,
                                            .expires_ms = row->expires_ms,
                                            .uploader = row->uploader,
                                            .is_waiting = row->is_waiting};
    index_set_standing(archive, &standing);
}

/* ------------------------------------------------------------------------------------------------ finding -- */

/* What is in memory of an id; is_known: the rows have it, and nothing else. */
static struct upload_kept look(struct service *service, const struct asset_id *id, bool *is_known)
{
    const struct catalog *current = service->current;
    struct rows *rows = service->memo ? atomic_load(&service->rows) : NULL;
    struct upload_kept kept = {.archive = waiting_find(service->waiting, id), .is_upload = true};
    uint32_t index;
    if (!kept.archive && catalog_has_archive(current, id, &index)) {
        kept.archive = current->archives[index];
        kept.is_upload = index >= current->path_count;
    }
    if (kept.archive)
        index_archive_ref(kept.archive);
    if (rows)
        rows_take_failure(rows);
    *is_known = !kept.archive && rows && rows_has_archive(rows, id);
    kept.is_unreadable = rows && rows_take_failure(rows);
    if (kept.is_unreadable)
        store_fail(&kept.error, STORE_DOWN, "the lists cannot be read");
    return kept;
}

static void open_kept(struct service *service, const struct asset_id *id, struct upload_kept *kept)
{
    kept->archive = service->open_upload(service, id, &kept->error);
    kept->is_unreadable = !kept->archive;
}

struct upload_kept upload_find_locked(struct service *service, const struct asset_id *id)
{
    bool is_known;
    struct upload_kept kept = look(service, id, &is_known);
    if (is_known)
        open_kept(service, id, &kept);
    return kept;
}

struct upload_kept upload_find(struct service *service, const struct asset_id *id)
{
    bool is_known;
    pthread_mutex_lock(&service->write_lock);
    struct upload_kept kept = look(service, id, &is_known);
    pthread_mutex_unlock(&service->write_lock);
    if (is_known)
        open_kept(service, id, &kept);
    return kept;
}

bool upload_may_see(const struct index_archive *archive, const struct grant *grant)
{
    return grant->scopes & SCOPE_ADMIN || (archive->uploader && !strcmp(archive->uploader, grant->name));
}

/* ------------------------------------------------------------------------------------------------ serving -- */

/* Of a partial catalogue: its assets are whole, but for those that other uploads hold and that were not. */
static void set_whole(const struct rows *rows, struct catalog *draft, const struct index_archive *archive)
{
    size_t count;
    const struct catalog_key *held = rows_held(rows, &count); /* sorted */
    for (uint32_t e = 0; e < archive->entry_count; e++) {
        for (uint32_t i = 0; i < archive->entries[e]->asset_count; i++) {
            const struct index_asset *asset = &archive->entries[e]->assets[i];
            struct catalog_item *item = catalog_at_hand(draft, asset->kind, &asset->id);
            const struct catalog_key key = {.kind = asset->kind, .id = asset->id};
            if (item && !(count && bsearch(&key, held, count, sizeof key, rows_compare_keys)))
                catalog_set_whole(draft, item);
        }
    }
}

void upload_serve(struct service *service, struct catalog *draft, struct index_archive *archive)
{
    struct rows *rows = atomic_load(&service->rows);
    service_set_version(service, draft);
    if (rows && !service->memo)
        rows_add(rows, draft, draft->archive_count - 1);
    else if (rows && rows_put(rows, draft, archive))
        set_whole(rows, draft, archive);
    service_publish(service, draft);
}

void upload_unserve(struct service *service, struct catalog *draft, const struct asset_id *id)
{
    struct rows *rows = atomic_load(&service->rows);
    service_set_version(service, draft);
    if (rows)
        rows_remove(rows, draft, id);
    service_publish(service, draft);
}

void upload_confirm(struct service *service, struct catalog *draft)
{
    struct rows *rows = atomic_load(&service->rows);
    service_set_version(service, draft);
    if (rows)
        rows_confirm(rows, draft);
    service_publish(service, draft);
}

void upload_expect(struct service *service, int64_t expires_ms)
{
    if (expires_ms && expires_ms < service->next_expiry_ms) {
        service->next_expiry_ms = expires_ms;
        pthread_cond_signal(&service->expiry_set);
    }
}

/* Counts an upload that is kept. */
void upload_enlist(struct service *service, const struct index_archive *archive)
{
    quotas_add(service->quotas, archive->uploader, (int64_t)archive->blob->bytes.size);
    upload_expect(service, archive->expires_ms);
}
