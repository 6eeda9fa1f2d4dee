/*
 * Interface between the parts of the glTF 2.0 reader: file.c (container, members of objects, buffers),
 * accessor.c (numbers from buffers), nodes.c (the tree, the skeleton), curve.c (interpolations), clips.c
 * (animations), posed.c (what our own writer kept in extras); meshes.h has those of the meshes.
 *
 * Source: the glTF 2.0 specification (Khronos, 2.0.1); comments cite its section numbers.
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
    uint32_t mesh, skin;    /* GLTF_NONE: none */
    int32_t joint;          /* of the skeleton, -1: none */
    bool is_joint;          /* of a skin, or animated, or an ancestor of such a node */
    bool is_marked;         /* it and all above it are joints, or frames: see gltf_mark_joint */
    bool is_thing;          /* a mesh, a camera or a light */
    bool in_skin;           /* a joint of a skin */
    bool is_frame;          /* our writer's node above all joints, not a joint itself */
    /* For the animation being read: the following members are valid if stamp is its number + 1. */
    uint32_t stamp;
    struct pose_channel channels[POSE_PART_COUNT]; /* the last one is unused: morphs have their own tracks */
    unsigned claimed;                              /* one bit per part: covered by our writer's records */
};

/* An image that a material uses. */
struct gltf_image {
    bool is_read;
    const char *name; /* in the document; NULL: it is left out */
};

/* The file being read. */
struct gltf {
    struct decode_job *job;
    struct json json;
    bool has_binary;
    struct pose_bytes binary; /* the BIN chunk */
    struct json_list nodes, accessors, views, buffers, animations, skins, meshes, materials, textures, images;
    struct json_list keyless;   /* clips without keys, which our writer kept in extras */
    struct gltf_buffer *buffer; /* [buffers.count] */
    float **inputs;             /* [accessors.count] times already read */
    struct gltf_node *node;     /* [nodes.count] */
    uint64_t keys;              /* of all clips so far */
    uint8_t **unpacked;         /* [views.count] contents of packed views, NULL: not needed yet */
    uint32_t unpacking;         /* the accessor that a view is being read for, GLTF_NONE: an image */
    const char *companion;      /* the external buffers, one name per line; NULL: none */
    uint32_t companion_count;
    const struct pose_value *humanoid; /* extras of the skeleton: maps human bones to nodes; NULL */
    bool is_ours;                      /* an animation or scene has the extras of our own writer */
    uint32_t root; /* node whose translation keys include the skeleton's rest, GLTF_NONE: none */
    float root_rest[3];
    uint32_t morphed;           /* the first node with targets whose weights a clip moves, GLTF_NONE: none */
    struct name_index names;    /* of nodes */
    struct gltf_look *look;     /* [materials.count + 1] */
    struct gltf_image *picture; /* [images.count] */
    size_t image_bytes;         /* of all images so far */
    uint64_t mesh_vertices, mesh_faces; /* of all meshes so far */
    char at[80];                        /* JSON pointer of the current object */
};

/* --------------------------------------------------------------------------------------- file.c: objects -- */

/* Sets the location that errors report. Always true. */
bool gltf_at(struct gltf *g, const char *format, ...) POSE_PRINTF(2, 3);
/* Refuses the file because of a member of the current object ("/byteOffset", or "" for the object). Always
 * false. */
bool gltf_refuse(struct gltf *g, const char *code, const char *member, const char *format, ...)
    POSE_PRINTF(4, 5);
/* The same for known features that are not supported. */
bool gltf_refuse_kind(struct gltf *g, const char *code, const char *member, const char *reason);
/* Adds to the number of keys; refuses the file above the limit. */
bool gltf_count_keys(struct gltf *g, uint64_t count);

/* An object of a list; sets the location to it ("/nodes/3"). NULL if it is not an object. */
const struct pose_value *gltf_object(struct gltf *g, const char *name, const struct json_list *list,
                                     uint32_t index);
/* A whole number from 0 to 2^53; fallback if it is missing. */
bool gltf_size(struct gltf *g, const struct pose_value *object, const char *member, uint64_t fallback,
               uint64_t *size);
/* An index below count; GLTF_NONE if it is missing and not required. */
bool gltf_index(struct gltf *g, const struct pose_value *object, const char *member, uint32_t count,
                bool needed, uint32_t *index);
/* Exactly count finite numbers; if the member is missing, found is false and they are unchanged. */
bool gltf_numbers(struct gltf *g, const struct pose_value *object, const char *member, unsigned count,
                  float *numbers, bool *found);
/* An array's items; an empty list if the member is missing. */
bool gltf_list(struct gltf *g, const struct pose_value *object, const char *member, struct json_list *list);
/* A text member, in the document's arena; NULL if there is none. */
const char *gltf_text(struct gltf *g, const struct pose_value *object, const char *member);

/* Opens the container: the JSON and the BIN chunk. */
bool gltf_open(struct gltf *g);
/* The part of a buffer that an object refers to, which must lie within it. */
bool gltf_part(struct gltf *g, const struct pose_value *object, struct pose_bytes *bytes, uint64_t *stride);
/* The unpacked bytes of a packed view (meshopt.c); is_packed is false if the view is not packed. */
bool gltf_unpack(struct gltf *g, uint32_t view, const struct pose_value *object, struct pose_bytes *bytes,
                 uint64_t *stride, bool *is_packed);
/* The bytes of a view. */
bool gltf_view(struct gltf *g, uint32_t view, struct pose_bytes *bytes, uint64_t *stride);
/* The bytes that a URI refers to: base64 data, or a file beside this one or below, whose name is recorded. */
bool gltf_resource(struct gltf *g, const char *uri, struct pose_bytes *bytes);
/* The path that a URI of a file means, in the document's arena; NULL if out of memory. */
char *gltf_path(struct gltf *g, const char *uri);

/* -------------------------------------------------------------------------------------------- accessor.c -- */

/* The number of elements of an accessor, without reading it; its type must have that many components. */
bool gltf_accessor_count(struct gltf *g, uint32_t accessor, unsigned components, uint64_t *count);
/* The elements, [count][components], in the document's arena (keep), or in the one that is released after
 * reading. The caller has checked the limits. NULL on failure. */
float *gltf_accessor_read(struct gltf *g, uint32_t accessor, unsigned components, bool keep);
/* The same into memory for count elements, which must be how many there are. */
bool gltf_accessor_fill(struct gltf *g, uint32_t accessor, unsigned components, uint64_t count,
                        float *values);
/* Unsigned integers that are not normalised: indices, joints. */
bool gltf_accessor_integers(struct gltf *g, uint32_t accessor, unsigned components, uint64_t count,
                            uint32_t *values);
/* The number of elements, of their components (0: a matrix or unknown), and whether bytes hold them: if not, the
 * count must not be believed. */
bool gltf_accessor_shape(struct gltf *g, uint32_t accessor, uint64_t *count, unsigned *components,
                         bool *has_view);

/* ----------------------------------------------------------------------------------------------- nodes.c -- */

bool gltf_read_nodes(struct gltf *g);
/* Marks the joints of skins; reading clips marks animated nodes. */
bool gltf_read_skins(struct gltf *g);
/* Marks human bones as joints (humanoid.c). */
bool gltf_read_humanoid(struct gltf *g);
/* Marks the node and its ancestors as joints. */
void gltf_mark_joint(struct gltf *g, uint32_t node);
bool gltf_build_skeleton(struct gltf *g);
/* Reads the bind pose of the joints (binds.c). place: the joint of each node, -1. */
bool gltf_read_binds(struct gltf *g, struct pose_skeleton *skeleton, const int32_t *place);
/* Finds the figures of the skeleton (figures.c), once the nodes know their joints. */
bool gltf_find_figures(struct gltf *g, struct pose_skeleton *skeleton);
/* The name of a node's joint or track. */
struct gltf_name {
    const char *name;
    bool has_id;
    uint32_t id;
};
struct gltf_name gltf_name_of(const struct gltf *g, uint32_t node);

/* ----------------------------------------------------------------------------------------------- curve.c -- */

enum gltf_curve { GLTF_LINEAR, GLTF_STEP, GLTF_CUBIC };

/*
 * Makes a channel whose keys, interpolated linearly (rotations: on the shorter arc), follow the curve: for STEP
 * within a float step of each key, for CUBICSPLINE within 5e-5 (metres, radians, 1). values:
 * [count][components], for CUBICSPLINE [3 * count] (in-tangent, value, out-tangent). Added keys count against
 * the limits.
 */
bool gltf_curve(struct gltf *g, enum gltf_curve curve, enum pose_part part, uint32_t count,
                const float *times, const float *values, struct pose_channel *channel);

/* ----------------------------------------------------------------------------------------------- clips.c -- */

bool gltf_read_clips(struct gltf *g);
/* The names of the morph targets of a node's mesh, as JSON; NULL: none. */
const struct pose_value *gltf_target_names(const struct gltf *g, uint32_t node);
/* The name of a target and of its track: item's, else one made from the node's. NULL if out of memory. */
const char *gltf_target_name(struct gltf *g, uint32_t node, uint64_t target, const struct pose_value *item);

/* ---------------------------------------------------------------------------------------------- meshes.c -- */

/* Reads the meshes that nodes show, with their materials and images, once the skeleton is built. */
bool gltf_read_meshes(struct gltf *g);

/* ----------------------------------------------------------------------------------------------- posed.c -- */

/* The object our writer left in the extras, NULL if there is none that this reader knows. */
const struct pose_value *gltf_posed(const struct pose_value *object);
/* Collects from all animations what concerns the whole file. */
bool gltf_posed_survey(struct gltf *g);
/* Such an object for a clip, and the channels that exist: those of the listed nodes with that stamp. */
struct gltf_record {
    const struct pose_value *posed;
    const char *place; /* "/animations/3/extras/posed" */
    uint32_t stamp, node_count;
    const uint32_t *nodes;
};
/* Restores the clip from before its conversion to glTF. Expects its duration to be the last key's. */
bool gltf_posed_apply(struct gltf *g, const struct gltf_record *record, struct pose_clip *clip);

#endif
