/* Tells those who want to hear of it what happened to an upload. */
#ifndef POSED_SERVER_UPLOADS_ANNOUNCE_H
#define POSED_SERVER_UPLOADS_ANNOUNCE_H

#include "server/events/change.h"
#include "server/library/service.h"

/* Who did it, and why. */
struct actor {
    const char *name;   /* of the token; NULL or "": nobody in particular */
    const char *reason; /* NULL: none */
    uint64_t version;   /* of the change in a shared catalogue, which is its number; 0: it is not shared */
};

/* Queues the change. Call it with the write lock held, so that changes are told in their order. actor: NULL if nobody did. */
void announce(struct service *service, enum change_kind kind, const struct index_archive *archive,
              const struct actor *actor);
/* The same for the deletion of an upload whose bytes and record could not be read: no more is known of it. */
void announce_lost(struct service *service, const struct asset_id *archive, const char *name,
                   const struct actor *actor);
/* Tells those who read along of a change in a shared catalogue, ours or another's, in the order of versions. The webhook of
 * the one that made it has been told by announce. Without the write lock. */
void announce_shared(struct service *service, const struct shared_change *change);
/* Writes what was queued to the disk: without the lock, before the change is answered. */
void announce_settle(struct service *service);

#endif
