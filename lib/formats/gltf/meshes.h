/*
 * Interface between the parts of the glTF mesh reader: meshes.c (which meshes, their names), primitives.c (plan,
 * vertices, faces), bones.c (skins, weights), morphs.c, looks.c (materials), uvs.c (UV sets as they
 * show them), pictures.c (images).
 *
 * Each node with a mesh becomes a pose_mesh in model space. All of its primitives share one list of vertices. With
 * a skin, vertices stay as stored and the inverse bind matrices are the skin's; without, they are moved to where
 * the node puts them, and the next joint at or above it carries them.
 */
#ifndef POSE_FORMATS_GLTF_MESHES_H
#define POSE_FORMATS_GLTF_MESHES_H

#include "lib/formats/gltf/read.h"

enum { GLTF_MAX_UVS = 8, GLTF_MAX_MESHES = 1024, GLTF_MAX_VERTICES = 1 << 22, GLTF_MAX_FACES = 1 << 23 };

struct gltf_primitive {
    uint32_t number; /* in the file */
    const struct pose_value *attributes, *targets;
    uint32_t positions, indices, material; /* GLTF_NONE: no indices, no material */
    bool shares;                           /* the vertices of the one before */
    unsigned mode;
    uint32_t first, count; /* vertices */
    uint32_t corners;
    uint32_t face_first, face_count;
};

/* A mesh being read. */
struct gltf_body {
    struct gltf *g;
    uint32_t node, mesh;
    struct json_list list;             /* primitives in the file */
    uint32_t skipped;                  /* points, lines and primitives without positions */
    uint32_t primitive_count;          /* that are read */
    struct gltf_primitive *primitives; /* [primitive_count] */
    uint64_t vertex_count, face_count;
    unsigned uv_sets;
    bool has_normals, has_tangents, has_colors, is_skinned;
    uint32_t target_count;
    struct pose_mesh *to;
    float (*positions)[3], (*normals)[3], (*tangents)[3];
    float (*uvs[GLTF_MAX_UVS])[2];
    uint32_t (*faces)[3];
};

/* How a texture shows a UV set: (u, v, 1) times m. */
struct gltf_uv_map {
    uint32_t set; /* < uv_sets, or 0 */
    bool is_moved;
    double m[2][3];
};

/* Sets the location to a member of a primitive, "" for itself. Always true. */
bool gltf_body_at(struct gltf_body *body, const struct gltf_primitive *primitive, const char *member);

/* Counts what the mesh has, and checks that its bytes are there; reads nothing yet. */
bool gltf_body_plan(struct gltf_body *body);
/* Reads vertices and faces; UVs are as stored until it is dressed. */
bool gltf_body_read(struct gltf_body *body);
/* Reads bones and weights (bones.c). */
bool gltf_body_bind(struct gltf_body *body);
/* Reads morph targets. */
bool gltf_body_morph(struct gltf_body *body);
/* Reads the materials of its primitives. */
bool gltf_body_dress(struct gltf_body *body);

/* The UV set of a texture's reference, whose location is set, and how it is moved. */
bool gltf_uv_map_read(struct gltf_body *body, const struct pose_value *texture, struct gltf_uv_map *map);
/* Moves the UVs of all materials, maps[2k] for the image of materials[k] and maps[2k + 1] for its emissive image;
 * changes their UV sets if one had to be split. Gives the mesh its UVs. */
bool gltf_body_move_uvs(struct gltf_body *body, const struct gltf_uv_map *maps,
                        struct pose_material *materials, uint32_t material_count);
/* The number, in the mesh that is being dressed, of a material that a primitive with faces uses. */
uint32_t gltf_look_slot(const struct gltf *g, uint32_t material);

/* The file's materials and images, read when the first primitive needs them. */
bool gltf_looks_open(struct gltf *g);
/* The name under which the document has the image of a texture; NULL: there is none. place is that of the texture's
 * reference, for messages. */
const char *gltf_picture(struct gltf *g, uint32_t texture);

#endif
