/* Writing Second Life animations, version 1.0. */
#ifndef POSE_FORMATS_SL_ANIM_WRITE_H
#define POSE_FORMATS_SL_ANIM_WRITE_H

#include "lib/formats/codec.h"

/*
 * Writes the one clip of the content. A clip with this format's rules is written key by key, so that a decoded
 * file round-trips; one with other rules is converted: tracks without keys are dropped, each track begins at 0
 * and ends at the duration (or is one key if it is constant), constant positions are left to the skeleton except
 * for the pelvis, and keys that the viewer's interpolation restores within 0.05 degrees and 0.5 mm are dropped.
 * A clip read from BVH becomes what the viewer's upload would make of the file (bvh.h), and is refused where the
 * viewer would refuse it.
 *
 * Settings: reduce (bool: convert or not), priority (-1..6), loop (bool), ease_in, ease_out (seconds, 0..).
 */
bool sl_anim_encode(struct encode_job *job);

#endif
