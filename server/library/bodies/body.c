#include "server/library/bodies/body.h"

#include "server/library/index/link.h"

#include <stdio.h>
#include <string.h>

static bool join(struct body *body, const struct catalog_item *item, struct fetch *fetch)
{
    const struct pose_document *own = body->own->document, *skin = body->skin->document;
    body->joined =
        pose_join(own->format, &own->meshes[item->asset->inner], skin->meshes, NULL, &fetch->error);
    if (!body->joined) {
        fetch->outcome = CACHE_FAILED;
        return false;
    }
    body->mesh = body->joined->meshes;
    return true;
}

bool body_get(struct service *service, const struct catalog *catalog, const struct catalog_item *item,
              struct fetch *fetch, struct body *body)
{
    *body = (struct body){.own = document_get(service, catalog, item->place, fetch)};
    if (!body->own)
        return false;
    body->mesh = &body->own->document->meshes[item->asset->inner];
    if (item->asset->skin_entry < 0)
        return true;
    const struct catalog_place skin = {item->place.archive, (uint32_t)item->asset->skin_entry};
    body->skin = document_get(service, catalog, skin, fetch);
    return body->skin && (!body->skin->document->mesh_count || join(body, item, fetch));
}

void body_put(struct body *body)
{
    pose_document_free(body->joined);
    document_put(body->skin);
    document_put(body->own);
    *body = (struct body){0};
}

bool body_find_image(const struct catalog *catalog, uint32_t archive, const char *reference,
                     struct catalog_place *place)
{
    char name[64];
    uint64_t id;
    if (!reference || strlen(reference) > sizeof name - 2)
        return false;
    snprintf(name, sizeof name, "%s.", reference);
    for (const struct pose_format *format = pose_formats(); format->id; format++) {
        if (strcmp(format->kinds, "image") != 0 || !pose_resource_id(format->id, name, &id))
            continue;
        int64_t entry = index_find_resource(catalog->archives[archive], format->id, id);
        *place = (struct catalog_place){archive, (uint32_t)entry};
        if (entry >= 0)
            return true;
    }
    return false;
}
