/* POST /v1/archives, POST /v1/archives/{id}/publish and DELETE /v1/archives/{id}. */
#include "api/views/archive_json.h"
#include "api/protocol/body_files.h"
#include "api/handlers/handlers.h"
#include "api/protocol/reply.h"
#include "server/ops/log.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Answers for a body that could not be stored. */
static enum api_outcome reply_store(struct api_call *call, const struct store_error *error)
{
    if (error->status == STORE_FULL && error->limit)
        return reply_limit(call, 507, "store_full", error->limit, error->detail);
    if (error->status == STORE_FULL)
        return reply_no_room(call, "store_full", error->detail);
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
    files.upload.grant = &call->grant;
    upload_take(call->service, &files.upload, &uploaded);
    const struct index_refusal *refusal = &uploaded.refusal;
    if (uploaded.outcome == UPLOAD_NOT_KEPT)
        reply_store(call, &uploaded.store_error);
    else if (uploaded.outcome == UPLOAD_REFUSED)
        reply_error(call, &refusal->error, refusal->format, refusal->entry);
    else if (uploaded.outcome == UPLOAD_WAITS)
        reply_problem(call, 409, "waiting", "somebody else uploaded the same file; it waits to be published");
    else
        reply_archive(call, uploaded.archive, uploaded.outcome == UPLOAD_NEW ? 201 : 200, form == 1);
    index_archive_unref(uploaded.archive);
    body_files_release(&files);
    return API_DONE;
}

/* The upload of the path; NULL with the refusal in the response. */
static const struct index_archive *upload_of_path(struct api_call *call, const char *done)
{
    const char *text = call->values[0];
    struct asset_id id;
    const struct index_archive *archive =
        id_parse(text, strlen(text), &id) ? catalog_find_archive(call->catalog, &id, NULL) : NULL;
    if (!archive)
        reply_not_found(call, "archive", text);
    else if (strcmp(archive->source, "upload"))
        reply_problem(call, 403, "not_an_upload",
                      "the archive was given on the command line; only uploads can be %s", done);
    else
        return archive;
    return NULL;
}

static bool is_own(const struct api_call *call, const char *uploader)
{
    return uploader && *uploader && !strcmp(uploader, call->grant.name);
}

/* Of the path as well, though its bytes cannot be read: then it is not in the catalogue. false: there is none. */
static bool is_unreadable(struct api_call *call, struct asset_id *id, char uploader[TOKEN_NAME])
{
    const char *text = call->values[0];
    return call->service->store && id_parse(text, strlen(text), id) &&
           !catalog_find_archive(call->catalog, id, NULL) &&
           upload_has_row(call->service, id, &call->grant, uploader);
}

enum { MAX_REASON = 500, MAX_REASON_BODY = 8 * MAX_REASON };

/* The reason in the body of a DELETE, {"reason":"…"}, from malloc; NULL: none was given, or (false) it is refused. */
static bool read_reason(struct api_call *call, char **reason)
{
    const struct api_request *request = call->request;
    *reason = NULL;
    if (!request->body_size)
        return true;
    json_t *root = request->body_size <= MAX_REASON_BODY
                       ? json_loadb((const char *)request->body, request->body_size, 0, NULL)
                       : NULL;
    const char *text = json_string_value(json_object_get(root, "reason"));
    const bool fits = text && strlen(text) <= MAX_REASON;
    if (fits)
        *reason = strdup(text);
    json_decref(root);
    if (!fits)
        reply_problem(call, 400, "bad_body",
                      "the body is {\"reason\":\"…\"} with at most %d bytes, or nothing", MAX_REASON);
    return fits;
}

static void log_removal(const struct api_call *call, const char *id, const char *reason)
{
    log_message(LOG_INFO, "the upload %s is deleted%s%s%s%s", id, call->grant.name[0] ? " by " : "",
                call->grant.name, reason ? ": " : "", reason ? reason : "");
}

enum api_outcome handle_delete(struct api_call *call)
{
    struct store_error error;
    char *reason, id[ID_TEXT], by[TOKEN_NAME] = "";
    struct asset_id upload;
    if (!call->request->may_wait)
        return API_WAIT;
    const bool is_lost = is_unreadable(call, &upload, by);
    const struct index_archive *archive = is_lost ? NULL : upload_of_path(call, "deleted");
    if (!archive && !is_lost)
        return API_DONE;
    if (archive)
        upload = archive->id;
    if (!(call->grant.scopes & SCOPE_DELETE) && !is_own(call, archive ? archive->uploader : by))
        return reply_problem(call, 403, "not_yours", "this token deletes only what it uploaded itself");
    if (!read_reason(call, &reason))
        return API_DONE;
    id_write(&upload, id);
    const struct actor actor = {.name = call->grant.name, .reason = reason};
    if (upload_remove(call->service, &upload, &actor, &error)) {
        call->response->status = 204;
        log_removal(call, id, reason);
    } else if (error.status == STORE_MISSING) {
        reply_not_found(call, "archive", id);
    } else {
        reply_store(call, &error);
    }
    free(reason);
    return API_DONE;
}

enum api_outcome handle_publish(struct api_call *call)
{
    struct store_error error;
    const struct index_archive *archive = upload_of_path(call, "published");
    if (!archive)
        return API_DONE;
    if (!call->request->may_wait)
        return API_WAIT;
    const struct actor actor = {.name = call->grant.name};
    if (upload_publish(call->service, &archive->id, &actor, &error))
        return reply_archive(call, archive, 200, false);
    return error.status == STORE_MISSING ? reply_not_found(call, "archive", call->values[0])
                                         : reply_store(call, &error);
}
