/*
 * skeleton=auto: the skeleton that a clip, a mesh or a character is put on when none is named.
 *
 *   1. the one in its own file, whatever else is loaded;
 *   2. the one that its character names;
 *   3. of its own archive's, then the command line's, then the shipped ones, one that knows at least half of the tracks
 *      that move joints (bones of a mesh): first one that the family's naming makes it belong to, then the one that
 *      knows the most, then one in the same folder, then the one with the fewest other joints, then the smallest id.
 */
#ifndef POSED_SERVER_LIBRARY_CHOOSE_H
#define POSED_SERVER_LIBRARY_CHOOSE_H

#include "server/library/catalog.h"

/* Found once for each item; asset NULL when there is none. */
struct skeleton_choice catalog_skeleton(const struct catalog *catalog, struct catalog_item *item);

/* The code of what is to be said of a choice: "stand_in_skeleton", "skeleton_elsewhere"; NULL: nothing. */
const char *skeleton_remark(const struct skeleton_choice *choice);
/* The same as a warning; false when there is nothing to be said. */
bool skeleton_warning(const struct skeleton_choice *choice, struct pose_warning *warning);

#endif
