/*
 * The even clock of The Sims: key k of a channel of n lies at k * duration / n. Clips of other origins have their keys
 * anywhere; these bring them to it.
 */
#ifndef POSE_FORMATS_SIMS_KEYS_H
#define POSE_FORMATS_SIMS_KEYS_H

#include "lib/model/build.h"

/* Whether the keys lie on the clock already, up to rounding. True without keys. */
bool sims_keys_are_uniform(const struct pose_channel *channel, float duration);
/* How many frames a clip has on that clock: its own count, else 30 a second; at least 1. */
uint32_t sims_frames_of(const struct pose_clip *clip);
/* The channel at count even times; linear, rotations normalised on the shorter arc. NULL without keys, and when memory
 * is out. */
float *sims_resample(struct arena *arena, const struct pose_channel *channel, enum pose_part part,
                     float duration, uint32_t count);

#endif
