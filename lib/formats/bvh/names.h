/* Joint names that BVH can hold: words without duplicates. */
#ifndef POSE_FORMATS_BVH_NAMES_H
#define POSE_FORMATS_BVH_NAMES_H

#include "lib/formats/codec.h"

/* The names of the skeleton's joints, [joint_count], in the job's arena; reports changes through encode_warn.
 * NULL if out of memory. */
const char **bvh_names_make(struct encode_job *job, const struct pose_skeleton *skeleton);

#endif
