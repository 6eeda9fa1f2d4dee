#include "api/poses/mixture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    return is_played ? played_open(item, mixture, list) : layers_open(item, mixture, list);
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
        layers_sample(mixture, t, rows);
        return;
    }
    pose_sl_mix_sample(mixture->played, t, rows, mixture->scratch);
    if (morphs)
        played_morphs(mixture, t, morphs);
}

/* The end of the last clip that ends. */
static double mixture_end(const struct mixture *mixture)
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
        double weight = layers_weight(mixture, i, t);
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
            sum += layers_weight(mixture, i, t) * (double)mixture->layers[i].factors[row];
    }
    for (unsigned i = 0; i < mixture->count; i++) {
        const struct mixture_layer *layer = &mixture->layers[i];
        const struct pose_row *driven = &pose_sampler_rows(layer->player->sampler)[row];
        double weight = layers_weight(mixture, i, t);
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
