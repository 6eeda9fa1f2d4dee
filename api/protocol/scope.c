#include "api/protocol/scope.h"

#include "api/protocol/lists.h"

#include <string.h>

bool scope_item(struct api_call *call, struct catalog_item **item)
{
    struct param_error error;
    int64_t archive;
    if (!archive_filter(call, &archive, &error)) {
        reply_parameter(call, &error);
        return false;
    }
    if (archive < 0)
        return true;
    struct catalog_item *placed = *item ? catalog_item_in(*item, (uint32_t)archive) : NULL;
    if (!placed) {
        reply_bad_parameter(call, "archive", "what is asked for is not in that archive");
        return false;
    }
    call->scope_index = (uint32_t)archive;
    call->scope = call->catalog->archives[archive];
    *item = placed;
    return true;
}

struct catalog_item *scope_other(const struct api_call *call, struct catalog_item *item)
{
    struct catalog_item *placed = call->scope && item ? catalog_item_in(item, call->scope_index) : NULL;
    return placed ? placed : item;
}

bool scope_holds(const struct api_call *call, const struct skeleton_choice *choice)
{
    const struct index_archive *scope = call->scope;
    if (!scope || !choice->item)
        return false;
    /* The id of a folder is that of its path. */
    bool is_fixed = strcmp(scope->format, "folder") || !strcmp(scope->source, "upload");
    return is_fixed && catalog_item_in((struct catalog_item *)(uintptr_t)choice->item, call->scope_index);
}
