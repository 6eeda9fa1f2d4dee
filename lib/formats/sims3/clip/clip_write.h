/* Writing a Sims 3 clip; see clip.c for the layout. */
#ifndef POSE_FORMATS_SIMS3_CLIP_CLIP_WRITE_H
#define POSE_FORMATS_SIMS3_CLIP_CLIP_WRITE_H

#include "lib/formats/codec.h"

/* Takes one clip of any rules. A decoded clip round-trips within one quantisation step; events, the table of
 * inverse kinematics, names and end data round-trip exactly. */
bool sims3_clip_encode(struct encode_job *job);

#endif
