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

#include "lib/formats/prime/anim/tracks.h"

/* Settings: game "mp1" | "mp2" | "mp2demo", version 0 | 2, evnt, loop. False after an error. */
bool prime_fit_target(struct encode_job *job, const struct pose_clip *clip, struct prime_fit_target *target);
bool prime_fit_clip(struct encode_job *job, const struct pose_clip *clip, struct prime_fit *fit);

#endif
