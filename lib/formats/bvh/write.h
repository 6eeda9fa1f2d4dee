/* Writing BVH. */
#ifndef POSE_FORMATS_BVH_WRITE_H
#define POSE_FORMATS_BVH_WRITE_H

#include "lib/formats/codec.h"

/*
 * Writes the one clip of the content on its first skeleton; without one, an error whose field is "skeleton".
 *
 * A clip that was read from BVH gets back its channels, frames and frame time. Others are sampled at their frame
 * rate, with the root's position and Zrotation Xrotation Yrotation; other joints have a position if they move.
 * Under a root named hip or mPelvis everything is in inches, as Second Life's viewer reads it, otherwise in
 * metres. A Second Life clip is written for its viewer's upload: the rest pose as frame 0, at a rate that hits
 * all keys or that is high enough to stay within 0.06 degrees.
 *
 * Settings: fps (1 … 1000); unit (m, cm, inch), if the root does not determine it.
 */
bool bvh_encode(struct encode_job *job);

#endif
