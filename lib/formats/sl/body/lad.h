/*
 * The body as avatar_lad.xml defines it: its meshes, and the parameters that shape them. Colours and textures
 * are left out. Facts: sl-avatar.md, 2.
 */
#ifndef POSE_FORMATS_SL_BODY_LAD_H
#define POSE_FORMATS_SL_BODY_LAD_H

#include "lib/formats/codec.h"

enum lad_mesh_type {
    LAD_HAIR,
    LAD_HEAD,
    LAD_EYELASHES,
    LAD_UPPER_BODY,
    LAD_LOWER_BODY,
    LAD_LEFT_EYE,
    LAD_RIGHT_EYE,
    LAD_SKIRT,
    LAD_MESH_TYPES,
};

enum lad_sex { LAD_BOTH, LAD_MALE, LAD_FEMALE };

/* One element. An id repeated in another mesh is the same parameter, with its own range in each. */
struct lad_param {
    int32_t id;
    const char *name;
    enum lad_sex sex;
    float min, max, value;               /* value: the default, clamped to the range where it was defined */
    int32_t mesh;                        /* of a morph: index of its mesh element; else -1 */
    uint32_t bone_first, bone_count;     /* of a bone parameter */
    uint32_t driven_first, driven_count; /* of a driver */
    bool is_driver;
};

/* What a parameter does to a bone, multiplied by its weight. */
struct lad_bone {
    const char *name;
    float scale[3], offset[3];
};

/* A parameter driven by another one, and the four points that limit the driver's effect. */
struct lad_driven {
    int32_t id;
    float min1, max1, max2, min2;
};

struct lad_mesh {
    enum lad_mesh_type type;
    uint32_t lod; /* 0: the finest */
    const char *file;
    const char *reference; /* NULL: it has its own vertices */
};

struct lad {
    const char *skeleton;   /* a file beside it */
    uint32_t skeleton_line; /* where it is named, 1 ... */
    uint32_t param_count, bone_count, driven_count, mesh_count, mask_count;
    const struct lad_param *params;
    const struct lad_bone *bones;
    const struct lad_driven *driven;
    const struct lad_mesh *meshes;
    const char *const *masks; /* morphs applied only with a piece of clothing */
};

/* "headMesh" */
const char *lad_mesh_name(enum lad_mesh_type type);
/* Everything is in the job's arena. NULL on failure, with line and byte of the error. */
const struct lad *lad_read(struct decode_job *job, struct pose_bytes bytes);

#endif
