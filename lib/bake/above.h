/*
 * The internals of bake_fold: what is known of the nodes (bake_above.c), and bones below nodes that move
 * (bake_above_keys.c).
 */
#ifndef POSE_BAKE_ABOVE_H
#define POSE_BAKE_ABOVE_H

#include "lib/bake/bake.h"
#include "lib/model/match.h"
#include "lib/model/turn.h"

/* A transform with one scale. */
struct place {
    struct vec at;
    struct turn turn;
    double scale;
};

struct node {
    struct place local;                                /* at rest, or as tracks with a single value have it */
    const struct pose_channel *moving[POSE_SCALE + 1]; /* what moves it; NULL: nothing */
    bool is_even;                                      /* its scale is the same on all axes */
    bool has_track;
    bool is_renamed; /* by the caller, to a name of the target */
    bool leads;      /* to a bone of the figure below it */
    bool is_bone;    /* of the target, or below one; others are folded */
    /* Of a bone, what is folded into it; else of this node in the world. Where it moves, at rest. */
    struct place above;
    bool above_moves, above_turns; /* above changes with time */
    double length;                 /* of a bone: the factor of its translation */
    double scale;                  /* the factor that it hands to its children */
};

struct folding {
    const struct pose_conversion *conversion;
    const struct pose_skeleton *skeleton;
    const struct pose_clip *clip;
    struct arena *arena;
    struct joint_index index;
    struct node *nodes; /* [joint_count] */
    bool drops_scale;   /* the target has none: scales of bones are multiplied into lengths as well */
    bool keeps_nodes;   /* the target has joints of any name: only what leads to a skin's is folded */
    bool is_needed, is_uneven, is_growing;
    uint64_t keys, key_limit; /* of bones below nodes that move */
};

/* Takes over a translation, rotation or scale (the mean of three). */
void place_set(struct place *place, enum pose_part part, const float *v);
/* First b, then a. */
struct place place_mul(const struct place *a, const struct place *b);
/* The values of a key. */
void place_get(const struct place *place, enum pose_part part, float *v);

/* Keys of a bone below nodes that move: the product, to 1e-4 rad and 0.1 mm (or a millionth) between keys, of which
 * at most 1023 are inserted. Returns false if out of memory or keys, or stopped. */
bool above_follow(struct folding *folding, uint32_t bone, enum pose_part part, struct pose_channel *channel);

#endif
