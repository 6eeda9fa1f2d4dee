/* Writing a Sims 3 clip; see sims3_clip.c for the layout. */
#ifndef POSE_FORMATS_SIMS3_CLIP_CLIP_WRITE_H
#define POSE_FORMATS_SIMS3_CLIP_CLIP_WRITE_H

#include "lib/formats/codec.h"

/* Takes one clip of any rules. What was decoded comes back within one step of the quantisation; events, the table of
 * inverse kinematics, the names and the end data come back as they were. */
bool sims3_clip_encode(struct encode_job *job);

#endif
