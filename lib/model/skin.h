/* A mesh that is ready to be deformed; see pose.h. Made by skin.c, moved by deform.c. */
#ifndef POSE_MODEL_SKIN_H
#define POSE_MODEL_SKIN_H

#include "lib/core/arena.h"

#define SKIN_NO_JOINT UINT32_MAX

/* Neighbouring vertices of one joint (SKIN_NO_JOINT: they stay as stored). */
struct skin_run {
    uint32_t joint;
    uint32_t first, count;
};

/* Blended vertex real_count + k into a real one. */
struct skin_blend {
    uint32_t vertex;
    float weight; /* of the blended vertex, 1 = all */
};

enum { SKIN_PLANES = 6 }; /* x, y, z of positions and of normals */

struct pose_skin {
    struct arena arena; /* holds this as well */
    const struct pose_mesh *mesh;
    const uint32_t (*faces)[3];
    uint32_t vertex_count; /* real and blended */
    float *planes;         /* [SKIN_PLANES][vertex_count], in the space of the bones, in the skin's axes */
    uint32_t run_count;    /* in order, all vertices */
    struct skin_run *runs;
    struct skin_blend *blends; /* [mesh->blend_count] */
    uint32_t missing_count;
    uint32_t *missing;
};

#endif
