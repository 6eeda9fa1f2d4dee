/* Skeletons: lists, and one with its joints. */
#include "api/clip_json.h"
#include "api/handlers.h"
#include "api/lists.h"
#include "server/describe.h"

#include <stdlib.h>
#include <string.h>

static void put_id(struct json *json, const char *key, const struct asset_id *id)
{
    char text[ID_TEXT];
    id_write(id, text);
    json_string(json, key, text);
}

/* "id" … "joint_count"; item NULL: one that is shipped. */
static void skeleton_head(struct json *json, const struct catalog *catalog, const struct index_asset *asset,
                          const struct catalog_item *item, const char *format)
{
    put_id(json, "id", &asset->id);
    json_string(json, "name", asset->name);
    json_string(json, "format", format);
    if (item) {
        put_id(json, "archive", &catalog->archives[item->place.archive]->id);
        json_string(json, "entry", place_entry(catalog, item->place)->name);
    } else {
        json_null(json, "archive");
        json_null(json, "entry");
    }
    json_integer(json, "joint_count", asset->joint_count);
}

struct skeleton_filter {
    const char *q, *name, *format;
    int64_t archive;
};

static bool passes(const struct catalog *catalog, const struct catalog_item *item,
                   const struct skeleton_filter *filter)
{
    if (filter->q && !strcasestr(item->asset->name, filter->q))
        return false;
    if (filter->name && strcmp(item->asset->name, filter->name))
        return false;
    if (filter->format && strcmp(place_entry(catalog, item->place)->format, filter->format))
        return false;
    bool inside = filter->archive < 0;
    for (uint32_t i = 0; i < item->place_count && !inside; i++)
        inside = item->places[i].archive == filter->archive;
    return inside;
}

enum api_outcome handle_skeletons(struct api_call *call)
{
    struct page page;
    struct param_error error;
    struct skeleton_filter filter = {.q = params_get(&call->params, "q"),
                                     .name = params_get(&call->params, "name"),
                                     .format = params_get(&call->params, "format")};
    if (!page_read(call, &page, &error) || !archive_filter(call, &filter.archive, &error))
        return reply_parameter(call, &error);
    if (reply_cached(call, list_digest(call), FRESH_REVALIDATE, true))
        return API_DONE;
    const struct catalog_list *list = &call->catalog->lists[ASSET_SKELETON];
    struct pose_buffer body = {0};
    struct json json;
    int64_t count = 0;
    json_init(&json, &body);
    json_object(&json, NULL);
    json_array(&json, "items");
    for (uint32_t i = 0; i < list->count; i++) {
        const struct catalog_item *item = &list->items[i];
        if (!passes(call->catalog, item, &filter))
            continue;
        if (count >= page.offset && count < page.offset + page.limit) {
            json_object(&json, NULL);
            skeleton_head(&json, call->catalog, item->asset, item,
                          place_entry(call->catalog, item->place)->format);
            json_end(&json);
        }
        count++;
    }
    json_end(&json);
    page_finish(call, &json, &page, count);
    json_end(&json);
    return reply_json(call, &body);
}

static enum api_outcome skeleton_reply(struct api_call *call)
{
    static const char *const axes[] = {"gltf", "native", NULL};
    struct param_error error;
    struct asset_id id;
    const char *text = call->values[0];
    int axis = 0;
    struct skeleton_choice choice = {0};
    if (id_parse(text, strlen(text), &id))
        choice = catalog_find_skeleton(call->catalog, &id);
    if (!choice.asset)
        return reply_not_found(call, "skeleton", text);
    if (!params_choice(&call->params, "axes", axes, &axis, &error))
        return reply_parameter(call, &error);
    struct asset_id digest = digest_begin(call, &choice.asset->id);
    digest = id_quick(&digest, &axis, sizeof axis);
    digest = id_quick(&digest, &call->catalog->digest, sizeof call->catalog->digest);
    if (reply_cached(call, digest, FRESH_REVALIDATE, true))
        return API_DONE;
    struct decoded *decoded = NULL;
    const struct pose_document *document = choice.shipped;
    if (choice.item) {
        decoded = document_get(call->service, call->catalog, choice.item->place, &call->fetch);
        call->response->cache = call->fetch.missed ? "miss" : "hit";
        if (!decoded)
            return reply_fetch(call);
        document = decoded->document;
    }
    const struct pose_skeleton *skeleton = &document->skeletons[choice.item ? choice.asset->inner : 0];
    struct pose_buffer body = {0};
    struct json json;
    json_init(&json, &body);
    json_object(&json, NULL);
    skeleton_head(&json, call->catalog, choice.asset, choice.item, document->format);
    json_string(&json, "axes", axes[axis]);
    describe_skeleton(&json, skeleton, axis ? skeleton->axes : POSE_AXES_GLTF);
    json_array(&json, "warnings");
    json_warnings(&json, document->warnings, document->warning_count);
    json_warnings(&json, skeleton->warnings, skeleton->warning_count);
    json_end(&json);
    if (skeleton->extras)
        json_value(&json, "extras", skeleton->extras);
    else
        json_raw(&json, "extras", "{}");
    json_end(&json);
    document_put(decoded);
    return reply_json(call, &body);
}

enum api_outcome handle_skeleton(struct api_call *call)
{
    return skeleton_reply(call);
}

enum api_outcome handle_skeleton_convert(struct api_call *call)
{
    if (strcmp(call->values[1], "json"))
        return reply_problem(call, 404, "no_conversion", "there is no conversion to \".%.20s\"",
                             call->values[1]);
    return skeleton_reply(call);
}
