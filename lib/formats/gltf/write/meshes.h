/* The meshes of a file: the game's own, or small bones that show the joints. */
#ifndef POSE_FORMATS_GLTF_WRITE_MESHES_H
#define POSE_FORMATS_GLTF_WRITE_MESHES_H

#include "lib/formats/gltf/write/joints.h"

/* An image that was written: its texture number, -1: none. */
struct gltf_texture {
    int32_t number;
    bool see_through; /* its alpha channel is used */
};

/* A material, ready to be written. */
struct gltf_material {
    const char *name;
    const char *image, *emissive_image;
    const struct pose_material *source; /* NULL: of a mesh that has a texture name at most */
    struct gltf_texture texture, emissive;
};

/* A triangle mesh, ready to be written. */
struct gltf_mesh {
    const char *name;
    const char *called;             /* its node, once that is written */
    const struct pose_mesh *source; /* for its colours, further UVs and primitives; NULL: none */
    const struct pose_skin *skin;   /* for its morphs; NULL: none */
    uint32_t first_material;
    bool has_own_skin; /* has its own bind matrices: bones[k] joint of the skin's k-th, inverse_binds[k] */
    uint32_t own_count;
    const uint32_t *own_joints;
    const float (*own_binds)[16];
    uint32_t vertex_count, face_count;
    const float (*positions)[3];
    const float (*normals)[3];
    const float (*uvs)[2];       /* NULL: none */
    const uint32_t (*joints)[4]; /* NULL: not skinned */
    const float (*weights)[4];   /* each row sums to 1 */
    const uint32_t (*faces)[3];
    const float (*seconds)[4]; /* places of blended copies, and their joints, -1: none; NULL: none at all */
};

struct gltf_mesh_list {
    uint32_t count;
    struct gltf_mesh *meshes;
    uint32_t material_count;
    struct gltf_material *materials;
    bool uses_frame; /* some vertices are attached to the frame: joint number gltf_joints.count */
};

/* The bone mesh (bones.c): an octahedron from each joint to each of its children, a small one if it has none.
 * Adds it to the list. */
bool gltf_add_bones(struct gltf_mesh_list *list, const struct gltf_joints *joints, struct encode_job *job);

/* The game's meshes in the rest pose, with blended vertices at their blended positions. needs_frame is needed
 * before joints are numbered. */
bool gltf_meshes_need_frame(const struct encode_job *job, bool *needs_frame);
bool gltf_add_meshes(struct gltf_mesh_list *list, const struct gltf_joints *joints, struct encode_job *job);

/* Writes "meshes", "materials", "textures" and "images", and their views. False with error if out of memory. */
bool gltf_meshes_put(struct gltf_mesh_list *list, struct gltf_file *file);
/* Writes their nodes, each a root of the scene. */
void gltf_meshes_put_nodes(struct gltf_mesh_list *list, struct gltf_file *file);

/* Releases the skins of deformed meshes too; must always be called. */
void gltf_meshes_release(struct gltf_mesh_list *list);

/* Writes the skins of meshes with their own bind matrices, each after a comma (bodies.c); their numbers start at
 * 1. */
void gltf_bodies_put_skins(const struct gltf_mesh_list *list, const struct gltf_joints *joints,
                           struct gltf_file *file);
/* Fills in a mesh in model space, ready to be written: its vertices, influences and bind matrices. */
bool gltf_body_fill(struct gltf_mesh *to, const struct gltf_joints *joints, const struct pose_mesh *mesh,
                    const struct pose_skin *skin, struct arena *arena, bool *uses_frame);
/* Writes ,"weights": and ,"extras": of its morphs, and "targets" of one of its primitives. */
void gltf_body_put_weights(const struct gltf_mesh *mesh, struct gltf_file *file);
/* Writes the views of the morphs once; numbers: [morph_count][2] accessors of positions and normals. */
void gltf_body_put_morphs(const struct gltf_mesh *mesh, struct gltf_file *file, uint32_t (*numbers)[2]);
void gltf_body_put_targets(const struct gltf_mesh *mesh, const uint32_t (*numbers)[2],
                           struct gltf_file *file);
/* Writes further attributes: TEXCOORD_1 ..., COLOR_0. */
void gltf_body_put_attributes(const struct gltf_mesh *mesh, struct gltf_file *file);

/* Writes "images", "samplers" and "textures" for those images named by materials that are available (images.c),
 * and records them in the materials. */
bool gltf_images_put(struct gltf_mesh_list *list, struct gltf_file *file);
/* Collects "materials"; the images must have been written (materials.c). */
bool gltf_materials_collect(struct gltf_mesh_list *list, struct arena *arena);
void gltf_materials_put(const struct gltf_mesh_list *list, struct gltf_file *file);

#endif
