/* POST /v1/inspect: what a body is. Nothing is kept. */
#include "api/handlers.h"
#include "api/inspection.h"
#include "api/reply.h"

#include <string.h>

enum api_outcome handle_inspect(struct api_call *call)
{
    if (!call->request->may_wait)
        return API_WAIT;
    const char *type = call->request->header(call->request, "Content-Type");
    if (type && !strncasecmp(type, "multipart/form-data", 19))
        return reply_problem(call, 415, "multipart",
                             "multipart bodies are not read yet; send the bytes of one file");
    const char *name = params_get(&call->params, "name");
    const char *format = params_get(&call->params, "format");
    if (format && !pose_format_find(format))
        return reply_bad_parameter(call, "format", "there is no format \"%.40s\"", format);
    if (!call->request->body_size)
        return reply_problem(call, 400, "empty_body", "the body is empty");
    struct pose_bytes bytes = {call->request->body, call->request->body_size};
    struct pose_buffer body = {0};
    struct pose_error error;
    const char *found;
    if (!inspect_bytes(name ? name : "", bytes, format, params_get(&call->params, "game"), NULL,
                       &call->service->index_options, &body, &found, &error))
        return reply_error(call, &error, found, NULL);
    response_header(call->response, "Cache-Control", "no-store");
    return reply_json(call, &body);
}
