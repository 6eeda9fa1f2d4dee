/* POST /v1/inspect: describes a body. Nothing is stored. */
#include "api/protocol/body_files.h"
#include "api/handlers/handlers.h"
#include "api/views/inspection.h"
#include "api/protocol/reply.h"
#include "lib/core/error.h"

#include <string.h>

/* The requested skeleton, in a document that the caller frees; NULL if none is requested. False if the
 * response is already an error. */
static bool open_skeleton(struct api_call *call, struct pose_document **owner,
                          const struct pose_skeleton **skeleton)
{
    const char *text = params_get(&call->params, "skeleton");
    struct skeleton_choice choice = {0};
    struct asset_id id;
    struct pose_error error;
    if (!text)
        return true;
    if (id_parse(text, strlen(text), &id))
        choice = catalog_find_skeleton(call->catalog, &id);
    if (!choice.asset) {
        reply_bad_parameter(call, "skeleton", "\"%.60s\" is not the id of a skeleton", text);
        return false;
    }
    if (choice.shipped) {
        *skeleton = &choice.shipped->skeletons[0];
        return true;
    }
    const struct catalog_place place = choice.item->place;
    *owner = index_decode(call->catalog->archives[place.archive], place.entry, call->catalog->archives,
                          call->catalog->path_count, &call->service->index_options.pose, &error);
    if (*owner)
        *skeleton = &(*owner)->skeletons[choice.asset->inner];
    else
        reply_error(call, &error, NULL, NULL);
    return *owner;
}

static enum api_outcome describe(struct api_call *call, const struct upload_source *source,
                                 const struct pose_skeleton *skeleton)
{
    struct pose_buffer body = {0};
    struct index_refusal refusal;
    struct index_neighbours paths = {call->catalog->archives, call->catalog->path_count};
    struct index_options options = service_request_options(call->service);
    struct index_archive *archive = index_upload_kept(source, &paths, &options);
    enum api_outcome outcome = API_DONE;
    bool is_sound = index_verdict(archive, &refusal);
    if (is_sound) {
        struct inspected what = {.neighbours = &paths, .skeleton = skeleton};
        inspect_archive(archive, &what, &options, &body);
        is_sound = !call->effort || !effort_is_over(call->effort);
    }
    if (is_sound) {
        response_header(call->response, "Cache-Control", "no-store");
        outcome = reply_json(call, &body);
    } else {
        if (body.size) { /* it ended within its warnings */
            pose_error_init(&refusal.error);
            error_stopped(&refusal.error);
            effort_explain(call->effort, &refusal.error);
        }
        pose_buffer_free(&body);
        outcome = reply_body_error(call, &refusal.error, refusal.format, refusal.entry);
    }
    index_archive_unref(archive);
    return outcome;
}

enum api_outcome handle_inspect(struct api_call *call)
{
    struct body_files files;
    if (!body_files_read(call, &files))
        return API_DONE;
    struct upload_source source;
    struct pose_document *owner = NULL;
    const struct pose_skeleton *skeleton = NULL;
    if (!open_skeleton(call, &owner, &skeleton)) {
        body_files_release(&files);
        return API_DONE;
    }
    enum api_outcome outcome =
        body_files_source(call, &files, &source) ? describe(call, &source, skeleton) : API_DONE;
    pose_document_free(owner);
    body_files_release(&files);
    return outcome;
}
