/* Turns starts and stops, in the order in which the viewer handles them, into instances (sl-mix.md, 2). */
#include "lib/formats/sl/mix/scene.h"

#include <string.h>

/* Order of commands at the same time: stops of layers that started earlier, starts, stops of layers that start
 * now. */
enum command_kind { STOP_OF_EARLIER, START, STOP_OF_NOW };

struct command {
    double at;
    enum command_kind kind;
    uint32_t layer;
};

static bool comes_before(const struct command *a, const struct command *b)
{
    if (a->at != b->at)
        return a->at < b->at;
    return a->kind != b->kind ? a->kind < b->kind : a->layer < b->layer;
}

static uint32_t list_commands(const struct pose_sl_layer *layers, uint32_t count, struct command *commands)
{
    uint32_t used = 0;
    for (uint32_t i = 0; i < count; i++) {
        commands[used++] = (struct command){layers[i].start, START, i};
        if (isfinite(layers[i].stop))
            commands[used++] = (struct command){
                layers[i].stop, layers[i].stop > layers[i].start ? STOP_OF_EARLIER : STOP_OF_NOW, i};
    }
    for (uint32_t i = 1; i < used; i++) {
        struct command command = commands[i];
        uint32_t at = i;
        for (; at && comes_before(&command, &commands[at - 1]); at--)
            commands[at] = commands[at - 1];
        commands[at] = command;
    }
    return used;
}

/* Ease-out begins now; in a looping clip, when the current loop and the outro leave just enough time for it. */
static double begin_of_ease_out(const struct scene_layer *layer, const struct scene_instance *instance,
                                double now)
{
    const struct pose_clip *clip = layer->clip;
    double in = (double)clip->loop_in, out = (double)clip->loop_out, duration = (double)clip->duration;
    if (clip->loop != POSE_LOOP_YES || out == duration)
        return now;
    double into = in == out ? 0 : fmod(now - (instance->origin + in), out - in);
    return fmax(now, (now - into) + (duration - in) - layer->ease_out);
}

static void ease_out_at(const struct pose_sl_mix *scene, struct scene_instance *instance, double told,
                        double at)
{
    instance->told = told;
    instance->residual = at > instance->start ? instance_weight(scene, instance, at) : 0;
    instance->ease_out = at;
    instance->end = at + scene->layers[instance->layer].ease_out;
}

static void tell_to_stop(const struct pose_sl_mix *scene, struct scene_instance *instance, double now)
{
    if (now >= instance->told)
        return;
    /* Cancels the end it would have reached by itself. */
    instance->ease_out = instance->end = SCENE_NEVER;
    ease_out_at(scene, instance, now, begin_of_ease_out(&scene->layers[instance->layer], instance, now));
}

/* The first clip time at which a looping playhead passes the clip's end; SCENE_NEVER if it never does. */
static double end_of_odd_loop(const struct pose_clip *clip)
{
    double in = (double)clip->loop_in, out = (double)clip->loop_out, duration = (double)clip->duration;
    if (!(duration > 0))
        return SCENE_NEVER;
    if (out > duration)
        return duration;
    if (out >= in)
        return SCENE_NEVER;
    /* After `out` the playhead is in + x, where x runs from its first value up to the loop's length, repeatedly. */
    double first = fmax(0, out), x = fmod(first - out, out - in), beyond = duration - in;
    if (x > beyond)
        return first;
    return beyond < in - out ? first + (beyond - x) : SCENE_NEVER;
}

/* When and how it ends if it is not stopped. */
static void stop_by_itself(const struct pose_sl_mix *scene, struct scene_instance *instance)
{
    const struct scene_layer *layer = &scene->layers[instance->layer];
    const struct pose_clip *clip = layer->clip;
    double duration = (double)clip->duration, last = fmax(duration - layer->ease_out, 0);
    if (clip->loop == POSE_LOOP_YES) {
        double end = instance->origin + end_of_odd_loop(clip);
        if (isfinite(end)) {
            end = fmax(end, instance->start);
            ease_out_at(scene, instance, end, begin_of_ease_out(layer, instance, end));
        }
    } else if (!(duration > 0)) {
        ease_out_at(scene, instance, instance->start, instance->start);
        instance->residual = layer->ease_in > 0 ? 0 : 1;
    } else if (instance->start - instance->origin >= last) {
        double at = instance->origin + last;
        ease_out_at(scene, instance, instance->start, at);
        instance->residual = at < instance->start ? 1 : 0;
    } else {
        bool is_full = last >= layer->ease_in;
        double at = instance->origin + (is_full ? last : duration);
        ease_out_at(scene, instance, at, at);
    }
}

static struct scene_instance *newest_of(struct pose_sl_mix *scene, const struct pose_clip *clip)
{
    for (uint32_t i = scene->instance_count; i--;) {
        if (scene->layers[scene->instances[i].layer].clip == clip)
            return &scene->instances[i];
    }
    return NULL;
}

static void start(struct pose_sl_mix *scene, const struct pose_sl_layer *layer, uint32_t index)
{
    struct scene_instance *playing = newest_of(scene, layer->clip);
    if (playing && instance_plays(playing, layer->start)) {
        if (layer->start > playing->start && layer->start < playing->told &&
            instance_weight(scene, playing, layer->start) >= 1)
            return;
        tell_to_stop(scene, playing, layer->start);
    }
    struct scene_instance *instance = &scene->instances[scene->instance_count++];
    *instance = (struct scene_instance){.layer = index,
                                        .start = layer->start,
                                        .origin = layer->start - layer->offset,
                                        .told = SCENE_NEVER,
                                        .ease_out = SCENE_NEVER,
                                        .end = SCENE_NEVER};
    stop_by_itself(scene, instance);
}

static void stop(struct pose_sl_mix *scene, const struct pose_sl_layer *layer)
{
    struct scene_instance *instance = newest_of(scene, layer->clip);
    if (!instance || !instance_plays(instance, layer->stop) || layer->stop >= instance->told)
        return;
    if (layer->immediate) {
        instance->end = layer->stop;
        instance->removed = true;
    } else {
        tell_to_stop(scene, instance, layer->stop);
    }
}

void scene_make_instances(struct pose_sl_mix *scene, const struct pose_sl_layer *layers)
{
    struct command commands[2 * POSE_SL_LAYERS];
    uint32_t count = list_commands(layers, scene->layer_count, commands);
    for (uint32_t i = 0; i < count; i++) {
        const struct pose_sl_layer *layer = &layers[commands[i].layer];
        if (commands[i].kind == START)
            start(scene, layer, commands[i].layer);
        else
            stop(scene, layer);
    }
}
