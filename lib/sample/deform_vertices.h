/* The loop over the vertices of a mesh in model space (deform_bind.c), plain and with AVX2. */
#ifndef POSE_SAMPLE_DEFORM_VERTICES_H
#define POSE_SAMPLE_DEFORM_VERTICES_H

#include "lib/model/skin.h"

enum { MATRIX_FLOATS = 16 };

/* The squared length below which a normal has no direction. */
#define DEFORM_TOO_SHORT 1e-12f
/* The greatest whose root and products are finite. */
#define DEFORM_TOO_LONG 3e38f

struct deform_vertices {
    uint32_t count;
    bool cofactor_normals;
    const struct pose_influences *influences; /* cleaned up */
    const float *palette;                     /* [bone_count][MATRIX_FLOATS], from bind to current pose */
    const float (*places)[3], (*ways)[3];     /* positions and normals in the bind pose */
    float (*positions)[3], (*normals)[3];     /* results */
};

/* The vertices from first on: the reference. */
void deform_vertices_scalar(const struct deform_vertices *vertices, uint32_t first);
/* The same within 1e-6 of a vertex's size, for as many as fill vectors, of which it returns the number: 0 if the
 * processor does not have AVX2. */
uint32_t deform_vertices_avx2(const struct deform_vertices *vertices);

#endif
