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

/* Drafts are made before the store is changed, so that no change is stored that cannot be served for lack of memory.
 * Sets the error if there is none. */
static struct catalog *checked(struct catalog *draft, struct store_error *error)
{
    if (!draft)
        store_fail(error, STORE_DOWN, "out of memory");
    return draft;
}

/* Makes rows what the draft is, after an upload was removed. */
static void remove_rows(struct service *service, struct catalog *draft, const struct asset_id *id)
{
    struct rows *rows = atomic_load(&service->rows);
    if (rows)
        rows_remove(rows, draft, id);
}

/* Removes an upload that does not wait from the store, and then from the catalogue, whether it is at hand or not. */
static bool drop_published(struct service *service, const struct asset_id *id, struct store_error *error)
{
    uint32_t index;
    const bool is_at_hand = catalog_has_archive(service->current, id, &index);
    struct catalog *draft = checked(catalog_remove_all(service->current, &index, is_at_hand ? 1 : 0), error);
    if (!draft)
        return false;
    bool done = store_remove(service->store, id, error);
    if (!done) {
        catalog_give_up(draft);
        return false;
    }
    service_set_version(service, draft);
    remove_rows(service, draft, id);
    service_publish(service, draft);
    return true;
}

/* Removes an upload from the store, and from what is served or waits. */
bool upload_drop(struct service *service, const struct index_archive *archive, struct store_error *error)
{
    const int64_t bytes = (int64_t)archive->blob->bytes.size;
    const bool is_waiting = atomic_load(&archive->is_waiting);
    char uploader[TOKEN_NAME] = "";
    if (archive->uploader)
        snprintf(uploader, sizeof uploader, "%s", archive->uploader);
    bool done = is_waiting ? store_remove(service->store, &archive->id, error)
                           : drop_published(service, &archive->id, error);
    if (done && is_waiting)
        waiting_remove(service->waiting, archive);
    if (done)
        quotas_add(service->quotas, *uploader ? uploader : NULL, -bytes);
    return done;
}

/* What is kept of an id: what waits, is at hand, or in the store; or is under a PATH. */
struct kept {
    struct index_archive *archive; /* referenced; NULL: there is none, or it cannot be read */
    bool is_upload, is_unreadable;
    struct store_error error; /* why it cannot be read; STORE_MISSING: it will stay so */
};

static struct kept find(struct service *service, const struct asset_id *id)
{
    const struct catalog *current = service->current;
    struct rows *rows = service->memo ? atomic_load(&service->rows) : NULL;
    struct kept kept = {.archive = waiting_find(service->waiting, id), .is_upload = true};
    uint32_t index;
    if (!kept.archive && catalog_has_archive(current, id, &index)) {
        kept.archive = current->archives[index];
        kept.is_upload = index >= current->path_count;
    }
    if (kept.archive) {
        index_archive_ref(kept.archive);
    } else if (rows && rows_has_archive(rows, id)) {
        kept.archive = service->open_upload(service, id, &kept.error);
        kept.is_unreadable = !kept.archive;
    }
    return kept;
}

/* Removes an upload that cannot be read, unless it may be there later. */
static bool drop_lost(struct service *service, const struct asset_id *id, const struct kept *kept,
                      struct store_error *error)
{
    struct upload_row row;
    struct store_error ignored;
    struct region texts = {.may_fail = true};
    struct pose_buffer buffer = {0};
    if (kept->error.status != STORE_MISSING)
        return store_fail(error, STORE_DOWN, "the upload cannot be read at the moment");
    const bool has_row = store_row(service->store, id, &row, &texts, &buffer, &ignored);
    bool done = drop_published(service, id, error);
    if (done && has_row)
        quotas_add(service->quotas, row.uploader, -(int64_t)row.bytes);
    if (done)
        memo_left(service->memo, miss_of_archive(id));
    pose_buffer_free(&buffer);
    region_release(&texts);
    return done;
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

/* The existing archive with the same bytes, referenced; if its bytes are damaged, it is replaced. */
static struct index_archive *find_sound(struct service *service, const struct asset_id *id,
                                        struct store_error *error)
{
    struct pose_error why;
    struct kept known = find(service, id);
    error->status = STORE_OK;
    if (known.is_unreadable)
        drop_lost(service, id, &known, error);
    if (!known.archive || !known.is_upload || !known.archive->blob || blob_check(known.archive->blob, &why))
        return known.archive;
    upload_drop(service, known.archive, error);
    index_archive_unref(known.archive);
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

/* Of a partial catalogue: its assets are whole, but for those that other uploads hold and that were not. */
static void set_whole(const struct rows *rows, struct catalog *draft, const struct index_archive *archive)
{
    size_t count;
    const struct catalog_key *held = rows_held(rows, &count);
    for (uint32_t e = 0; e < archive->entry_count; e++) {
        for (uint32_t i = 0; i < archive->entries[e]->asset_count; i++) {
            const struct index_asset *asset = &archive->entries[e]->assets[i];
            struct catalog_item *item = catalog_at_hand(draft, asset->kind, &asset->id);
            bool is_held = false;
            for (size_t k = 0; k < count && !is_held; k++)
                is_held = held[k].kind == asset->kind && id_equal(&held[k].id, &asset->id);
            if (item && !is_held)
                catalog_set_whole(draft, item);
        }
    }
}

/* Serves the upload that is the last of the draft. */
static void publish(struct service *service, struct catalog *draft, struct index_archive *archive)
{
    struct rows *rows = atomic_load(&service->rows);
    service_set_version(service, draft);
    if (rows && !service->memo)
        rows_add(rows, draft, draft->archive_count - 1);
    else if (rows && rows_put(rows, draft, archive))
        set_whole(rows, draft, archive);
    service_publish(service, draft);
}

/* Keeps the upload in the store, and lists it. */
static bool keep_row(struct service *service, struct index_archive *archive, struct upload_row *row,
                     struct store_error *error)
{
    index_weigh(archive);
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
        publish(service, draft, archive);
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
    pthread_mutex_lock(&service->write_lock);
    const struct kept known = find(service, &archive->id);
    pthread_mutex_unlock(&service->write_lock);
    const bool is_sound =
        known.archive && (!known.archive->blob || blob_check(known.archive->blob, &ignored));
    index_archive_unref(known.archive);
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
    struct upload_row row;
    struct store_error ignored;
    struct region texts = {.may_fail = true};
    struct pose_buffer buffer = {0};
    if (!store_pull(service->store, id, error))
        return false;
    pthread_mutex_lock(&service->write_lock);
    struct kept kept = find(service, id);
    const bool has_name =
        kept.is_unreadable && store_row(service->store, id, &row, &texts, &buffer, &ignored);
    if (kept.is_unreadable && !actor) /* it has expired, whatever it held */
        kept.error.status = STORE_MISSING;
    bool done = kept.archive && kept.is_upload ? upload_drop(service, kept.archive, error)
                : kept.is_unreadable           ? drop_lost(service, id, &kept, error)
                                               : store_fail(error, STORE_MISSING, "no such upload");
    if (done && kept.archive)
        announce(service, CHANGE_DELETE, kept.archive, actor);
    else if (done)
        announce_lost(service, id, has_name && row.name ? row.name : "", actor);
    pthread_mutex_unlock(&service->write_lock);
    index_archive_unref(kept.archive);
    pose_buffer_free(&buffer);
    region_release(&texts);
    announce_settle(service);
    return done;
}

bool upload_publish(struct service *service, const struct asset_id *id, const struct actor *actor,
                    struct store_error *error)
{
    pthread_mutex_lock(&service->write_lock);
    struct index_archive *archive = waiting_find(service->waiting, id);
    if (!archive) { /* somebody else was faster */
        const struct kept kept = find(service, id);
        pthread_mutex_unlock(&service->write_lock);
        index_archive_unref(kept.archive);
        return kept.archive || store_fail(error, STORE_MISSING, "no such upload");
    }
    struct catalog *draft = checked(catalog_append(service->current, archive), error);
    bool done = draft && store_publish(service->store, id, error);
    if (done) {
        atomic_store(&archive->is_waiting, false);
        publish(service, draft, archive);
        announce(service, CHANGE_PUBLISH, archive, actor);
        waiting_remove(service->waiting, archive);
    } else {
        catalog_give_up(draft);
    }
    pthread_mutex_unlock(&service->write_lock);
    announce_settle(service);
    return done;
}
