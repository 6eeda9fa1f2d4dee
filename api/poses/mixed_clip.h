/* A mixture as a clip of its own, with a key on every frame and wherever a weight begins or stops changing. */
#ifndef POSED_API_POSES_MIXED_CLIP_H
#define POSED_API_POSES_MIXED_CLIP_H

#include "api/poses/mixture.h"

struct mixed_clip {
    struct pose_clip clip;     /* on the mixture's skeleton, in its axes */
    struct pose_track *tracks; /* of the clip */
    float *times, *values;
};

/* False with the problem in item->call. Must be released in either case; names point into the mixture's skeleton. */
bool mixed_clip_make(struct item *item, struct mixture *mixture, const struct times *times,
                     struct mixed_clip *mixed);
void mixed_clip_release(struct mixed_clip *mixed);

#endif
