/* Taking uploads into the catalogue, and out of it again. */
#ifndef POSED_SERVER_UPLOADS_UPLOADS_H
#define POSED_SERVER_UPLOADS_UPLOADS_H

#include "server/library/index/upload.h"
#include "server/uploads/parts.h"
#include "server/library/service.h"

enum upload_outcome {
    UPLOAD_NEW,
    UPLOAD_KNOWN,    /* the same bytes are there */
    UPLOAD_REFUSED,  /* see refusal */
    UPLOAD_NOT_KEPT, /* see store_error */
};

/* What is uploaded: bytes, or sorted parts. */
struct upload {
    const char *name;
    const char *format, *game;
    struct pose_bytes bytes;
    struct draft **draft; /* the file that bytes lie in, which is taken; NULL or to NULL: there is none */
    const struct parts *parts; /* NULL: bytes */
};

struct uploaded {
    enum upload_outcome outcome;
    struct index_archive *archive; /* unless it was not kept: to be given back by index_archive_unref */
    struct index_refusal refusal;  /* its texts live as long as the archive */
    struct store_error store_error;
};

/* On the pool. With UPLOAD_NEW the upload is durable and in the catalogue. */
void upload_take(struct service *service, const struct upload *upload, struct uploaded *uploaded);

/* Removes one, from the catalogue and for good. False with the error; STORE_MISSING when there is no such upload. */
bool upload_remove(struct service *service, const struct asset_id *id, struct store_error *error);

/* At the start, after service_index: the uploads of the store join the catalogue. */
bool uploads_load(struct service *service, struct store_error *error);

#endif
