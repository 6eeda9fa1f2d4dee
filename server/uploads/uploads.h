/* Adds uploads to the catalogue, and removes them. */
#ifndef POSED_SERVER_UPLOADS_UPLOADS_H
#define POSED_SERVER_UPLOADS_UPLOADS_H

#include "server/library/index/upload.h"
#include "server/uploads/announce.h"
#include "server/uploads/parts.h"
#include "server/library/service.h"

enum upload_outcome {
    UPLOAD_NEW,
    UPLOAD_KNOWN,    /* the same bytes already exist */
    UPLOAD_WAITS,    /* the same bytes already exist, and wait for somebody else to be published */
    UPLOAD_REFUSED,  /* see refusal */
    UPLOAD_NOT_KEPT, /* see store_error */
};

/* The uploaded data: bytes, or sorted parts. The draft, if there is one, holds these bytes, or (is_zip) the ZIP of the
 * parts; or the ZIP of the one part whose bytes they are. It is taken over; NULL or pointing to NULL: none. */
struct upload {
    const char *name;
    const char *format, *game;
    const struct grant *grant; /* of who uploads it */
    struct pose_bytes bytes;
    struct parts *parts; /* NULL: bytes */
    struct draft **draft;
    bool is_zip;
};

struct uploaded {
    enum upload_outcome outcome;
    struct index_archive *archive; /* unless it was not kept; must be released with index_archive_unref */
    struct index_refusal refusal;  /* its texts are valid as long as the archive */
    struct store_error store_error;
};

/* Call it on the pool. With UPLOAD_NEW the upload is durable and in the catalogue. */
void upload_take(struct service *service, const struct upload *upload, struct uploaded *uploaded);

/* Whether the list of uploads has it, even if its bytes cannot be read; and who brought it ("": nobody by name). What
 * waits is there for those only who may see it. */
bool upload_has_row(struct service *service, const struct asset_id *id, const struct grant *grant,
                    char uploader[TOKEN_NAME]);
/* Removes an upload permanently, whether its bytes can be read or not. actor: who does it; NULL: nobody, it has expired. False with the error; STORE_MISSING if
 * there is none. */
bool upload_remove(struct service *service, const struct asset_id *id, const struct actor *actor,
                   struct store_error *error);

/* Shows a waiting upload to everybody. False with the error; STORE_MISSING if there is none. No error if it is published
 * already. */
bool upload_publish(struct service *service, const struct asset_id *id, const struct actor *actor,
                    struct store_error *error);

#endif
