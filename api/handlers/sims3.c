/* Names of The Sims 3, both ways: hashes of a name, and the assets that have a name or an id. */
#include "api/handlers/handlers.h"
#include "api/protocol/reply.h"
#include "api/views/sims3_json.h"

#include <stdlib.h>
#include <string.h>

enum api_outcome handle_hash(struct api_call *call)
{
    const char *name = params_get(&call->params, "name");
    if (!name)
        return reply_bad_parameter(call, "name", "required");
    struct pose_buffer body = {0};
    struct json_writer json;
    jsonw_init(&json, &body);
    sims3_hashes(&json, name);
    struct asset_id digest = id_quick(NULL, body.data, body.size);
    if (reply_cached(call, digest, FRESH_CONTENT, true)) {
        pose_buffer_free(&body);
        return API_DONE;
    }
    return reply_json(call, &body);
}

enum api_outcome handle_resolve(struct api_call *call)
{
    const char *name = params_get(&call->params, "name"), *text = params_get(&call->params, "id");
    uint64_t id = 0;
    if (!name == !text)
        return reply_bad_parameter(call, name ? "id" : "name", "give either name or id");
    if (text && !sims3_parse_id(text, &id))
        return reply_bad_parameter(call, "id", "\"%.40s\" is not an id: 0x and 1 to 16 hex digits", text);
    if (!call->request->may_wait)
        return API_WAIT;
    uint32_t count;
    struct index_archive **archives = catalog_list_archives(call->catalog, &count);
    if (!archives)
        return reply_no_memory(call);
    struct pose_buffer body = {0};
    struct json_writer json;
    jsonw_init(&json, &body);
    sims3_resolution(&json, name, id, archives, count);
    free(archives);
    struct asset_id digest = id_quick(NULL, body.data, body.size);
    if (reply_cached(call, digest, FRESH_REVALIDATE, true)) {
        pose_buffer_free(&body);
        return API_DONE;
    }
    return reply_json(call, &body);
}
