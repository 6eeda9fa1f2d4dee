#include "server/uploads/reload.h"

#include "server/library/index/pack.h"
#include "server/ops/log.h"
#include "server/uploads/uploads.h"

struct reloading {
    struct service *service;
    struct upload_row row;
    struct store_error error; /* why there is no archive; STORE_MISSING: it will stay so */
};

/* The archive over a blob that was opened, from the record or (false) from its bytes; NULL if that is not possible. Takes
 * over the blob. */
static struct index_archive *open_archive(struct reloading *work, struct blob *blob, bool is_recalled)
{
    const struct upload_row *row = &work->row;
    const struct index_options *options = &work->service->index_options;
    struct upload_source source = {
        .name = row->name, .format = row->format, .game = row->game, .id = row->id};
    upload_find_bytes(&source, blob, row->has_parts);
    struct index_archive *archive = is_recalled ? index_upload_recall(&source, row->record.data, options)
                                                : index_upload(&source, NULL, options);
    if (!archive) {
        blob_release(blob);
        return NULL;
    }
    archive->blob = blob;
    upload_set_standing(archive, row);
    index_rest(archive);
    index_sketch_archive(archive);
    return archive;
}

/* Whether it is what it was. */
static bool fits(const struct index_archive *archive, const struct index_sketch *sketch)
{
    return archive && archive->sketch && archive->sketch->asset_count == sketch->asset_count &&
           id_equal(&archive->id, &sketch->id) && id_equal(&archive->digest, &sketch->digest);
}

static struct index_archive *checked(struct index_archive *archive, const struct index_sketch *sketch)
{
    if (fits(archive, sketch))
        return archive;
    index_archive_unref(archive);
    return NULL;
}

static struct index_archive *from_record(struct reloading *work, const struct index_sketch *sketch)
{
    const struct upload_record *record = &work->row.record;
    if (!record->data.size || record->is_bound || record->revision != index_pack_revision() ||
        index_packed_is_container(record->data))
        return NULL;
    /* Contents do not need the bytes, but for finding where in a form they are. */
    struct blob *blob = store_blob(work->service->store, &work->row,
                                   work->row.has_parts ? BLOB_IN_MEMORY : BLOB_UNSEEN, &work->error);
    return blob ? checked(open_archive(work, blob, true), sketch) : NULL;
}

/* And makes the record anew. */
static struct index_archive *from_bytes(struct reloading *work, const struct index_sketch *sketch)
{
    static const struct asset_id nowhere;
    struct pose_buffer buffer = {0};
    struct pose_error why;
    struct blob *blob = store_blob(work->service->store, &work->row, BLOB_IN_MEMORY, &work->error);
    if (!blob)
        return NULL;
    if (!blob_check(blob, &why)) {
        blob_release(blob);
        store_fail(&work->error, STORE_MISSING, "%s", why.detail);
        return NULL;
    }
    struct index_archive *opened = open_archive(work, blob, false);
    const bool has_memory = opened && opened->sketch;
    struct index_archive *archive = checked(opened, sketch);
    if (!archive) {
        store_fail(&work->error, has_memory ? STORE_MISSING : STORE_DOWN, "%s",
                   has_memory ? "its contents are not those that were listed" : "out of memory");
        return NULL;
    }
    work->row.record = upload_make_record(archive, &nowhere, &buffer);
    work->row.record.checked = archive->blob->stamp;
    /* If it cannot be written, the next time is as slow as this one. */
    if (work->row.record.data.size)
        store_set_records(work->service->store, &work->row, 1, &work->error);
    pose_buffer_free(&buffer);
    return archive;
}

/* What is lost is told once, and is not there until the next start; what is out of reach comes back. */
static void report(const struct reloading *work, struct index_sketch *sketch)
{
    const bool is_lost = work->error.status == STORE_MISSING;
    if (is_lost)
        atomic_store(&sketch->is_lost, true);
    log_message(LOG_WARNING, "the upload %s is not served%s: %s", sketch->name,
                is_lost ? "" : " at the moment", work->error.detail);
}

static struct index_archive *load(void *user, struct index_sketch *sketch)
{
    struct reloading work = {.service = user};
    struct region texts = {.may_fail = true};
    struct pose_buffer buffer = {0};
    struct index_archive *archive = NULL;
    if (store_row(work.service->store, &sketch->id, &work.row, &texts, &buffer, &work.error)) {
        archive = from_record(&work, sketch);
        if (!archive)
            archive = from_bytes(&work, sketch);
    }
    if (!archive)
        report(&work, sketch);
    pose_buffer_free(&buffer);
    region_release(&texts);
    return archive;
}

void reload_init(struct service *service)
{
    catalog_loader_init(&service->loader, load, service);
    service->current->loader = &service->loader;
}
