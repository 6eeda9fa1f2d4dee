#include "api/choices/scope.h"

#include <string.h>

bool scope_item_in(struct api_call *call, const char *archive, struct catalog_item **item)
{
    struct asset_id id;
    uint32_t index;
    if (!archive)
        return true;
    if (!id_parse(archive, strlen(archive), &id) || !catalog_find_archive(call->catalog, &id, &index)) {
        reply_bad_parameter(call, "archive", "no archive \"%.60s\"", archive);
        return false;
    }
    struct catalog_item *placed = *item ? catalog_item_in(*item, index) : NULL;
    if (!placed) {
        reply_bad_parameter(call, "archive", "the asset is not in this archive");
        return false;
    }
    call->scope_index = index;
    call->scope = call->catalog->archives[index];
    *item = placed;
    return true;
}

bool scope_item(struct api_call *call, struct catalog_item **item)
{
    return scope_item_in(call, params_get(&call->params, "archive"), item);
}

struct catalog_item *scope_other(const struct api_call *call, struct catalog_item *item)
{
    struct catalog_item *placed = call->scope && item ? catalog_item_in(item, call->scope_index) : NULL;
    return placed ? placed : item;
}

bool scope_has(const struct api_call *call, const struct catalog_item *item)
{
    const struct index_archive *scope = call->scope;
    if (!scope || !item)
        return false;
    /* The id of a folder is derived from its path. */
    bool is_fixed = strcmp(scope->format, "folder") || !strcmp(scope->source, "upload");
    return is_fixed && catalog_item_in((struct catalog_item *)(uintptr_t)item, call->scope_index);
}

bool scope_holds(const struct api_call *call, const struct skeleton_choice *choice)
{
    return scope_has(call, choice->item);
}
