/*
 * POST /v1/poses: many pose requests in one body, and blends of several clips. Each item is read and answered like
 * the query of GET …/poses; an error in one affects only that item's answer.
 */
#include "api/handlers/handlers.h"
#include "api/handlers/pose_series.h"
#include "api/protocol/scope.h"
#include "server/ops/clock.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    ROW = 10,
    MAX_ITEMS = 1000,
    MAX_LAYERS = 16,
    MAX_BODY = 1 << 20,    /* of JSON: the parsed tree is about twenty times as large */
    MAX_ROWS = 500 * 1000, /* total joints x times of all items: about 60 MB of text */
};

/* Totals over all items of a body. */
struct batch {
    struct api_call *call;
    struct json_writer *json;
    uint64_t rows, frames;
};

/* One item. It has its own call, so that an error concerns only this item. */
enum { RETARGET_TEXTS = 9 };

struct item {
    char *texts[RETARGET_TEXTS]; /* built from members, from malloc */
    struct batch *batch;
    const json_t *json;
    size_t index;
    struct api_call call;
    struct api_response response;
};

/* ------------------------------------------------------------------------------------------------------ refusals -- */

static bool refuse(struct item *item, const char *member, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* A problem whose pointer is the item's member ("": the item itself). Always returns false. */
static bool refuse(struct item *item, const char *member, const char *format, ...)
{
    struct pose_error error;
    va_list arguments;
    pose_error_init(&error);
    error.status = POSE_BAD_ARGUMENT;
    snprintf(error.code, sizeof error.code, "bad_item");
    snprintf(error.field, sizeof error.field, "/requests/%zu%s%s", item->index, *member ? "/" : "", member);
    va_start(arguments, format);
    vsnprintf(error.detail, sizeof error.detail, format, arguments);
    va_end(arguments);
    reply_error(&item->call, &error, NULL, NULL);
    return false;
}

/* 503 for this item only. Always returns false. */
static bool refuse_memory(struct item *item)
{
    reply_no_memory(&item->call);
    return false;
}

static bool check_members(struct item *item, const json_t *object, const char *where,
                          const char *const *known)
{
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)object, name, value)
    {
        bool is_known = false;
        for (const char *const *at = known; *at; at++)
            is_known |= !strcmp(*at, name);
        if (!is_known)
            return refuse(item, where, "unknown member \"%.60s\"", name);
    }
    return true;
}

/* ------------------------------------------------------------------------------------------- members as parameters -- */

/* Query parameters made from JSON, with their texts in one block. */
static void put_parameter(struct params *params, const char *name, const char *value)
{
    params->items[params->count++] = (struct param){name, value};
}

/* Adds a text member as the parameter of the same name, if present. */
static bool take_text(struct item *item, const json_t *object, const char *where, const char *name)
{
    const json_t *value = json_object_get(object, name);
    if (!value)
        return true;
    if (!json_is_string(value) || strlen(json_string_value(value)) != json_string_length(value))
        return refuse(item, where, "%s must be a string", name);
    put_parameter(&item->call.params, name, json_string_value(value));
    return true;
}

/* retarget and its parameters: texts, numbers, and maps as objects. */
#define RETARGET_MEMBERS                                                                                     \
    "retarget", "strict", "onto", "map", "map_onto", "ik", "travel", "heading", "tolerance"

static bool take_retargeting(struct item *item)
{
    static const char *const names[RETARGET_TEXTS] = {RETARGET_MEMBERS};
    for (size_t i = 0; i < RETARGET_TEXTS; i++) {
        const json_t *value = json_object_get(item->json, names[i]);
        if (!value || json_is_string(value)) {
            if (!take_text(item, item->json, names[i], names[i]))
                return false;
            continue;
        }
        bool is_map = !strncmp(names[i], "map", 3) && json_is_object(value);
        bool is_number = (!strcmp(names[i], "retarget") || !strcmp(names[i], "strict") ||
                          !strcmp(names[i], "tolerance")) &&
                         json_is_number(value);
        item->texts[i] = is_map || is_number ? json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY) : NULL;
        if (!item->texts[i])
            return refuse(item, names[i], "%s has the wrong type", names[i]);
        put_parameter(&item->call.params, names[i], item->texts[i]);
    }
    return true;
}

/* ["a","b"] becomes "a,b" in *text, from malloc; NULL if absent. */
static bool join_joints(struct item *item, const json_t *object, const char *where, char **text)
{
    const json_t *list = json_object_get(object, "joints"), *name;
    size_t size = 1, index, used = 0;
    *text = NULL;
    if (!list)
        return true;
    if (!json_is_array(list) || !json_array_size(list))
        return refuse(item, where, "joints must be a list of names");
    json_array_foreach(list, index, name)
    {
        const char *value = json_string_value(name);
        if (!value || strlen(value) != json_string_length(name) || strchr(value, ','))
            return refuse(item, where, "joints must contain names: strings without NUL and comma");
        size += strlen(value) + 1;
    }
    *text = try_alloc(size, 1);
    if (!*text)
        return refuse_memory(item);
    json_array_foreach(list, index, name) used +=
        (size_t)sprintf(*text + used, "%s%s", index ? "," : "", json_string_value(name));
    return true;
}

static bool read_time(struct item *item, const json_t *value, const char *where, double *t)
{
    if (!json_is_number(value) || !isfinite(json_number_value(value)))
        return refuse(item, where, "t must be a finite number");
    *t = json_number_value(value);
    return true;
}

/* Applies the object's "archive" to the clip. */
static bool scope_clip(struct item *item, const json_t *object, const char *where, struct catalog_item **clip)
{
    unsigned before = item->call.params.count;
    if (!take_text(item, object, where, "archive"))
        return false;
    bool done = scope_item(&item->call, clip);
    item->call.params.count = before;
    return done;
}

static struct catalog_item *find_clip(struct item *item, const json_t *object, const char *where)
{
    const char *text = json_string_value(json_object_get(object, "clip"));
    struct asset_id id;
    struct catalog_item *clip =
        text && id_parse(text, strlen(text), &id) ? catalog_find(item->call.catalog, ASSET_CLIP, &id) : NULL;
    if (!clip && !text)
        refuse(item, where, "clip is missing: the id of a clip");
    else if (!clip)
        reply_not_found(&item->call, "clip", text);
    return clip && scope_clip(item, object, where, &clip) ? clip : NULL;
}

/* Adds the size of an answer to the total; false if the total becomes too large for one body. */
static bool spend(struct item *item, uint64_t frames, uint64_t joints)
{
    struct batch *batch = item->batch;
    struct pose_error error;
    uint64_t all_frames = batch->frames + frames, all_rows = batch->rows + frames * joints;
    bool over_frames = all_frames > item->call.service->config->max_frames;
    if (!over_frames && all_rows <= MAX_ROWS) {
        batch->frames = all_frames;
        batch->rows = all_rows;
        return true;
    }
    pose_error_init(&error);
    error.status = POSE_OVER_LIMIT;
    snprintf(error.code, sizeof error.code, "too_large");
    snprintf(error.field, sizeof error.field, "/requests/%zu", item->index);
    snprintf(error.limit, sizeof error.limit, over_frames ? "max-frames" : "rows");
    snprintf(error.detail, sizeof error.detail,
             "this item raises the request to %llu poses and %llu joints; at most %llu and %d",
             (unsigned long long)all_frames, (unsigned long long)all_rows,
             (unsigned long long)item->call.service->config->max_frames, MAX_ROWS);
    reply_error(&item->call, &error, NULL, NULL);
    return false;
}

/* ------------------------------------------------------------------------------------------------ poses of a clip -- */

/* "t": a time or a list of times. */
static bool read_times(struct item *item, const struct pose_request *request, struct times *times)
{
    const json_t *value = json_object_get(item->json, "t"), *one;
    size_t index;
    double t = 0;
    *times = (struct times){0};
    size_t count = json_is_array(value) ? json_array_size(value) : 1;
    if (!count)
        return refuse(item, "t", "t is an empty list");
    times->items = try_alloc(count, sizeof *times->items);
    if (!times->items)
        return refuse_memory(item);
    if (json_is_array(value)) {
        json_array_foreach(value, index, one)
        {
            if (!read_time(item, one, "t", &t))
                return false;
            times->items[times->count++] = pose_time(request, t);
        }
        return true;
    }
    if (value && !read_time(item, value, "t", &t))
        return false;
    times->items[times->count++] = pose_time(request, t);
    return true;
}

static bool answer_poses(struct item *item, struct pose_buffer *out)
{
    static const char *const known[] = {"clip", "t",      "skeleton", "space",          "axes", "wrap",
                                        "root", "joints", "archive",  RETARGET_MEMBERS, NULL};
    struct pose_request request = {0};
    struct times times = {0};
    char *joints;
    enum api_outcome outcome;
    struct catalog_item *clip;
    if (!check_members(item, item->json, "", known) || !(clip = find_clip(item, item->json, "clip")))
        return false;
    for (size_t i = 2; i < 7; i++) {
        if (!take_text(item, item->json, known[i], known[i]))
            return false;
    }
    if (!take_retargeting(item) || !join_joints(item, item->json, "joints", &joints))
        return false;
    if (joints)
        put_parameter(&item->call.params, "joints", joints);
    bool answered = pose_request_read(&item->call, clip, &request) && read_times(item, &request, &times) &&
                    pose_request_open(&item->call, &request, &outcome);
    if (answered && !spend(item, times.count, request.row_count))
        answered = false;
    if (answered)
        answered = series_text(&request, &times, out) || refuse_memory(item);
    pose_request_close(&request);
    times_release(&times);
    free(joints);
    return answered;
}

/* --------------------------------------------------------------------------------------------------------- blends -- */

/* The layers of a blend, each with its player on the common skeleton. */
struct blend {
    unsigned count;
    struct pose_request requests[MAX_LAYERS]; /* the first has the item's parameters */
    struct pose_layer layers[MAX_LAYERS];
    float *rows[MAX_LAYERS], *factors[MAX_LAYERS];
    double t;
};

static void blend_release(struct blend *blend)
{
    for (unsigned i = 0; i < MAX_LAYERS; i++) {
        pose_request_close(&blend->requests[i]);
        free(blend->rows[i]);
        free(blend->factors[i]);
    }
}

/* A layer affects the joints that its clip animates, restricted to those that it names. */
static bool set_factors(struct blend *blend, unsigned layer)
{
    const struct pose_request *request = &blend->requests[layer];
    const struct pose_row *rows = pose_sampler_rows(request->player->sampler);
    uint32_t count = pose_sampler_row_count(request->player->sampler);
    float *factors = try_alloc(count, sizeof *factors);
    for (uint32_t i = 0; factors && i < request->row_count; i++) {
        uint32_t row = request->selected ? request->selected[i] : i;
        factors[row] = rows[row].driven ? 1 : 0;
    }
    blend->factors[layer] = factors;
    blend->layers[layer].factors = factors;
    return factors;
}

static bool sample_layer(struct item *item, struct blend *blend, unsigned layer, double t)
{
    const struct pose_request *request = &blend->requests[layer];
    uint32_t count = pose_sampler_row_count(request->player->sampler);
    if (!spend(item, 1, count))
        return false;
    blend->rows[layer] = try_alloc(count, ROW * sizeof(float));
    if (!blend->rows[layer] || !set_factors(blend, layer))
        return refuse_memory(item);
    pose_sample(request->player->sampler, t, request->wrap, request->flags, blend->rows[layer], NULL);
    blend->layers[layer].rows = blend->rows[layer];
    return true;
}

/* All other layers use the first layer's skeleton. */
static bool open_layer(struct item *item, struct blend *blend, unsigned layer, struct catalog_item *clip)
{
    struct pose_request *request = &blend->requests[layer];
    enum api_outcome outcome;
    if (!pose_request_read(&item->call, clip, request))
        return false;
    if (layer && !request->retargeting.on)
        request->skeleton = blend->requests[0].skeleton;
    else if (!request->skeleton.asset)
        return refuse(item, "skeleton", "a blend needs a skeleton, but its first clip has none");
    request->model = request->model && !layer;
    return pose_request_open(&item->call, request, &outcome);
}

static bool read_layer(struct item *item, struct blend *blend, unsigned layer, const json_t *object)
{
    static const char *const known[] = {"clip", "t", "weight", "joints", "archive", NULL};
    char where[24], *joints;
    double t = 0;
    snprintf(where, sizeof where, "layers/%u", layer);
    struct catalog_item *clip;
    if (!json_is_object(object))
        return refuse(item, where, "a layer must be an object");
    if (!check_members(item, object, where, known) || !(clip = find_clip(item, object, where)) ||
        !join_joints(item, object, where, &joints))
        return false;
    const json_t *weight = json_object_get(object, "weight"), *time = json_object_get(object, "t");
    double value = weight ? json_number_value(weight) : 1;
    unsigned shared = item->call.params.count;
    if (joints)
        put_parameter(&item->call.params, "joints", joints);
    bool read = (!weight || json_is_number(weight)) && value >= 0 && value <= 1e6;
    if (!read)
        refuse(item, where, "weight must be between 0 and 1000000");
    read = read && (!time || read_time(item, time, where, &t)) && open_layer(item, blend, layer, clip);
    if (read) {
        blend->layers[layer].weight = (float)value;
        t = pose_time(&blend->requests[layer], t);
        if (!layer)
            blend->t = t;
        read = sample_layer(item, blend, layer, t);
    }
    item->call.params.count = shared;
    free(joints);
    return read;
}

/* False if out of memory. */
static bool write_blend(struct blend *blend, struct pose_buffer *out)
{
    struct pose_request *first = &blend->requests[0];
    const struct pose_sampler *sampler = first->player->sampler;
    uint32_t count = pose_sampler_row_count(sampler);
    enum pose_axes native =
        first->player->retarget ? first->player->skeleton->axes : first->player->clip->axes;
    enum pose_axes axes = first->gltf ? POSE_AXES_GLTF : native;
    float *mixed = try_alloc(count, ROW * sizeof *mixed);
    bool *driven = try_alloc(count, sizeof *driven);
    if (!mixed || !driven) {
        free(mixed);
        free(driven);
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        pose_joint_rest(first->player->skeleton, i, axes, mixed + (size_t)i * ROW);
        for (unsigned layer = 0; layer < blend->count; layer++)
            driven[i] |= blend->factors[layer][i] > 0 && blend->layers[layer].weight > 0;
    }
    pose_mix(blend->layers, blend->count, count, mixed);
    /* The answer has all joints, whichever the first layer names. */
    free(first->selected);
    first->selected = NULL;
    first->row_count = count;
    bool written = series_text_of(first, blend->t, mixed, driven, out);
    free(driven);
    free(mixed);
    return written;
}

static bool answer_blend(struct item *item, struct pose_buffer *out)
{
    static const char *const known[] = {"layers", "skeleton", "space",          "axes",
                                        "wrap",   "root",     RETARGET_MEMBERS, NULL};
    const json_t *layers = json_object_get(item->json, "layers"), *object;
    struct blend blend = {0};
    size_t index;
    if (!check_members(item, item->json, "", known))
        return false;
    if (!json_is_array(layers) || !json_array_size(layers) || json_array_size(layers) > MAX_LAYERS)
        return refuse(item, "layers", "layers must be a list of 1 to %d layers", MAX_LAYERS);
    for (size_t i = 1; i < 6; i++) {
        if (!take_text(item, item->json, known[i], known[i]))
            return false;
    }
    bool read = take_retargeting(item);
    json_array_foreach(layers, index, object)
    {
        read = read && read_layer(item, &blend, (unsigned)index, object);
        blend.count = (unsigned)index + 1;
    }
    if (read)
        read = write_blend(&blend, out) || refuse_memory(item);
    blend_release(&blend);
    return read;
}

/* ---------------------------------------------------------------------------------------------------------- items -- */

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

/* Writes the answer to one item, or its problem. */
static void answer_item(struct batch *batch, const json_t *object, size_t index)
{
    struct item *item = try_alloc(1, sizeof *item);
    struct pose_buffer out = {0};
    struct json_writer error;
    batch->json->to.failed |= !item;
    if (!item)
        return;
    *item = (struct item){.batch = batch, .json = object, .index = index, .call = *batch->call};
    item->call.params = (struct params){0};
    item->call.response = &item->response;
    response_init(&item->response, 200);
    snprintf(item->response.request_id, sizeof item->response.request_id, "%s",
             batch->call->response->request_id);
    bool answered = json_is_object(object) ? json_object_get(object, "layers") ? answer_blend(item, &out)
                                                                               : answer_poses(item, &out)
                                           : refuse(item, "", "an item must be an object");
    if (!answered) {
        jsonw_init(&error, &out);
        jsonw_object(&error, NULL);
        put_error(&error, &item->response);
        jsonw_end(&error);
    }
    if (pose_buffer_append(&out, "", 1))
        jsonw_raw(batch->json, NULL, (const char *)out.data);
    else
        batch->json->to.failed = true;
    batch->call->fetch.decode_seconds += item->call.fetch.decode_seconds;
    batch->call->fetch.missed |= item->call.fetch.missed;
    pose_buffer_free(&out);
    for (size_t i = 0; i < RETARGET_TEXTS; i++)
        free(item->texts[i]);
    response_release(&item->response);
    free(item);
}

/* ------------------------------------------------------------------------------------------------------- the body -- */

static enum api_outcome bad_body(struct api_call *call, const char *pointer, uint64_t offset,
                                 const char *detail)
{
    struct pose_error error;
    pose_error_init(&error);
    error.status = POSE_BAD_ARGUMENT;
    error.offset = offset;
    snprintf(error.code, sizeof error.code, "bad_body");
    snprintf(error.field, sizeof error.field, "%s", pointer);
    snprintf(error.detail, sizeof error.detail, "%s", detail);
    return reply_error(call, &error, NULL, NULL);
}

static enum api_outcome answer(struct api_call *call, const json_t *body)
{
    const json_t *requests = json_object_get(body, "requests"), *object;
    struct pose_buffer out = {0};
    struct json_writer json;
    struct batch batch = {.call = call, .json = &json};
    size_t index;
    if (!json_is_object(body) || json_object_size(body) != 1 || !json_is_array(requests))
        return bad_body(call, "/", POSE_NO_OFFSET,
                        "the body must be an object with one member, requests: a list");
    if (json_array_size(requests) > MAX_ITEMS)
        return bad_body(call, "/requests", POSE_NO_OFFSET, "more than 1000 items");
    double begin = clock_seconds();
    jsonw_init(&json, &out);
    jsonw_object(&json, NULL);
    jsonw_array(&json, "results");
    json_array_foreach(requests, index, object) answer_item(&batch, object, index);
    jsonw_end(&json);
    jsonw_end(&json);
    call->response->cache = call->fetch.missed ? "miss" : "hit";
    call->write_seconds = clock_seconds() - begin - call->fetch.decode_seconds;
    response_header(call->response, "Cache-Control", "no-store");
    return reply_json(call, &out);
}

enum api_outcome handle_batch(struct api_call *call)
{
    const struct api_request *request = call->request;
    json_error_t problem;
    if (request->body_size > MAX_BODY) {
        char detail[80];
        snprintf(detail, sizeof detail, "the body has %zu bytes; at most %d", request->body_size, MAX_BODY);
        return reply_limit(call, 413, "too_large", "body", detail);
    }
    json_t *body =
        json_loadb((const char *)request->body, request->body_size, JSON_REJECT_DUPLICATES, &problem);
    if (!body && (json_error_code(&problem) == json_error_out_of_memory || !problem.text[0]))
        return reply_no_memory(call);
    if (!body)
        return bad_body(call, "", problem.position > 0 ? (uint64_t)problem.position : 0, problem.text);
    enum api_outcome outcome = answer(call, body);
    json_decref(body);
    return outcome;
}
