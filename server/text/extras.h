/* Reading what a format keeps beyond the common model. */
#ifndef POSED_SERVER_TEXT_EXTRAS_H
#define POSED_SERVER_TEXT_EXTRAS_H

#include "pose.h"

/* A member of an object: NULL, 0 when it is not there, is of another kind, or there is no object. */
const char *extra_text(const struct pose_value *object, const char *key);
int64_t extra_integer(const struct pose_value *object, const char *key);
/* The first item of a list that is a member; the others follow by next. */
const struct pose_value *extra_items(const struct pose_value *object, const char *key);

#endif
