/* A deep copy of a clip in an arena, independent of the original. */
#ifndef POSE_MODEL_COPY_H
#define POSE_MODEL_COPY_H

#include "lib/core/arena.h"

/* Copies everything except the warnings. Returns false if out of memory; the arena has then failed. */
bool copy_clip(struct arena *arena, const struct pose_clip *from, struct pose_clip *to);

#endif
