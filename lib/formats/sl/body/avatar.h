/*
 * sl-lad: the shaped skeleton, axes POSE_AXES_SL; the meshes that a newcomer shows; a character, type "avatar", whose extras
 * are skeleton: the file, meshes: [{type, file}], shape: [{id, name, weight}], what is not 0.
 */
#ifndef POSE_FORMATS_SL_BODY_AVATAR_H
#define POSE_FORMATS_SL_BODY_AVATAR_H

#include "lib/formats/family.h"

/* What the character and its skeleton are called. */
#define SL_AVATAR "avatar"

/* For struct family. */
bool sl_relations(const struct pose_character *character, struct pose_bytes facts, pose_relate *relate,
                  void *user);
/* Clips are for the plain skeleton before one that is shaped. */
bool sl_made_for(const struct pose_naming *what, const char *skeleton);

#endif
