/*
 * Names of The Sims 3's clips. "x_rest" has one actor, "x2y_rest" two; an actor code of one or two letters is an
 * age or a species. The instance id of a clip is the hash of its generic name (every actor an adult, "a", or an
 * object, "o") with the ages xored into the top 16 bits, so that all variants of a name share the low 48. These
 * rules hold for 34 of 34 real clips (sims3-hash.md).
 */
#ifndef POSE_FORMATS_SIMS3_NAMES_H
#define POSE_FORMATS_SIMS3_NAMES_H

#include "pose.h"

/* The instance id of the clip of that name. */
uint64_t sims3_clip_instance(const char *name, size_t length);
/* The group of the game's own clips of that name: 0x48000000 for pets, otherwise 0. A hint, not a rule. */
uint32_t sims3_clip_group(const char *name, size_t length);

/* For struct family: "c2o_sit_x" is made for the rig "cuRig". With two actors the name's suffix, "_x" or "_y",
 * selects the actor, otherwise the clip's own actor name. */
bool sims3_made_for(const struct pose_naming *what, const char *skeleton);
/* For struct family: "auRig" is a grown person's, "adRig" a grown animal's. */
unsigned sims3_adulthood(const char *skeleton);
/* For struct family: "c_" for "cuRig". */
const char *sims3_clip_prefix(const char *skeleton);
/* "afBodyDressSunbelt_lod1" is the body of a woman (wear.c). */
bool sims3_wear_of(const struct pose_naming *what, struct pose_wear *part);

#endif
