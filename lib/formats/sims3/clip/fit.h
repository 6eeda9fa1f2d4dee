/*
 * A clip fitted to Sims 3 channels: whole ticks, and a packing, offset and scale per channel.
 */
#ifndef POSE_FORMATS_SIMS3_CLIP_FIT_H
#define POSE_FORMATS_SIMS3_CLIP_FIT_H

#include "lib/formats/sims3/clip/section.h"

/* A channel to be written. */
struct sims3_fit_channel {
    uint32_t key;
    uint8_t type, sub_type;
    float offset, scale;
    uint32_t count; /* 0 for constants; at most 65535 */
    const uint16_t *ticks;
    const float *values; /* in the format's axes; rotations normalised and in one hemisphere */
};

struct sims3_fit {
    float frame_duration;
    uint16_t tick_count;
    bool settled; /* rotations are chosen so that rereading and rewriting changes nothing */
    uint32_t channel_count;
    struct sims3_fit_channel *channels; /* in the order of tracks: translation, rotation, scale, morph */
    float *palette;
    uint32_t palette_count;
    uint32_t *palette_table; /* looks up values in the palette; NULL until first used */
};

/* False if the clip cannot be written; losses are reported. */
bool sims3_fit_clip(struct encode_job *job, const struct pose_clip *clip, struct sims3_fit *fit);

/* The size in bytes of a channel's key. */
unsigned sims3_fit_key_size(const struct sims3_fit_channel *channel);
/* Writes one key's flags and payload: all bytes after its tick. */
void sims3_fit_pack(const struct sims3_fit *fit, const struct sims3_fit_channel *channel, const float *value,
                    uint8_t *to);

#endif
