/*
 * A shape of the avatar: the weight of each parameter, and its effect on the skeleton and the meshes. Facts:
 * sl-avatar.md, 3 and 4, checked there against the viewer's own parameters, drivers and skeletal distortion.
 */
#ifndef POSE_FORMATS_SL_BODY_SHAPE_H
#define POSE_FORMATS_SL_BODY_SHAPE_H

#include "lib/formats/sl/body/lad.h"

/* A parameter that the user sets. */
struct shape_choice {
    int32_t id;
    float weight; /* clamped to the parameter's range */
};

struct shape_options {
    bool is_bare; /* no parameter applies: mesh and skeleton as stored */
    bool is_male;
    const struct shape_choice *choices;
    uint32_t choice_count;
};

/* [param_count] weights; NULL if out of memory. */
float *shape_weights(const struct lad *lad, const struct shape_options *options, struct arena *arena);

/*
 * The skeleton with bones scaled and displaced: a bone's scale stretches its own vertices and the offsets of its
 * children (POSE_SCALE_OFFSETS). The pelvis is raised by as much as the legs get longer. NULL if out of memory.
 */
const struct pose_skeleton *shape_skeleton(const struct lad *lad, const float *weights,
                                           const struct pose_skeleton *skeleton, struct arena *arena);

/*
 * A mesh of that type skinned to the skeleton: morphs have the shape's weights, bones the matrices that take a
 * vertex to their pivots. It points into the mesh and the skeleton. NULL if out of memory.
 */
const struct pose_mesh *shape_mesh(const struct lad *lad, const float *weights, enum lad_mesh_type type,
                                   const struct pose_mesh *mesh, const struct pose_skeleton *skeleton,
                                   struct arena *arena);

#endif
