/* Converts between the bones of a file and the common skeleton. online: a .skel; otherwise a Sims 1 skeleton. */
#ifndef POSE_FORMATS_SIMS_SKELETON_H
#define POSE_FORMATS_SIMS_SKELETON_H

#include "lib/formats/sims/records.h"

/*
 * The skeleton that s has read. Errors "duplicate_bone" and "bone_cycle" at the bone's position and below the
 * stream's path, limit "joints"; warnings "unknown_parent" and "several_roots".
 */
bool sims_skeleton_build(struct decode_job *job, struct sims_stream *s, const struct sims_bones *bones,
                         bool online, struct warning_list *warnings, struct pose_skeleton *skeleton);

/* The bones made from any skeleton, in the order of its file. */
bool sims_bones_build(struct encode_job *job, const struct pose_skeleton *skeleton, struct sims_bones *bones);

#endif
