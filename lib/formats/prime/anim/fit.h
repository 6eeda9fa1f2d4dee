/*
 * Metroid Prime: a clip as the game's frames. What prime-anim writes, whatever the clip was before.
 *
 * A clip that fits as it is: axes POSE_AXES_PRIME, tracks with the bones' ids, every key on a frame (a whole multiple of
 * `interval`, which is the extras' or 1 / fps), rotations whose neighbours lie in one hemisphere. Anything else is made
 * to fit: axes are converted, a bone's id is found by its name in the content's skeleton, keys between frames are
 * sampled on every frame (linear; slerp on the shorter arc, but for Prime's own rules), rotations are turned to their
 * neighbours' hemisphere, and a clip of one frame becomes one of two equal ones. encode_warn tells what was lost.
 */
#ifndef POSE_FORMATS_PRIME_ANIM_FIT_H
#define POSE_FORMATS_PRIME_ANIM_FIT_H

#include "lib/formats/prime/prime.h"

enum { PRIME_FIT_PARTS = 3 }; /* POSE_TRANSLATION, POSE_ROTATION, POSE_SCALE */

/* What is to be written, from the settings, the clip's extras, or the defaults. */
struct prime_fit_target {
    enum prime_game game;
    unsigned version; /* 0 or 2 */
    uint32_t evnt;
    uint32_t root_bone_id;
    bool loops;
    bool is_own; /* the clip's extras are prime-anim's */
};

struct prime_fit_channel {
    uint32_t bone_id;
    float *values[PRIME_FIT_PARTS]; /* [key_count][3 | 4 | 3]; NULL: not driven */
};

struct prime_fit {
    struct prime_fit_target target;
    float interval, duration;
    uint32_t last_frame;
    uint32_t key_count; /* with frame 0 */
    uint32_t *frames;   /* [key_count], 0 first, last_frame last */
    uint32_t channel_count;
    struct prime_fit_channel *channels; /* as the game wants them: in the clip's order, or by id */
};

/* Settings: game "mp1" | "mp2" | "mp2demo", version 0 | 2, evnt, loop. False after an error. */
bool prime_fit_target(struct encode_job *job, const struct pose_clip *clip, struct prime_fit_target *target);
bool prime_fit_clip(struct encode_job *job, const struct pose_clip *clip, struct prime_fit *fit);

#endif
