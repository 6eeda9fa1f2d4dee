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
        return item_refuse(item, "skeleton", "a mixture needs a skeleton, but its first clip has none");
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

static bool read_layers(struct item *item, struct mixture *mixture, const json_t *list)
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
static double weight_at(const struct mixture *mixture, unsigned index, double t)
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

static void sample_layers(struct mixture *mixture, double t, float *rows)
{
    struct pose_layer active[MIXTURE_LAYERS];
    unsigned count = 0;
    memcpy(rows, mixture->rest, (size_t)mixture->row_count * ROW * sizeof *rows);
    for (unsigned i = 0; i < mixture->count; i++) {
        struct mixture_layer *layer = &mixture->layers[i];
        double weight = weight_at(mixture, i, t);
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

/* ------------------------------------------------------------------------------------------------- all kinds -- */

static bool open_item(struct item *item, struct mixture *mixture)
{
    static const char *const known[] = {
        "layers", "crossfade", "wrap",  "mix",  "t",    "fps",      "from",           "to", "end", "as",
        "joints", "explain",   "space", "axes", "root", "skeleton", ITEM_RETARGETING, NULL};
    static const char *const known_played[] = {"layers", "mix",      "t",      "fps",      "from",  "to",
                                               "end",    "as",       "joints", "explain",  "space", "axes",
                                               "root",   "skeleton", "base",   "undriven", NULL};
    static const char *const texts[] = {"skeleton", "space", "axes", "root", "wrap"};
    static const char *const mixes[] = {"sl", NULL};
    const json_t *list = json_object_get(item->json, "layers");
    const json_t *fades = json_object_get(item->json, "crossfade");
    bool is_played = json_object_get(item->json, "mix");
    const char *name = is_played || !fades ? "layers" : "crossfade";
    int mix = 0;
    mixture->mixing = is_played ? MIX_PLAYED : fades ? MIX_CROSSFADE : MIX_WEIGHTS;
    if (!item_read_word(item, "mix", mixes, &mix) ||
        !item_check_members(item, item->json, "", is_played ? known_played : known))
        return false;
    if (list && fades)
        return item_refuse(item, "crossfade", "layers and crossfade exclude each other");
    list = list ? list : fades;
    if (!json_is_array(list) || !json_array_size(list) || json_array_size(list) > MIXTURE_LAYERS)
        return item_refuse(item, name, "%s must be a list of 1 to %d clips", name, MIXTURE_LAYERS);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        if (!item_take_text(item, item->json, "", texts[i]))
            return false;
    }
    if (!item_take_retargeting(item) || !item_read_flag(item, item->json, "", "explain", &mixture->explains))
        return false;
    return is_played ? played_open(item, mixture, list) : read_layers(item, mixture, list);
}

/* The answer has the joints that the item names, whatever the layers do. */
static bool open_answer(struct item *item, struct mixture *mixture)
{
    struct pose_request *first = &mixture->layers[0].request;
    mixture->request = *first;
    mixture->request.selected = NULL;
    first->player = NULL;
    first->morph_names = NULL;
    return item_take_joints(item, item->json, "") &&
           pose_request_select(&item->call, &mixture->request, params_get(&item->call.params, "joints"));
}

struct mixture *mixture_open(struct item *item)
{
    struct mixture *mixture = try_alloc(1, sizeof *mixture);
    if (!mixture) {
        item_refuse_memory(item);
        return NULL;
    }
    if (open_item(item, mixture) && open_answer(item, mixture))
        return mixture;
    mixture_free(mixture);
    return NULL;
}

void mixture_free(struct mixture *mixture)
{
    if (!mixture)
        return;
    pose_sl_mix_free(mixture->played);
    for (unsigned i = 0; i < MIXTURE_LAYERS; i++) {
        struct mixture_layer *layer = &mixture->layers[i];
        pose_request_close(&layer->request);
        free(layer->reference);
        free(layer->factors);
        free(layer->rows);
    }
    pose_request_close(&mixture->request);
    free(mixture->rest);
    free(mixture->driven);
    free(mixture->scratch);
    free(mixture);
}

void mixture_sample(struct mixture *mixture, double t, float *rows, float *morphs)
{
    if (mixture->mixing != MIX_PLAYED) {
        sample_layers(mixture, t, rows);
        return;
    }
    pose_sl_mix_sample(mixture->played, t, rows, mixture->scratch);
    if (morphs)
        played_morphs(mixture, t, morphs);
}

double mixture_end(const struct mixture *mixture)
{
    double end = mixture->played ? pose_sl_mix_end(mixture->played) : 0;
    if (end > 0)
        return end;
    for (unsigned i = 0; i < mixture->count; i++)
        end = fmax(end, mixture->layers[i].begin + mixture->layers[i].duration);
    return end;
}

static void add_moment(double moments[MIXTURE_MOMENTS], uint32_t *count, double at)
{
    if (*count < MIXTURE_MOMENTS)
        moments[(*count)++] = at;
}

uint32_t mixture_moments(const struct mixture *mixture, double moments[MIXTURE_MOMENTS])
{
    uint32_t count = 0;
    if (mixture->played) {
        const double *found;
        uint32_t most = pose_sl_mix_moments(mixture->played, &found);
        for (uint32_t i = 0; i < most; i++)
            add_moment(moments, &count, found[i]);
    }
    for (unsigned i = 1; i < mixture->count && mixture->mixing == MIX_CROSSFADE; i++) {
        add_moment(moments, &count, mixture->layers[i].at);
        add_moment(moments, &count, mixture->layers[i].at + mixture->layers[i].fade);
    }
    return count;
}

/* ------------------------------------------------------------------------------------------------------ times -- */

static bool refuse_frames(struct item *item, double frames)
{
    struct param_error error;
    unsigned long long most = item->call.service->config->max_frames;
    param_fail(&error, "fps", "%.0f frames exceed max-frames, %llu", frames, most);
    snprintf(error.limit, sizeof error.limit, "max-frames");
    reply_parameter(&item->call, &error);
    return false;
}

static bool read_grid(struct item *item, const struct mixture *mixture, struct times *times)
{
    const struct config *config = item->call.service->config;
    double fps = 30, from = 0, end = 0;
    double longest = config->max_time_ms ? (double)config->max_time_ms / 1000 : MIXTURE_LATEST;
    double to = fmin(mixture_end(mixture), longest);
    if (!item_read_number(item, item->json, "", "fps", 1e-3, 1e5, &fps) ||
        !item_read_number(item, item->json, "", "from", 0, MIXTURE_LATEST, &from) ||
        !item_read_number(item, item->json, "", "to", 0, MIXTURE_LATEST, &to) ||
        !item_read_number(item, item->json, "", "end", 0, 1, &end))
        return false;
    if (end != 0 && end != 1)
        return item_refuse(item, "end", "end must be 0 or 1");
    if (from > to && json_object_get(item->json, "to"))
        return item_refuse(item, "from", "from must not be after to");
    if (from > to)
        return item_refuse(item, "from", "from must not be after the end, at %g s", to);
    double first = ceil((from - 1e-9) * fps), last = floor((to + 1e-9) * fps);
    double frames = fmax(last - first + 1, 0);
    if (frames + 1 > (double)config->max_frames)
        return refuse_frames(item, frames);
    *times = (struct times){
        .count = (size_t)frames, .fps = fps, .first = first, .wrap = POSE_WRAP, .from = from, .to = to};
    bool has_final = end != 0 && (frames < 1 || times_at(times, times->count - 1) < to);
    times->count += has_final;
    times->has_final = has_final;
    times->final = to;
    return true;
}

/* Without a time of the scene, each layer is at its own time, and the answer at that of the first. */
static bool use_own_times(struct mixture *mixture, struct times *times)
{
    const struct mixture_layer *first = &mixture->layers[0];
    double t = pose_time_within(first->request.wrap, first->duration, -first->begin);
    for (unsigned i = 0; i < mixture->count; i++)
        mixture->layers[i].begin += t;
    times->items = try_alloc(1, sizeof *times->items);
    if (times->items)
        times->items[times->count++] = t;
    return times->items;
}

bool mixture_times(struct item *item, struct mixture *mixture, bool whole, struct times *times)
{
    static const char *const grid[] = {"fps", "from", "to", "end"};
    const json_t *object = item->json;
    bool has_grid = whole && !json_object_get(object, "t");
    for (size_t i = 0; i < sizeof grid / sizeof *grid; i++) {
        bool has = json_object_get(object, grid[i]);
        has_grid |= has;
        if (has && json_object_get(object, "t"))
            return item_refuse(item, grid[i], "%s cannot be combined with t", grid[i]);
    }
    *times = (struct times){0};
    if (has_grid)
        return read_grid(item, mixture, times);
    if (mixture->mixing == MIX_WEIGHTS && !json_object_get(object, "t"))
        return use_own_times(mixture, times) || item_refuse_memory(item);
    if (!item_read_times(item, 0, MIXTURE_LATEST, times))
        return false;
    for (size_t i = 0; i < times->count; i++)
        times->items[i] = pose_time_within(POSE_WRAP, 0, times->items[i]);
    return true;
}

/* ------------------------------------------------------------------------------------------------ the answers -- */

static void list_layers(const struct mixture *mixture, double t, struct json_writer *json)
{
    for (unsigned i = 0; i < mixture->count; i++) {
        const struct mixture_layer *layer = &mixture->layers[i];
        double weight = weight_at(mixture, i, t);
        if (!(weight > 0))
            continue;
        jsonw_object(json, NULL);
        jsonw_integer(json, "layer", i);
        jsonw_number(json, "weight", (float)weight);
        jsonw_number(json, "playhead",
                     (float)pose_time_within(layer->request.wrap, layer->duration, t - layer->begin));
        jsonw_end(json);
    }
}

/* The share of each layer in a joint; an additive one's is its weight. */
static void explain_row(const struct mixture *mixture, double t, uint32_t row, struct json_writer *json)
{
    double sum = 0;
    for (unsigned i = 0; i < mixture->count; i++) {
        if (!mixture->layers[i].additive)
            sum += weight_at(mixture, i, t) * (double)mixture->layers[i].factors[row];
    }
    for (unsigned i = 0; i < mixture->count; i++) {
        const struct mixture_layer *layer = &mixture->layers[i];
        const struct pose_row *driven = &pose_sampler_rows(layer->player->sampler)[row];
        double weight = weight_at(mixture, i, t);
        if (!(weight * (double)layer->factors[row] > 0))
            continue;
        double share = layer->additive ? weight : weight / sum;
        jsonw_object(json, NULL);
        jsonw_integer(json, "layer", i);
        jsonw_number(json, "weight", (float)weight);
        if (driven->has[POSE_ROTATION])
            jsonw_number(json, "rotation", (float)share);
        if (driven->has[POSE_TRANSLATION])
            jsonw_number(json, "translation", (float)share);
        jsonw_end(json);
    }
}

static void explain(const struct mixture *mixture, double t, const struct pose_request *request,
                    struct json_writer *json)
{
    for (uint32_t i = 0; i < request->row_count; i++) {
        uint32_t row = request->selected ? request->selected[i] : i;
        jsonw_object(json, NULL);
        jsonw_string(json, "joint", pose_sampler_rows(mixture->player->sampler)[row].name);
        jsonw_array(json, "stack");
        explain_row(mixture, t, row, json);
        jsonw_end(json);
        jsonw_end(json);
    }
}

static void put(void *owner, const struct pose_request *request, double t, struct json_writer *json)
{
    const struct mixture *mixture = owner;
    jsonw_array(json, "layers");
    if (mixture->played)
        played_list(mixture, t, json);
    else
        list_layers(mixture, t, json);
    jsonw_end(json);
    if (!mixture->explains)
        return;
    jsonw_array(json, "explain");
    if (mixture->played)
        played_explain(mixture, t, request, json);
    else
        explain(mixture, t, request, json);
    jsonw_end(json);
}

static void sample(void *owner, double t, float *rows, float *morphs)
{
    mixture_sample(owner, t, rows, morphs);
}

static void release(void *owner)
{
    mixture_free(owner);
}

struct series_source mixture_source(struct mixture *mixture, struct pose_request *request)
{
    *request = mixture->request;
    mixture->request = (struct pose_request){0};
    return (struct series_source){.owner = mixture,
                                  .sample = sample,
                                  .put = put,
                                  .free = release,
                                  .driven = mixture->driven,
                                  .morph_count = mixture->morph_count,
                                  .morphs = mixture->morphs,
                                  .warnings = mixture->warnings,
                                  .warning_count = mixture->warning_count};
}
