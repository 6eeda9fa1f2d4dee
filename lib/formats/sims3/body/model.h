/* Internals of the object model reader (MODL, MLOD): one part of a level of detail. Facts: sims3-geom.md, 7. */
#ifndef POSE_FORMATS_SIMS3_BODY_MODEL_H
#define POSE_FORMATS_SIMS3_BODY_MODEL_H

#include "lib/formats/sims3/body/material.h"

enum {
    MODEL_MAX_PARTS = 1024,
    MODEL_MAX_VERTICES = 1 << 20,
    MODEL_MAX_INDICES = 1 << 23,
    MODEL_MAX_BONES = 1024,
    MODEL_MAX_ELEMENTS = 32,
    MODEL_NO_CHUNK = -1,
};

/* The usage of a vertex element, and its packing. */
enum vertex_usage { VERTEX_POSITION, VERTEX_NORMAL, VERTEX_UV, VERTEX_JOINTS, VERTEX_WEIGHTS, VERTEX_USAGES };

struct vertex_element {
    uint8_t usage, index, format, offset;
};

struct vertex_layout {
    uint32_t stride, count;
    struct vertex_element elements[MODEL_MAX_ELEMENTS];
};

/* The values of an index buffer; count is 0 until it is read. */
struct model_indices {
    uint32_t count;
    const uint32_t *values;
};

struct model_part {
    uint32_t vertices_offset, vertex_count, index_first, triangle_count;
    struct vertex_layout layout;
    const uint8_t *vertices;
    const struct model_indices *indices;
    struct pose_material material;
    float uv_scales[4];
    uint32_t bone_first, bone_count; /* in the mesh's list */
    uint32_t state_name;             /* of the first state; 0: none */
    bool is_shadow;
};

struct model {
    struct decode_job *job;
    struct rcol rcol;
    struct model_indices *indices; /* [chunk_count] */
    uint32_t index_total;
    uint32_t part_count, vertex_total, triangle_total;
    struct model_part *parts;
    uint32_t bone_count;
    uint32_t bone_ids[MODEL_MAX_BONES];
};

/* The chunk of a reference: MODEL_NO_CHUNK for 0. False, with an error at the reader's last value, if the
 * reference is invalid or not to a chunk. */
bool model_follow(struct model *model, struct reader *reader, uint32_t reference, int64_t *chunk);

/* Reads the vertex layout (VRTF), the vertices of a part and its indices. */
bool model_read_layout(struct model *model, uint32_t chunk, struct vertex_layout *layout);
bool model_read_vertices(struct model *model, uint32_t chunk, struct model_part *part);
bool model_read_indices(struct model *model, uint32_t chunk, struct model_part *part);
/* Reads a material, or the default one of a set. */
bool model_read_material(struct model *model, uint32_t chunk, struct model_part *part, uint32_t *shader);
/* Unpacks positions, normals, texture coordinates and weights of a part, starting at vertex first. */
bool model_unpack(struct model *model, const struct model_part *part, uint32_t first, float (*positions)[3],
                  float (*normals)[3], float (*uvs)[2], struct pose_influences *influences);

#endif
