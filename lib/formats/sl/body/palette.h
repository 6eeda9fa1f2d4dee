/*
 * Which bones a vertex of an avatar's mesh hangs on. The file names joints; the viewer makes of them a palette, a path
 * down the skeleton in which a bone stands again wherever a branch begins, and a vertex lies between two neighbours of it.
 * Facts: sl-avatar.md, 4, run there against the viewer's own palette code.
 */
#ifndef POSE_FORMATS_SL_BODY_PALETTE_H
#define POSE_FORMATS_SL_BODY_PALETTE_H

#include "lib/core/arena.h"

enum {
    MAX_SKIN_JOINTS = 15, /* of one mesh, and entries of a palette */
    PALETTE_ROOT = 0,     /* the avatar's origin, above mPelvis */
    AVATAR_JOINTS = 27,   /* with the root: those that are no later addition ("base") */
};

/* Entries are indices of joints; an entry's neighbours are often its parent and its child. */
struct sl_palette {
    uint32_t count;
    uint8_t joints[MAX_SKIN_JOINTS];
    bool is_cut; /* there would be more */
};

/* "mRoot", "mPelvis" ... index < AVATAR_JOINTS. */
const char *sl_avatar_joint(unsigned index);
/* -1 when the avatar has no such joint; the root is none that a file may name. */
int sl_avatar_joint_find(const char *name);

/* named: [AVATAR_JOINTS], those that the file names, in whatever order. */
void sl_palette_make(const bool *named, struct sl_palette *palette);

#endif
