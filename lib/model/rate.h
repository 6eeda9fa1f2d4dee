/* The frames that a clip's keys lie on. */
#ifndef POSE_MODEL_RATE_H
#define POSE_MODEL_RATE_H

#include "pose.h"

/* Whether all keys of joints are within that fraction of a frame of one. frame: in seconds, above 0. */
bool clip_is_on_frames(const struct pose_clip *clip, double frame, double slack);
/* The first of the usual rates (frames per second) on whose frames all keys and the clip's end lie; 0: none. */
double clip_find_rate(const struct pose_clip *clip);

#endif
