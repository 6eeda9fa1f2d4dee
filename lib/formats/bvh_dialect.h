/*
 * BVH as a game takes it. The format belongs to nobody, and who reads it decides what its numbers mean: a family that has
 * a way of its own says so in its row, and the reader and writer of BVH ask for it here.
 */
#ifndef POSE_FORMATS_BVH_DIALECT_H
#define POSE_FORMATS_BVH_DIALECT_H

#include "lib/core/value.h"

struct bvh_dialect {
    enum pose_axes axes; /* of files that begin with its root */
    /* Whether a file with that root is the game's own. */
    bool (*has_root)(const char *name);
    /* Whether a clip that is written is the game's, so that the file is to be as the game wants it. */
    bool (*has_clip)(const struct pose_clip *clip);
    /* What the game would refuse the file for, as objects with code, message and line; and the member of the clip's extras
     * that keeps them, which any BVH file gets. */
    const char *reasons_key;
    struct value_list (*reasons)(struct arena *arena, struct pose_bytes bytes, const struct pose_clip *clip);
};

/* The families' dialects: index 0 … until NULL. */
const struct bvh_dialect *bvh_dialect(unsigned index);

#endif
