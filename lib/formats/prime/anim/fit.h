/*
 * Metroid Prime: converts any clip to the game's frames, for prime-anim to write.
 *
 * A clip that fits as it is has axes POSE_AXES_PRIME, tracks with the bones' ids, every key on a frame (a whole
 * multiple of `interval`, from the extras or 1 / fps) and adjacent rotations in the same hemisphere. Any other
 * is converted: axes are changed, a bone's id is found by its name in the content's skeleton, keys between
 * frames are resampled on every frame (linear; slerp on the shorter arc, except with Prime's own rules),
 * rotations are negated to match their neighbours' hemisphere, and a clip of one frame gets a second, equal one.
 * encode_warn reports losses.
 */
#ifndef POSE_FORMATS_PRIME_ANIM_FIT_H
#define POSE_FORMATS_PRIME_ANIM_FIT_H

#include "lib/formats/prime/anim/tracks.h"

/* Settings: game "mp1" | "mp2" | "mp2demo", version 0 | 2, evnt, loop. False after an error. */
bool prime_fit_clip(struct encode_job *job, const struct pose_clip *clip, struct prime_fit *fit);

#endif
