#include "server/uploads/uploads.h"

#include "server/library/index/pack.h"
#include "server/ops/clock.h"
#include "server/ops/log.h"
#include "server/ops/parallel.h"

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
static void find_bytes(struct upload_source *source, const struct blob *blob, bool is_zip)
{
    source->bytes = blob->bytes;
    source->has_parts = is_zip && !parts_only(blob->bytes, &source->bytes);
}

/* ----------------------------------------------------------------------------------------------- catalogue -- */

/* The archives of the PATHs, which do not change meanwhile. Called with the write lock held. */
static struct index_neighbours current_paths(const struct service *service)
{
    return (struct index_neighbours){service->current->archives, service->current->path_count};
}

/* A catalogue of the current uploads without one of them (NULL: all) and with another one (NULL: none) at
 * the end. It is built before the store is changed, so that no change is stored that cannot be served for
 * lack of memory. NULL with error. */
static struct catalog *redraft(struct service *service, const struct index_archive *without,
                               struct index_archive *with, struct store_error *error)
{
    const struct catalog *current = service->current;
    if (with && !without) {
        struct catalog *appended = catalog_append(current, with);
        if (!appended)
            store_fail(error, STORE_DOWN, "out of memory");
        return appended;
    }
    struct index_archive **uploads =
        try_alloc(current->archive_count - current->path_count + 1, sizeof(struct index_archive *));
    uint32_t count = 0;
    for (uint32_t i = current->path_count; uploads && i < current->archive_count; i++) {
        if (current->archives[i] != without)
            uploads[count++] = current->archives[i];
    }
    if (uploads && with)
        uploads[count++] = with;
    const struct index_neighbours paths = current_paths(service);
    struct catalog *draft = uploads ? service_draft(service, &paths, uploads, count) : NULL;
    free(uploads);
    if (!draft)
        store_fail(error, STORE_DOWN, "out of memory");
    return draft;
}

/* Removes an upload from the store, and then from the catalogue. */
static bool drop(struct service *service, const struct index_archive *archive, struct store_error *error)
{
    struct catalog *draft = redraft(service, archive, NULL, error);
    if (!draft)
        return false;
    bool done = store_remove(service->store, &archive->id, error);
    if (done)
        service_publish(service, draft);
    else
        catalog_give_up(draft);
    return done;
}

static struct index_archive *find(const struct service *service, const struct asset_id *id, bool *is_upload)
{
    const struct catalog *current = service->current;
    uint32_t index;
    if (!catalog_find_archive(current, id, &index))
        return NULL;
    *is_upload = index >= current->path_count;
    return current->archives[index];
}

/* ------------------------------------------------------------------------------------------------ records -- */

/* Packs an archive that was indexed beside the PATHs of that context. Without memory, or if its contents may change,
 * there is no record. */
static struct upload_record make_record(const struct index_archive *archive, const struct asset_id *context,
                                        struct pose_buffer *buffer)
{
    struct upload_record record = {
        .revision = index_pack_revision(), .is_bound = index_wants_companions(archive), .context = *context};
    if (index_pack_archive(archive, buffer))
        record.data = (struct pose_bytes){buffer->data, buffer->size};
    return record;
}

/* Whether indexing the upload now would have the same result. */
static bool record_holds(const struct upload_record *record, const struct asset_id *context)
{
    static const struct asset_id none;
    return record->data.size && record->revision == index_pack_revision() &&
           (!record->is_bound || (id_equal(&record->context, context) && !id_equal(context, &none)));
}

/* ------------------------------------------------------------------------------------------------- taking -- */

/* The existing archive with the same bytes; if its bytes are damaged, it is replaced. */
static struct index_archive *find_sound(struct service *service, const struct asset_id *id,
                                        struct store_error *error)
{
    struct pose_error why;
    bool is_upload;
    struct index_archive *known = find(service, id, &is_upload);
    error->status = STORE_OK;
    if (!known || !is_upload || !known->blob || blob_check(known->blob, &why))
        return known;
    drop(service, known, error);
    return NULL;
}

/* Called with the write lock held. */
static enum upload_outcome keep(struct service *service, const struct upload *upload,
                                const struct upload_record *record, struct uploaded *uploaded)
{
    struct index_archive *archive = uploaded->archive;
    struct index_archive *known = find_sound(service, &archive->id, &uploaded->store_error);
    if (known) {
        index_archive_ref(known);
        index_archive_unref(archive);
        uploaded->archive = known;
        return UPLOAD_KNOWN;
    }
    struct upload_row row = {.id = archive->id,
                             .name = archive->name,
                             .format = upload->format,
                             .game = upload->game,
                             .has_parts = upload->parts || upload->is_zip,
                             .created_ms = clock_wall_ns() / 1000000,
                             .record = *record};
    index_set_created(archive, row.created_ms);
    struct catalog *draft = uploaded->store_error.status == STORE_OK
                                ? redraft(service, NULL, archive, &uploaded->store_error)
                                : NULL;
    if (!draft || !store_keep(service->store, archive->blob, &row, &uploaded->store_error)) {
        catalog_give_up(draft);
        index_archive_unref(archive);
        uploaded->archive = NULL;
        return UPLOAD_NOT_KEPT;
    }
    index_rest(archive);
    service_publish(service, draft);
    return UPLOAD_NEW;
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
    find_bytes(&source, blob, upload->parts || upload->is_zip);
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
        record = make_record(uploaded->archive, &context, &buffer);
    pthread_mutex_lock(&service->write_lock);
    uploaded->outcome = keep(service, upload, &record, uploaded);
    pthread_mutex_unlock(&service->write_lock);
    pose_buffer_free(&buffer);
}

bool upload_remove(struct service *service, const struct asset_id *id, struct store_error *error)
{
    bool is_upload = false;
    pthread_mutex_lock(&service->write_lock);
    const struct index_archive *archive = find(service, id, &is_upload);
    bool done = archive && is_upload ? drop(service, archive, error)
                                     : store_fail(error, STORE_MISSING, "no such upload");
    pthread_mutex_unlock(&service->write_lock);
    return done;
}

/* ------------------------------------------------------------------------------------------------ loading -- */

/* So many are read before their new records are written. */
enum { BATCH = 256 };

struct loading {
    struct service *service;
    struct index_neighbours paths;
    struct asset_id context;
    struct index_options options;
    struct region region;
    bool no_memory, cannot_write;
    uint32_t count, capacity;
    struct upload_row *rows;
    struct index_archive **archives; /* [count], NULL: its bytes are missing */
    uint32_t first;                  /* of the batch */
    struct upload_row renewed[BATCH];
    struct pose_buffer buffers[BATCH]; /* of the records */
};

static bool list_row(void *user, const struct upload_row *row)
{
    struct loading *work = user;
    if (work->count == work->capacity) {
        uint32_t capacity = work->capacity ? work->capacity * 2 : 64;
        struct upload_row *larger = reallocarray(work->rows, capacity, sizeof *larger);
        work->no_memory = !larger;
        if (!larger)
            return false;
        work->rows = larger;
        work->capacity = capacity;
    }
    struct upload_row *copy = &work->rows[work->count++];
    *copy = *row;
    copy->name = region_text(&work->region, row->name);
    copy->format = region_text(&work->region, row->format);
    copy->game = region_text(&work->region, row->game);
    work->no_memory = work->region.failed;
    return !work->no_memory;
}

/* The blob of an upload, with the bytes of its hash. If its file is as it was when its record was made they are not
 * read. NULL with a line in the log. */
static struct blob *load_blob(const struct loading *work, const struct upload_row *row,
                              const struct upload_record *record, bool at_rest, bool *is_verified)
{
    struct store_error error;
    struct pose_error why;
    struct blob *blob = store_blob(work->service->store, &row->blob, at_rest, &error);
    if (!blob) {
        log_message(LOG_WARNING, "the upload %s is not served: %s", row->name, error.detail);
        return NULL;
    }
    *is_verified = record->data.size && stamp_equal(&record->checked, &blob->stamp);
    if (*is_verified || blob_check(blob, &why))
        return blob;
    log_message(LOG_WARNING, "the upload %s is not served: %s", row->name, why.detail);
    blob_release(blob);
    return NULL;
}

/* The archive of a row from its record, or (false) from its bytes. NULL if that is not possible; is_lost: because these
 * are not there. */
static struct index_archive *load_archive(const struct loading *work, const struct upload_row *row,
                                          const struct upload_record *record, bool is_recalled,
                                          bool *is_verified, bool *is_lost)
{
    /* What may be indexed again, and the directory of a container, keeps its bytes at hand. */
    const bool at_rest =
        is_recalled && !row->has_parts && !record->is_bound && !index_packed_is_container(record->data);
    struct upload_source source = {
        .name = row->name, .format = row->format, .game = row->game, .id = row->id};
    struct blob *blob = load_blob(work, row, record, at_rest, is_verified);
    *is_lost = !blob;
    if (!blob)
        return NULL;
    find_bytes(&source, blob, row->has_parts);
    struct index_archive *archive = is_recalled ? index_upload_recall(&source, record->data, &work->options)
                                                : index_upload(&source, &work->paths, &work->options);
    if (archive)
        archive->blob = blob;
    else
        blob_release(blob);
    return archive;
}

static void load_one(void *user, size_t item)
{
    struct loading *work = user;
    const struct upload_row *row = &work->rows[work->first + item];
    struct pose_buffer *buffer = &work->buffers[item];
    struct upload_record record = row->record;
    bool is_verified, is_lost = false;
    struct index_archive *archive = NULL;
    if (record_holds(&record, &work->context))
        archive = load_archive(work, row, &record, true, &is_verified, &is_lost);
    const bool is_known = archive;
    if (!is_known && !is_lost)
        archive = load_archive(work, row, &record, false, &is_verified, &is_lost);
    if (!archive)
        return;
    if (!is_known) {
        buffer->size = 0;
        record = make_record(archive, &work->context, buffer);
    }
    record.checked = archive->blob->stamp;
    if (!is_known || !is_verified)
        work->renewed[item] = (struct upload_row){.id = row->id, .record = record};
    index_set_created(archive, row->created_ms);
    index_rest(archive);
    work->archives[work->first + item] = archive;
}

/* Loads a batch of uploads, and keeps the records that it had to make. */
static void load_batch(struct loading *work, uint32_t count)
{
    struct store_error error;
    uint32_t renewed = 0;
    memset(work->renewed, 0, sizeof work->renewed);
    /* What cannot be read is made anew. */
    store_records(work->service->store, work->rows + work->first, count, work->buffers, &error);
    parallel_for(count, work->service->index_options.threads, load_one, work);
    for (uint32_t i = 0; i < count; i++) {
        if (work->renewed[i].record.data.size)
            work->renewed[renewed++] = work->renewed[i];
    }
    if (renewed && !work->cannot_write &&
        !store_set_records(work->service->store, work->renewed, renewed, &error)) {
        log_message(LOG_WARNING, "the next start decodes uploads again: %s", error.detail);
        work->cannot_write = true;
    }
}

/* Adds the listed uploads after the PATHs. Called with the write lock held. */
static bool load_listed(struct loading *work)
{
    struct service *service = work->service;
    work->paths = current_paths(service);
    work->archives = try_alloc(work->count, sizeof(struct index_archive *));
    if (!work->archives)
        return false;
    work->context = service->current->context;
    work->options.threads = 1;
    for (; work->first < work->count; work->first += BATCH)
        load_batch(work, work->count - work->first < BATCH ? work->count - work->first : BATCH);
    for (uint32_t i = 0; i < BATCH; i++)
        pose_buffer_free(&work->buffers[i]);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < work->count; i++) {
        if (work->archives[i])
            work->archives[kept++] = work->archives[i];
    }
    struct catalog *draft = service_draft(service, &work->paths, work->archives, kept);
    if (draft)
        service_publish(service, draft);
    for (uint32_t i = 0; i < kept; i++)
        index_archive_unref(work->archives[i]);
    return draft;
}

bool uploads_load(struct service *service, struct store_error *error)
{
    struct loading *work = must_alloc(1, sizeof *work);
    work->service = service;
    work->options = service->index_options;
    work->region.may_fail = true;
    bool done = store_each(service->store, list_row, work, error);
    if (work->no_memory)
        done = store_fail(error, STORE_DOWN, "out of memory");
    if (done && work->count) {
        pthread_mutex_lock(&service->write_lock);
        done = load_listed(work) || store_fail(error, STORE_DOWN, "out of memory");
        pthread_mutex_unlock(&service->write_lock);
    }
    free(work->archives);
    free(work->rows);
    region_release(&work->region);
    free(work);
    return done;
}
