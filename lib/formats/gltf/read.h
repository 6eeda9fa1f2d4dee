/*
 * Reading glTF 2.0, the parts among themselves: gltf_file.c (container, members of objects, buffers), gltf_accessor.c
 * (numbers out of buffers), gltf_nodes.c (the tree, the skeleton), gltf_curve.c (interpolations), gltf_clips.c
 * (animations), gltf_posed.c (what our own writer kept in extras).
 *
 * Source: the glTF 2.0 specification (Khronos, 2.0.1); section numbers in comments are its own.
 */
#ifndef POSE_FORMATS_GLTF_READ_H
#define POSE_FORMATS_GLTF_READ_H

#include "lib/core/json.h"
#include "lib/core/names.h"
#include "lib/formats/codec.h"
#include "lib/sample/sampler.h"

#define GLTF_NONE UINT32_MAX

struct gltf_buffer {
    bool is_ready;
    struct pose_bytes bytes;
};

struct gltf_node {
    const char *name;       /* NULL: none */
    uint32_t parent;        /* GLTF_NONE: a root */
    float rest[ROW_FLOATS]; /* translation, rotation xyzw, scale */
    uint32_t mesh;          /* GLTF_NONE: none */
    bool is_joint;          /* of a skin, or animated, or an ancestor of such a node */
    bool is_frame;          /* our writer's own, above all joints and none itself */
    /* Of the animation that is being read: stamp is its number + 1 where the others hold. */
    uint32_t stamp;
    struct pose_channel
        channels[POSE_PART_COUNT]; /* the last one is not used: morphs are tracks of their own */
    unsigned claimed;              /* bit a part: our writer's records speak of it */
};

/* One file that is being read. */
struct gltf {
    struct decode_job *job;
    struct json json;
    bool has_binary;
    struct pose_bytes binary; /* the BIN chunk */
    struct json_list nodes, accessors, views, buffers, animations, skins, meshes;
    struct json_list keyless;   /* what our writer kept of clips that are no animations */
    struct gltf_buffer *buffer; /* [buffers.count] */
    float **inputs;             /* [accessors.count] times that were read before */
    struct gltf_node *node;     /* [nodes.count] */
    uint64_t keys;              /* of all clips so far */
    uint8_t **unpacked;         /* [views.count] what packed views hold, NULL: not needed yet */
    const char *companion;      /* the external buffers, one name per line; NULL: none */
    uint32_t companion_count;
    const struct pose_value *humanoid; /* extras of the skeleton: which node is which human bone; NULL */
    bool is_ours;                      /* an animation or scene has the extras of our own writer */
    uint32_t root; /* node whose translation keys hold the rest of the skeleton, GLTF_NONE: none */
    float root_rest[3];
    struct name_index names; /* of nodes */
    char at[80];             /* JSON pointer of the object that is being read */
};

/* ------------------------------------------------------------------------------------- gltf_file.c: objects -- */

/* Sets the place that refusals name. Always true. */
bool gltf_at(struct gltf *g, const char *format, ...) POSE_PRINTF(2, 3);
/* Refuses the file for a member of the object at that place ("/byteOffset", or "" for the object). Always false. */
bool gltf_refuse(struct gltf *g, const char *code, const char *member, const char *format, ...)
    POSE_PRINTF(4, 5);
/* The same for what is known and not read. */
bool gltf_refuse_kind(struct gltf *g, const char *code, const char *member, const char *reason);
/* The same for keys over the limit. */
bool gltf_count_keys(struct gltf *g, uint64_t count);

/* An object of a list, with the place set to it ("/nodes/3"); NULL when it is none. */
const struct pose_value *gltf_object(struct gltf *g, const char *name, const struct json_list *list,
                                     uint32_t index);
/* A whole number from 0 up to 2^53, the fallback when there is none. */
bool gltf_size(struct gltf *g, const struct pose_value *object, const char *member, uint64_t fallback,
               uint64_t *size);
/* An index below count; GLTF_NONE when there is none, unless it is needed. */
bool gltf_index(struct gltf *g, const struct pose_value *object, const char *member, uint32_t count,
                bool needed, uint32_t *index);
/* Exactly count finite numbers; found is false, and they stay as they are, when there is no such member. */
bool gltf_numbers(struct gltf *g, const struct pose_value *object, const char *member, unsigned count,
                  float *numbers, bool *found);
/* An array's items; an empty list when there is no such member. */
bool gltf_list(struct gltf *g, const struct pose_value *object, const char *member, struct json_list *list);
/* A member that is text, in the document's arena; NULL when there is none. */
const char *gltf_text(struct gltf *g, const struct pose_value *object, const char *member);

/* The container: the JSON and the BIN chunk. */
bool gltf_open(struct gltf *g);
/* The part of a buffer that an object names, all of which must be there. */
bool gltf_part(struct gltf *g, const struct pose_value *object, struct pose_bytes *bytes, uint64_t *stride);
/* Those of a view that is packed (meshopt.c); is_packed is false of one that is not. */
bool gltf_unpack(struct gltf *g, uint32_t view, const struct pose_value *object, struct pose_bytes *bytes,
                 uint64_t *stride, bool *is_packed);
/* The bytes of a view. */
bool gltf_view(struct gltf *g, uint32_t view, struct pose_bytes *bytes, uint64_t *stride);

/* ---------------------------------------------------------------------------------------------- gltf_accessor.c -- */

/* How many elements an accessor has, without reading it; its type must have that many components. */
bool gltf_accessor_count(struct gltf *g, uint32_t accessor, unsigned components, uint64_t *count);
/* Its elements: [count][components], in the document's arena or, when they are to be kept only until the file is
 * read, in the other one. The caller has counted them against the limits. NULL on failure. */
float *gltf_accessor_read(struct gltf *g, uint32_t accessor, unsigned components, bool keep);

/* ------------------------------------------------------------------------------------------------ gltf_nodes.c -- */

bool gltf_read_nodes(struct gltf *g);
/* Joints of skins; animated nodes are marked by the clips. */
bool gltf_read_skins(struct gltf *g);
/* Human bones, which are joints (humanoid.c). */
bool gltf_read_humanoid(struct gltf *g);
/* The node and its ancestors are joints. */
void gltf_mark_joint(struct gltf *g, uint32_t node);
bool gltf_build_skeleton(struct gltf *g);
/* Where the joints were bound (binds.c). place: of each node its joint, -1. */
bool gltf_read_binds(struct gltf *g, struct pose_skeleton *skeleton, const int32_t *place);
/* What a node's joint or track is called. */
struct gltf_name {
    const char *name;
    bool has_id;
    uint32_t id;
};
struct gltf_name gltf_name_of(const struct gltf *g, uint32_t node);

/* ------------------------------------------------------------------------------------------------ gltf_curve.c -- */

enum gltf_curve { GLTF_LINEAR, GLTF_STEP, GLTF_CUBIC };

/*
 * A channel whose keys, taken linearly (rotations: on the shorter arc), give the curve: for STEP within a float's step
 * of each key, for CUBICSPLINE within 5e-5 (metres, radians, 1). values: [count][components], of CUBICSPLINE [3 * count]
 * (in-tangent, value, out-tangent). Keys that this adds are counted against the limits.
 */
bool gltf_curve(struct gltf *g, enum gltf_curve curve, enum pose_part part, uint32_t count,
                const float *times, const float *values, struct pose_channel *channel);

/* ------------------------------------------------------------------------------------------------ gltf_clips.c -- */

bool gltf_read_clips(struct gltf *g);

/* ------------------------------------------------------------------------------------------------ gltf_posed.c -- */

/* The object that our writer left in the extras, NULL when there is none that this reader knows. */
const struct pose_value *gltf_posed(const struct pose_value *object);
/* Looks through all animations for what concerns the whole file. */
bool gltf_posed_survey(struct gltf *g);
/* Such an object of a clip, and the channels that are there: those of the listed nodes, which have that stamp. */
struct gltf_record {
    const struct pose_value *posed;
    const char *place; /* "/animations/3/extras/posed" */
    uint32_t stamp, node_count;
    const uint32_t *nodes;
};
/* Makes the clip what it was before it became glTF. Its duration is the last key's. */
bool gltf_posed_apply(struct gltf *g, const struct gltf_record *record, struct pose_clip *clip);

#endif
