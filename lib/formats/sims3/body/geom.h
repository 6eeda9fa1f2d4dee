/* Shared by reading and writing of GEOM. Facts: sims3-geom.md, 2. */
#ifndef POSE_FORMATS_SIMS3_BODY_GEOM_H
#define POSE_FORMATS_SIMS3_BODY_GEOM_H

#include "lib/formats/sims3/body/rcol.h"

enum {
    GEOM_VERSION = 5,
    GEOM_MAX_VERTICES = 1 << 20,
    GEOM_MAX_ELEMENTS = 32,
    GEOM_MAX_BONES = 1024,
    GEOM_MAX_FACE_GROUPS = 16,
    GEOM_MAX_MATERIAL = 1 << 20,
};

enum geom_usage {
    GEOM_POSITION = 1,
    GEOM_NORMAL,
    GEOM_UV,
    GEOM_ASSIGNMENT,
    GEOM_WEIGHTS,
    GEOM_TANGENT,
    GEOM_COLOR,
    GEOM_ID = 10,
};

enum geom_type { GEOM_FLOATS = 1, GEOM_BYTES, GEOM_COLOR_BYTES, GEOM_WORD };

struct geom_element {
    uint32_t usage, type, size;
    uint32_t offset; /* in a vertex */
    uint32_t set;    /* of texture coordinates */
    bool is_kept;    /* the mesh model can represent it; otherwise it is part of "further" */
};

/* Sets offsets, UV sets and is_kept; returns the stride. */
uint32_t geom_lay_out(struct geom_element *elements, uint32_t count);
/* Writes a mesh, for struct codec. */
bool geom_encode(struct encode_job *job);
/* Makes a mesh of another format fit for it, for struct codec (geom_fit.c). */
bool geom_fit(struct fit_job *job);

#endif
