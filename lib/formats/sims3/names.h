/*
 * Names of The Sims 3's clips. "x_rest" is of one actor, "x2y_rest" of two; an actor code of one or two letters is an
 * age or a species. The instance id of a clip is the hash of its generic name (every actor an adult, "a", or an
 * object, "o") with the ages xored into the top 16 bits, so that all variants of a name share the low 48. The rules
 * hold for 34 of 34 real clips (sims3-hash.md).
 */
#ifndef POSE_FORMATS_SIMS3_NAMES_H
#define POSE_FORMATS_SIMS3_NAMES_H

#include "pose.h"

/* The instance id of the clip of that name. */
uint64_t sims3_clip_instance(const char *name, size_t length);
/* The generic name that stands for every age ("t2c_kiss_x": "a2a_kiss_x"); a name that is generic stays as it is.
 * Always NUL-terminated and cut at capacity; returns its whole length. */
size_t sims3_generic_name(const char *name, size_t length, char *generic, size_t capacity);
/* The group that the game's own clips of that name are in: 0x48000000 for pets, else 0. Advice, never a rule. */
uint32_t sims3_clip_group(const char *name, size_t length);

/* For struct family: "c2o_sit_x" is made for the rig "cuRig". Of a clip of two actors the one counts that its suffix
 * means, "_x" or "_y", else the one that the clip says it is of. */
bool sims3_made_for(const struct pose_naming *what, const char *skeleton);

#endif
