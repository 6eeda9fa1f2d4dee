/* Joint names by a table that the user gives, in skeletons and meshes: what pose_bake does for clips. */
#ifndef POSED_SERVER_CONVERT_CONVERT_RENAME_H
#define POSED_SERVER_CONVERT_CONVERT_RENAME_H

#include "server/convert/convert.h"

/* Copies in the region that share everything but names; the same pointers when there is nothing to be renamed. */
const struct pose_skeleton *rename_skeleton(struct region *region, const struct pose_skeleton *skeleton,
                                            const struct convert_options *options);
const struct pose_mesh *rename_meshes(struct region *region, const struct pose_mesh *meshes, uint32_t count,
                                      const struct convert_options *options);
/* Says which names of the table nothing is called by. */
void rename_tell_unused(const struct convert_content *content, struct convert_warnings *warnings);

#endif
