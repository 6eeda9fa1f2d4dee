/* A body for a figure of The Sims: a tube around each limb, in the space of its bone, with blended knees and elbows. */
#ifndef TESTS_SAMPLES_SAMPLE_BODY_H
#define TESTS_SAMPLES_SAMPLE_BODY_H

#include "tests/samples/figure.h"

enum { BODY_LIMBS = 24, BODY_VERTICES = 16 * BODY_LIMBS, BODY_FACES = 32 * BODY_LIMBS };

/* All of the mesh's memory; the struct must stay where it is. */
struct sample_body {
    struct pose_mesh mesh;
    const char *bones[BODY_LIMBS];
    struct pose_binding bindings[BODY_LIMBS];
    uint32_t faces[BODY_FACES][3];
    float uvs[BODY_VERTICES][2];
    float positions[2 * BODY_VERTICES][3]; /* the real ones, then the blended ones */
    float normals[2 * BODY_VERTICES][3];
    struct pose_blend blends[BODY_VERTICES];
};

void sample_body(struct sample_body *sample, const struct figure *figure);

#endif
