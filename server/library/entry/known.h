/*
 * What a clip and a skeleton know each other by: names and ids of joints as hashes (known_name, known_id in index.h),
 * sorted in a skeleton, so that skeleton=auto compares them without decoding. What is listed is in the region; if that has
 * failed, nothing is.
 */
#ifndef POSED_SERVER_LIBRARY_ENTRY_KNOWN_H
#define POSED_SERVER_LIBRARY_ENTRY_KNOWN_H

#include "server/library/index/index.h"

/* Tracks that move joints come first. */
void known_list_tracks(struct region *region, const struct pose_document *document,
                       const struct pose_clip *clip, struct index_asset *asset);
/* Names, ids and aliases of joints. */
void known_list_joints(struct region *region, const struct pose_skeleton *skeleton,
                       struct index_asset *asset);
/* The bones that a mesh is bound to. */
void known_list_mesh(struct region *region, const struct pose_mesh *mesh, struct index_asset *asset);
/* The bones that a suit or a binding uses: their skeleton can be found even if the meshes are missing. */
void known_list_bones(struct region *region, const char *format, const struct pose_character *character,
                      struct index_asset *asset);
/* A hash of the rest pose. Rounded to a hundredth of a millimetre (if the unit is a metre; likewise for feet and
 * inches), and rotations similarly, because exporters round. */
uint64_t known_rest(const struct pose_skeleton *skeleton);

#endif
