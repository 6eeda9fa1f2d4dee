#include "server/uploads/reload.h"

#include "server/library/index/pack.h"
#include "server/uploads/kept.h"
#include "server/uploads/renewal.h"

struct reload_beside reload_beside(const struct catalog *catalog)
{
    return (struct reload_beside){{catalog->archives, catalog->path_count}, catalog->context};
}

/* Whether indexing the upload now would have the same result. */
static bool record_holds(const struct upload_record *record, const struct asset_id *context)
{
    static const struct asset_id none;
    return record->data.size && record->revision == index_pack_revision() &&
           (!record->is_bound || (id_equal(&record->context, context) && !id_equal(context, &none)));
}

struct reloading {
    struct service *service;
    const struct reload_beside *beside;
    struct upload_row row;
    struct store_error *error;
};

/* The blob, with the bytes of its hash. If its file is as it was when its record was made they are not read. */
static struct blob *open_blob(struct reloading *work, enum blob_place place)
{
    struct pose_error why;
    const struct upload_record *record = &work->row.record;
    struct blob *blob = store_blob(work->service->store, &work->row, place, work->error);
    if (!blob || place == BLOB_UNSEEN || (record->data.size && stamp_equal(&record->checked, &blob->stamp)) ||
        blob_check(blob, &why))
        return blob;
    blob_release(blob);
    store_fail(work->error, STORE_MISSING, "%s", why.detail);
    return NULL;
}

/* Over a blob that was opened, from the record or (false) from its bytes; NULL if that is not possible. Takes over the
 * blob. */
static struct index_archive *make(struct reloading *work, struct blob *blob, bool is_recalled)
{
    const struct upload_row *row = &work->row;
    struct index_options options = work->service->index_options;
    struct upload_source source = {
        .name = row->name, .format = row->format, .game = row->game, .id = row->id};
    options.threads = 1;
    upload_find_bytes(&source, blob, row->has_parts);
    struct index_archive *archive = is_recalled ? index_upload_recall(&source, row->record.data, &options)
                                                : index_upload(&source, &work->beside->paths, &options);
    if (!archive) {
        blob_release(blob);
        return NULL;
    }
    archive->blob = blob;
    upload_set_standing(archive, row);
    return archive;
}

static struct index_archive *from_record(struct reloading *work)
{
    const struct upload_row *row = &work->row;
    if (!record_holds(&row->record, &work->beside->context))
        return NULL;
    /* The directory of a container, and what tells where in a form the bytes are, is read; other bytes are verified when
     * they are needed. */
    const bool is_read =
        row->has_parts || row->record.is_bound || index_packed_is_container(row->record.data);
    const enum blob_place place = is_read ? BLOB_IN_MEMORY : BLOB_UNSEEN;
    struct blob *blob = open_blob(work, place);
    return blob ? make(work, blob, true) : NULL;
}

static struct index_archive *from_bytes(struct reloading *work)
{
    struct blob *blob = open_blob(work, BLOB_IN_MEMORY);
    struct index_archive *archive = blob ? make(work, blob, false) : NULL;
    if (!archive)
        return NULL;
    if (id_equal(&archive->id, &work->row.id))
        return archive;
    index_archive_unref(archive);
    store_fail(work->error, STORE_MISSING, "its contents are not those that were listed");
    return NULL;
}

/* buffer: where a record is read to that another has made meanwhile. */
static struct index_archive *from_row(struct reloading *work, struct pose_buffer *buffer, bool *is_renewed)
{
    struct service *service = work->service;
    store_fail(work->error, STORE_DOWN, "out of memory");
    if (!record_holds(&work->row.record, &work->beside->context))
        renewal_wait(service->store, &work->row, 1, buffer);
    struct index_archive *archive = from_record(work);
    const bool renewed = !archive;
    if (!archive && work->error->status != STORE_AWAY)
        archive = from_bytes(work);
    if (archive && renewed && !is_renewed)
        reload_keep(service, archive, &work->beside->context);
    if (archive) {
        index_rest(archive);
        index_weigh(archive);
    }
    if (is_renewed)
        *is_renewed = renewed;
    return archive;
}

struct index_archive *reload_upload(struct service *service, const struct asset_id *id,
                                    const struct reload_beside *beside, bool *is_renewed,
                                    struct store_error *error)
{
    struct reloading work = {.service = service, .beside = beside, .error = error};
    struct region texts = {.may_fail = true};
    struct pose_buffer buffer = {0};
    struct index_archive *archive = NULL;
    if (is_renewed)
        *is_renewed = false;
    if (store_row(service->store, id, &work.row, &texts, &buffer, error))
        archive = from_row(&work, &buffer, is_renewed);
    pose_buffer_free(&buffer);
    region_release(&texts);
    return archive;
}

struct index_archive *reload_row(struct service *service, const struct upload_row *row,
                                 const struct reload_beside *beside, struct store_error *error)
{
    struct reloading work = {.service = service, .beside = beside, .row = *row, .error = error};
    struct pose_buffer buffer = {0};
    struct index_archive *archive = from_row(&work, &buffer, NULL);
    pose_buffer_free(&buffer);
    return archive;
}

void reload_keep(struct service *service, const struct index_archive *archive, const struct asset_id *context)
{
    struct pose_buffer buffer = {0};
    struct store_error ignored;
    struct upload_row row = {.id = archive->id, .record = upload_make_record(archive, context, &buffer)};
    row.record.checked = archive->blob->stamp;
    if (row.record.data.size)
        store_set_records(service->store, &row, 1, &ignored);
    pose_buffer_free(&buffer);
}
