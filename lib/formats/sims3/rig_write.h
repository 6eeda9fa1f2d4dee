/* Writing a Sims 3 rig; see rig.c for the layout. */
#ifndef POSE_FORMATS_SIMS3_RIG_WRITE_H
#define POSE_FORMATS_SIMS3_RIG_WRITE_H

#include "lib/formats/codec.h"

enum { SIMS3_RIG_MAJOR = 4, SIMS3_RIG_MINOR = 2, SIMS3_RIG_BONE_LIMIT = 4096, SIMS3_CHAIN_INFOS = 11 };

/* Takes one skeleton in any axes. A valid decoded file round-trips byte for byte. */
bool sims3_rig_encode(struct encode_job *job);

#endif
