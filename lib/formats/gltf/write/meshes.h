/* The meshes of a file: the game's own, or small bones to see the joints by. */
#ifndef POSE_FORMATS_GLTF_WRITE_MESHES_H
#define POSE_FORMATS_GLTF_WRITE_MESHES_H

#include "lib/formats/gltf/write/joints.h"

/* A picture that was written: its number among the textures, -1: none. */
struct gltf_texture {
    int32_t number;
    bool see_through; /* it has an alpha channel that is used */
};

/* A material, ready to be written. */
struct gltf_material {
    const char *name;
    const char *image, *emissive_image;
    const struct pose_material *source; /* NULL: of a mesh that names a texture at most */
    struct gltf_texture texture, emissive;
};

/* A triangle mesh, ready to be written. */
struct gltf_mesh {
    const char *name;
    const struct pose_mesh *source; /* whose colours, further UVs and primitives are written; NULL: none */
    const struct pose_skin *skin;   /* whose morphs are; NULL: none */
    uint32_t first_material;
    bool has_own_skin; /* binds itself: bones[k] joint of the skin's k-th, inverse_binds[k] */
    uint32_t own_count;
    const uint32_t *own_joints;
    const float (*own_binds)[16];
    uint32_t vertex_count, face_count;
    const float (*positions)[3];
    const float (*normals)[3];
    const float (*uvs)[2];       /* NULL: none */
    const uint32_t (*joints)[4]; /* NULL: not skinned */
    const float (*weights)[4];   /* each sums up to 1 */
    const uint32_t (*faces)[3];
};

struct gltf_mesh_list {
    uint32_t count;
    struct gltf_mesh *meshes;
    uint32_t material_count;
    struct gltf_material *materials;
    bool uses_frame; /* some vertices hang on the frame: joint number gltf_joints.count */
};

/* The bone mesh (gltf_write_bones.c): an octahedron from each joint to each of its children, a small one where there is
 * none. Adds it to the list. */
bool gltf_add_bones(struct gltf_mesh_list *list, const struct gltf_joints *joints, struct encode_job *job);

/* The game's meshes in the rest pose, with blended vertices where they belong then. needs_frame is known before joints
 * are numbered. */
bool gltf_meshes_need_frame(const struct encode_job *job, bool *needs_frame);
bool gltf_add_meshes(struct gltf_mesh_list *list, const struct gltf_joints *joints, struct encode_job *job);

/* "meshes", "materials", "textures" and "images"; writes views. */
void gltf_meshes_put(struct gltf_mesh_list *list, struct gltf_file *file);
/* Their nodes, each a root of the scene. */
void gltf_meshes_put_nodes(const struct gltf_mesh_list *list, struct gltf_file *file);

/* What the skins of deformed meshes hold is released with them; call it in any case. */
void gltf_meshes_release(struct gltf_mesh_list *list);

/* Skins of the meshes that bind themselves, each after a comma (gltf_write_bodies.c); their numbers begin at 1. */
void gltf_bodies_put_skins(const struct gltf_mesh_list *list, const struct gltf_joints *joints,
                           struct gltf_file *file);
/* A mesh in the space of the model, ready to be written: its vertices, influences and bind matrices. */
bool gltf_body_fill(struct gltf_mesh *to, const struct gltf_joints *joints, const struct pose_mesh *mesh,
                    const struct pose_skin *skin, struct arena *arena, bool *uses_frame);
/* ,"weights": and ,"extras": of its morphs, and "targets" of one of its primitives. */
void gltf_body_put_weights(const struct gltf_mesh *mesh, struct gltf_file *file);
/* Writes the views of the morphs once; numbers: [morph_count][2] accessors of positions and normals. */
void gltf_body_put_morphs(const struct gltf_mesh *mesh, struct gltf_file *file, uint32_t (*numbers)[2]);
void gltf_body_put_targets(const struct gltf_mesh *mesh, const uint32_t (*numbers)[2],
                           struct gltf_file *file);
/* Further attributes: TEXCOORD_1 ..., COLOR_0. */
void gltf_body_put_attributes(const struct gltf_mesh *mesh, struct gltf_file *file);

/* "images", "samplers" and "textures" of what the materials name and is there (gltf_write_images.c), which are told so. */
bool gltf_images_put(struct gltf_mesh_list *list, struct gltf_file *file);
/* "materials", once the images are there (gltf_write_materials.c). */
bool gltf_materials_collect(struct gltf_mesh_list *list, struct arena *arena);
void gltf_materials_put(const struct gltf_mesh_list *list, struct gltf_file *file);

#endif
