/*
 * How a game interprets BVH. The format has no standard, so each program decides what the numbers mean: a family
 * with its own rules says so in its row, and the BVH reader and writer look them up here.
 */
#ifndef POSE_FORMATS_BVH_DIALECT_H
#define POSE_FORMATS_BVH_DIALECT_H

#include "lib/core/value.h"

struct bvh_dialect {
    enum pose_axes axes; /* of files whose root is the game's */
    /* Whether a file with that root belongs to the game. */
    bool (*has_root)(const char *name);
    /* Whether a clip to be written belongs to the game, so that the file must follow its rules. */
    bool (*has_clip)(const struct pose_clip *clip);
    /* Why the game would refuse the file, as objects with code, message and line; and the key in the clip's
     * extras that holds them, which every BVH file gets. */
    const char *reasons_key;
    struct value_list (*reasons)(struct arena *arena, struct pose_bytes bytes, const struct pose_clip *clip);
};

/* The families' dialects: index 0, 1, ... until NULL. */
const struct bvh_dialect *bvh_dialect(unsigned index);

#endif
