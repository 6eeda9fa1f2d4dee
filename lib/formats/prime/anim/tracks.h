/* Metroid Prime: from a clip's tracks to the channels of prime_fit.h, bone by bone and frame by frame. */
#ifndef POSE_FORMATS_PRIME_ANIM_TRACKS_H
#define POSE_FORMATS_PRIME_ANIM_TRACKS_H

#include "lib/formats/prime/anim/fit.h"

enum {
    PRIME_TRACKS_BONES = 256,    /* Metroid Prime 2 has a byte for an id; the skeletons stay below 100 */
    PRIME_TRACKS_FRAMES = 65536, /* a channel counts up to 65535 keys after frame 0 */
};

/* Fills in keys and channels; target, interval and last_frame are there. */
bool prime_tracks_fit(struct encode_job *job, const struct pose_clip *clip, struct prime_fit *fit);

#endif
