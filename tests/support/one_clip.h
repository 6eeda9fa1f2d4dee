#ifndef TESTS_SUPPORT_ONE_CLIP_H
#define TESTS_SUPPORT_ONE_CLIP_H

#include "pose.h"

/* Members of a struct pose_conversion: a clip, and the format of its document (NULL: not known). */
#define ONE_CLIP(clip_, from_)                                                                               \
    .clip_count = 1, .clips = &(const struct pose_conversion_clip)                                           \
    {                                                                                                        \
        .clip = (clip_), .from = (from_)                                                                     \
    }

#endif
