/* Deep copies into an arena, so that what is copied may be freed. NULL, and the arena failed, when memory is out. */
#ifndef POSE_MODEL_COPY_H
#define POSE_MODEL_COPY_H

#include "lib/core/arena.h"

/* NULL: NULL. */
const char *copy_text(struct arena *arena, const char *text);
/* A tree; NULL: NULL. No recursion. */
const struct pose_value *copy_value(struct arena *arena, const struct pose_value *value);
/* An object without a member of any of these names (a list that ends with NULL; the list may be NULL). NULL when nothing
 * is left. */
const struct pose_value *copy_object_without(struct arena *arena, const struct pose_value *object,
                                             const char *const *names);
/* Everything but the warnings. False when memory is out. */
bool copy_clip(struct arena *arena, const struct pose_clip *from, struct pose_clip *to);

#endif
