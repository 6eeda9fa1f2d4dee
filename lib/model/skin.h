/*
 * A mesh ready for deformation, see pose.h. In bone space it is made by skin.c and deformed by deform.c, in model
 * space by skin_bind.c and deform_bind.c.
 */
#ifndef POSE_MODEL_SKIN_H
#define POSE_MODEL_SKIN_H

#include "lib/model/matrix.h"

#define SKIN_NO_JOINT UINT32_MAX

/* Consecutive vertices of one joint (SKIN_NO_JOINT: they stay as stored). */
struct skin_run {
    uint32_t joint;
    uint32_t first, count;
};

/* Blends vertex real_count + k into a real one. */
struct skin_blend {
    uint32_t vertex;
    float weight; /* of the blended vertex; 1: replaces the real one */
};

enum { SKIN_PLANES = 6 }; /* x, y, z of positions and of normals */

/* A morph target in the skin's axes. */
struct skin_morph {
    uint32_t count;
    const uint32_t *vertices;
    float (*positions)[3];
    float (*normals)[3]; /* NULL: none */
};

struct pose_skin {
    struct arena arena; /* holds this as well */
    const struct pose_mesh *mesh;
    const uint32_t (*faces)[3];
    uint32_t vertex_count; /* real and blended */
    float *planes;         /* [SKIN_PLANES][vertex_count], in bone space, in the skin's axes */
    uint32_t run_count;    /* in order, covering all vertices */
    struct skin_run *runs;
    struct skin_blend *blends; /* [mesh->blend_count] */
    uint32_t missing_count;
    uint32_t *missing;
    uint32_t *joints;     /* [bone_count] of bones, SKIN_NO_JOINT */
    uint32_t joint_count; /* of the skeleton */
    /* In model space only; positions NULL: bone space. */
    float (*positions)[3], (*normals)[3];
    /* Cleaned up: heaviest first, then the first bone with zeros; all zeros if not skinned. */
    struct pose_influences *influences;
    float (*inverse_binds)[16]; /* [bone_count] */
    struct skin_morph *morphs;
};

/* Fills in the fields for model space, once the joints are found. */
bool skin_bind_fill(struct pose_skin *skin, const struct pose_skeleton *skeleton, enum pose_axes axes,
                    struct arena *scratch);
/* pose_skin_weights for model space. */
void skin_bind_weights(const struct pose_skin *skin, uint32_t (*joints)[4], float (*weights)[4]);
/* pose_deform_scratch and pose_deform_morphed for model space. */
size_t deform_bind_scratch(const struct pose_skin *skin);
void deform_bind(const struct pose_skin *skin, const float *matrices, const float *morph_weights,
                 float (*positions)[3], float (*normals)[3], void *scratch);

#endif
