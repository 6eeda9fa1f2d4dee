/* "mix":"sl": animations that are started and stopped, as the viewer of their game mixes them. */
#include "api/poses/mixture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_PRIORITY = 6 };

/* ------------------------------------------------------------------------------------------------ the layers -- */

/* null stands for the default. */
static bool is_given(const json_t *object, const char *name)
{
    const json_t *value = json_object_get(object, name);
    return value && !json_is_null(value);
}

static bool read_commands(struct item *item, const json_t *object, const char *where,
                          struct pose_sl_layer *layer)
{
    char place[ITEM_POINTER];
    double priority = -1;
    layer->stop = INFINITY;
    layer->priority = -1;
    if (!item_read_number(item, object, where, "start", 0, MIXTURE_LATEST, &layer->start) ||
        !item_read_number(item, object, where, "offset", 0, MIXTURE_LATEST, &layer->offset) ||
        !item_read_flag(item, object, where, "immediate", &layer->immediate) ||
        !item_read_flag(item, object, where, "additive", &layer->additive))
        return false;
    if (is_given(object, "stop") &&
        !item_read_number(item, object, where, "stop", 0, MIXTURE_LATEST, &layer->stop))
        return false;
    if (is_given(object, "priority") &&
        !item_read_number(item, object, where, "priority", 0, MAX_PRIORITY, &priority))
        return false;
    snprintf(place, sizeof place, "%.20s/priority", where);
    if (priority != floor(priority))
        return item_refuse(item, place, "priority must be a whole number from 0 to %d", MAX_PRIORITY);
    layer->priority = (int)priority;
    snprintf(place, sizeof place, "%.20s/stop", where);
    return layer->stop >= layer->start || item_refuse(item, place, "stop must not be before start");
}

/* The same clip must be the same pointer, whatever the cache does meanwhile. */
static const struct pose_clip *clip_of(const struct mixture *mixture, unsigned index)
{
    const struct asset_id *id = &mixture->layers[index].request.clip->asset->id;
    for (unsigned i = 0; i < index; i++) {
        if (!memcmp(&mixture->layers[i].request.clip->asset->id, id, sizeof *id))
            return mixture->layers[i].player->clip;
    }
    return mixture->layers[index].player->clip;
}

static bool read_layer(struct item *item, struct mixture *mixture, const json_t *object, const char *where,
                       struct pose_sl_layer *layer)
{
    static const char *const known[] = {"clip",     "start",    "stop",   "offset",  "immediate",
                                        "additive", "priority", "joints", "archive", NULL};
    unsigned index = mixture->count;
    char place[ITEM_POINTER];
    if (!json_is_object(object))
        return item_refuse(item, where, "must be an object with a clip");
    if (!item_check_members(item, object, where, known) || !read_commands(item, object, where, layer) ||
        !mixture_open_layer(item, mixture, object, where))
        return false;
    layer->clip = clip_of(mixture, index);
    mixture->layers[index].begin = layer->start - layer->offset;
    snprintf(place, sizeof place, "%.20s/clip", where);
    return layer->clip->rules == POSE_RULES_SL ||
           item_refuse(item, place, "the clip is not an animation that this mix plays");
}

/* ------------------------------------------------------------------------------------------------ the mixture -- */

/* The joints that each layer may drive; NULL: all. False if out of memory. */
static bool make_masks(const struct mixture *mixture, struct pose_sl_layer *layers, bool *masks)
{
    for (unsigned i = 0; i < mixture->count; i++) {
        const struct pose_request *request = &mixture->layers[i].request;
        bool *mask = masks + (size_t)i * mixture->row_count;
        for (uint32_t k = 0; request->selected && k < request->row_count; k++)
            mask[request->selected[k]] = true;
        if (request->selected)
            layers[i].joints = mask;
    }
    return masks;
}

static bool make_mix(struct item *item, struct mixture *mixture, struct pose_sl_layer *layers,
                     const struct pose_sl_mix_options *how)
{
    struct pose_options options = call_options(&item->call);
    struct pose_error error;
    bool *masks = try_alloc((size_t)mixture->count * mixture->row_count, sizeof *masks);
    if (!masks)
        return item_refuse_memory(item);
    make_masks(mixture, layers, masks);
    mixture->played =
        pose_sl_mix_new(layers, mixture->count, mixture->player->skeleton, how, &options, &error);
    free(masks);
    if (!mixture->played) {
        reply_error(&item->call, &error, NULL, NULL);
        return false;
    }
    mixture->scratch = try_alloc(pose_sl_mix_scratch(mixture->played), 1);
    mixture->morph_count = pose_sl_mix_morph_names(mixture->played, mixture->morphs);
    return mixture->scratch || item_refuse_memory(item);
}

static void note_frozen(struct mixture *mixture)
{
    bool freezes = false;
    for (unsigned i = 0; i < mixture->count; i++)
        freezes |= pose_sl_mix_freezes(mixture->played, i);
    if (freezes)
        mixture->warnings[mixture->warning_count++] = (struct pose_warning){
            .code = "frozen_in_viewer",
            .severity = POSE_NOTE,
            .message =
                "a clip without a valid priority freezes in the viewer at full weight; here it plays on",
            .offset = POSE_NO_OFFSET};
}

bool played_open(struct item *item, struct mixture *mixture, const json_t *list)
{
    static const char *const bases[] = {"none", "avatar", NULL}, *const rests[] = {"hold", "rest", NULL};
    struct pose_sl_layer layers[MIXTURE_LAYERS] = {{0}};
    const json_t *object;
    char where[40];
    size_t index;
    int base = 0, rest = 0;
    if (!item_read_word(item, "base", bases, &base) || !item_read_word(item, "undriven", rests, &rest))
        return false;
    json_array_foreach(list, index, object)
    {
        snprintf(where, sizeof where, "layers/%zu", index);
        if (!read_layer(item, mixture, object, where, &layers[index]))
            return false;
    }
    if (!mixture_open_rows(item, mixture))
        return false;
    const struct pose_sl_mix_options how = {
        .axes = mixture->axes, .avatar_base = base, .rest_undriven = rest};
    if (!make_mix(item, mixture, layers, &how))
        return false;
    int32_t root = mixture->player->skeleton->root_joint;
    if (base && root >= 0)
        mixture->driven[root] = true;
    note_frozen(mixture);
    return true;
}

void played_morphs(const struct mixture *mixture, double t, float *morphs)
{
    struct pose_sl_morph now[POSE_SL_MORPHS];
    uint32_t count = pose_sl_mix_morphs(mixture->played, t, now);
    memset(morphs, 0, mixture->morph_count * sizeof *morphs);
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t k = 0; k < mixture->morph_count; k++) {
            if (mixture->morphs[k] == now[i].name)
                morphs[k] = now[i].weight;
        }
    }
}

/* ----------------------------------------------------------------------------------------------- explanations -- */

void played_list(const struct mixture *mixture, double t, struct json_writer *json)
{
    struct pose_sl_playing playing[POSE_SL_LAYERS];
    uint32_t count = pose_sl_mix_playing(mixture->played, t, playing);
    for (uint32_t i = 0; i < count; i++) {
        jsonw_object(json, NULL);
        jsonw_integer(json, "layer", playing[i].layer);
        jsonw_number(json, "weight", (float)playing[i].weight);
        jsonw_number(json, "playhead", (float)playing[i].playhead);
        jsonw_end(json);
    }
}

static void put_share(struct json_writer *json, const struct pose_sl_share *share)
{
    jsonw_object(json, NULL);
    if (share->layer < 0)
        jsonw_null(json, "layer");
    else
        jsonw_integer(json, "layer", share->layer);
    jsonw_integer(json, "priority", share->priority);
    jsonw_number(json, "weight", (float)share->weight);
    if (share->shares[POSE_ROTATION] >= 0)
        jsonw_number(json, "rotation", (float)share->shares[POSE_ROTATION]);
    if (share->shares[POSE_TRANSLATION] >= 0)
        jsonw_number(json, "translation", (float)share->shares[POSE_TRANSLATION]);
    jsonw_end(json);
}

static void put_held(struct json_writer *json, const bool held[2])
{
    if (!held[POSE_TRANSLATION] && !held[POSE_ROTATION])
        return;
    jsonw_array(json, "held");
    if (held[POSE_TRANSLATION])
        jsonw_string(json, NULL, "translation");
    if (held[POSE_ROTATION])
        jsonw_string(json, NULL, "rotation");
    jsonw_end(json);
}

void played_explain(const struct mixture *mixture, double t, const struct pose_request *request,
                    struct json_writer *json)
{
    struct pose_sl_moment moment;
    pose_sl_mix_moment(mixture->played, t, &moment);
    for (uint32_t i = 0; i < request->row_count; i++) {
        uint32_t row = request->selected ? request->selected[i] : i;
        struct pose_sl_share shares[POSE_SL_STACK];
        bool held[2];
        uint32_t count = pose_sl_mix_explain(mixture->played, &moment, row, shares, held);
        jsonw_object(json, NULL);
        jsonw_string(json, "joint", pose_sampler_rows(mixture->player->sampler)[row].name);
        jsonw_array(json, "stack");
        for (uint32_t k = 0; k < count; k++)
            put_share(json, &shares[k]);
        jsonw_end(json);
        put_held(json, held);
        jsonw_end(json);
    }
}
