#include "server/uploads/uploads.h"

#include "server/ops/clock.h"
#include "server/uploads/kept.h"
#include "server/uploads/share.h"

#include <stdio.h>
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

/* ----------------------------------------------------------------------------------------------- catalogue -- */

/* Drafts are made before the store is changed, so that no change is stored that cannot be served for lack of memory.
 * Sets the error if there is none. */
static struct catalog *checked(struct catalog *draft, struct store_error *error)
{
    if (!draft)
        store_fail(error, STORE_DOWN, "out of memory");
    return draft;
}

/* Removes an upload that does not wait from the store, and then from the catalogue, whether it is at hand or not. */
static bool drop_published(struct service *service, const struct asset_id *id, struct store_error *error)
{
    uint32_t index = 0;
    const bool is_there = catalog_has_archive(service->current, id, &index);
    const bool is_path = is_there && index < service->current->path_count;
    const bool is_at_hand = is_there && !is_path;
    struct catalog *draft = checked(catalog_remove_all(service->current, &index, is_at_hand ? 1 : 0), error);
    if (!draft)
        return false;
    bool done = store_remove(service->store, id, error);
    if (!done) {
        catalog_give_up(draft);
        return false;
    }
    if (is_path) /* what is listed is that of the PATH, and stays */
        upload_confirm(service, draft);
    else
        upload_unserve(service, draft, id);
    return true;
}

/* Removes an upload from the store, and from what is served or waits. */
static bool drop(struct service *service, const struct index_archive *archive, struct store_error *error)
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

/* Removes an upload that cannot be read. */
static bool drop_lost(struct service *service, const struct asset_id *id, struct store_error *error)
{
    struct upload_row row;
    struct store_error ignored;
    struct region texts = {.may_fail = true};
    struct pose_buffer buffer = {0};
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

/* ------------------------------------------------------------------------------------------------- taking -- */

/* The existing archive with the same bytes, referenced; if its bytes are damaged, it is replaced. */
static struct index_archive *find_sound(struct service *service, const struct asset_id *id,
                                        struct store_error *error)
{
    struct pose_error why;
    struct upload_kept known = upload_find_locked(service, id);
    error->status = STORE_OK;
    if (known.is_unreadable && known.error.status != STORE_MISSING && known.error.status != STORE_UNREAD)
        store_fail(error, STORE_DOWN, "the upload cannot be read at the moment");
    else if (known.is_unreadable)
        drop_lost(service, id, error);
    if (!known.archive || !known.is_upload || !known.archive->blob || blob_check(known.archive->blob, &why))
        return known.archive;
    drop(service, known.archive, error);
    index_archive_unref(known.archive);
    return NULL;
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
        upload_serve(service, draft, archive);
    return true;
}

static enum upload_outcome outcome_of(const struct index_archive *known, const struct grant *grant)
{
    return atomic_load(&known->is_waiting) && !upload_may_see(known, grant) ? UPLOAD_WAITS : UPLOAD_KNOWN;
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
        return outcome_of(known, upload->grant);
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
    const struct upload_kept known = upload_find_locked(service, &archive->id);
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

/* Adds the upload to a catalogue that others share. */
static enum upload_outcome take_shared(struct service *service, const struct upload *upload,
                                       struct upload_row *row, struct uploaded *uploaded)
{
    struct index_archive *known;
    const bool done =
        share_add(service, uploaded->archive, row, upload->grant, &known, &uploaded->store_error);
    if (done && !known)
        return UPLOAD_NEW;
    index_archive_unref(uploaded->archive);
    uploaded->archive = known;
    return done ? outcome_of(known, upload->grant) : UPLOAD_NOT_KEPT;
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
    if (store_sharing(service->store)) {
        uploaded->outcome = take_shared(service, upload, &row, uploaded);
    } else if ((store_pushes(service->store) && is_known(service, uploaded->archive)) ||
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

bool upload_has_row(struct service *service, const struct asset_id *id, const struct grant *grant,
                    char uploader[TOKEN_NAME])
{
    struct upload_row row;
    struct store_error ignored;
    struct region texts = {.may_fail = true};
    struct pose_buffer buffer = {0};
    bool has_row = store_row(service->store, id, &row, &texts, &buffer, &ignored);
    if (has_row && row.is_waiting && !(grant->scopes & SCOPE_ADMIN))
        has_row = row.uploader && !strcmp(row.uploader, grant->name);
    snprintf(uploader, TOKEN_NAME, "%s", has_row && row.uploader ? row.uploader : "");
    pose_buffer_free(&buffer);
    region_release(&texts);
    return has_row;
}

bool upload_remove(struct service *service, const struct asset_id *id, const struct actor *actor,
                   struct store_error *error)
{
    struct upload_row row;
    struct region texts = {.may_fail = true};
    struct pose_buffer buffer = {0};
    error->status = STORE_OK;
    if (store_sharing(service->store))
        return share_remove(service, id, actor, error);
    if (!store_pull(service->store, id, error))
        return false;
    pthread_mutex_lock(&service->write_lock);
    struct upload_kept kept = upload_find_locked(service, id);
    const bool is_here = kept.archive && kept.is_upload;
    /* Whatever of it can be read: what has expired may be elsewhere as well, what was asked for by its id not. */
    const bool has_row =
        !is_here && (!kept.archive || !actor) && store_row(service->store, id, &row, &texts, &buffer, error);
    bool done = is_here   ? drop(service, kept.archive, error)
                : has_row ? drop_lost(service, id, error)
                : !kept.archive && error->status != STORE_MISSING && error->status != STORE_OK
                    ? false
                    : store_fail(error, STORE_MISSING, "no such upload");
    if (done && is_here)
        announce(service, CHANGE_DELETE, kept.archive, actor);
    else if (done)
        announce_lost(service, id, has_row && row.name ? row.name : "", actor);
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
    if (store_sharing(service->store))
        return share_publish(service, id, actor, error);
    pthread_mutex_lock(&service->write_lock);
    struct index_archive *archive = waiting_find(service->waiting, id);
    if (!archive) { /* somebody else was faster */
        const struct upload_kept kept = upload_find_locked(service, id);
        pthread_mutex_unlock(&service->write_lock);
        index_archive_unref(kept.archive);
        return kept.archive || store_fail(error, STORE_MISSING, "no such upload");
    }
    struct catalog *draft = checked(catalog_append(service->current, archive), error);
    bool done = draft && store_publish(service->store, id, error);
    if (done) {
        atomic_store(&archive->is_waiting, false);
        upload_serve(service, draft, archive);
        announce(service, CHANGE_PUBLISH, archive, actor);
        waiting_remove(service->waiting, archive);
    } else {
        catalog_give_up(draft);
    }
    pthread_mutex_unlock(&service->write_lock);
    announce_settle(service);
    return done;
}
