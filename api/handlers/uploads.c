/* POST /v1/archives and DELETE /v1/archives/{id}. */
#include "api/views/archive_json.h"
#include "api/protocol/body_files.h"
#include "api/handlers/handlers.h"
#include "api/protocol/reply.h"

#include <stdio.h>
#include <string.h>

/* Answers for a body that could not be stored. */
static enum api_outcome reply_store(struct api_call *call, const struct store_error *error)
{
    if (error->status == STORE_FULL)
        return reply_limit(call, 507, "store_full", error->limit, error->detail);
    return reply_problem(call, 503, "store_down", "the store is down; try again");
}

/* A form of a plain page is redirected to the page of the result (RFC 9110, 15.4.4). */
static enum api_outcome reply_see_page(struct api_call *call, const char *id)
{
    char target[64];
    snprintf(target, sizeof target, "/archive/%s", id);
    response_header(call->response, "Location", target);
    response_header(call->response, "Cache-Control", "no-store");
    call->response->status = 303;
    return API_DONE;
}

static enum api_outcome reply_archive(struct api_call *call, const struct index_archive *archive,
                                      unsigned status, bool as_page)
{
    struct pose_buffer body = {0};
    struct json_writer json;
    char id[ID_TEXT], target[64];
    id_write(&archive->id, id);
    if (as_page)
        return reply_see_page(call, id);
    snprintf(target, sizeof target, "/v1/archives/%s", id);
    response_header(call->response, "Location", target);
    response_header(call->response, "Cache-Control", "no-store");
    call->response->status = status;
    jsonw_init(&json, &body);
    archive_whole(&json, archive);
    return reply_json(call, &body);
}

enum api_outcome handle_upload(struct api_call *call)
{
    static const char *const forms[] = {"application/json", "text/html", NULL};
    struct body_files files;
    struct uploaded uploaded;
    int form = -1;
    if (!accept_choose(call, forms, &form))
        return API_DONE;
    if (!body_files_read(call, &files))
        return API_DONE;
    upload_take(call->service, &files.upload, &uploaded);
    const struct index_refusal *refusal = &uploaded.refusal;
    if (uploaded.outcome == UPLOAD_NOT_KEPT)
        reply_store(call, &uploaded.store_error);
    else if (uploaded.outcome == UPLOAD_REFUSED)
        reply_error(call, &refusal->error, refusal->format, refusal->entry);
    else
        reply_archive(call, uploaded.archive, uploaded.outcome == UPLOAD_NEW ? 201 : 200, form == 1);
    index_archive_unref(uploaded.archive);
    body_files_release(&files);
    return API_DONE;
}

enum api_outcome handle_delete(struct api_call *call)
{
    const char *text = call->values[0];
    struct asset_id id;
    struct store_error error;
    const struct index_archive *archive =
        id_parse(text, strlen(text), &id) ? catalog_find_archive(call->catalog, &id, NULL) : NULL;
    if (!archive)
        return reply_not_found(call, "archive", text);
    if (strcmp(archive->source, "upload"))
        return reply_problem(call, 403, "not_an_upload",
                             "the archive was given on the command line; only uploads can be deleted");
    if (!call->request->may_wait)
        return API_WAIT;
    if (upload_remove(call->service, &id, &error)) {
        call->response->status = 204;
        return API_DONE;
    }
    return error.status == STORE_MISSING ? reply_not_found(call, "archive", text) : reply_store(call, &error);
}
