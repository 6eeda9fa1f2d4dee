/*
 * Internals of a Second Life scene: layers with their commands become instances, each one playback of a clip; at
 * any time the playing instances form a stack on every joint, and the stack determines the joint's value. All
 * computations are in double precision. Facts: sl-mix.md, checked there against the viewer's own motion
 * controller and pose blender.
 */
#ifndef POSE_FORMATS_SL_MIX_SCENE_H
#define POSE_FORMATS_SL_MIX_SCENE_H

#include "lib/core/arena.h"

#include <math.h>

enum {
    MAX_HAND_CHANGES = 4 * POSE_SL_LAYERS + 1, /* bounded by the times at which a weight begins to change */
};

#define SCENE_NEVER INFINITY

/* What a layer's clip does to the joints of the skeleton. */
struct scene_layer {
    const struct pose_clip *clip;
    struct pose_sampler *sampler;
    bool additive;
    double ease_in, ease_out; /* >= 0 */
    /* [joint_count]: POSE_TRANSLATION and POSE_ROTATION as bits, 0 if no track (with keys) drives the joint */
    const uint8_t *drives;
    const bool *has_track;     /* [joint_count]: a track without keys also takes a place in the stack */
    const int32_t *priorities; /* [joint_count] */
    int32_t hand_priority;     /* the highest of them, for hands */
    int64_t hand_pose;
    unsigned emote; /* index of its name; EMOTE_NONE */
};

/* One playback of a clip. Instances are in the order of their starts: a higher index is newer. */
struct scene_instance {
    uint32_t layer;
    double start;    /* it plays from here */
    double origin;   /* when the clip's own time is 0 */
    double told;     /* when it was stopped, SCENE_NEVER */
    double ease_out; /* when its ease-out begins, SCENE_NEVER */
    double residual; /* its weight at that time */
    double end;      /* it plays until here */
    bool removed;    /* immediately at its end, which is then excluded */
};

/* The hand fades from one pose to the next in 0.2 s. */
struct hand_change {
    double at;
    unsigned from, to;
};

#define SCENE_BASE UINT8_MAX

/* The instances with a track for a joint, by precedence, and SCENE_BASE where the base has one. */
struct scene_order {
    uint8_t count, states[POSE_SL_LAYERS + 1];
    uint8_t driven; /* parts that any normal one drives, as bits */
};

struct pose_sl_mix {
    struct arena arena; /* holds the whole scene, including this struct */
    const struct pose_skeleton *skeleton;
    const float *rest;                /* [joint_count][ROW_FLOATS] in the axes of the options */
    const struct scene_order *orders; /* [joint_count] */
    struct pose_sl_mix_options options;
    uint32_t layer_count, instance_count, hand_count, moment_count;
    struct scene_layer layers[POSE_SL_LAYERS];
    struct scene_instance instances[POSE_SL_LAYERS];
    struct hand_change hands[MAX_HAND_CHANGES];
    double moments[4 * POSE_SL_LAYERS]; /* ascending, no duplicates */
};

#define EMOTE_NONE UINT32_MAX

/* Eases from 0 to 1 with zero slope at both ends; x is clamped. */
double scene_ease(double x);

/* commands.c: makes the instances. Times are >= 0 and finite, except a stop that never comes. */
void scene_make_instances(struct pose_sl_mix *scene, const struct pose_sl_layer *layers);

/* stack.c: false if out of memory. */
bool scene_make_orders(struct pose_sl_mix *scene);

/* instance.c */
bool instance_plays(const struct scene_instance *instance, double t);
/* 0 while it does not play. */
double instance_weight(const struct pose_sl_mix *scene, const struct scene_instance *instance, double t);
/* The time at which its clip is read, within [0, duration]. */
double instance_playhead(const struct pose_sl_mix *scene, const struct scene_instance *instance, double t);
/* The end (exclusive) of the time in which its weight is above 0; -1 if it never is. */
double instance_last_shown(const struct scene_instance *instance);
/* Whether everything it drives is driven at full weight by newer instances of its kind, at the same or a higher
 * priority. */
bool instance_is_covered(const struct pose_sl_mix *scene, const struct scene_instance *instance, double t);

/* hands.c: hand poses and emotes, which are morphs. */
unsigned emote_find(const char *name);
void scene_make_hands(struct pose_sl_mix *scene);

#endif
