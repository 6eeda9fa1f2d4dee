/* Which way is up in a BVH file, which says so nowhere: along Y, or along Z as modelling programs have it. */
#ifndef POSE_FORMATS_BVH_UP_H
#define POSE_FORMATS_BVH_UP_H

#include "lib/formats/bvh/layout.h"

/* Whether the figure that the OFFSETs make stands along +Z. A file without a head is not known to. False when memory is
 * out. */
bool bvh_is_z_up(const struct bvh_layout *layout, struct arena *arena, bool *is_z_up);

#endif
