/* Skeletons: lists, and one with its joints. */
#include "api/asset_json.h"
#include "api/handlers.h"
#include "server/describe.h"

#include <stdlib.h>
#include <string.h>

enum api_outcome handle_skeletons(struct api_call *call)
{
    return asset_list(call, ASSET_SKELETON);
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

enum api_outcome handle_skeleton_convert(struct api_call *call)
{
    if (strcmp(call->values[1], "json"))
        return reply_problem(call, 404, "no_conversion", "there is no conversion to \".%.20s\"",
                             call->values[1]);
    return skeleton_reply(call);
}
