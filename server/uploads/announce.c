#include "server/uploads/announce.h"

#include "server/events/changes.h"
#include "server/events/webhook.h"
#include "server/ops/clock.h"

/* Numbers the change, says who did it, and queues it. */
static void push(struct service *service, struct change *change, const struct actor *actor)
{
    const uint64_t now = (uint64_t)clock_wall_ns();
    const bool is_shared = actor && actor->version;
    change->number = is_shared                      ? actor->version
                     : now > service->newest_change ? now
                                                    : service->newest_change + 1;
    if (!is_shared)
        service->newest_change = change->number;
    change_set_text(change->by, sizeof change->by, actor ? actor->name : NULL);
    change_set_text(change->reason, sizeof change->reason, actor ? actor->reason : NULL);
    if (service->changes && !is_shared)
        changes_push(service->changes, change);
    if (service->webhook)
        webhook_push(service->webhook, change);
}

void announce(struct service *service, enum change_kind kind, const struct index_archive *archive,
              const struct actor *actor)
{
    struct change change = {.kind = kind,
                            .archive = archive->id,
                            .is_waiting = kind != CHANGE_PUBLISH && atomic_load(&archive->is_waiting),
                            .bytes = archive->bytes};
    change_set_text(change.format, sizeof change.format, archive->format);
    change_set_text(change.name, sizeof change.name, archive->name);
    change_set_text(change.uploader, sizeof change.uploader, archive->uploader);
    push(service, &change, actor);
}

void announce_lost(struct service *service, const struct asset_id *archive, const char *name,
                   const struct actor *actor)
{
    struct change change = {.kind = CHANGE_DELETE, .archive = *archive};
    change_set_text(change.name, sizeof change.name, name);
    push(service, &change, actor);
}

void announce_shared(struct service *service, const struct shared_change *shared)
{
    static const enum change_kind kinds[] = {
        [SHARED_ADD] = CHANGE_UPLOAD, [SHARED_PUBLISH] = CHANGE_PUBLISH, [SHARED_REMOVE] = CHANGE_DELETE};
    const struct upload_row *row = &shared->row;
    struct change change = {.number = shared->change.version,
                            .kind = kinds[shared->kind],
                            .archive = shared->change.id,
                            .is_waiting = row->is_waiting,
                            .bytes = row->bytes};
    change_set_text(change.format, sizeof change.format, row->format);
    change_set_text(change.name, sizeof change.name, row->name);
    change_set_text(change.uploader, sizeof change.uploader, row->uploader);
    change_set_text(change.by, sizeof change.by, shared->by);
    change_set_text(change.reason, sizeof change.reason, shared->reason);
    if (service->changes && change.number > changes_newest(service->changes))
        changes_push(service->changes, &change);
}

void announce_settle(struct service *service)
{
    if (service->webhook)
        webhook_settle(service->webhook);
}
