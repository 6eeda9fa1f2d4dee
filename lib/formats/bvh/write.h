/* Writing BVH. */
#ifndef POSE_FORMATS_BVH_WRITE_H
#define POSE_FORMATS_BVH_WRITE_H

#include "lib/formats/codec.h"

/*
 * Writes the one clip of the content on its first skeleton; without one an error whose field is "skeleton".
 *
 * A clip that was read from BVH comes back with its channels, frames and frame time. Others are sampled at their frame
 * rate, with the root's position and Zrotation Xrotation Yrotation; other joints have a position where they move. Under a
 * root called hip or mPelvis all is in inches, as Second Life's viewer reads it, otherwise in metres. A clip of Second
 * Life becomes what its viewer takes as an upload: the rest pose as frame 0, at a rate that meets all keys or that is
 * fast enough to stay within 0.06 degrees.
 *
 * Settings: fps (1 … 1000); unit (m, cm, inch), where the root does not say it.
 */
bool bvh_encode(struct encode_job *job);

#endif
