/* Uploads that are not at hand: made of their records, or of their bytes. */
#ifndef POSED_SERVER_UPLOADS_RELOAD_H
#define POSED_SERVER_UPLOADS_RELOAD_H

#include "server/library/service.h"

/* Beside which PATHs an upload is made anew, if its record does not hold. */
struct reload_beside {
    struct index_neighbours paths;
    struct asset_id context;
};

/*
 * The upload of an id, referenced and weighed; NULL with the error. STORE_MISSING: it is not there, or cannot be made any
 * more. is_renewed (may be NULL): whether it was made of its bytes; its record is then kept by reload_keep.
 */
struct index_archive *reload_upload(struct service *service, const struct asset_id *id,
                                    const struct reload_beside *beside, bool *is_renewed,
                                    struct store_error *error);
/* The same of a row that was read already, with its record. */
struct index_archive *reload_row(struct service *service, const struct upload_row *row,
                                 const struct reload_beside *beside, struct store_error *error);
/* Keeps the record of an upload that was made of its bytes. If it cannot be written, the next time is as slow. */
void reload_keep(struct service *service, const struct index_archive *archive,
                 const struct asset_id *context);
/* The PATHs of a snapshot. */
struct reload_beside reload_beside(const struct catalog *catalog);

#endif
