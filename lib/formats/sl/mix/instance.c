/* One playback of a clip: its weight, its playhead, and whether others cover it (sl-mix.md, 3, 4 and 8). */
#include "lib/formats/sl/mix/scene.h"

double scene_ease(double x)
{
    x = x < 0 ? 0 : x > 1 ? 1 : x;
    return x * x * (3 - 2 * x);
}

bool instance_plays(const struct scene_instance *instance, double t)
{
    return t >= instance->start && (instance->removed ? t < instance->end : t <= instance->end);
}

/* The weight if it were never stopped. */
static double weight_of_start(const struct scene_layer *layer, const struct scene_instance *instance,
                              double t)
{
    double age = t - instance->origin;
    if (age < 0)
        return 0;
    return layer->ease_in > 0 && age <= layer->ease_in ? scene_ease(age / layer->ease_in) : 1;
}

double instance_weight(const struct pose_sl_mix *scene, const struct scene_instance *instance, double t)
{
    const struct scene_layer *layer = &scene->layers[instance->layer];
    if (!instance_plays(instance, t))
        return 0;
    if (t <= instance->ease_out)
        return weight_of_start(layer, instance, t);
    return layer->ease_out > 0
               ? instance->residual * scene_ease(1 - (t - instance->ease_out) / layer->ease_out)
               : 0;
}

/* The playhead of a looping clip before it is stopped (sl-anim.md, 4). */
static double looping_playhead(const struct pose_clip *clip, double c)
{
    double in = (double)clip->loop_in, out = (double)clip->loop_out;
    if (!(clip->duration > 0))
        return 0;
    if (c <= out)
        return c;
    return in == out ? out : in + fmod(c - out, out - in);
}

double instance_playhead(const struct pose_sl_mix *scene, const struct scene_instance *instance, double t)
{
    const struct pose_clip *clip = scene->layers[instance->layer].clip;
    double duration = (double)clip->duration, c = fmax(0, t - instance->origin);
    if (clip->loop != POSE_LOOP_YES)
        return fmin(c, duration);
    double playhead =
        t <= instance->told
            ? looping_playhead(clip, c)
            : looping_playhead(clip, fmax(0, instance->told - instance->origin)) + (t - instance->told);
    return fmin(fmax(0, playhead), duration);
}

double instance_last_shown(const struct scene_instance *instance)
{
    if (instance->removed || instance->residual > 0)
        return instance->end;
    return instance->ease_out > instance->start ? instance->ease_out : -1;
}

/* Whether newer instances of full weight drive the component, at the same or a higher priority. */
static bool component_is_covered(const struct pose_sl_mix *scene, const struct scene_instance *instance,
                                 uint32_t joint, uint8_t component, double t)
{
    const struct scene_layer *own = &scene->layers[instance->layer];
    const struct scene_instance *end = scene->instances + scene->instance_count;
    for (const struct scene_instance *newer = instance + 1; newer < end; newer++) {
        const struct scene_layer *layer = &scene->layers[newer->layer];
        if (layer->additive == own->additive && (layer->drives[joint] & component) &&
            layer->priorities[joint] >= own->priorities[joint] && instance_weight(scene, newer, t) >= 1)
            return true;
    }
    return false;
}

static bool all_is_covered(const struct pose_sl_mix *scene, const struct scene_instance *instance, double t)
{
    const struct scene_layer *layer = &scene->layers[instance->layer];
    bool any = false;
    for (uint32_t joint = 0; joint < scene->skeleton->joint_count; joint++) {
        for (unsigned part = 0; part < 2; part++) {
            uint8_t component = (uint8_t)(1u << part);
            if (!(layer->drives[joint] & component))
                continue;
            any = true;
            if (!component_is_covered(scene, instance, joint, component, t))
                return false;
        }
    }
    return any;
}

bool instance_is_covered(const struct pose_sl_mix *scene, const struct scene_instance *instance, double t)
{
    /* One that was covered when its ease-out began stays covered as long as the others last. */
    double full = t > instance->ease_out ? instance->ease_out : t;
    if (instance_weight(scene, instance, full) < 1 || !all_is_covered(scene, instance, full))
        return false;
    return full == t || all_is_covered(scene, instance, t);
}
