/*
 * The uniform clock of The Sims: key k of a channel of n is at k * duration / n. Clips of other origins have
 * keys at any time; these functions convert them.
 */
#ifndef POSE_FORMATS_SIMS_KEYS_H
#define POSE_FORMATS_SIMS_KEYS_H

#include "lib/model/build.h"

/* Whether the keys are already on the clock, up to rounding. True without keys. */
bool sims_keys_are_uniform(const struct pose_channel *channel, float duration);
/* The number of frames of a clip on that clock: its own count, else 30 per second; at least 1. */
uint32_t sims_frames_of(const struct pose_clip *clip);
/* The channel at count uniform times; linear, rotations by normalised lerp on the shorter arc. NULL if there are
 * no keys or memory. */
float *sims_resample(struct arena *arena, const struct pose_channel *channel, enum pose_part part,
                     float duration, uint32_t count);

#endif
