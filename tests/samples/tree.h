/* Small trees of pose_value, made by hand. */
#ifndef TESTS_SAMPLES_TREE_H
#define TESTS_SAMPLES_TREE_H

#include "pose.h"

static inline struct pose_value tree_int(const char *key, int64_t value)
{
    return (struct pose_value){.kind = POSE_INT, .key = key, .as.integer = value};
}

static inline struct pose_value tree_float(const char *key, double value)
{
    return (struct pose_value){.kind = POSE_FLOAT, .key = key, .as.number = (float)value};
}

static inline struct pose_value tree_bool(const char *key, bool value)
{
    return (struct pose_value){.kind = POSE_BOOL, .key = key, .as.boolean = value};
}

static inline struct pose_value tree_string(const char *key, const char *value)
{
    return (struct pose_value){.kind = POSE_STRING, .key = key, .as.string = value};
}

/* An array or object of those items in their order; they must stay where they are. */
static inline struct pose_value tree_of(enum pose_value_kind kind, const char *key, struct pose_value *items,
                                        unsigned count)
{
    for (unsigned i = 0; i + 1 < count; i++)
        items[i].next = &items[i + 1];
    return (struct pose_value){.kind = kind, .key = key, .first = items};
}

#endif
