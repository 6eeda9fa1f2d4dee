#include "api/views/asset_json.h"

#include "api/protocol/scope.h"

#include <string.h>

void jsonw_id(struct json_writer *json, const char *key, const struct asset_id *id)
{
    char text[ID_TEXT];
    id_write(id, text);
    jsonw_string(json, key, text);
}

void asset_head(struct json_writer *json, const struct catalog *catalog, const struct index_asset *asset,
                const struct catalog_item *item, const char *format)
{
    jsonw_id(json, "id", &asset->id);
    jsonw_string(json, "name", asset->name);
    jsonw_string(json, "format", format);
    if (item) {
        jsonw_id(json, "archive", &catalog->archives[item->place.archive]->id);
        jsonw_string(json, "entry", catalog_entry(catalog, item->place)->name);
    } else {
        jsonw_null(json, "archive");
        jsonw_null(json, "entry");
    }
    jsonw_raw_members(json, asset->summary);
}

struct asset_filter {
    const char *q, *name, *format;
    int64_t archive;
};

static bool passes(const struct catalog *catalog, const struct catalog_item *item,
                   const struct asset_filter *filter)
{
    if (filter->q && !name_holds(item->asset->name, filter->q))
        return false;
    if (filter->name && strcmp(item->asset->name, filter->name))
        return false;
    if (filter->format && strcmp(catalog_entry(catalog, item->place)->format, filter->format))
        return false;
    bool inside = filter->archive < 0;
    for (uint32_t i = 0; i < item->place_count && !inside; i++)
        inside = item->places[i].archive == filter->archive;
    return inside;
}

enum api_outcome asset_list(struct api_call *call, enum asset_kind kind)
{
    struct page page;
    struct param_error error;
    struct asset_filter filter = {.q = params_get(&call->params, "q"),
                                  .name = params_get(&call->params, "name"),
                                  .format = params_get(&call->params, "format")};
    if (filter.format && !pose_format_find(filter.format))
        return reply_bad_parameter(call, "format", "there is no format \"%.40s\"", filter.format);
    if (!page_read(call, &page, &error) || !archive_filter(call, &filter.archive, &error))
        return reply_parameter(call, &error);
    if (reply_cached(call, list_digest(call), FRESH_REVALIDATE, true))
        return API_DONE;
    const struct catalog_list *list = &call->catalog->lists[kind];
    struct pose_buffer body = {0};
    struct json_writer json;
    int64_t count = 0;
    jsonw_init(&json, &body);
    jsonw_object(&json, NULL);
    jsonw_array(&json, "items");
    for (uint32_t i = 0; i < list->count; i++) {
        const struct catalog_item *item = &list->items[i];
        if (!passes(call->catalog, item, &filter))
            continue;
        if (count >= page.offset && count < page.offset + page.limit) {
            jsonw_object(&json, NULL);
            const struct catalog_item *shown =
                filter.archive < 0
                    ? item
                    : catalog_item_in((struct catalog_item *)(uintptr_t)item, (uint32_t)filter.archive);
            asset_head(&json, call->catalog, shown->asset, shown,
                       catalog_entry(call->catalog, shown->place)->format);
            jsonw_end(&json);
        }
        count++;
    }
    jsonw_end(&json);
    page_finish(call, &json, &page, count);
    jsonw_end(&json);
    return reply_json(call, &body);
}

struct catalog_item *asset_of_path(struct api_call *call, enum asset_kind kind, const char *what)
{
    struct asset_id id;
    const char *text = call->values[0];
    struct catalog_item *item =
        id_parse(text, strlen(text), &id) ? catalog_find(call->catalog, kind, &id) : NULL;
    if (!item)
        reply_not_found(call, what, text);
    return item && scope_item(call, &item) ? item : NULL;
}
