#include "server/uploads/share.h"

#include "server/uploads/follow.h"
#include "server/uploads/kept.h"

/* Tells the webhook; archive NULL: nothing is known of what was deleted. */
static void tell(struct service *service, enum change_kind kind, const struct asset_id *id,
                 const struct index_archive *archive, const struct actor *actor)
{
    pthread_mutex_lock(&service->write_lock);
    if (archive)
        announce(service, kind, archive, actor);
    else if (kind == CHANGE_DELETE)
        announce_lost(service, id, "", actor);
    pthread_mutex_unlock(&service->write_lock);
    announce_settle(service);
}

/* ------------------------------------------------------------------------------------------------- adding -- */

/* The archive that is there, with its bytes; NULL: there is none, or it cannot be read. */
static struct index_archive *find_sound(struct service *service, const struct asset_id *id)
{
    struct pose_error ignored;
    struct upload_kept kept = upload_find(service, id);
    if (!kept.archive || !kept.archive->blob || blob_check(kept.archive->blob, &ignored))
        return kept.archive;
    index_archive_unref(kept.archive);
    return NULL;
}

/* What was lost is there again. */
static void bring_back(struct service *service, const struct asset_id *id)
{
    pthread_mutex_lock(&service->write_lock);
    if (service->memo)
        memo_left(service->memo, miss_of_archive(id));
    pthread_mutex_unlock(&service->write_lock);
}

bool share_add(struct service *service, struct index_archive *archive, struct upload_row *row,
               const struct grant *grant, struct index_archive **known, struct store_error *error)
{
    struct actor does = {.name = grant->name};
    struct store_error ignored;
    enum addition addition;
    *known = find_sound(service, &archive->id);
    /* What is known may have been deleted meanwhile. What is not known here is looked for by the database when it is added,
     * which saves a question; but while a store is away no bytes are sent first. */
    if (*known || store_is_away(service->store)) {
        index_archive_unref(*known);
        *known = NULL;
        if (!follow_catch_up(service, error))
            return false;
        *known = find_sound(service, &archive->id);
    }
    if (*known)
        return true;
    if (!store_add(service->store, archive->blob, row, grant->quota, &addition, error))
        return false;
    if (addition == ADDITION_NEW) {
        does.version = row->version;
        upload_set_standing(archive, row);
        store_keep(service->store, archive->blob, row, &ignored); /* the copy here, which may be had again */
        tell(service, CHANGE_UPLOAD, &archive->id, archive, &does);
        follow_catch_up(service, &ignored); /* it is kept, even if it cannot be listed at this moment */
        return true;
    }
    /* Another was faster, or what was unsound has its bytes again. */
    bring_back(service, &archive->id);
    if (!follow_catch_up(service, error))
        return false;
    *known = upload_find(service, &archive->id).archive;
    if (!*known && follow_again(service, &archive->id, error)) /* it was left out */
        *known = upload_find(service, &archive->id).archive;
    return *known || store_fail(error, STORE_AWAY, "someone else has just deleted it");
}

/* -------------------------------------------------------------------------------- removing and publishing -- */

/* What is known of an upload, before its row changes; NULL: it is not there, or cannot be read. */
static struct index_archive *find_known(struct service *service, const struct asset_id *id)
{
    struct store_error ignored;
    struct upload_kept kept = upload_find(service, id);
    if (!kept.archive && !kept.is_unreadable && follow_catch_up(service, &ignored))
        kept = upload_find(service, id);
    return kept.archive;
}

bool share_remove(struct service *service, const struct asset_id *id, const struct actor *who,
                  struct store_error *error)
{
    const struct catalog_sharing *sharing = store_sharing(service->store);
    struct actor does = who ? *who : (struct actor){0};
    struct index_archive *archive = find_known(service, id);
    struct shared_removal removal = {0};
    struct store_error ignored;
    bool done =
        sharing->remove(store_catalog_of(service->store), id, does.name, does.reason, &removal, error);
    if (done && removal.is_removed) {
        does.version = removal.version;
        tell(service, CHANGE_DELETE, id, archive, &does);
        follow_catch_up(service, &ignored); /* it is gone, even if it is listed at this moment */
    } else if (done) {
        done = follow_catch_up(service, error) && store_fail(error, STORE_MISSING, "no such upload");
    }
    index_archive_unref(archive);
    return done;
}

bool share_publish(struct service *service, const struct asset_id *id, const struct actor *who,
                   struct store_error *error)
{
    const struct catalog_sharing *sharing = store_sharing(service->store);
    struct actor does = who ? *who : (struct actor){0};
    struct index_archive *archive = find_known(service, id);
    bool is_published = false;
    bool done = sharing->publish(store_catalog_of(service->store), id, does.name, &is_published,
                                 &does.version, error);
    if (done && is_published) {
        struct store_error ignored;
        tell(service, CHANGE_PUBLISH, id, archive, &does);
        follow_catch_up(service, &ignored);
    } else if (done && follow_catch_up(service, error)) { /* somebody else was faster */
        index_archive_unref(archive);
        const struct upload_kept kept = upload_find(service, id);
        archive = kept.archive;
        done = archive || kept.is_unreadable || store_fail(error, STORE_MISSING, "no such upload");
    } else {
        done = false;
    }
    index_archive_unref(archive);
    return done;
}
