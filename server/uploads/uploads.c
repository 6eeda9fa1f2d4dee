#include "server/uploads/uploads.h"

#include "server/library/index/pack.h"
#include "server/library/rows/rows.h"
#include "server/ops/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------------- bytes -- */

struct sink {
    struct draft *draft;
    struct store_error *error;
};

static bool append(void *user, const void *data, size_t size)
{
    const struct sink *sink = user;
    return draft_append(sink->draft, data, size, sink->error);
}

/* The file that the upload is in already. */
static struct draft *take_draft(const struct upload *upload)
{
    if (!upload->draft)
        return NULL;
    struct draft *draft = *upload->draft;
    *upload->draft = NULL;
    return draft;
}

/* Writes the bytes of an upload to disk without keeping them yet. NULL with the error. */
static struct blob *seal(struct service *service, const struct upload *upload, struct store_error *error)
{
    struct draft *body = take_draft(upload);
    if (body)
        return store_seal(service->store, body, error);
    uint64_t size = upload->parts ? parts_bytes(upload->parts) : upload->bytes.size;
    struct sink sink = {store_begin(service->store, size, error), error};
    if (!sink.draft)
        return NULL;
    /* The sink may set a more specific error. */
    store_fail(error, STORE_DOWN, "out of memory");
    bool done = upload->parts ? parts_write(upload->parts, append, &sink)
                              : append(&sink, upload->bytes.data, upload->bytes.size);
    if (done)
        return store_seal(service->store, sink.draft, error);
    draft_free(sink.draft);
    return NULL;
}

/* A ZIP of several parts is an archive of its own; a ZIP of one stands for that part. */
void upload_find_bytes(struct upload_source *source, const struct blob *blob, bool is_zip)
{
    source->bytes = blob->bytes;
    source->has_parts = is_zip && !parts_only(blob->bytes, &source->bytes);
}

/* ----------------------------------------------------------------------------------------------- catalogue -- */

/* The archives of the PATHs, which do not change meanwhile. Called with the write lock held. */
struct index_neighbours upload_paths(const struct service *service)
{
    return (struct index_neighbours){service->current->archives, service->current->path_count};
}

/* Drafts are made before the store is changed, so that no change is stored that cannot be served for lack of memory.
 * Sets the error if there is none. */
static struct catalog *checked(struct catalog *draft, struct store_error *error)
{
    if (!draft)
        store_fail(error, STORE_DOWN, "out of memory");
    return draft;
}

/* Removes an upload from the store, and then from the catalogue. */
static bool drop_published(struct service *service, uint32_t archive, struct store_error *error)
{
    const struct asset_id id = service->current->archive_ids[archive];
    struct catalog *draft = checked(catalog_remove(service->current, archive), error);
    if (!draft)
        return false;
    bool done = store_remove(service->store, &id, error);
    struct rows *rows = atomic_load(&service->rows);
    if (done && rows)
        rows_remove(rows, draft, &id);
    if (done)
        service_publish(service, draft);
    else
        catalog_give_up(draft);
    return done;
}

/* Removes an upload from the store, and from what is served or waits. */
bool upload_drop(struct service *service, const struct index_archive *archive, struct store_error *error)
{
    const int64_t bytes = (int64_t)archive->blob->bytes.size;
    const bool is_waiting = atomic_load(&archive->is_waiting);
    char uploader[TOKEN_NAME] = "";
    if (archive->uploader)
        snprintf(uploader, sizeof uploader, "%s", archive->uploader);
    uint32_t index = 0;
    bool done = is_waiting ? store_remove(service->store, &archive->id, error)
                           : catalog_find_archive(service->current, &archive->id, &index) &&
                                 drop_published(service, index, error);
    if (done && is_waiting)
        waiting_remove(service->waiting, archive);
    if (done)
        quotas_add(service->quotas, *uploader ? uploader : NULL, -bytes);
    return done;
}

static struct index_archive *find(const struct service *service, const struct asset_id *id, bool *is_upload)
{
    const struct catalog *current = service->current;
    uint32_t index;
    struct index_archive *waits = waiting_find(service->waiting, id);
    *is_upload = waits;
    if (waits)
        return waits;
    if (!catalog_find_archive(current, id, &index))
        return NULL;
    *is_upload = index >= current->path_count;
    return current->archives[index];
}

/* Whether that is an upload that find has not found since its contents could not be made again; with its index. They may
 * have come back since: find fetches, and so do readers, without the write lock. */
static bool is_unreadable(const struct service *service, const struct asset_id *id, uint32_t *index)
{
    return catalog_has_archive(service->current, id, index);
}

/* Removes such an upload, unless it may be there later. What it counts for quotas is known at the next start. */
static bool drop_lost(struct service *service, uint32_t index, struct store_error *error)
{
    const struct index_sketch *sketch = service->current->rests[index].sketch;
    return sketch && atomic_load(&sketch->is_lost)
               ? drop_published(service, index, error)
               : store_fail(error, STORE_DOWN, "the upload cannot be read at the moment");
}

/* ------------------------------------------------------------------------------------------------ records -- */

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

/* ------------------------------------------------------------------------------------------------- taking -- */

/* The existing archive with the same bytes; if its bytes are damaged, it is replaced. */
static struct index_archive *find_sound(struct service *service, const struct asset_id *id,
                                        struct store_error *error)
{
    struct pose_error why;
    bool is_upload;
    struct index_archive *known = find(service, id, &is_upload);
    uint32_t index;
    error->status = STORE_OK;
    if (!known && is_unreadable(service, id, &index)) {
        drop_lost(service, index, error);
        return NULL;
    }
    if (!known || !is_upload || !known->blob || blob_check(known->blob, &why))
        return known;
    upload_drop(service, known, error);
    return NULL;
}

/* Whether a client may know that it is there although it waits. */
static bool may_see(const struct index_archive *archive, const struct grant *grant)
{
    return grant->scopes & SCOPE_ADMIN || (archive->uploader && !strcmp(archive->uploader, grant->name));
}

void upload_set_standing(struct index_archive *archive, const struct upload_row *row)
{
    const struct index_standing standing = {.created_ms = row->created_ms,
                                            .expires_ms = row->expires_ms,
                                            .uploader = row->uploader,
                                            .is_waiting = row->is_waiting};
    index_set_standing(archive, &standing);
}

static bool fits_quota(const struct service *service, const struct upload *upload,
                       const struct index_archive *archive, struct store_error *error)
{
    const struct grant *grant = upload->grant;
    const uint64_t size = archive->blob->bytes.size;
    const uint64_t held = grant->quota ? quotas_of(service->quotas, grant->name) : 0;
    if (!grant->quota || (size <= grant->quota && held <= grant->quota - size))
        return true;
    store_fail(error, STORE_FULL, "the uploads of %s hold %llu bytes, and the token's quota allows %llu",
               grant->name, (unsigned long long)held, (unsigned long long)grant->quota);
    error->limit = "quota";
    return false;
}

/* Serves the upload that is the last of the draft. */
static void publish(struct service *service, struct catalog *draft)
{
    struct rows *rows = atomic_load(&service->rows);
    if (rows)
        rows_add(rows, draft, draft->archive_count - 1);
    service_publish(service, draft);
}

/* Keeps the upload in the store, and lists it. */
static bool keep_row(struct service *service, struct index_archive *archive, struct upload_row *row,
                     struct store_error *error)
{
    if (service->config->data && row->record.data.size)
        index_sketch_archive(archive);
    struct catalog *draft =
        row->is_waiting ? NULL : checked(catalog_append(service->current, archive), error);
    if (row->is_waiting && !waiting_reserve(service->waiting))
        return store_fail(error, STORE_DOWN, "out of memory");
    if ((!draft && !row->is_waiting) || !store_keep(service->store, archive->blob, row, error)) {
        catalog_give_up(draft);
        return false;
    }
    index_rest(archive);
    if (row->is_waiting)
        waiting_add(service->waiting, archive);
    else
        publish(service, draft);
    return true;
}

/* Counts an upload that is kept. */
void upload_enlist(struct service *service, const struct index_archive *archive)
{
    quotas_add(service->quotas, archive->uploader, (int64_t)archive->blob->bytes.size);
    if (archive->expires_ms && archive->expires_ms < service->next_expiry_ms) {
        service->next_expiry_ms = archive->expires_ms;
        pthread_cond_signal(&service->expiry_set);
    }
}

/* Called with the write lock held. */
static enum upload_outcome keep(struct service *service, const struct upload *upload, struct upload_row *row,
                                struct uploaded *uploaded)
{
    struct index_archive *archive = uploaded->archive;
    struct index_archive *known = find_sound(service, &archive->id, &uploaded->store_error);
    if (known) {
        index_archive_ref(known);
        index_archive_unref(archive);
        uploaded->archive = known;
        return atomic_load(&known->is_waiting) && !may_see(known, upload->grant) ? UPLOAD_WAITS
                                                                                 : UPLOAD_KNOWN;
    }
    upload_set_standing(archive, row);
    if (uploaded->store_error.status == STORE_OK &&
        fits_quota(service, upload, archive, &uploaded->store_error) &&
        keep_row(service, archive, row, &uploaded->store_error)) {
        const struct actor actor = {.name = upload->grant->name};
        upload_enlist(service, archive);
        announce(service, CHANGE_UPLOAD, archive, &actor);
        return UPLOAD_NEW;
    }
    index_archive_unref(archive);
    uploaded->archive = NULL;
    return UPLOAD_NOT_KEPT;
}

/* Whether the upload is there already, at the moment; then nothing is put anywhere for it. keep asks again. */
static bool is_known(struct service *service, const struct index_archive *archive)
{
    struct pose_error ignored;
    bool is_upload;
    pthread_mutex_lock(&service->write_lock);
    const struct index_archive *known = find(service, &archive->id, &is_upload);
    const bool is_sound = known && (!known->blob || blob_check(known->blob, &ignored));
    pthread_mutex_unlock(&service->write_lock);
    return is_sound;
}

static struct upload_row row_of(const struct service *service, const struct upload *upload,
                                const struct uploaded *uploaded, const struct upload_record *record)
{
    struct upload_row row = {.id = uploaded->archive->id,
                             .name = uploaded->archive->name,
                             .format = upload->format,
                             .game = upload->game,
                             .has_parts = upload->parts || upload->is_zip,
                             .created_ms = clock_wall_ns() / 1000000,
                             .is_waiting = service->config->moderate,
                             .record = *record};
    if (upload->grant->name[0])
        row.uploader = upload->grant->name;
    if (upload->grant->ttl_ms)
        row.expires_ms = row.created_ms + upload->grant->ttl_ms;
    return row;
}

void upload_take(struct service *service, const struct upload *upload, struct uploaded *uploaded)
{
    *uploaded = (struct uploaded){.outcome = UPLOAD_NOT_KEPT};
    /* Before the draft is taken over, in which the parts' bytes may be. */
    const struct asset_id id = upload->parts ? parts_id(upload->parts) : (struct asset_id){0};
    struct blob *blob = seal(service, upload, &uploaded->store_error);
    if (!blob)
        return;
    struct catalog *catalog = service_enter(service, false, 0);
    struct index_neighbours paths = {catalog->archives, catalog->path_count};
    struct index_options options = service_request_options(service);
    struct upload_source source = {
        .name = upload->name, .format = upload->format, .game = upload->game, .id = id};
    upload_find_bytes(&source, blob, upload->parts || upload->is_zip);
    uploaded->archive = index_upload(&source, &paths, &options);
    uploaded->archive->blob = blob;
    const struct asset_id context = catalog->context;
    service_leave(service, catalog, false);
    if (!index_keepable(uploaded->archive, &uploaded->refusal)) {
        uploaded->outcome = UPLOAD_REFUSED;
        return;
    }
    struct pose_buffer buffer = {0};
    struct upload_record record = {0};
    if (service->config->data)
        record = upload_make_record(uploaded->archive, &context, &buffer);
    struct upload_row row = row_of(service, upload, uploaded, &record);
    if ((store_pushes(service->store) && is_known(service, uploaded->archive)) ||
        store_push(service->store, blob, &row, &uploaded->store_error)) {
        pthread_mutex_lock(&service->write_lock);
        uploaded->outcome = keep(service, upload, &row, uploaded);
        pthread_mutex_unlock(&service->write_lock);
        announce_settle(service);
    } else {
        index_archive_unref(uploaded->archive);
        uploaded->archive = NULL;
    }
    pose_buffer_free(&buffer);
}

bool upload_remove(struct service *service, const struct asset_id *id, const struct actor *actor,
                   struct store_error *error)
{
    bool is_upload = false;
    if (!store_pull(service->store, id, error))
        return false;
    pthread_mutex_lock(&service->write_lock);
    struct index_archive *archive = find(service, id, &is_upload);
    uint32_t index;
    const bool is_lost = !archive && is_unreadable(service, id, &index);
    char name[CHANGE_TEXT] = "";
    if (archive)
        index_archive_ref(archive);
    if (is_lost)
        snprintf(name, sizeof name, "%s", catalog_archive_name(service->current, index));
    bool done = archive && is_upload ? upload_drop(service, archive, error)
                : is_lost && actor   ? drop_lost(service, index, error)
                : is_lost            ? drop_published(service, index, error) /* expired, whatever it held */
                                     : store_fail(error, STORE_MISSING, "no such upload");
    if (done && archive)
        announce(service, CHANGE_DELETE, archive, actor);
    else if (done)
        announce_lost(service, id, name, actor);
    pthread_mutex_unlock(&service->write_lock);
    index_archive_unref(archive);
    announce_settle(service);
    return done;
}

bool upload_publish(struct service *service, const struct asset_id *id, const struct actor *actor,
                    struct store_error *error)
{
    bool is_upload;
    pthread_mutex_lock(&service->write_lock);
    struct index_archive *archive = waiting_find(service->waiting, id);
    if (!archive) { /* somebody else was faster */
        bool is_there = find(service, id, &is_upload);
        pthread_mutex_unlock(&service->write_lock);
        return is_there || store_fail(error, STORE_MISSING, "no such upload");
    }
    struct catalog *draft = checked(catalog_append(service->current, archive), error);
    bool done = draft && store_publish(service->store, id, error);
    if (done) {
        atomic_store(&archive->is_waiting, false);
        publish(service, draft);
        announce(service, CHANGE_PUBLISH, archive, actor);
        waiting_remove(service->waiting, archive);
    } else {
        catalog_give_up(draft);
    }
    pthread_mutex_unlock(&service->write_lock);
    announce_settle(service);
    return done;
}
