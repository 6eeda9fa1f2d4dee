/* How far two clips are apart. */
#include "api/handlers/handlers.h"
#include "api/poses/difference.h"
#include "api/poses/pose_request.h"
#include "api/choices/scope.h"
#include "api/views/asset_json.h"
#include "server/ops/clock.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum diff_form { DIFF_JSON, DIFF_SVG };

struct diff {
    struct pose_request requests[2];
    double fps;
    size_t frames;
    int form;
};

/* The clip of with=. NULL with the answer in call. */
static struct catalog_item *other_clip(struct api_call *call)
{
    const char *text = params_get(&call->params, "with");
    struct asset_id id;
    if (!text) {
        reply_bad_parameter(call, "with", "is missing: the id of the other clip");
        return NULL;
    }
    struct catalog_item *item =
        id_parse(text, strlen(text), &id) ? catalog_find(call->catalog, ASSET_CLIP, &id) : NULL;
    if (!item)
        reply_bad_parameter(call, "with", "no clip \"%.60s\"%s", text, id_hint(text, strlen(text)));
    return item ? scope_other(call, item) : NULL;
}

static bool count_frames(struct api_call *call, struct diff *diff)
{
    double seconds = fmax((double)diff->requests[0].clip->asset->duration,
                          (double)diff->requests[1].clip->asset->duration);
    double frames = floor(fmin(seconds, 1e9) * diff->fps + 1e-6) + 1;
    uint64_t most = call->service->config->max_frames;
    struct param_error error;
    diff->frames = (size_t)frames;
    if (frames <= (double)most)
        return true;
    param_fail(&error, "fps", "%.0f frames exceed max-frames, %llu", frames, (unsigned long long)most);
    snprintf(error.limit, sizeof error.limit, "max-frames");
    reply_parameter(call, &error);
    return false;
}

static bool read_diff(struct api_call *call, struct diff *diff)
{
    static const char *const types[] = {"application/json", "image/svg+xml", NULL}, *const forms[] = {
                                                                                        "json", "svg", NULL};
    struct param_error error;
    diff->form = -1;
    diff->fps = 30;
    if (!params_choice(&call->params, "as", forms, &diff->form, &error) ||
        !params_number(&call->params, "fps", 1, 1000, &diff->fps, &error)) {
        reply_parameter(call, &error);
        return false;
    }
    if (!accept_choose(call, types, &diff->form))
        return false;
    struct catalog_item *other = other_clip(call);
    if (!other || !pose_request_read(call, call->clip, &diff->requests[0]) ||
        !pose_request_read(call, other, &diff->requests[1]))
        return false;
    if (!diff->requests[0].skeleton.asset) {
        reply_problem(call, 422, "no_skeleton", "clips are compared on a skeleton, and this one has none");
        return false;
    }
    diff->requests[1].skeleton = diff->requests[0].skeleton;
    return count_frames(call, diff);
}

static enum api_outcome answer(struct api_call *call, const struct diff *diff,
                               const struct difference *difference)
{
    struct pose_buffer body = {0};
    struct json_writer json;
    if (diff->form == DIFF_SVG) {
        difference_svg(
            difference,
            (const char *const[2]){diff->requests[0].clip->asset->name, diff->requests[1].clip->asset->name},
            &body);
        return body.size ? reply_body(call, "image/svg+xml", &body, true) : reply_no_memory(call);
    }
    jsonw_init(&json, &body);
    jsonw_object(&json, NULL);
    jsonw_id(&json, "clip", &diff->requests[0].clip->asset->id);
    jsonw_id(&json, "with", &diff->requests[1].clip->asset->id);
    jsonw_id(&json, "skeleton", &diff->requests[0].skeleton.asset->id);
    jsonw_number(&json, "fps", (float)diff->fps);
    difference_json(difference, &json);
    jsonw_end(&json);
    return reply_json(call, &body);
}

/* Whether at least one track of the other clip is of the skeleton: else every number would be about its rest. */
static bool fits(struct api_call *call, const struct pose_request *request)
{
    uint32_t tracks = request->player->clip->track_count;
    if (!tracks || pose_sampler_unmatched_count(request->player->sampler) < tracks)
        return true;
    reply_problem(call, 422, "no_joints",
                  "no joint of \"%.80s\" is on the skeleton of the first clip; retarget it first",
                  request->clip->asset->name ? request->clip->asset->name : "");
    return false;
}

static enum api_outcome compare(struct api_call *call, const struct diff *diff)
{
    const struct player *const players[2] = {diff->requests[0].player, diff->requests[1].player};
    struct difference difference;
    struct pose_error error;
    double begin = clock_seconds();
    if (!fits(call, &diff->requests[1]))
        return API_DONE;
    if (!difference_make(players, diff->fps, diff->frames, call->effort, &difference, &error))
        return reply_error(call, &error, NULL, NULL);
    call->sample_seconds = clock_seconds() - begin;
    enum api_outcome outcome = answer(call, diff, &difference);
    difference_free(&difference);
    return outcome;
}

enum api_outcome handle_clip_diff(struct api_call *call)
{
    struct diff diff;
    if (!read_diff(call, &diff))
        return API_DONE;
    struct asset_id digest = pose_request_digest(call, &diff.requests[0]);
    double canonical[2] = {diff.fps, diff.form};
    digest = id_quick(&digest, &diff.requests[1].clip->asset->id, sizeof digest);
    digest = id_quick(&digest, canonical, sizeof canonical);
    if (diff.requests[0].automatic || call->by_name)
        pose_request_twin(call, &diff.requests[0], "/diff");
    if (reply_cached(call, digest, pose_request_freshness(&diff.requests[0]), true))
        return API_DONE;
    if (!call->request->may_wait)
        return API_WAIT;
    enum api_outcome outcome;
    if (!pose_request_open(call, &diff.requests[0], &outcome))
        return outcome;
    if (pose_request_open(call, &diff.requests[1], &outcome)) {
        outcome = compare(call, &diff);
        pose_request_close(&diff.requests[1]);
    }
    pose_request_close(&diff.requests[0]);
    return outcome;
}
