#include "server/library/called.h"

#include "server/library/names.h"

#include <string.h>

const struct catalog_item *called_next(const struct called_in *in, enum asset_kind kind, uint32_t *next)
{
    const struct catalog_item *item;
    while ((item = catalog_next(in->catalog, kind, next))) {
        if (!in->has || in->has(in->user, item))
            break;
    }
    return item;
}

uint32_t called_find(const struct called_in *in, const char *name, size_t length,
                     const struct catalog_item **found)
{
    const struct catalog_item *clip;
    uint32_t next = 0, count = 0;
    while ((clip = called_next(in, ASSET_CLIP, &next))) {
        if (!catalog_is_called(in->catalog, clip, name, length))
            continue;
        *found = clip;
        count++;
    }
    return count;
}

void called_list(const struct called_in *in, enum asset_kind kind, char *line, size_t capacity)
{
    const struct catalog_item *item;
    uint32_t next = 0;
    *line = '\0';
    while ((item = called_next(in, kind, &next)) && name_list_add(line, capacity, item->asset->name))
        ;
}

void called_hint(const struct called_in *in, const char *name, char hint[NEAREST_HINT])
{
    const struct catalog_item *clip;
    struct nearest nearest;
    uint32_t next = 0;
    nearest_begin(&nearest, name, strlen(name));
    while ((clip = called_next(in, ASSET_CLIP, &next)))
        nearest_offer(&nearest, clip->asset->name);
    nearest_hint(&nearest, hint);
}
