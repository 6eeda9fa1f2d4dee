/* POST /v1/convert of an item of POST /v1/poses: several clips together become one file. */
#include "api/conversion/converted.h"
#include "api/handlers/handlers.h"
#include "api/poses/mixed_clip.h"
#include "lib/core/json.h"
#include "server/library/names.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* -------------------------------------------------------------------------------------------------- the body -- */

/* By its own members, however large it is and whether or not it is complete. A clip's own JSON is a file. */
bool body_is_mixture(const struct api_call *call)
{
    static const char json[] = "application/json";
    static const struct json_member members[] = {
        {"layers", 0}, {"crossfade", 0}, {"mix", 0}, {"requests", 0}, {NULL, 0}};
    const struct api_request *request = call->request;
    const char *type = request->header(request, "Content-Type");
    size_t length = type ? strcspn(type, "; \t") : 0;
    return length == sizeof json - 1 && !strncasecmp(type, json, length) &&
           json_has_any((struct pose_bytes){request->body, request->body_size}, members);
}

/* The item itself, or the only one of a list as POST /v1/poses takes it. */
static json_t *item_of(json_t *body, const char **pointer)
{
    json_t *requests = json_object_get(body, "requests");
    *pointer = requests ? "/requests/0" : "";
    if (!requests)
        return body;
    return json_object_size(body) == 1 && json_array_size(requests) == 1 ? json_array_get(requests, 0) : NULL;
}

/* Parameters of a file, and those that the item has instead. */
static bool check_parameters(struct api_call *call)
{
    static const char *const names[] = {"clip", "format", "up",      "retarget",  "onto", "map_onto",
                                        "ik",   "travel", "heading", "tolerance", NULL};
    for (const char *const *name = names; *name; name++) {
        if (params_get(&call->params, *name)) {
            reply_bad_parameter(call, *name, "not taken with a body that has several clips");
            return false;
        }
    }
    return true;
}

/* fps= and skeleton= of the query count where the item has none. */
static bool complete_item(const struct api_call *call, const struct conversion *conversion, json_t *item)
{
    const char *skeleton = params_get(&call->params, "skeleton");
    if (conversion->fps > 0 && !json_object_get(item, "fps") && !json_object_get(item, "t") &&
        json_object_set_new(item, "fps", json_real((double)conversion->fps)))
        return false;
    return !skeleton || json_object_get(item, "skeleton") ||
           !json_object_set_new(item, "skeleton", json_string(skeleton));
}

/* ---------------------------------------------------------------------------------------------- the conversion -- */

struct mixing_work {
    struct api_call *call;
    struct conversion *conversion;
    const struct mixture *mixture;
    struct mixed_clip mixed;
    const char *name;
    const struct conversion_order *order;
};

/* For struct conversion_order. */
static bool gather(void *user, struct ingredients *ingredients, struct warnings *warnings,
                   struct pose_error *error)
{
    struct mixing_work *work = user;
    const struct pose_conversion_clip clip = {.clip = &work->mixed.clip, .from = "gltf", .name = work->name};
    if (work->mixture->morph_count > 1)
        warnings_add(warnings, "morphs_left_out", POSE_NOTE, "poses of hands and faces are not written");
    for (uint32_t i = 0; i < work->mixture->warning_count; i++)
        warnings_take(warnings, &work->mixture->warnings[i]);
    return ingredients_put_clip(ingredients, &clip, error) &&
           conversion_parts_add(work->order, ingredients, warnings, error);
}

static enum api_outcome convert(struct mixing_work *work)
{
    struct api_call *call = work->call;
    const struct pose_request *request = &work->mixture->request;
    const struct conversion_place place = conversion_place(call, NULL);
    struct conversion_parts *parts = &work->conversion->parts;
    struct param_error error;
    parts->is_mixed = true;
    if (!conversion_parts_read(&place, parts, &error))
        return reply_parameter(call, &error);
    parts->skeleton = (struct ingredient_skeleton){
        call->catalog, request->retargeting.on ? request->retargeting.carrying.onto : request->skeleton};
    work->conversion->fps = 0; /* the keys are on its frames */
    const char *name = params_get(&call->params, "name");
    char *stem = strndup(name ? name : "mix", name ? name_stem(name) : 3);
    if (!stem)
        return reply_no_memory(call);
    work->name = stem;
    const struct conversion_order order = {
        .place = &place, .conversion = work->conversion, .gather = gather, .user = work, .file.name = stem};
    work->order = &order;
    response_drop_header(call->response, "Posed-Warning"); /* the conversion warns of its skeleton itself */
    response_header(call->response, "Cache-Control", "no-store");
    enum api_outcome outcome = reply_conversion(call, &order);
    free(stem);
    return outcome;
}

static void mix(struct mixing_work *work, struct item *item)
{
    struct times times = {0};
    struct mixture *mixture = mixture_open(item);
    if (!mixture)
        return;
    work->mixture = mixture;
    if (mixture_times(item, mixture, true, &times) && mixed_clip_make(item, mixture, &times, &work->mixed))
        convert(work);
    mixed_clip_release(&work->mixed);
    times_release(&times);
    mixture_free(mixture);
}

enum api_outcome convert_mixture(struct api_call *call, struct conversion *conversion)
{
    struct item_budget budget = {0};
    const char *pointer;
    if (!check_parameters(call))
        return API_DONE;
    json_t *body = item_body(call);
    if (!body)
        return API_DONE;
    json_t *object = item_of(body, &pointer);
    struct item *item = try_alloc(1, sizeof *item);
    struct mixing_work *work = try_alloc(1, sizeof *work);
    if (!item || !work) {
        reply_no_memory(call);
    } else if (!json_is_object(object)) {
        item_bad_body(call, "/requests", POSE_NO_OFFSET, "the body must be one item: an object");
    } else if (!complete_item(call, conversion, object)) {
        reply_no_memory(call);
    } else {
        item_begin(item, call, call->response, object, pointer, &budget);
        *work = (struct mixing_work){.call = call, .conversion = conversion};
        mix(work, item);
        item_release(item);
    }
    free(item);
    free(work);
    json_decref(body);
    return API_DONE;
}
