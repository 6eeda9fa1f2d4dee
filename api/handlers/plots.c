/* plot.svg: the curves of a joint. */
#include "api/handlers/handlers.h"
#include "api/poses/pose_request.h"
#include "server/ops/clock.h"
#include "server/draw/loading.h"

/* The row to plot: that of joint=, else the first that moves, else the first. */
static uint32_t choose_row(const struct pose_request *request)
{
    const struct pose_row *rows = pose_sampler_rows(request->player->sampler);
    if (request->selected)
        return request->selected[0];
    for (uint32_t i = 0; i < request->row_count; i++) {
        if (rows[i].moves[0] || rows[i].moves[1] || rows[i].moves[2])
            return i;
    }
    return 0;
}

static enum api_outcome draw(struct api_call *call, const struct pose_request *request, unsigned width,
                             unsigned height)
{
    struct plot_source source = {.clip = request->player->clip,
                                 .sampler = request->player->sampler,
                                 .row = choose_row(request),
                                 .length_unit = request->gltf ? "m" : NULL};
    struct pose_buffer body = {0};
    struct pose_error error;
    double begin = clock_seconds();
    if (!request->row_count)
        return reply_problem(call, 422, "no_joints", "the clip animates no joint");
    const struct draw_module *module = draw_load(&error);
    if (!module || !module->plot(&source, width, height, &body, &error))
        return reply_error(call, &error, NULL, NULL);
    call->write_seconds = clock_seconds() - begin;
    return reply_body(call, "image/svg+xml", &body, true);
}

enum api_outcome handle_plot(struct api_call *call)
{
    struct catalog_item *item = call->clip;
    struct pose_request request;
    struct param_error error;
    int64_t size[2] = {PLOT_WIDTH, PLOT_HEIGHT};
    if (!params_integer(&call->params, "width", MIN_PLOT_SIZE, MAX_PLOT_SIZE, &size[0], &error) ||
        !params_integer(&call->params, "height", MIN_PLOT_SIZE, MAX_PLOT_SIZE, &size[1], &error))
        return reply_parameter(call, &error);
    if (!pose_request_read(call, item, &request))
        return API_DONE;
    request.joints_parameter = "joint";
    request.joints = params_get(&call->params, request.joints_parameter);
    struct asset_id digest = pose_request_digest(call, &request);
    digest = id_quick(&digest, size, sizeof size);
    if (request.automatic || request.retargeting.automatic || call->by_name)
        pose_request_twin(call, &request, "/plot.svg");
    if (reply_cached(call, digest, pose_request_freshness(&request), true))
        return API_DONE;
    if (!call->request->may_wait)
        return API_WAIT;
    enum api_outcome outcome;
    if (!pose_request_open(call, &request, &outcome))
        return outcome;
    outcome = draw(call, &request, (unsigned)size[0], (unsigned)size[1]);
    pose_request_close(&request);
    return outcome;
}
