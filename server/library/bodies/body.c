#include "server/library/bodies/body.h"

#include "server/library/index/link.h"
#include "server/library/names.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

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

static bool is_picture(const char *name)
{
    static const char *const extensions[] = {".bmp", ".png", ".jpg", ".jpeg", ".tga"};
    const char *dot = strrchr(name, '.');
    for (size_t i = 0; dot && i < sizeof extensions / sizeof *extensions; i++) {
        if (!strcasecmp(dot, extensions[i]))
            return true;
    }
    return false;
}

/* Compares without folder and extension, ignoring case. */
static bool has_stem_of(const char *name, const char *texture)
{
    const char *a = name_base(name), *b = name_base(texture);
    const char *end_a = strrchr(a, '.'), *end_b = is_picture(b) ? strrchr(b, '.') : NULL;
    size_t length = end_a ? (size_t)(end_a - a) : strlen(a);
    return length == (end_b ? (size_t)(end_b - b) : strlen(b)) && !strncasecmp(a, b, length);
}

bool body_find_texture(const struct catalog *catalog, uint32_t archive_index, const char *texture,
                       struct catalog_place *place)
{
    const struct index_archive *archive = catalog->archives[archive_index];
    for (uint32_t e = 0; texture && *texture && e < archive->entry_count; e++) {
        const char *name = archive->entries[e]->name;
        if (is_picture(name) && has_stem_of(name, texture)) {
            *place = (struct catalog_place){archive_index, e};
            return true;
        }
    }
    return false;
}

const struct pose_image *body_own_image(const struct pose_document *document, const char *reference)
{
    for (uint32_t i = 0; i < document->image_count; i++) {
        const char *name = document->images[i].name;
        if (name && !strcmp(name, reference))
            return &document->images[i];
    }
    return NULL;
}

/* The place of a file that a material names, by its number or else by its name. */
static bool find_file(const struct catalog *catalog, uint32_t archive, const char *reference,
                      unsigned *searches, struct catalog_place *place)
{
    if (body_find_image(catalog, archive, reference, place))
        return true;
    if (!*searches)
        return false;
    --*searches;
    return body_find_texture(catalog, archive, reference, place);
}

const struct index_asset *body_image_asset(const struct catalog *catalog, struct catalog_place mesh,
                                           const struct pose_document *document, const char *reference,
                                           unsigned *searches)
{
    if (!reference)
        return NULL;
    const struct pose_image *own = body_own_image(document, reference);
    const uint32_t inner = own ? (uint32_t)(own - document->images) : 0;
    struct catalog_place place = mesh;
    if (!own && !find_file(catalog, mesh.archive, reference, searches, &place))
        return NULL;
    const struct index_entry *entry = catalog_entry(catalog, place);
    for (uint32_t i = 0; i < entry->asset_count; i++) {
        if (entry->assets[i].kind == ASSET_IMAGE && entry->assets[i].inner == inner)
            return &entry->assets[i];
    }
    return NULL;
}
