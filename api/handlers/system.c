/* The daemon's own state: health, metrics, the API description, the formats. */
#include "api/handlers/handlers.h"
#include "api/protocol/lists.h"
#include "api/handlers/openapi.h"
#include "api/protocol/reply.h"
#include "server/ops/base_path.h"

#include <string.h>

enum api_outcome handle_health(struct api_call *call)
{
    struct pose_buffer body = {0};
    struct json_writer json;
    jsonw_init(&json, &body);
    jsonw_object(&json, NULL);
    jsonw_string(&json, "status", "ok");
    jsonw_string(&json, "version", pose_version());
    jsonw_end(&json);
    response_header(call->response, "Cache-Control", "no-store");
    return reply_json(call, &body);
}

enum api_outcome handle_ready(struct api_call *call)
{
    static const char *const states[] = {"starting", "ok", "draining", "store_down", "degraded"};
    enum { STORE_DOWN_STATE = 3, DEGRADED = 4 };
    int state = atomic_load(&call->service->state);
    const struct store *store = call->service->store;
    const char *reason = NULL;
    if (state == SERVICE_READY && store && !store_is_up(store))
        state = STORE_DOWN_STATE;
    else if (state == SERVICE_READY && store && store_is_away(store))
        reason = "a store of uploads does not answer: what is cached is served";
    else if (state == SERVICE_READY && store && store_is_full(store))
        reason = "the disk of --data is full: uploads are refused until there is room";
    if (reason)
        state = DEGRADED;
    struct pose_buffer body = {0};
    struct json_writer json;
    jsonw_init(&json, &body);
    jsonw_object(&json, NULL);
    jsonw_string(&json, "status", states[state]);
    if (reason)
        jsonw_string(&json, "reason", reason);
    if (atomic_load(&call->service->paths_over_limit)) {
        jsonw_array(&json, "warnings");
        jsonw_string(&json, NULL, PATHS_OVER_LIMIT);
        jsonw_end(&json);
    }
    jsonw_end(&json);
    call->response->status = state == SERVICE_READY || state == DEGRADED ? 200 : 503;
    if (call->response->status == 503)
        response_header(call->response, "Retry-After", "1");
    response_header(call->response, "Cache-Control", "no-store");
    return reply_json(call, &body);
}

enum api_outcome handle_metrics(struct api_call *call)
{
    size_t size;
    char *text = metrics_render(call->service->metrics, &size);
    if (!text)
        return reply_problem(call, 503, "no_memory", "out of memory");
    struct pose_buffer body = {.data = (uint8_t *)text, .size = size, .capacity = size};
    response_header(call->response, "Cache-Control", "no-store");
    return reply_body(call, METRICS_CONTENT_TYPE, &body, true);
}

enum api_outcome handle_openapi(struct api_call *call)
{
    static const char mark[] = "\"servers\": [{\"url\": \"";
    struct asset_id digest = id_quick(NULL, openapi_text, openapi_size);
    digest = id_quick(&digest, base_path(), strlen(base_path()));
    if (reply_cached(call, digest, FRESH_REVALIDATE, true))
        return API_DONE;
    /* With a prefix the paths are relative to that. */
    const char *found = *base_path() ? memmem(openapi_text, openapi_size, mark, sizeof mark - 1) : NULL;
    const size_t head = found ? (size_t)(found - openapi_text) + sizeof mark - 1 : 0, skipped = found ? 1 : 0;
    struct pose_buffer body = {0};
    if (!pose_buffer_append(&body, openapi_text, head) ||
        !pose_buffer_append(&body, base_path(), found ? strlen(base_path()) : 0) ||
        !pose_buffer_append(&body, openapi_text + head + skipped, openapi_size - head - skipped)) {
        pose_buffer_free(&body);
        return reply_no_memory(call);
    }
    return reply_json(call, &body);
}

/* Writes ".anim .animatn" as ["anim", …] or unchanged. */
static void words(struct json_writer *json, const char *key, const char *text)
{
    jsonw_array(json, key);
    while (text && *text) {
        char word[40];
        size_t length = strcspn(text, " ");
        size_t kept = length < sizeof word ? length : sizeof word - 1;
        memcpy(word, text, kept);
        word[kept] = 0;
        if (kept)
            jsonw_string(json, NULL, word);
        text += length + (text[length] == ' ');
    }
    jsonw_end(json);
}

enum api_outcome handle_formats(struct api_call *call)
{
    struct page page;
    struct param_error error;
    if (!page_read(call, &page, &error))
        return reply_parameter(call, &error);
    struct pose_buffer body;
    struct json_writer json;
    list_begin(&json, &body);
    int64_t total = 0;
    for (const struct pose_format *format = pose_formats(); format->id; format++, total++) {
        if (total < page.offset || total >= page.offset + page.limit)
            continue;
        jsonw_object(&json, NULL);
        jsonw_string(&json, "id", format->id);
        jsonw_string(&json, "title", format->title);
        if (format->family)
            jsonw_string(&json, "family", format->family);
        else
            jsonw_null(&json, "family");
        words(&json, "extensions", format->extensions);
        jsonw_string(&json, "media_type", format->media_type);
        words(&json, "kinds", format->kinds);
        jsonw_bool(&json, "read", format->can_read);
        jsonw_bool(&json, "write", format->can_write);
        jsonw_array(&json, "targets");
        for (uint32_t i = 0; i < format->target_count; i++)
            jsonw_string(&json, NULL, format->targets[i].word);
        jsonw_end(&json);
        jsonw_array(&json, "mesh_targets");
        if (format->fits_meshes)
            jsonw_string(&json, NULL, format->id);
        jsonw_end(&json);
        jsonw_end(&json);
    }
    page_finish(call, &json, &page, total);
    return reply_json_by_content(call, &body, FRESH_REVALIDATE);
}
