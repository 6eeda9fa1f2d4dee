/*
 * Which bones move a vertex of an avatar's mesh. The file names joints; from these the viewer makes a palette, a
 * path down the skeleton in which a bone is repeated wherever a branch begins, and a vertex lies between two
 * neighbouring entries. Facts: sl-avatar.md, 4, checked there against the viewer's own palette code.
 */
#ifndef POSE_FORMATS_SL_BODY_PALETTE_H
#define POSE_FORMATS_SL_BODY_PALETTE_H

#include "lib/core/arena.h"

enum {
    MAX_SKIN_JOINTS = 15, /* per mesh, and entries of a palette */
    PALETTE_ROOT = 0,     /* the avatar's origin, above mPelvis */
    AVATAR_JOINTS = 27,   /* including the root; the avatar's original ("base") joints only */
};

/* Entries are joint indices; neighbours are often a parent and its child. */
struct sl_palette {
    uint32_t count;
    uint8_t joints[MAX_SKIN_JOINTS];
    bool is_cut; /* there would be more entries */
};

/* "mRoot", "mPelvis" ... index < AVATAR_JOINTS. */
const char *sl_avatar_joint(unsigned index);
/* -1 if the avatar has no such joint; files may not name the root. */
int sl_avatar_joint_find(const char *name);

/* named: [AVATAR_JOINTS], whether the file names the joint. */
void sl_palette_make(const bool *named, struct sl_palette *palette);

#endif
