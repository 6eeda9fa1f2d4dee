/* The up axis of a BVH file, which the file does not state: Y, or Z as in modelling programs. */
#ifndef POSE_FORMATS_BVH_UP_H
#define POSE_FORMATS_BVH_UP_H

#include "lib/formats/bvh/layout.h"

/* Whether the figure defined by the OFFSETs stands along +Z. Without a head it is assumed not to. False if out
 * of memory. */
bool bvh_is_z_up(const struct bvh_layout *layout, struct arena *arena, bool *is_z_up);

#endif
