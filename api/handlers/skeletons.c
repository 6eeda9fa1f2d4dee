/* Skeletons: lists, and one with its joints. */
#include "api/protocol/scope.h"
#include "api/views/asset_json.h"
#include "api/handlers/handlers.h"
#include "api/handlers/models.h"
#include "server/library/index/describe.h"

#include <stdlib.h>
#include <string.h>

enum api_outcome handle_skeletons(struct api_call *call)
{
    return asset_list(call, ASSET_SKELETON);
}

/* The skeleton of the path's id; without one the 404 is in the response. */
static struct skeleton_choice skeleton_of_path(struct api_call *call)
{
    struct asset_id id;
    const char *text = call->values[0];
    struct skeleton_choice choice = {0};
    if (id_parse(text, strlen(text), &id))
        choice = catalog_find_skeleton(call->catalog, &id);
    if (!choice.asset)
        reply_not_found(call, "skeleton", text);
    struct catalog_item *item = (struct catalog_item *)(uintptr_t)choice.item;
    if (choice.asset && !scope_item(call, &item))
        return (struct skeleton_choice){0};
    choice.item = item;
    return choice;
}

static enum api_outcome skeleton_reply(struct api_call *call)
{
    static const char *const axes[] = {"gltf", "native", NULL};
    struct param_error error;
    int axis = 0;
    struct skeleton_choice choice = skeleton_of_path(call);
    if (!choice.asset)
        return API_DONE;
    if (!params_choice(&call->params, "axes", axes, &axis, &error))
        return reply_parameter(call, &error);
    struct asset_id digest = digest_begin(call, &choice.asset->id);
    digest = id_quick(&digest, &axis, sizeof axis);
    digest = id_quick(&digest, &call->catalog->digest, sizeof call->catalog->digest);
    if (reply_cached(call, digest, FRESH_REVALIDATE, true))
        return API_DONE;
    enum api_outcome outcome;
    struct decoded *decoded = NULL;
    const struct pose_document *document = choice.shipped;
    if (choice.item) {
        decoded = reply_document(call, choice.item, &outcome);
        if (!decoded)
            return outcome;
        document = decoded->document;
    }
    const struct pose_skeleton *skeleton = &document->skeletons[choice.item ? choice.asset->inner : 0];
    struct pose_buffer body = {0};
    struct json_writer json;
    jsonw_init(&json, &body);
    jsonw_object(&json, NULL);
    asset_head(&json, call->catalog, choice.asset, choice.item, document->format);
    jsonw_string(&json, "axes", axes[axis]);
    describe_skeleton(&json, skeleton, axis ? skeleton->axes : POSE_AXES_GLTF);
    jsonw_array(&json, "warnings");
    jsonw_warnings(&json, document->warnings, document->warning_count);
    jsonw_warnings(&json, skeleton->warnings, skeleton->warning_count);
    jsonw_end(&json);
    if (skeleton->extras)
        jsonw_value(&json, "extras", skeleton->extras);
    else
        jsonw_raw(&json, "extras", "{}");
    jsonw_end(&json);
    document_put(decoded);
    return reply_json(call, &body);
}

enum api_outcome handle_skeleton(struct api_call *call)
{
    return skeleton_reply(call);
}

enum api_outcome handle_skeleton_file(struct api_call *call)
{
    enum api_outcome outcome = skeleton_reply(call);
    if (outcome == API_DONE && call->response->status == 200) {
        struct skeleton_choice choice = skeleton_of_path(call);
        reply_attachment(call, choice.asset->name ? choice.asset->name : "skeleton", "json");
    }
    return outcome;
}

enum api_outcome handle_skeleton_model(struct api_call *call)
{
    struct skeleton_choice choice = skeleton_of_path(call);
    return choice.asset ? skeleton_model_reply(call, &choice) : API_DONE;
}
