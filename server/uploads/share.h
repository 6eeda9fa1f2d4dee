/*
 * What we do to a catalogue that others share: it is done there first, then told to the webhook, and the same change comes
 * back to us with those of others (follow.h). Only that changes what is served. On the pool, with nothing locked.
 */
#ifndef POSED_SERVER_UPLOADS_SHARE_H
#define POSED_SERVER_UPLOADS_SHARE_H

#include "server/library/service.h"
#include "server/uploads/announce.h"

/* Puts the bytes and adds the row of an archive that was just made. known: the one that was there already, referenced;
 * NULL: it is new, and has the standing of the row. False with the error, if it is not kept. */
bool share_add(struct service *service, struct index_archive *archive, struct upload_row *row,
               const struct grant *grant, struct index_archive **known, struct store_error *error);
/* As upload_remove and upload_publish. Of many who do it at the same time one does. */
bool share_remove(struct service *service, const struct asset_id *id, const struct actor *who,
                  struct store_error *error);
bool share_publish(struct service *service, const struct asset_id *id, const struct actor *who,
                   struct store_error *error);

#endif
