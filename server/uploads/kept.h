/* What the store keeps as it is in memory: uploads are found, made known, and taken out again. */
#ifndef POSED_SERVER_UPLOADS_KEPT_H
#define POSED_SERVER_UPLOADS_KEPT_H

#include "server/library/index/upload.h"
#include "server/library/service.h"

/* The bytes of an upload: a ZIP of several parts is an archive of its own; a ZIP of one stands for that part. */
void upload_find_bytes(struct upload_source *source, const struct blob *blob, bool is_zip);
/* Packs an archive that was indexed beside the PATHs of that context. Without memory, or if its contents may change,
 * there is no record. */
struct upload_record upload_make_record(const struct index_archive *archive, const struct asset_id *context,
                                        struct pose_buffer *buffer);
void upload_set_standing(struct index_archive *archive, const struct upload_row *row);
/* Whether a client may know that it is there although it waits. */
bool upload_may_see(const struct index_archive *archive, const struct grant *grant);

/* What is kept of an id: what waits, is at hand, or in the store; or is under a PATH. */
struct upload_kept {
    struct index_archive *archive; /* referenced; NULL: there is none, or it cannot be read */
    bool is_upload, is_unreadable;
    struct store_error error; /* why it cannot be read; STORE_MISSING: it will stay so */
};
/* With nothing locked, or with the write lock held. */
struct upload_kept upload_find(struct service *service, const struct asset_id *id);
struct upload_kept upload_find_locked(struct service *service, const struct asset_id *id);

/* ----------------------------------------------------------------------- these with the write lock held -- */

/* Serves the upload that is the last of the draft: its rows are written, and the draft is published. */
void upload_serve(struct service *service, struct catalog *draft, struct index_archive *archive);
/* Publishes a draft without that upload, whether it was at hand or not, and removes its rows. */
void upload_unserve(struct service *service, struct catalog *draft, const struct asset_id *id);
/* The same after a change that shows in no list. */
void upload_confirm(struct service *service, struct catalog *draft);
/* Remembers when an upload expires. */
void upload_expect(struct service *service, int64_t expires_ms);
/* Counts an upload that is kept: for quotas, and for when it expires. */
void upload_enlist(struct service *service, const struct index_archive *archive);

#endif
