/*
 * skeleton=auto: the skeleton for a clip, a mesh or a character if none is named.
 *
 *   1. the one in its own file, whatever else is loaded;
 *   2. the one that its character names;
 *   3. among its own archive's, then the command line's, then the built-in ones, a skeleton that has at least half of
 *      the tracks that move joints (bones of a mesh): first one that belongs to it by the family's naming, then the
 *      one with the most matches, then one in the same folder, then a grown person's, then the one with the fewest
 *      other joints, then the smallest id.
 */
#ifndef POSED_SERVER_LIBRARY_CHOOSE_H
#define POSED_SERVER_LIBRARY_CHOOSE_H

#include "server/library/catalog.h"

/* Computed once for each item; asset is NULL if there is none. */
struct skeleton_choice catalog_skeleton(const struct catalog *catalog, struct catalog_item *item);

/* An item as pose_made_for and pose_wear_of want it described. */
struct pose_naming catalog_naming(const struct catalog *catalog, const struct catalog_item *item);

/* The code of the warning about a choice: "stand_in_skeleton", "skeleton_elsewhere"; NULL: none. */
const char *skeleton_remark(const struct skeleton_choice *choice);
/* The same as a warning; false if there is none. */
bool skeleton_warning(const struct skeleton_choice *choice, struct pose_warning *warning);

#endif
