/* A deep copy of a clip in an arena, so that what is copied may be freed. */
#ifndef POSE_MODEL_COPY_H
#define POSE_MODEL_COPY_H

#include "lib/core/arena.h"

/* Everything but the warnings. False when memory is out; then the arena failed. */
bool copy_clip(struct arena *arena, const struct pose_clip *from, struct pose_clip *to);

#endif
