#include "server/library/documents.h"

#include "server/ops/clock.h"
#include "server/ops/work/yield.h"

#include <stdlib.h>
#include <string.h>

struct making {
    struct service *service;
    const struct catalog *catalog;
    struct catalog_place place;
    struct fetch *fetch;
};

static void free_decoded(struct cache_object *object)
{
    struct decoded *decoded = (struct decoded *)object;
    pose_document_free(decoded->document);
    free(decoded);
}

/* Takes over the document. NULL if out of memory; then the document is freed. */
static struct decoded *hold(struct pose_document *document)
{
    struct decoded *decoded = calloc(1, sizeof *decoded);
    if (!decoded) {
        pose_document_free(document);
        return NULL;
    }
    atomic_init(&decoded->object.references, 1);
    decoded->object.weight = document->size + sizeof *decoded;
    decoded->object.free = free_decoded;
    decoded->document = document;
    return decoded;
}

static struct cache_key key_of(const struct index_entry *entry)
{
    struct cache_key key = {{'D'}};
    memcpy(key.bytes + 1, &entry->content, sizeof entry->content);
    return key;
}

static void keep(void *service, const struct index_entry *entry, struct pose_document *document)
{
    struct cache_key key = key_of(entry);
    struct decoded *decoded = hold(document);
    if (decoded)
        cache_put(((struct service *)service)->clips, &key, &decoded->object);
    document_put(decoded);
}

void documents_keep_indexed(struct service *service)
{
    service->index_options.keep = keep;
    service->index_options.keep_user = service;
}

static struct cache_object *decode(void *user, struct pose_error *error)
{
    struct making *making = user;
    const struct catalog *catalog = making->catalog;
    const struct index_archive *archive = catalog->archives[making->place.archive];
    double begin = clock_seconds();
    struct pose_document *document =
        index_decode_anew(archive, making->place.entry, catalog->archives, catalog->path_count,
                          &making->service->index_options.pose, error);
    yield_sometimes();
    double seconds = clock_seconds() - begin;
    making->fetch->decode_seconds += seconds;
    metrics_decode(making->service->metrics, archive->entries[making->place.entry]->format,
                   document ? POSE_OK : error->status, seconds);
    if (!document)
        return NULL;
    struct decoded *decoded = hold(document);
    if (!decoded)
        error->status = POSE_NO_MEMORY;
    return decoded ? &decoded->object : NULL;
}

struct decoded *document_get(struct service *service, const struct catalog *catalog,
                             struct catalog_place place, struct fetch *fetch)
{
    struct making making = {service, catalog, place, fetch};
    const struct index_entry *entry = catalog->archives[place.archive]->entries[place.entry];
    struct cache_key key = key_of(entry);
    struct cache_object *object = cache_get(service->clips, &key, fetch->may_wait, clock_ms(), decode,
                                            &making, &fetch->outcome, &fetch->error);
    fetch->missed |= fetch->outcome == CACHE_MADE;
    return (struct decoded *)object;
}

void document_put(struct decoded *decoded)
{
    if (decoded)
        cache_unref(&decoded->object);
}

/* ----------------------------------------------------------------------------------------------- which way up -- */

bool format_lacks_up(const char *format)
{
    const struct pose_format *row = format ? pose_format_find(format) : NULL;
    return row && row->lacks_up;
}

/* Files whose format fixes the axes are left as the game expects them. */
enum pose_axes axes_turned(enum pose_axes axes, enum up up)
{
    bool may_turn = axes == POSE_AXES_GLTF || axes == POSE_AXES_Z_UP;
    if (up == UP_AUTO || !may_turn)
        return axes;
    return up == UP_Z ? POSE_AXES_Z_UP : POSE_AXES_GLTF;
}
