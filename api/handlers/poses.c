/* Poses: one, many, or streamed; as JSON or floats. */
#include "api/handlers/handlers.h"
#include "api/poses/plan.h"
#include "api/poses/pose_series.h"
#include "server/ops/clock.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROW = 10, MATRIX = 16 };

/* Rows of a pose kept on the stack: most skeletons have fewer joints. */
enum { STACK_ROWS = 256 };

/* Poses with more rows are made on the pool, so as not to block the event loop. */
enum { INLINE_ROWS = 4096 };

/* ----------------------------------------------------------------------------------------------- one pose -- */

struct scratch {
    float rows_on_stack[STACK_ROWS * ROW];
    float matrices_on_stack[STACK_ROWS * MATRIX];
    float *rows, *matrices, *morphs;
    void *heap;
    float *body; /* rows that are the answer as they are, from malloc; NULL: they are not */
};

/* False if out of memory. */
static bool scratch_open(struct scratch *scratch, const struct pose_sampler *sampler, bool is_answer)
{
    size_t rows = pose_sampler_row_count(sampler), morphs = pose_sampler_morph_count(sampler);
    scratch->heap = scratch->body = NULL;
    scratch->rows = scratch->rows_on_stack;
    scratch->matrices = scratch->matrices_on_stack;
    if (is_answer && rows && !morphs) {
        scratch->rows = scratch->body = malloc(rows * ROW * sizeof *scratch->body);
        return scratch->body;
    }
    if (rows > STACK_ROWS || morphs) {
        float *heap = try_alloc(rows * (ROW + MATRIX) + morphs, sizeof *heap);
        scratch->heap = heap;
        if (!heap)
            return false;
        scratch->rows = heap;
        scratch->matrices = heap + rows * ROW;
        scratch->morphs = heap + rows * (ROW + MATRIX);
    }
    return true;
}

static void put_text(struct pose_buffer *body, const char *text)
{
    pose_buffer_append(body, text, strlen(text));
}

/* Writes the joints: the player's prepared text, or a new one for a selection of rows. */
static bool put_joints(struct pose_buffer *body, const struct pose_request *request,
                       const struct scratch *scratch)
{
    const struct player *player = request->player;
    struct pose_text *own = NULL;
    const struct pose_text *text = request->model ? player->model : player->local;
    if (request->selected) {
        own = pose_text_new(player->sampler, player->skeleton != NULL, request->model, request->selected,
                            request->row_count);
        text = own;
    }
    if (!text)
        return false;
    size_t bound = pose_text_bound(text);
    if (body->capacity - body->size < bound + 256) {
        uint8_t *data = realloc(body->data, body->size + bound + 256);
        if (!data) {
            pose_text_free(own);
            return false;
        }
        body->data = data;
        body->capacity = body->size + bound + 256;
    }
    body->size += pose_text_write(text, scratch->rows, scratch->matrices, (char *)body->data + body->size);
    pose_text_free(own);
    return true;
}

static void put_morphs(struct json_writer *json, const struct pose_request *request, const float *morphs)
{
    const struct pose_sampler *sampler = request->player->sampler;
    uint32_t count = pose_sampler_morph_count(sampler);
    if (!count)
        return;
    jsonw_object(json, "morphs");
    for (uint32_t i = 0; i < count; i++) {
        char room[16];
        jsonw_number(json, pose_request_morph(request, i, room), morphs[i]);
    }
    jsonw_end(json);
}

/* Where the texts around the time and the joints end and begin. */
struct cuts {
    size_t before, between, joints, after;
};

static void keep_texts(struct pose_texts *texts, const struct pose_buffer *body, const struct cuts *cuts)
{
    const size_t between = cuts->joints - cuts->between, after = body->size - cuts->after;
    if (!body->size || cuts->before + between + after > sizeof texts->text)
        return;
    texts->before = (uint16_t)cuts->before;
    texts->between = (uint16_t)between;
    texts->after = (uint16_t)after;
    char *at = mempcpy(texts->text, body->data, cuts->before);
    at = mempcpy(at, body->data + cuts->between, between);
    memcpy(at, body->data + cuts->after, after);
    texts->are_known = true;
}

static bool put_known(struct pose_buffer *body, const struct pose_request *request, float t,
                      const struct scratch *scratch, const struct pose_texts *texts)
{
    const char *between = texts->text + texts->before, *after = between + texts->between;
    struct writer writer;
    writer_init(&writer, body, NULL);
    writer_bytes(&writer, texts->text, texts->before);
    writer_float(&writer, t);
    writer_bytes(&writer, between, texts->between);
    const bool is_put = put_joints(body, request, scratch);
    writer_bytes(&writer, after, texts->after);
    return is_put && writer_finish(&writer);
}

static bool put_all(struct pose_buffer *body, const struct pose_request *request, float t,
                    const struct scratch *scratch, struct pose_texts *texts)
{
    struct json_writer json;
    struct cuts cuts;
    char id[ID_TEXT];
    id_write(&request->clip->asset->id, id);
    jsonw_init(&json, body);
    jsonw_object(&json, NULL);
    jsonw_string(&json, "clip", id);
    cuts.before = body->size + strlen(",\"t\":");
    jsonw_number(&json, "t", t);
    cuts.between = body->size;
    pose_request_head(&json, request);
    put_text(body, ",\"joints\":");
    cuts.joints = body->size;
    if (!put_joints(body, request, scratch))
        return false;
    cuts.after = body->size;
    put_morphs(&json, request, scratch->morphs);
    pose_request_tail(&json, request, NULL, 0);
    jsonw_end(&json);
    if (!pose_sampler_morph_count(request->player->sampler))
        keep_texts(texts, body, &cuts);
    return true;
}

static enum api_outcome pose_as_json(struct api_call *call, const struct pose_request *request, double t,
                                     const struct scratch *scratch, struct pose_texts *texts)
{
    struct pose_buffer body = {0};
    const bool is_put = texts->are_known ? put_known(&body, request, (float)t, scratch, texts)
                                         : put_all(&body, request, (float)t, scratch, texts);
    if (is_put)
        return reply_json(call, &body);
    pose_buffer_free(&body);
    return reply_no_memory(call);
}

/* The rows that were asked for, from malloc; NULL if out of memory. */
static float *copy_rows(const struct pose_request *request, const struct scratch *scratch, unsigned width)
{
    const float *from = request->model ? scratch->matrices : scratch->rows;
    size_t size = (size_t)request->row_count * width * sizeof(float);
    float *floats = malloc(size ? size : 1);
    if (!floats)
        return NULL;
    if (!request->selected)
        memcpy(floats, from, size);
    for (uint32_t i = 0; request->selected && i < request->row_count; i++)
        memcpy(floats + (size_t)i * width, from + (size_t)request->selected[i] * width,
               width * sizeof *floats);
    return floats;
}

static enum api_outcome pose_as_floats(struct api_call *call, const struct pose_request *request,
                                       struct scratch *scratch)
{
    unsigned width = request->model ? MATRIX : ROW;
    size_t size = (size_t)request->row_count * width * sizeof(float);
    float *floats = scratch->body ? scratch->body : copy_rows(request, scratch, width);
    scratch->body = NULL;
    if (!floats)
        return reply_problem(call, 503, "no_memory", "out of memory");
    series_headers(call, 1, request->row_count, 0);
    struct pose_buffer body = {.data = (uint8_t *)floats, .size = size, .capacity = size ? size : 1};
    return reply_body(call, "application/octet-stream", &body, false);
}

static const char *const pose_types[] = {"application/json", "application/octet-stream", NULL};

/* Of a request with an open player. */
static enum api_outcome make_pose(struct api_call *call, struct pose_request *request, double t,
                                  bool is_floats, struct pose_texts *texts)
{
    struct scratch scratch;
    double begin = clock_seconds();
    bool is_answer = is_floats && !request->model && !request->selected;
    if (!scratch_open(&scratch, request->player->sampler, is_answer))
        return reply_no_memory(call);
    pose_sample(request->player->sampler, t, request->wrap, request->flags, scratch.rows, scratch.morphs);
    if (request->model)
        pose_model(request->player->sampler, scratch.rows, scratch.matrices);
    double sampled = clock_seconds();
    enum api_outcome outcome =
        is_floats ? pose_as_floats(call, request, &scratch) : pose_as_json(call, request, t, &scratch, texts);
    call->sample_seconds = sampled - begin;
    call->write_seconds = clock_seconds() - sampled;
    free(scratch.heap);
    return outcome;
}

static enum api_outcome open_and_make(struct api_call *call, struct pose_plan *plan, double t, int form)
{
    struct pose_request request = plan->request;
    enum api_outcome outcome;
    if (!pose_request_open(call, &request, &outcome))
        return outcome;
    outcome = request.row_count > INLINE_ROWS && !call->request->may_wait
                  ? API_WAIT
                  : make_pose(call, &request, t, form == 1, &plan->texts);
    pose_request_close(&request);
    return outcome;
}

static enum api_outcome answer_pose(struct api_call *call, struct pose_plan *plan, double t, int form)
{
    const bool is_text = form == 0;
    t = pose_time(&plan->request, t);
    double canonical[2] = {t, form};
    struct asset_id digest = id_quick(&plan->digest, canonical, sizeof canonical);
    if (reply_digest(call, digest, plan->lifetime, is_text))
        return API_DONE;
    const bool is_repeated = seen_before(&plan->seen, &digest);
    if (is_repeated && repeated_answer(call, &digest, is_text))
        return API_DONE;
    const struct repeated_mark mark = repeated_begin(call);
    const enum api_outcome outcome = open_and_make(call, plan, t, form);
    if (is_repeated && outcome == API_DONE)
        repeated_keep(call, &mark, &digest, is_text);
    return outcome;
}

bool recall_pose(struct api_call *call, enum api_outcome *outcome)
{
    double t;
    struct pose_plan *plan = plan_recall(call, &t);
    if (!plan)
        return false;
    int form = plan->form;
    *outcome = accept_choose(call, pose_types, &form) ? answer_pose(call, plan, t, form) : API_DONE;
    return true;
}

enum api_outcome handle_pose(struct api_call *call)
{
    static const char *const forms[] = {"json", "f32", NULL};
    struct pose_plan plan = {.form = -1};
    struct pose_request *request = &plan.request;
    struct param_error error;
    double t = 0;
    if (!params_number(&call->params, "t", -HUGE_VAL, HUGE_VAL, &t, &error) ||
        !params_choice(&call->params, "as", forms, &plan.form, &error))
        return reply_parameter(call, &error);
    int form = plan.form;
    if (!accept_choose(call, pose_types, &form) || !pose_request_read(call, call->clip, request))
        return API_DONE;
    plan.digest = pose_request_digest(call, request);
    plan.lifetime = reply_lifetime(call, pose_request_freshness(request));
    if (request->automatic || request->retargeting.automatic || call->by_name)
        pose_request_twin(call, request, "/pose");
    plan_keep(call, &plan);
    return answer_pose(call, &plan, t, form);
}

/* ----------------------------------------------------------------------------------------------- many -- */

enum api_outcome handle_poses(struct api_call *call)
{
    struct catalog_item *item = call->clip;
    static const char *const types[] = {"application/json", "application/x-ndjson",
                                        "application/octet-stream", NULL};
    struct pose_request request;
    struct param_error error;
    struct times times;
    int form = -1;
    if (!params_choice(&call->params, "as", series_forms, &form, &error))
        return reply_parameter(call, &error);
    if (!accept_choose(call, types, &form) || !pose_request_read(call, item, &request))
        return API_DONE;
    if (!series_holds(&request, (enum series_form)form, &error))
        return reply_parameter(call, &error);
    if (!times_read(call, &request, &times, &error))
        return reply_parameter(call, &error);
    struct asset_id digest = pose_request_digest(call, &request);
    digest = times_digest(digest, &times);
    double canonical[2] = {times.fps, form};
    digest = id_quick(&digest, canonical, sizeof canonical);
    if (request.automatic || request.retargeting.automatic || call->by_name)
        pose_request_twin(call, &request, "/poses");
    enum api_outcome outcome = API_DONE;
    if (!reply_cached(call, digest, pose_request_freshness(&request), form < 2) &&
        pose_request_open(call, &request, &outcome))
        outcome = series_reply(call, &request, NULL, &times, (enum series_form)form);
    times_release(&times);
    return outcome;
}
