/* Metroid Prime: converts a clip's tracks to channels, by bone and frame. */
#ifndef POSE_FORMATS_PRIME_ANIM_TRACKS_H
#define POSE_FORMATS_PRIME_ANIM_TRACKS_H

#include "lib/formats/prime/prime.h"

enum {
    PRIME_TRACKS_BONES = 256,    /* Metroid Prime 2 stores ids in a byte; skeletons have fewer than 100 */
    PRIME_TRACKS_FRAMES = 65536, /* a channel's count allows 65535 keys after frame 0 */
};

enum { PRIME_FIT_PARTS = 3 }; /* POSE_TRANSLATION, POSE_ROTATION, POSE_SCALE */

/* What to write, from the settings, the clip's extras, or the defaults. */
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
    uint32_t key_count; /* including frame 0 */
    uint32_t *frames;   /* [key_count], 0 first, last_frame last */
    uint32_t channel_count;
    struct prime_fit_channel *channels; /* in the game's order: the clip's order, or by id */
};

/* Fills in keys and channels; target, interval and last_frame must be set. */
bool prime_tracks_fit(struct encode_job *job, const struct pose_clip *clip, struct prime_fit *fit);

#endif
