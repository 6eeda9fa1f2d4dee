#include "server/text/extras.h"

#include <stddef.h>

const char *extra_text(const struct pose_value *object, const char *key)
{
    const struct pose_value *value = pose_value_find(object, key);
    return value && value->kind == POSE_STRING ? value->as.string : NULL;
}

int64_t extra_integer(const struct pose_value *object, const char *key)
{
    const struct pose_value *value = pose_value_find(object, key);
    return value && value->kind == POSE_INT ? value->as.integer : 0;
}

const struct pose_value *extra_items(const struct pose_value *object, const char *key)
{
    const struct pose_value *list = pose_value_find(object, key);
    return list ? list->first : NULL;
}
