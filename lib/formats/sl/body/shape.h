/*
 * A shape of the avatar: the weight of each parameter, and what they make of the skeleton and of the meshes. Facts:
 * sl-avatar.md, 3 and 4, run there against the viewer's own parameters, drivers and skeletal distortion.
 */
#ifndef POSE_FORMATS_SL_BODY_SHAPE_H
#define POSE_FORMATS_SL_BODY_SHAPE_H

#include "lib/formats/sl/body/lad.h"

/* A parameter that the user sets. */
struct shape_choice {
    int32_t id;
    float weight; /* brought into the parameter's range */
};

struct shape_options {
    bool is_bare; /* no parameter counts: mesh and skeleton as they are stored */
    bool is_male;
    const struct shape_choice *choices;
    uint32_t choice_count;
};

/* [param_count] weights; NULL when memory is out. */
float *shape_weights(const struct lad *lad, const struct shape_options *options, struct arena *arena);

/*
 * The skeleton with its bones longer, broader and displaced: a bone's scale stretches its own vertices and the offsets of
 * its children (POSE_SCALE_OFFSETS). The pelvis goes up by what the legs are longer. NULL when memory is out.
 */
const struct pose_skeleton *shape_skeleton(const struct lad *lad, const float *weights,
                                           const struct pose_skeleton *skeleton, struct arena *arena);

/*
 * A mesh of that type as it hangs on the skeleton: morphs have the shape's weights, bones the matrices that take a vertex
 * to its pivot. It points into the mesh and the skeleton. NULL when memory is out.
 */
const struct pose_mesh *shape_mesh(const struct lad *lad, const float *weights, enum lad_mesh_type type,
                                   const struct pose_mesh *mesh, const struct pose_skeleton *skeleton,
                                   struct arena *arena);

#endif
