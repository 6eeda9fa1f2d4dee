/*
 * What a family of formats is to the rest of the library: one constant in the family's folder (family.c), listed in
 * table.c. It gathers the family's codecs and archives, and whatever else is known of its game alone. What a family has
 * nothing to say of is NULL. A family never includes another one.
 */
#ifndef POSE_FORMATS_FAMILY_H
#define POSE_FORMATS_FAMILY_H

#include "lib/formats/archive.h"
#include "lib/formats/codec.h"

struct family {
    const char *id;    /* its folder's name */
    const char *title; /* "The Sims 3" */
    const struct codec *const *codecs;
    const struct archive_type *const *archives;
    /* Whether the family's naming says that what is called so is made for the skeleton of that name. NULL: names of the
     * family's files say nothing, and those of all others are asked (a clip keeps its name through glTF). */
    bool (*made_for)(const struct pose_naming *what, const char *skeleton);
};

#endif
