/*
 * What others do to a catalogue that several processes share: it is followed, so that lists know of it at once, and asked
 * before an id is said not to be there. Each change is applied once, in the order of versions; our own are among them.
 */
#ifndef POSED_SERVER_UPLOADS_FOLLOW_H
#define POSED_SERVER_UPLOADS_FOLLOW_H

#include "server/library/service.h"

struct follower;

/* Remembers which version is about to be loaded; before uploads_load. Does nothing if the catalogue is not shared. */
bool follow_prepare(struct service *service, struct store_error *error);
/* Starts the thread that follows; false if it cannot be started. */
bool follow_start(struct service *service);
/* Ends the thread; the rest stays until follow_free. */
void follow_stop(struct service *service);
void follow_free(struct service *service);

/* Applies everything that was committed before the call. Many callers at once share one question. On the pool, with nothing
 * locked. STORE_AWAY if the database does not answer. Does nothing if the catalogue is not shared. */
bool follow_catch_up(struct service *service, struct store_error *error);
/* Lists an upload that was left out because its bytes could not be read, which are there again. False with the error;
 * STORE_MISSING if it is not in the shared catalogue. On the pool, with nothing locked. */
bool follow_again(struct service *service, const struct asset_id *id, struct store_error *error);

#endif
