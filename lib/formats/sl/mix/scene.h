/*
 * Inside a scene of Second Life: layers with their commands become instances, each one playing of a clip; at a moment the
 * instances that play make up a stack on every joint, and the stack makes the joint's value. Everything is computed in
 * double precision. Facts: sl-mix.md, run there against the viewer's own motion controller and pose blender.
 */
#ifndef POSE_FORMATS_SL_MIX_SCENE_H
#define POSE_FORMATS_SL_MIX_SCENE_H

#include "lib/core/arena.h"

#include <math.h>

enum {
    MAX_HAND_CHANGES =
        4 * POSE_SL_LAYERS + 1, /* no more than there are moments at which a weight begins to change */
};

#define SCENE_NEVER INFINITY

/* What a layer's clip does to the joints of the skeleton. */
struct scene_layer {
    const struct pose_clip *clip;
    struct pose_sampler *sampler;
    bool additive;
    double ease_in, ease_out; /* >= 0 */
    /* [joint_count]: POSE_TRANSLATION and POSE_ROTATION as bits, 0 where no track (with keys) drives the joint */
    const uint8_t *drives;
    const bool *has_track;     /* [joint_count]: a track without keys takes a place in the stack, too */
    const int32_t *priorities; /* [joint_count] */
    int32_t hand_priority;     /* the greatest of them, for hands */
    int64_t hand_pose;
    unsigned emote; /* index of its name; EMOTE_NONE */
};

/* One playing of a clip. Its index is its place in the order of starts: a greater one is newer. */
struct scene_instance {
    uint32_t layer;
    double start;    /* from here on it plays */
    double origin;   /* where the clip's own time is 0 */
    double told;     /* when it was told to stop, SCENE_NEVER */
    double ease_out; /* when its ease-out begins, SCENE_NEVER */
    double residual; /* its weight then */
    double end;      /* it plays up to here */
    bool removed;    /* at once, at its end: not even at the moment itself */
};

/* The hand changes from one pose to another in 0.2 s. */
struct hand_change {
    double at;
    unsigned from, to;
};

struct pose_sl_mix {
    struct arena arena; /* holds all of it, itself included */
    const struct pose_skeleton *skeleton;
    struct pose_sl_mix_options options;
    uint32_t layer_count, instance_count, hand_count, moment_count;
    struct scene_layer layers[POSE_SL_LAYERS];
    struct scene_instance instances[POSE_SL_LAYERS];
    struct hand_change hands[MAX_HAND_CHANGES];
    double moments[4 * POSE_SL_LAYERS]; /* ascending, each once */
};

#define EMOTE_NONE UINT32_MAX

/* 0 to 1 with level ends; x is clamped. */
double scene_ease(double x);

/* commands.c: from commands to instances. Times are >= 0 and finite, but for a stop that never comes. */
void scene_make_instances(struct pose_sl_mix *scene, const struct pose_sl_layer *layers);

/* instance.c */
bool instance_plays(const struct scene_instance *instance, double t);
/* 0 where it does not play. */
double instance_weight(const struct pose_sl_mix *scene, const struct scene_instance *instance, double t);
/* The time at which its clip is read, within [0, duration]. */
double instance_playhead(const struct pose_sl_mix *scene, const struct scene_instance *instance, double t);
/* The last moment at which it has a weight above 0, as a bound that is itself left out; -1 when it never shows. */
double instance_last_shown(const struct scene_instance *instance);
/* Whether all that it drives is driven at full weight by newer ones of its kind, of the same or higher priority. */
bool instance_is_covered(const struct pose_sl_mix *scene, const struct scene_instance *instance, double t);

/* hands.c: hand poses and emotes, which are morphs. */
unsigned emote_find(const char *name);
void scene_make_hands(struct pose_sl_mix *scene);

#endif
