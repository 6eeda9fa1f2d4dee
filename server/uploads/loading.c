#include "server/uploads/loading.h"

#include "server/library/index/pack.h"
#include "server/ops/log.h"
#include "server/ops/parallel.h"
#include "server/uploads/reload.h"
#include "server/uploads/uploads.h"

#include <stdlib.h>
#include <string.h>

/* Whether indexing the upload now would have the same result. */
static bool record_holds(const struct upload_record *record, const struct asset_id *context)
{
    static const struct asset_id none;
    return record->data.size && record->revision == index_pack_revision() &&
           (!record->is_bound || (id_equal(&record->context, context) && !id_equal(context, &none)));
}

/* So many are read before their new records are written. */
enum { BATCH = 256 };

struct loading {
    struct service *service;
    struct index_neighbours paths;
    struct asset_id context;
    struct index_options options;
    struct region region;
    bool no_memory, cannot_write;
    atomic_bool is_away; /* bytes that are needed at the start cannot be had at the moment */
    uint32_t count, capacity;
    struct upload_row *rows;
    struct catalog_part *parts; /* [count], zeros: its bytes are missing, or it waits */
    uint32_t first;             /* of the batch */
    struct index_archive *archives[BATCH];
    bool is_kept[BATCH]; /* its record is in the store */
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
    copy->uploader = region_text(&work->region, row->uploader);
    work->no_memory = work->region.failed;
    return !work->no_memory;
}

/* The blob of an upload, with the bytes of its hash. If its file is as it was when its record was made they are not
 * read. NULL with a line in the log. */
static struct blob *load_blob(struct loading *work, const struct upload_row *row,
                              const struct upload_record *record, bool at_rest, bool *is_verified)
{
    struct store_error error;
    struct pose_error why;
    struct blob *blob =
        store_blob(work->service->store, row, at_rest ? BLOB_AT_REST : BLOB_IN_MEMORY, &error);
    if (!blob) {
        if (error.status == STORE_AWAY)
            atomic_store(&work->is_away, true);
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
static struct index_archive *load_archive(struct loading *work, const struct upload_row *row,
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
    upload_find_bytes(&source, blob, row->has_parts);
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
        record = upload_make_record(archive, &work->context, buffer);
    }
    record.checked = archive->blob->stamp;
    if (!is_known || !is_verified)
        work->renewed[item] = (struct upload_row){.id = row->id, .record = record};
    upload_set_standing(archive, row);
    index_rest(archive);
    work->archives[item] = archive;
    work->is_kept[item] = is_known;
}

/* Lists a loaded upload. What is more than the cache may hold leaves memory at once. */
static bool enlist(struct loading *work, uint32_t item)
{
    struct service *service = work->service;
    struct index_archive *archive = work->archives[item];
    if (!archive)
        return true;
    upload_enlist(service, archive);
    if (atomic_load(&archive->is_waiting)) {
        const bool has_room = waiting_reserve(service->waiting);
        if (has_room)
            waiting_add(service->waiting, archive);
        index_archive_unref(archive);
        return has_room;
    }
    if (work->is_kept[item])
        index_sketch_archive(archive);
    struct catalog_part *part = &work->parts[work->first + item];
    *part = (struct catalog_part){archive, archive->sketch};
    if (part->sketch)
        index_sketch_ref(part->sketch);
    if (part->sketch && index_contents_held().bytes > service->config->catalog_cache) {
        part->archive = NULL;
        index_archive_unref(archive);
    }
    return true;
}

/* Loads a batch of uploads, and keeps the records that it had to make. */
static bool load_batch(struct loading *work, uint32_t count)
{
    struct store_error error;
    uint32_t renewed = 0;
    bool is_renewed[BATCH];
    memset(work->renewed, 0, sizeof work->renewed);
    memset(work->archives, 0, sizeof work->archives);
    /* What cannot be read is made anew. */
    store_records(work->service->store, work->rows + work->first, count, work->buffers, &error);
    parallel_for(count, work->service->index_options.threads, load_one, work);
    for (uint32_t i = 0; i < count; i++) {
        is_renewed[i] = work->renewed[i].record.data.size;
        if (is_renewed[i])
            work->renewed[renewed++] = work->renewed[i];
    }
    if (renewed && !work->cannot_write &&
        !store_set_records(work->service->store, work->renewed, renewed, &error)) {
        log_message(LOG_WARNING, "the next start decodes uploads again: %s", error.detail);
        work->cannot_write = true;
    }
    for (uint32_t i = 0; i < count && !work->cannot_write; i++)
        work->is_kept[i] |= is_renewed[i];
    bool done = true;
    for (uint32_t i = 0; i < count; i++)
        done &= enlist(work, i);
    return done;
}

/* Adds the listed uploads after the PATHs. Called with the write lock held. */
static bool load_listed(struct loading *work)
{
    struct service *service = work->service;
    bool done = true;
    work->paths = upload_paths(service);
    work->parts = try_alloc(work->count, sizeof *work->parts);
    if (!work->parts)
        return false;
    work->context = service->current->context;
    work->options.threads = 1;
    for (; work->first < work->count; work->first += BATCH)
        done &= load_batch(work, work->count - work->first < BATCH ? work->count - work->first : BATCH);
    for (uint32_t i = 0; i < BATCH; i++)
        pose_buffer_free(&work->buffers[i]);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < work->count; i++) {
        if (work->parts[i].archive || work->parts[i].sketch)
            work->parts[kept++] = work->parts[i];
    }
    struct catalog *draft = service_draft(service, &work->paths, work->parts, kept);
    if (draft)
        service_publish(service, draft);
    for (uint32_t i = 0; i < kept; i++) {
        index_archive_unref(work->parts[i].archive);
        index_sketch_unref(work->parts[i].sketch);
    }
    return draft && done;
}

bool uploads_load(struct service *service, struct store_error *error)
{
    struct loading *work = must_alloc(1, sizeof *work);
    work->service = service;
    work->options = service->index_options;
    work->region.may_fail = true;
    pthread_mutex_lock(&service->write_lock);
    if (service->config->data)
        reload_init(service);
    pthread_mutex_unlock(&service->write_lock);
    bool done = store_each(service->store, list_row, work, error);
    if (work->no_memory)
        done = store_fail(error, STORE_DOWN, "out of memory");
    if (done && work->count) {
        pthread_mutex_lock(&service->write_lock);
        done = load_listed(work) || store_fail(error, STORE_DOWN, "out of memory");
        pthread_mutex_unlock(&service->write_lock);
    }
    /* They would be 404, though they are only out of reach. */
    if (done && atomic_load(&work->is_away))
        done = store_fail(
            error, STORE_AWAY,
            "the object store is away, and containers that were uploaded cannot be opened without it; "
            "start again when it is back");
    free(work->parts);
    free(work->rows);
    region_release(&work->region);
    free(work);
    return done;
}
