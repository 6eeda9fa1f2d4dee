/*
 * Second Life's mixing: several clips, each started and possibly stopped at some time, and their combined effect
 * on an avatar's joints. This file builds a scene from its layers; commands.c runs their commands, stack.c
 * mixes, hands.c does hands and faces. Facts and worked examples: sl-mix.md.
 */
#include "lib/core/error.h"
#include "lib/core/value.h"
#include "lib/formats/sl/layout.h"
#include "lib/formats/sl/mix/scene.h"
#include "lib/model/match.h"
#include "lib/sample/sampler.h"

/* -------------------------------------------------------------------------------------------- the layers -- */

/* The track's own priority, or the clip's; the layer's overrides both. */
static int32_t priority_of(const struct pose_sl_layer *layer, const struct pose_track *track, int64_t base)
{
    if (layer->priority >= 0)
        return layer->priority;
    int64_t own = value_get_int(track->extras, "priority", -1);
    if (own == -1)
        own = base > SL_MAX_PRIORITY ? SL_MAX_PRIORITY : base;
    return own > INT32_MAX ? INT32_MAX : own < -1 ? -1 : (int32_t)own;
}

static void take_track(const struct pose_sl_layer *layer, const struct pose_track *track, int64_t base,
                       uint32_t joint, uint8_t *drives, bool *has_track, int32_t *priorities)
{
    has_track[joint] = true;
    priorities[joint] = priority_of(layer, track, base);
    for (enum pose_part part = POSE_TRANSLATION; part <= POSE_ROTATION; part++) {
        if (track->channels[part].count)
            drives[joint] |= (uint8_t)(1u << part);
    }
}

/* The priority with which the viewer requests a hand pose: the highest of the joints, ignoring -1; the base counts
 * only if it exceeds the highest valid priority. */
static int32_t hand_priority_of(const struct pose_sl_layer *layer, int64_t base)
{
    int32_t most = base > SL_MAX_PRIORITY ? SL_MAX_PRIORITY : 0;
    if (layer->priority >= 0)
        return layer->priority;
    for (uint32_t i = 0; i < layer->clip->track_count; i++) {
        int64_t own = value_get_int(layer->clip->tracks[i].extras, "priority", -1);
        if (own > most)
            most = own > INT32_MAX ? INT32_MAX : (int32_t)own;
    }
    return most;
}

/* Only the first of several tracks of a joint is played. */
static bool take_tracks(struct pose_sl_mix *mix, const struct pose_sl_layer *layer, struct arena *scratch,
                        struct scene_layer *to)
{
    uint32_t joints = mix->skeleton->joint_count;
    int64_t base = value_get_int(layer->clip->extras, "base_priority", 0);
    uint8_t *drives = ARENA_NEW(&mix->arena, uint8_t, joints);
    bool *has_track = ARENA_NEW(&mix->arena, bool, joints);
    int32_t *priorities = ARENA_NEW(&mix->arena, int32_t, joints);
    struct joint_index index;
    if (!drives || !has_track || !priorities ||
        !joint_index_init(&index, scratch, mix->skeleton, POSE_RULES_SL))
        return false;
    for (uint32_t i = 0; i < layer->clip->track_count; i++) {
        const struct pose_track *track = &layer->clip->tracks[i];
        int64_t joint = joint_index_find(&index, track);
        if (joint >= 0 && !has_track[joint] && (!layer->joints || layer->joints[joint]))
            take_track(layer, track, base, (uint32_t)joint, drives, has_track, priorities);
    }
    to->drives = drives;
    to->has_track = has_track;
    to->priorities = priorities;
    to->hand_priority = hand_priority_of(layer, base);
    return true;
}

static double seconds_of(const struct pose_clip *clip, const char *name)
{
    return fmax(0, (double)value_get_float(clip->extras, name, 0));
}

static bool make_layer(struct pose_sl_mix *mix, const struct pose_sl_layer *layer,
                       const struct pose_options *options, struct pose_error *error, struct scene_layer *to)
{
    struct arena scratch;
    *to = (struct scene_layer){.clip = layer->clip,
                               .additive = layer->additive,
                               .ease_in = seconds_of(layer->clip, "ease_in"),
                               .ease_out = seconds_of(layer->clip, "ease_out"),
                               .hand_pose = value_get_int(layer->clip->extras, "hand_pose", 0),
                               .emote = emote_find(value_get_string(layer->clip->extras, "emote", NULL))};
    arena_init(&scratch, options ? options->allocator : NULL, 0, error);
    bool made = take_tracks(mix, layer, &scratch, to);
    arena_release(&scratch);
    to->sampler =
        made ? pose_sampler_new(layer->clip, mix->skeleton, mix->options.axes, options, error) : NULL;
    return to->sampler != NULL;
}

/* --------------------------------------------------------------------------------------------- the scene -- */

static bool check_layer(const struct pose_sl_layer *layer, uint32_t index, struct pose_error *error)
{
    bool is_time = layer->start >= 0 && isfinite(layer->start) && layer->offset >= 0 &&
                   isfinite(layer->offset) && layer->stop >= layer->start;
    if (layer->clip->rules == POSE_RULES_SL && is_time && layer->priority <= SL_MAX_PRIORITY)
        return true;
    error_set(error, POSE_BAD_ARGUMENT, "bad_layer", "layer %u: %s", index,
              layer->clip->rules != POSE_RULES_SL ? "the clip is not one of Second Life"
              : is_time                           ? "its priority is not between 0 and 6"
                                                  : "its times are not 0 <= start <= stop and 0 <= offset");
    return false;
}

static void note_moment(struct pose_sl_mix *mix, double at)
{
    uint32_t place = mix->moment_count;
    if (!isfinite(at) || at < 0)
        return;
    for (uint32_t i = 0; i < mix->moment_count; i++) {
        if (mix->moments[i] == at)
            return;
    }
    mix->moment_count++;
    for (; place && mix->moments[place - 1] > at; place--)
        mix->moments[place] = mix->moments[place - 1];
    mix->moments[place] = at;
}

/* Collects the times at which a weight begins or stops changing. */
static void note_moments(struct pose_sl_mix *mix)
{
    for (uint32_t i = 0; i < mix->instance_count; i++) {
        const struct scene_instance *instance = &mix->instances[i];
        double full = instance->origin + mix->layers[instance->layer].ease_in;
        note_moment(mix, instance->start);
        if (full > instance->start && full < instance->end)
            note_moment(mix, full);
        if (instance->ease_out < instance->end)
            note_moment(mix, instance->ease_out);
        note_moment(mix, instance->end);
    }
}

static bool take_rest(struct pose_sl_mix *mix)
{
    uint32_t joints = mix->skeleton->joint_count;
    float *rest = arena_alloc(&mix->arena, joints, ROW_FLOATS * sizeof *rest);
    for (uint32_t i = 0; rest && i < joints; i++)
        pose_joint_rest(mix->skeleton, i, mix->options.axes, rest + (size_t)i * ROW_FLOATS);
    mix->rest = rest;
    return rest;
}

static bool make_scene(struct pose_sl_mix *mix, const struct pose_sl_layer *layers, uint32_t count,
                       const struct pose_options *options, struct pose_error *error)
{
    if (!take_rest(mix))
        return false;
    for (; mix->layer_count < count; mix->layer_count++) {
        uint32_t i = mix->layer_count;
        if (!check_layer(&layers[i], i, error) ||
            !make_layer(mix, &layers[i], options, error, &mix->layers[i]))
            return false;
    }
    scene_make_instances(mix, layers);
    note_moments(mix);
    scene_make_hands(mix);
    return scene_make_orders(mix);
}

struct pose_sl_mix *pose_sl_mix_new(const struct pose_sl_layer *layers, uint32_t count,
                                    const struct pose_skeleton *skeleton,
                                    const struct pose_sl_mix_options *how, const struct pose_options *options,
                                    struct pose_error *error)
{
    struct arena arena;
    if (!count || count > POSE_SL_LAYERS) {
        error_set(error, POSE_BAD_ARGUMENT, "bad_layer", "%u layers; a mix has 1 to %d", count,
                  POSE_SL_LAYERS);
        return NULL;
    }
    arena_init(&arena, options ? options->allocator : NULL, options ? options->limits.memory : 0, error);
    struct pose_sl_mix *mix = ARENA_NEW(&arena, struct pose_sl_mix, 1);
    if (!mix) {
        arena_release(&arena);
        return NULL;
    }
    mix->arena = arena;
    mix->skeleton = skeleton;
    mix->options = how ? *how : (struct pose_sl_mix_options){0};
    bool made = make_scene(mix, layers, count, options, error);
    mix->arena.error = NULL;
    if (made)
        return mix;
    pose_sl_mix_free(mix);
    return NULL;
}

void pose_sl_mix_free(struct pose_sl_mix *mix)
{
    if (!mix)
        return;
    for (uint32_t i = 0; i < mix->layer_count; i++)
        pose_sampler_free(mix->layers[i].sampler);
    struct arena arena = mix->arena;
    arena_release(&arena);
}

bool pose_sl_mix_freezes(const struct pose_sl_mix *mix, uint32_t layer)
{
    const struct pose_clip *clip = mix->layers[layer].clip;
    int64_t base = value_get_int(clip->extras, "base_priority", 0);
    for (uint32_t i = 0; i < clip->track_count; i++) {
        int64_t own = value_get_int(clip->tracks[i].extras, "priority", -1);
        if (own == -1 ? base != -1 : own <= SL_MAX_PRIORITY + 1)
            return false;
    }
    return clip->track_count;
}

double pose_sl_mix_end(const struct pose_sl_mix *mix)
{
    double end = 0;
    for (uint32_t i = 0; i < mix->instance_count; i++) {
        if (isfinite(mix->instances[i].end))
            end = fmax(end, mix->instances[i].end);
    }
    return end;
}

uint32_t pose_sl_mix_moments(const struct pose_sl_mix *mix, const double **moments)
{
    *moments = mix->moments;
    return mix->moment_count;
}
