/*
 * sl-lad: the shaped skeleton, axes POSE_AXES_SL; the meshes that a newcomer shows; a character of type "avatar"
 * with the extras skeleton: the file, meshes: [{type, file}], shape: [{id, name, weight}] without zero weights.
 */
#ifndef POSE_FORMATS_SL_BODY_AVATAR_H
#define POSE_FORMATS_SL_BODY_AVATAR_H

#include "lib/formats/family.h"

/* The name of the character and its skeleton. */
#define SL_AVATAR "avatar"

/* For struct family. */
bool sl_relations(const struct pose_character *character, struct pose_bytes facts, pose_relate *relate,
                  void *user);
/* Clips prefer the plain skeleton to a shaped one. */
bool sl_made_for(const struct pose_naming *what, const char *skeleton);

#endif
