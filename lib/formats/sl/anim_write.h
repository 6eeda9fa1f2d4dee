/* Writing Second Life's animations, version 1.0. */
#ifndef POSE_FORMATS_SL_ANIM_WRITE_H
#define POSE_FORMATS_SL_ANIM_WRITE_H

#include "lib/formats/codec.h"

/*
 * Writes the one clip of the content. A clip with the rules of the format is written key by key, so that a decoded
 * file comes back; one of other rules is a conversion and is fitted to the format: tracks without keys are left out,
 * each track begins at 0 and ends at the duration (or is one key when it is constant), positions that never change
 * are left to the skeleton except for the pelvis, and keys that the viewer's own interpolation gives back within
 * 0.05 degrees and 0.5 mm are dropped. A clip that was read from BVH becomes what the viewer's upload would make of the
 * file (sl_bvh.h), and is refused where the viewer would refuse it.
 *
 * Settings: reduce (bool: treat as conversion or not), priority (-1..6), loop (bool), ease_in, ease_out (seconds, 0..).
 */
bool sl_anim_encode(struct encode_job *job);

#endif
