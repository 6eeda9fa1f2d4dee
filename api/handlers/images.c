/* Images: lists, one, and its pixels as a PNG. */
#include "api/handlers/handlers.h"
#include "api/views/asset_json.h"

#include <stdio.h>

enum api_outcome handle_images(struct api_call *call)
{
    return asset_list(call, ASSET_IMAGE);
}

static void put_image(struct json_writer *json, const struct decoded *decoded, const struct pose_image *image)
{
    jsonw_array(json, "warnings");
    jsonw_warnings(json, decoded->document->warnings, decoded->document->warning_count);
    jsonw_warnings(json, image->warnings, image->warning_count);
    jsonw_end(json);
    if (image->extras)
        jsonw_value(json, "extras", image->extras);
    else
        jsonw_raw(json, "extras", "{}");
}

enum api_outcome handle_image(struct api_call *call)
{
    struct catalog_item *item = asset_of_path(call, ASSET_IMAGE, "image");
    if (!item)
        return API_DONE;
    struct asset_id digest = digest_begin(call, &item->asset->id);
    digest = id_quick(&digest, &call->catalog->digest, sizeof call->catalog->digest);
    if (reply_cached(call, digest, FRESH_REVALIDATE, true))
        return API_DONE;
    if (!call->request->may_wait)
        return API_WAIT;
    enum api_outcome outcome;
    struct decoded *decoded = reply_document(call, item, &outcome);
    if (!decoded)
        return outcome;
    struct pose_buffer body = {0};
    struct json_writer json;
    jsonw_init(&json, &body);
    jsonw_object(&json, NULL);
    asset_head(&json, call->catalog, item->asset, item, decoded->document->format);
    put_image(&json, decoded, &decoded->document->images[item->asset->inner]);
    jsonw_end(&json);
    document_put(decoded);
    return reply_json(call, &body);
}

enum api_outcome handle_image_png(struct api_call *call)
{
    struct catalog_item *item = asset_of_path(call, ASSET_IMAGE, "image");
    if (!item)
        return API_DONE;
    if (reply_cached(call, digest_begin(call, &item->asset->id), FRESH_CONTENT, false))
        return API_DONE;
    if (!call->request->may_wait)
        return API_WAIT;
    enum api_outcome outcome;
    struct decoded *decoded = reply_document(call, item, &outcome);
    if (!decoded)
        return outcome;
    struct pose_buffer body = {0};
    struct pose_error error;
    bool done = pose_image_png(&decoded->document->images[item->asset->inner], &body, &error);
    document_put(decoded);
    if (!done) {
        pose_buffer_free(&body);
        return reply_error(call, &error, NULL, NULL);
    }
    return reply_body(call, "image/png", &body, false);
}
