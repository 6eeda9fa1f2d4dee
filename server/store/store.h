/*
 * The store of uploads: their bytes (blobs.h) and the list of them (catalog.h). After a crash, every upload
 * confirmed to its client exists, and unconfirmed ones do not; see store_keep for the order of the steps.
 */
#ifndef POSED_SERVER_STORE_STORE_H
#define POSED_SERVER_STORE_STORE_H

#include "server/ops/catalog_options.h"
#include "server/ops/object_options.h"
#include "server/store/upkeep/recover.h"
#include "server/store/shared/sharing.h"

struct store;

/*
 * Opens the store in a folder, created if missing; NULL: in memory. A second process on the same folder is refused
 * (STORE_IN_USE). Whatever the state of its catalogue, afterwards every upload with a valid note and sound bytes
 * exists; files that belong to no upload are in lost/ for a day. most: total bytes of all uploads, 0: unlimited.
 */
struct store *store_open(const char *folder, uint64_t most, struct store_error *error);
/* The same where the bytes and notes of uploads are in an object store, and only their rows and a cache of that size in
 * the folder. Notes are read only if there are no rows. objects->blobs NULL: the same as store_open. */
struct store *store_open_objects(const char *folder, const struct object_options *objects,
                                 uint64_t cache_size, uint64_t most, struct store_error *error);
/* The same where the rows are in a catalogue that others share (catalog->url NULL: the same as store_open_objects). There
 * are no notes then. STORE_AWAY if it does not answer. */
struct store *store_open_shared(const char *folder, const struct object_options *objects,
                                const struct catalog_options *catalog, uint64_t cache_size, uint64_t most,
                                struct store_error *error);
void store_close(struct store *store);

/* The folder for spooling bodies, on the same disk; "/tmp" for a store in memory. Valid as long as the
 * store. */
const char *store_spool_folder(const struct store *store);
/* Total bytes of all uploads. This and all following functions are thread-safe. */
uint64_t store_bytes(const struct store *store);
/* False after a write has failed for a reason other than a full disk, until one succeeds. */
bool store_is_up(const struct store *store);
/* Whether the disk of the folder has no room for uploads: it is nearly full, or the last write failed for want of room (also
 * by a quota of the file system) and there is no more room since. One statvfs a call. */
bool store_is_full(const struct store *store);
/* Whether the object store does not answer: what is cached is served. */
bool store_is_away(const struct store *store);
/* What is counted of the object store; NULL: there is none. */
const struct object_metrics *store_objects(const struct store *store);

/*
 * Of a shared catalogue; NULL: it is not shared. Then uploads are added by store_add, and removed and published by what is
 * in there, with nothing locked; afterwards store_keep, store_remove and store_publish have nothing left to do. What others
 * change is asked for: see server/uploads/follow.h.
 */
const struct catalog_sharing *store_sharing(const struct store *store);
struct store_catalog *store_catalog_of(struct store *store);
/* Puts the bytes of an upload where they are to be, and adds its row unless there is one. quota: of its uploader; 0: none.
 * With ADDITION_NEW row->version is set. STORE_FULL if there is no room. */
bool store_add(struct store *store, struct blob *blob, struct upload_row *row, uint64_t quota,
               enum addition *addition, struct store_error *error);
/* Removes bytes of uploads that were removed an hour ago, some at a time and by one of those who share the catalogue. */
void store_sweep_some(struct store *store);
/* Asks for the total of store_bytes anew. */
void store_count(struct store *store);

/* A draft for that many bytes; STORE_FULL if so many could never be kept. */
struct draft *store_begin(struct store *store, uint64_t size, struct store_error *error);
/* Makes the contents of the draft readable, and takes it over: one of store_begin, or a body spooled to
 * store_spool_folder. */
struct blob *store_seal(struct store *store, struct draft *draft, struct store_error *error);
/*
 * Before store_keep and store_remove, with nothing locked: puts bytes and note of an upload where they are far away, or
 * removes its note there. Nothing else has changed after a failure. Does nothing if all is in the folder.
 */
bool store_pushes(const struct store *store); /* whether that is so */
bool store_push(struct store *store, struct blob *blob, struct upload_row *row, struct store_error *error);
bool store_pull(struct store *store, const struct asset_id *id, struct store_error *error);
/*
 * Keeps a sealed blob as the upload of that row, whose blob, bytes and record.checked are filled in; its id must be
 * new. On success, the bytes were synced first, then their name, then the note, then the row. On failure nothing is left
 * behind.
 */
bool store_keep(struct store *store, struct blob *blob, struct upload_row *row, struct store_error *error);
/* Ends the waiting of an upload. */
bool store_publish(struct store *store, const struct asset_id *id, struct store_error *error);
bool store_remove(struct store *store, const struct asset_id *id, struct store_error *error);
/* Visits the uploads in order of arrival; the visitor may only call store_blob. */
bool store_each(struct store *store, upload_visit *visit, void *user, struct store_error *error);
/* The row of an upload with its record, if that can be read: its texts in the region, its data in the buffer. False with
 * the error; STORE_MISSING if there is none. */
bool store_row(struct store *store, const struct asset_id *id, struct upload_row *row, struct region *texts,
               struct pose_buffer *buffer, struct store_error *error);
/* The same of many ids (rows[i].id), each with its buffer; are_there[i]: whether there is one. A shared list is
 * asked once. A record that cannot be read is left out. */
bool store_rows(struct store *store, struct upload_row *rows, size_t count, struct region *texts,
                struct pose_buffer *buffers, bool *are_there, struct store_error *error);
/* Sets the records of rows, of which only the ids are read; the data of rows[i] is allocated in buffers[i], and empty
 * if there is none. */
bool store_records(struct store *store, struct upload_row *rows, size_t count, struct pose_buffer *buffers,
                   struct store_error *error);
/* Keeps the records of rows, of which only these and the ids are read. On failure nothing is lost: they are made
 * anew at the next start. */
bool store_set_records(struct store *store, const struct upload_row *rows, size_t count,
                       struct store_error *error);
/* The version of the last change of the list of uploads, and what changed after one; see catalog.h. */
bool store_version(struct store *store, uint64_t *version, struct asset_id *epoch, struct store_error *error);
bool store_changes(struct store *store, uint64_t after, uint32_t most, upload_change_visit *visit, void *user,
                   struct store_error *error);
/* Of all uploads: what those of each token hold; which expires first; those that wait, in order of arrival; those whose
 * record is bound to another context than this one (their ids). The visitors may only call store_blob. */
bool store_sums(struct store *store, upload_sum_visit *visit, void *user, struct store_error *error);
bool store_next_due(struct store *store, struct asset_id *id, int64_t *expires_ms, bool *is_there,
                    struct store_error *error);
bool store_each_waiting(struct store *store, upload_visit *visit, void *user, struct store_error *error);
bool store_each_bound(struct store *store, const struct asset_id *context, upload_visit *visit, void *user,
                      struct store_error *error);
/* The blob of a row. */
struct blob *store_blob(struct store *store, const struct upload_row *row, enum blob_place place,
                        struct store_error *error);

/*
 * Rebuilds the catalogue of a folder that no daemon uses from notes and blobs; the old one, whatever it is, is
 * moved to lost/. Information that only its rows have is saved first. report (may be NULL) is called for each
 * damaged upload.
 */
bool store_reindex(const char *folder, const struct object_options *objects, struct recovered *found,
                   void (*report)(void *user, const char *line), struct store_error *error);

#endif
