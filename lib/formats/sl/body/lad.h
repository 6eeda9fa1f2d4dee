/*
 * What avatar_lad.xml says of the avatar's body: its meshes, and the parameters that shape them. Colours and textures are
 * left out. Facts: sl-avatar.md, 2.
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

/* One element. The same id may come again in another mesh: it is one parameter then, with a range of its own in each. */
struct lad_param {
    int32_t id;
    const char *name;
    enum lad_sex sex;
    float min, max, value;               /* value: the default, within the range where it was given */
    int32_t mesh;                        /* of a morph: index of its mesh element; -1 */
    uint32_t bone_first, bone_count;     /* of a change of bones */
    uint32_t driven_first, driven_count; /* of a driver */
    bool is_driver;
};

/* What a parameter does to a bone, times its weight. */
struct lad_bone {
    const char *name;
    float scale[3], offset[3];
};

/* A parameter that another one drives, and the four points between which it does. */
struct lad_driven {
    int32_t id;
    float min1, max1, max2, min2;
};

struct lad_mesh {
    enum lad_mesh_type type;
    uint32_t lod; /* 0: the finest */
    const char *file;
    const char *reference; /* NULL: it has vertices of its own */
};

struct lad {
    const char *skeleton;   /* a file beside it */
    uint32_t skeleton_line; /* where that is said, 1 ... */
    uint32_t param_count, bone_count, driven_count, mesh_count, mask_count;
    const struct lad_param *params;
    const struct lad_bone *bones;
    const struct lad_driven *driven;
    const struct lad_mesh *meshes;
    const char *const *masks; /* morphs that wait for a piece of clothing */
};

/* "headMesh" */
const char *lad_mesh_name(enum lad_mesh_type type);
/* Everything is in the job's arena. NULL on failure, with the error's line and byte. */
const struct lad *lad_read(struct decode_job *job, struct pose_bytes bytes);

#endif
