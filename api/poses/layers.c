/* Clips on the skeleton of the first: layers with weights, and cross-fades. */
#include "api/poses/mixture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROW = 10, ROW_LIMIT = 65536 };

/* -------------------------------------------------------------------------------------------- opening clips -- */

/* A clip is sampled on the skeleton of the first; its own, which it may not have, decides nothing. */
static bool read_request(struct item *item, struct mixture *mixture, struct catalog_item *clip,
                         struct pose_request *request)
{
    struct params *params = &item->call.params, kept = *params;
    for (unsigned i = 0; i < params->count && mixture->count; i++) {
        if (!strcmp(params->items[i].name, "space"))
            params->items[i].value = "local";
    }
    bool read = pose_request_read(&item->call, clip, request);
    *params = kept;
    if (!read)
        return false;
    if (mixture->count && !request->retargeting.on)
        request->skeleton = mixture->layers[0].request.skeleton;
    else if (!request->skeleton.asset)
        return item_refuse(item, "skeleton",
                           params_get(params, "skeleton") && !strcmp(params_get(params, "skeleton"), "none")
                               ? "a mixture needs a skeleton: leave it out, or name one instead of \"none\""
                               : "a mixture needs a skeleton, but its first clip has none");
    return true;
}

bool mixture_open_layer(struct item *item, struct mixture *mixture, const json_t *object, const char *where)
{
    struct mixture_layer *layer = &mixture->layers[mixture->count];
    unsigned shared = item->call.params.count;
    enum api_outcome outcome;
    char place[ITEM_POINTER];
    snprintf(item->part, sizeof item->part, "%.40s/%.20s", item->pointer, where);
    item->call.part_pointer = item->part;
    struct catalog_item *clip = item_find_clip(item, object, where);
    bool opened =
        clip && item_take_joints(item, object, where) && read_request(item, mixture, clip, &layer->request);
    response_drop_header(item->call.response, "Posed-Warning");
    opened = opened && pose_request_open(&item->call, &layer->request, &outcome);
    item->call.params.count = shared;
    item->call.part_pointer = NULL;
    item->call.scope = NULL;
    if (!opened)
        return false;
    layer->player = layer->request.player;
    layer->duration = (double)clip->asset->duration;
    mixture->count++;
    const struct player *first = mixture->layers[0].player;
    bool is_mirrored =
        !layer->request.gltf && !layer->player->retarget && layer->player->clip->axes != first->clip->axes;
    snprintf(place, sizeof place, "%.20s/clip", where);
    return !is_mirrored || item_refuse(item, place, "axes=native needs clips in the same axes as the first");
}

/* The joints that a layer takes part in: of those that it names, which its clip drives, or all. */
static bool make_factors(struct mixture *mixture, struct mixture_layer *layer)
{
    const struct pose_request *request = &layer->request;
    const struct pose_row *rows = pose_sampler_rows(layer->player->sampler);
    bool is_played = mixture->mixing == MIX_PLAYED; /* which has rows of its own */
    layer->factors = try_alloc(mixture->row_count, sizeof *layer->factors);
    layer->rows = is_played ? NULL : try_alloc(mixture->row_count, ROW * sizeof *layer->rows);
    if (!layer->factors || (!layer->rows && !is_played))
        return false;
    for (uint32_t i = 0; i < request->row_count; i++) {
        uint32_t row = request->selected ? request->selected[i] : i;
        bool takes = rows[row].driven || mixture->mixing == MIX_CROSSFADE;
        layer->factors[row] = takes ? 1 : 0;
        mixture->driven[row] |= rows[row].driven && (layer->weight > 0 || is_played);
    }
    return true;
}

bool mixture_open_rows(struct item *item, struct mixture *mixture)
{
    const struct player *player = mixture->layers[0].player;
    bool gltf = mixture->layers[0].request.gltf;
    enum pose_axes native = player->retarget ? player->skeleton->axes : player->clip->axes;
    mixture->player = player;
    mixture->axes = gltf ? POSE_AXES_GLTF : native;
    mixture->row_count = pose_sampler_row_count(player->sampler);
    if ((uint64_t)mixture->count * mixture->row_count > ROW_LIMIT) {
        struct pose_error error;
        pose_error_init(&error);
        error.status = POSE_OVER_LIMIT;
        snprintf(error.code, sizeof error.code, "too_large");
        snprintf(error.field, sizeof error.field, "%s/%s", item->pointer,
                 mixture->mixing == MIX_CROSSFADE ? "crossfade" : "layers");
        snprintf(error.limit, sizeof error.limit, "rows");
        snprintf(error.detail, sizeof error.detail, "%u layers of %u joints; at most %d in all",
                 mixture->count, mixture->row_count, ROW_LIMIT);
        reply_error(&item->call, &error, NULL, NULL);
        return false;
    }
    mixture->rest = try_alloc(mixture->row_count, ROW * sizeof *mixture->rest);
    mixture->driven = try_alloc(mixture->row_count, sizeof *mixture->driven);
    bool made = mixture->rest && mixture->driven;
    for (uint32_t i = 0; made && i < mixture->row_count; i++)
        pose_joint_rest(player->skeleton, i, mixture->axes, mixture->rest + (size_t)i * ROW);
    for (unsigned i = 0; made && i < mixture->count; i++)
        made = make_factors(mixture, &mixture->layers[i]);
    return made || item_refuse_memory(item);
}

/* --------------------------------------------------------------------------------------------- plain layers -- */

static void sample_layer(const struct mixture_layer *layer, double t, float *rows)
{
    const struct pose_request *request = &layer->request;
    pose_sample(layer->player->sampler, pose_time_within(request->wrap, layer->duration, t), request->wrap,
                request->flags, rows, NULL);
}

/* "reference": "first" (a layer's first frame), "rest", or a clip at a time. */
static bool read_reference(struct item *item, struct mixture *mixture, struct mixture_layer *layer,
                           const json_t *object, const char *where)
{
    const json_t *reference = json_object_get(object, "reference");
    const char *word = json_string_value(reference);
    char place[ITEM_POINTER];
    double t = 0;
    snprintf(place, sizeof place, "%.20s/reference", where);
    layer->reference = try_alloc(mixture->row_count, ROW * sizeof *layer->reference);
    if (!layer->reference)
        return item_refuse_memory(item);
    if (!reference || (word && !strcmp(word, "first"))) {
        sample_layer(layer, 0, layer->reference);
        return true;
    }
    if (word && !strcmp(word, "rest")) {
        memcpy(layer->reference, mixture->rest, (size_t)mixture->row_count * ROW * sizeof *mixture->rest);
        return true;
    }
    static const char *const known[] = {"clip", "t", "archive", NULL};
    if (!json_is_object(reference))
        return item_refuse(item, place, "reference must be \"first\", \"rest\", or a clip with a time");
    if (!item_check_members(item, reference, place, known) ||
        !item_read_number(item, reference, place, "t", -MIXTURE_LATEST, MIXTURE_LATEST, &t))
        return false;
    /* Opened like a layer, and not kept. */
    struct mixture other = {.count = 1};
    other.layers[0].request.skeleton = mixture->layers[0].request.skeleton;
    other.layers[0].player = mixture->layers[0].player;
    bool opened = mixture_open_layer(item, &other, reference, place);
    if (opened)
        sample_layer(&other.layers[1], t, layer->reference);
    pose_request_close(&other.layers[1].request);
    return opened;
}

static bool read_layer(struct item *item, struct mixture *mixture, const json_t *object, const char *where)
{
    static const char *const known[] = {"clip",    "t",        "weight",    "joints",
                                        "archive", "additive", "reference", NULL};
    struct mixture_layer *layer = &mixture->layers[mixture->count];
    double t = 0, weight = 1;
    char place[ITEM_POINTER];
    if (!item_check_members(item, object, where, known) ||
        !item_read_number(item, object, where, "weight", 0, 1e6, &weight) ||
        !item_read_flag(item, object, where, "additive", &layer->additive) ||
        !item_read_number(item, object, where, "t", -HUGE_VAL, HUGE_VAL, &t) ||
        !mixture_open_layer(item, mixture, object, where))
        return false;
    snprintf(place, sizeof place, "%.20s/reference", where);
    if (!layer->additive && json_object_get(object, "reference"))
        return item_refuse(item, place, "only an additive layer has a reference");
    layer->weight = (float)weight;
    layer->begin = -t;
    return true;
}

static bool read_fade(struct item *item, struct mixture *mixture, const json_t *object, const char *where)
{
    static const char *const known[] = {"clip", "at", "duration", "archive", NULL};
    struct mixture_layer *layer = &mixture->layers[mixture->count];
    double before = mixture->count ? layer[-1].at : 0;
    layer->at = before;
    char place[ITEM_POINTER];
    if (!item_check_members(item, object, where, known) ||
        !item_read_number(item, object, where, "at", 0, MIXTURE_LATEST, &layer->at) ||
        !item_read_number(item, object, where, "duration", 0, MIXTURE_LATEST, &layer->fade) ||
        !mixture_open_layer(item, mixture, object, where))
        return false;
    snprintf(place, sizeof place, "%.20s/at", where);
    if (layer->at < before)
        return item_refuse(item, place, "at must not be before that of the clip before it");
    layer->weight = 1;
    layer->begin = layer->at;
    return true;
}

bool layers_open(struct item *item, struct mixture *mixture, const json_t *list)
{
    bool fades = mixture->mixing == MIX_CROSSFADE;
    const char *name = fades ? "crossfade" : "layers";
    const json_t *object;
    char where[40];
    size_t index;
    json_array_foreach(list, index, object)
    {
        snprintf(where, sizeof where, "%s/%zu", name, index);
        if (!json_is_object(object))
            return item_refuse(item, where, "must be an object with a clip");
        if (!(fades ? read_fade : read_layer)(item, mixture, object, where))
            return false;
    }
    if (!mixture_open_rows(item, mixture))
        return false;
    json_array_foreach(list, index, object)
    {
        struct mixture_layer *layer = &mixture->layers[index];
        snprintf(where, sizeof where, "%s/%zu", name, index);
        if (layer->additive && !read_reference(item, mixture, layer, object, where))
            return false;
    }
    return true;
}

/* How far a clip of a cross-fade has faded in. */
static double faded_in(const struct mixture_layer *layer, double t)
{
    double past = t - layer->at;
    /* Sums of decimals: 0.6 - 0.4 is a little less than 0.2. */
    return past >= layer->fade - 1e-9 && past >= -1e-9 ? 1 : past > 0 ? past / layer->fade : 0;
}

/* The weight of a layer at t: of a cross-fade what the clips after it leave. */
double layers_weight(const struct mixture *mixture, unsigned index, double t)
{
    if (mixture->mixing == MIX_WEIGHTS)
        return (double)mixture->layers[index].weight;
    double weight = 1;
    for (unsigned i = index; i < mixture->count; i++) {
        double share = i ? faded_in(&mixture->layers[i], t) : 1;
        weight *= i == index ? share : 1 - share;
    }
    return weight;
}

void layers_sample(struct mixture *mixture, double t, float *rows)
{
    struct pose_layer active[MIXTURE_LAYERS];
    unsigned count = 0;
    memcpy(rows, mixture->rest, (size_t)mixture->row_count * ROW * sizeof *rows);
    for (unsigned i = 0; i < mixture->count; i++) {
        struct mixture_layer *layer = &mixture->layers[i];
        double weight = layers_weight(mixture, i, t);
        if (!(weight > 0))
            continue;
        sample_layer(layer, t - layer->begin, layer->rows);
        if (!layer->additive)
            active[count++] = (struct pose_layer){layer->rows, (float)weight, layer->factors};
    }
    pose_mix(active, count, mixture->row_count, rows);
    for (unsigned i = 0; i < mixture->count; i++) {
        const struct mixture_layer *layer = &mixture->layers[i];
        const struct pose_layer adds = {layer->rows, layer->weight, layer->factors};
        if (layer->additive && layer->weight > 0)
            pose_add(&adds, layer->reference, mixture->axes, mixture->row_count, rows);
    }
}
