/* Names of joints as BVH can hold them: words, each once. */
#ifndef POSE_FORMATS_BVH_NAMES_H
#define POSE_FORMATS_BVH_NAMES_H

#include "lib/formats/codec.h"

/* The names of the skeleton's joints in the job's arena, [joint_count]; says through encode_warn what was changed. NULL
 * when memory is out. */
const char **bvh_names_make(struct encode_job *job, const struct pose_skeleton *skeleton);

#endif
