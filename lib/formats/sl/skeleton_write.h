/* Writing avatar_skeleton.xml. */
#ifndef POSE_FORMATS_SL_SKELETON_WRITE_H
#define POSE_FORMATS_SL_SKELETON_WRITE_H

#include "lib/formats/codec.h"

/* Writes the one skeleton of the content. Joints whose extras do not call them a collision_volume are bones; a
 * bone without a pivot gets its own position as pivot. */
bool sl_skeleton_encode(struct encode_job *job);

#endif
