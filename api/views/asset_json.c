#include "api/views/asset_json.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

void jsonw_id(struct json_writer *json, const char *key, const struct asset_id *id)
{
    char text[ID_TEXT];
    id_write(id, text);
    jsonw_string(json, key, text);
}

void jsonw_time(struct json_writer *json, const char *key, int64_t ms)
{
    enum { MS_PER_S = 1000 };
    char text[64];
    struct tm date;
    time_t seconds = (time_t)(ms / MS_PER_S);
    if (ms <= 0 || !gmtime_r(&seconds, &date))
        return;
    snprintf(text, sizeof text, "%04d-%02d-%02dT%02d:%02d:%02d.%03dZ", date.tm_year + 1900, date.tm_mon + 1,
             date.tm_mday, date.tm_hour, date.tm_min, date.tm_sec, (int)(ms % MS_PER_S));
    jsonw_string(json, key, text);
}

void jsonw_optional_id(struct json_writer *json, const char *key, const struct asset_id *id)
{
    if (id)
        jsonw_id(json, key, id);
    else
        jsonw_null(json, key);
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

enum api_outcome asset_list(struct api_call *call, enum asset_kind kind)
{
    struct list_request request;
    struct param_error error;
    if (!list_read(call, kind, NULL, &request, &error))
        return reply_parameter(call, &error);
    enum api_outcome outcome;
    if (!list_run(call, &request, &outcome))
        return outcome;
    struct pose_buffer body;
    struct json_writer json;
    list_begin(&json, &body);
    for (uint32_t row = 0; row < request.listing.count; row++) {
        const struct catalog_item *item = list_item(call, &request, row);
        if (!item)
            continue;
        jsonw_object(&json, NULL);
        asset_head(&json, call->catalog, item->asset, item,
                   catalog_entry(call->catalog, item->place)->format);
        jsonw_end(&json);
    }
    list_finish(call, &json, &request);
    return reply_json(call, &body);
}
