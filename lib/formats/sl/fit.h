/*
 * Fitting a clip to Second Life: which tracks and keys are written. A clip with the format's own rules is left
 * as it is, so that a decoded file round-trips; one with other rules (or with the setting reduce) is converted.
 */
#ifndef POSE_FORMATS_SL_FIT_H
#define POSE_FORMATS_SL_FIT_H

#include "lib/formats/codec.h"
#include "lib/formats/sl/layout.h"

/* Keys in the format's axes, in the clip's or the job's memory. */
struct sl_fit_keys {
    uint32_t count;
    const float *times;
    const float *values;
};

struct sl_fit_track {
    const struct pose_track *from; /* has a name */
    struct sl_fit_keys keys[SL_KEY_KINDS];
};

struct sl_fit {
    bool is_conversion;
    uint32_t track_count; /* 1 to SL_TRACK_LIMIT */
    struct sl_fit_track *tracks;
};

/* Reports losses through encode_warn. False if nothing is left, or too much. */
bool sl_fit_clip(struct encode_job *job, const struct pose_clip *clip, struct sl_fit *fit);

#endif
