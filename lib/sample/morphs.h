#ifndef POSE_SAMPLE_MORPHS_H
#define POSE_SAMPLE_MORPHS_H

#include "lib/core/arena.h"

/* The morph that drives each of the mesh's targets: [morph_count] indices into morphs, -1: none. NULL if out of memory. */
const int64_t *morphs_of_targets(const struct pose_mesh *mesh, const struct pose_morph *morphs,
                                 uint32_t count, struct arena *arena);

#endif
