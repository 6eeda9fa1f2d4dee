/*
 * POST /v1/poses: many pose requests in one body, and mixtures of several clips. Each item is read and answered like
 * the query of GET …/poses; an error in one affects only that item's answer.
 */
#include "api/handlers/handlers.h"
#include "api/poses/mixture.h"
#include "server/ops/clock.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_ITEMS = 1000 };

struct batch {
    struct api_call *call;
    struct json_writer *json;
    struct item_budget budget;
};

/* ------------------------------------------------------------------------------------------------ poses of a clip -- */

/* "t": a time or a list of times; or frames, as in the query. */
static bool read_clip_times(struct item *item, const struct pose_request *request, struct times *times)
{
    static const char *const grid[] = {"fps", "from", "to", "end"};
    struct param_error error;
    bool has_grid = false;
    for (size_t i = 0; i < sizeof grid / sizeof *grid; i++) {
        has_grid |= json_object_get(item->json, grid[i]) != NULL;
        if (!item_take_number(item, grid[i]))
            return false;
    }
    if (has_grid && json_object_get(item->json, "t"))
        return item_refuse(item, "t", "t cannot be combined with fps, from, to and end");
    if (has_grid && !times_read(&item->call, request, times, &error)) {
        reply_parameter(&item->call, &error);
        return false;
    }
    if (has_grid)
        return true;
    if (!item_read_times(item, -HUGE_VAL, HUGE_VAL, times))
        return false;
    for (size_t i = 0; i < times->count; i++)
        times->items[i] = pose_time(request, times->items[i]);
    return true;
}

static bool open_clip(struct item *item, struct pose_request *request, struct times *times)
{
    static const char *const known[] = {"clip", "t",      "skeleton",       "space", "axes", "wrap",
                                        "root", "joints", "archive",        "fps",   "from", "to",
                                        "end",  "as",     ITEM_RETARGETING, NULL};
    enum api_outcome outcome;
    struct catalog_item *clip;
    if (!item_check_members(item, item->json, "", known) || !(clip = item_find_clip(item, item->json, "")))
        return false;
    for (size_t i = 2; i < 7; i++) {
        if (!item_take_text(item, item->json, "", known[i]))
            return false;
    }
    return item_take_retargeting(item) && item_take_joints(item, item->json, "") &&
           pose_request_read(&item->call, clip, request) && read_clip_times(item, request, times) &&
           pose_request_open(&item->call, request, &outcome);
}

/* ---------------------------------------------------------------------------------------------------------- items -- */

/* An item that is open: of a clip, or of a mixture. */
struct opened {
    struct pose_request request;
    struct series_source source; /* owner NULL: a clip */
    struct times times;
    uint64_t layers;
};

static bool open_mixture(struct item *item, struct opened *opened)
{
    struct mixture *mixture = mixture_open(item);
    if (!mixture)
        return false;
    opened->layers = mixture->count;
    if (!mixture_times(item, mixture, false, &opened->times)) {
        mixture_free(mixture);
        return false;
    }
    opened->source = mixture_source(mixture, &opened->request);
    return true;
}

static void opened_release(struct opened *opened)
{
    if (opened->source.owner)
        opened->source.free(opened->source.owner);
    pose_request_close(&opened->request);
    times_release(&opened->times);
}

static bool open_item(struct item *item, struct opened *opened)
{
    *opened = (struct opened){.layers = 1};
    bool is_mixture = json_object_get(item->json, "layers") || json_object_get(item->json, "crossfade") ||
                      json_object_get(item->json, "mix");
    bool done = json_is_object(item->json) ? is_mixture ? open_mixture(item, opened)
                                                        : open_clip(item, &opened->request, &opened->times)
                                           : item_refuse(item, "", "an item must be an object");
    if (!done)
        opened_release(opened);
    return done;
}

static bool answer_text(struct item *item, struct pose_buffer *out)
{
    struct opened opened;
    int form = 0;
    if (!item_read_word(item, "as", series_forms, &form))
        return false;
    if (form)
        return item_refuse(item, "as", "%s needs to be the only item of the request", series_forms[form]);
    if (!open_item(item, &opened))
        return false;
    const struct series_source *source = opened.source.owner ? &opened.source : NULL;
    bool spent = item_spend(item, opened.times.count * opened.layers, opened.request.row_count);
    if (!spent) {
        opened_release(&opened);
        return false;
    }
    bool written = series_text(&opened.request, source, &opened.times, out);
    times_release(&opened.times);
    return written || item_refuse_memory(item);
}

static void put_error(struct json_writer *json, const struct api_response *response)
{
    struct pose_buffer text = {0};
    if (response->size && pose_buffer_append(&text, response->data, response->size) &&
        pose_buffer_append(&text, "", 1))
        jsonw_raw(json, "error", (const char *)text.data);
    else
        json->to.failed = true;
    pose_buffer_free(&text);
}

/* An item and the place of its answer. */
struct placed_item {
    struct item item;
    struct api_response response;
};

/* Writes the answer to one item, or its problem. */
static void answer_item(struct batch *batch, const json_t *object, size_t index)
{
    struct placed_item *placed = try_alloc(1, sizeof *placed);
    struct pose_buffer out = {0};
    struct json_writer error;
    char pointer[ITEM_POINTER];
    batch->json->to.failed |= !placed;
    if (!placed)
        return;
    response_init(&placed->response, 200);
    snprintf(placed->response.request_id, sizeof placed->response.request_id, "%s",
             batch->call->response->request_id);
    snprintf(pointer, sizeof pointer, "/requests/%zu", index);
    item_begin(&placed->item, batch->call, &placed->response, object, pointer, &batch->budget);
    if (!answer_text(&placed->item, &out)) {
        jsonw_init(&error, &out);
        jsonw_object(&error, NULL);
        put_error(&error, &placed->response);
        jsonw_end(&error);
    }
    if (pose_buffer_append(&out, "", 1))
        jsonw_raw(batch->json, NULL, (const char *)out.data);
    else
        batch->json->to.failed = true;
    batch->call->fetch.decode_seconds += placed->item.call.fetch.decode_seconds;
    batch->call->fetch.missed |= placed->item.call.fetch.missed;
    pose_buffer_free(&out);
    item_release(&placed->item);
    response_release(&placed->response);
    free(placed);
}

/* ------------------------------------------------------------------------------------------------------- the body -- */

static enum api_outcome answer_all(struct api_call *call, const json_t *requests)
{
    const json_t *object;
    struct pose_buffer out = {0};
    struct json_writer json;
    struct batch batch = {.call = call, .json = &json};
    size_t index;
    double begin = clock_seconds();
    jsonw_init(&json, &out);
    jsonw_object(&json, NULL);
    jsonw_array(&json, "results");
    json_array_foreach(requests, index, object)
    {
        if (call->effort && effort_is_over(call->effort)) {
            pose_buffer_free(&out);
            return reply_out_of_time(call);
        }
        answer_item(&batch, object, index);
    }
    jsonw_end(&json);
    jsonw_end(&json);
    call->response->cache = call->fetch.missed ? "miss" : "hit";
    call->write_seconds = clock_seconds() - begin - call->fetch.decode_seconds;
    response_header(call->response, "Cache-Control", "no-store");
    return reply_json(call, &out);
}

/* The only item, in a form without a place for other answers: its poses, or its problem, are the whole response. */
static enum api_outcome answer_one(struct api_call *call, const json_t *object, int form)
{
    struct item_budget budget = {0};
    struct opened opened;
    struct item *item = try_alloc(1, sizeof *item);
    if (!item)
        return reply_no_memory(call);
    item_begin(item, call, call->response, object, "/requests/0", &budget);
    bool explains = json_is_true(json_object_get(object, "explain")) && form >= SERIES_F32;
    if (explains)
        item_refuse(item, "explain", "only json and ndjson have explanations");
    if (!explains && open_item(item, &opened)) {
        const struct series_source *source = opened.source.owner ? &opened.source : NULL;
        response_header(call->response, "Cache-Control", "no-store");
        struct param_error error;
        const bool holds = series_holds(&opened.request, (enum series_form)form, &error) ||
                           item_refuse(item, error.name, "%s", error.detail);
        if (holds && item_spend_frames(item, opened.times.count * opened.layers))
            series_reply(&item->call, &opened.request, source, &opened.times, (enum series_form)form);
        else
            opened_release(&opened);
        times_release(&opened.times);
    }
    call->fetch.decode_seconds += item->call.fetch.decode_seconds;
    call->fetch.missed |= item->call.fetch.missed;
    item_release(item);
    free(item);
    return API_DONE;
}

static enum api_outcome answer(struct api_call *call, const json_t *body)
{
    static const char *const types[] = {"application/json", "application/x-ndjson",
                                        "application/octet-stream", NULL};
    static const char *const text[] = {"application/json", NULL};
    const json_t *requests = json_object_get(body, "requests");
    if (!json_is_object(body) || json_object_size(body) != 1 || !json_is_array(requests))
        return item_bad_body(call, "/", POSE_NO_OFFSET,
                             "the body must be an object with one member, requests: a list");
    if (json_array_size(requests) > MAX_ITEMS)
        return item_bad_body(call, "/requests", POSE_NO_OFFSET, "more than 1000 items");
    const json_t *only = json_array_size(requests) == 1 ? json_array_get(requests, 0) : NULL;
    const char *as = only ? json_string_value(json_object_get(only, "as")) : NULL;
    int form = -1;
    for (int i = 0; as && series_forms[i]; i++) {
        if (!strcmp(as, series_forms[i]))
            form = i;
    }
    if (!accept_choose(call, only ? types : text, &form))
        return API_DONE;
    return form > SERIES_JSON ? answer_one(call, only, form) : answer_all(call, requests);
}

enum api_outcome handle_batch(struct api_call *call)
{
    json_t *body = item_body(call);
    if (!body)
        return API_DONE;
    enum api_outcome outcome = answer(call, body);
    json_decref(body);
    return outcome;
}
