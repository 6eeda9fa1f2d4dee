/* The meshes of a file: the game's own, or small bones to see the joints by. */
#ifndef POSE_FORMATS_GLTF_WRITE_MESHES_H
#define POSE_FORMATS_GLTF_WRITE_MESHES_H

#include "lib/formats/gltf/write/joints.h"

/* A triangle mesh, ready to be written. */
struct gltf_mesh {
    const char *name;
    const char *texture;
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
void gltf_meshes_put(const struct gltf_mesh_list *list, struct gltf_file *file);
/* Their nodes, each a root of the scene. */
void gltf_meshes_put_nodes(const struct gltf_mesh_list *list, struct gltf_file *file);

/* "images" and "textures" of what the meshes name and is there (gltf_write_images.c). textures: [list->count] the
 * number of each mesh's texture, -1: none; see_through: whether it has an alpha channel that is used. */
struct gltf_texture {
    int32_t number;
    bool see_through;
};
bool gltf_images_put(const struct gltf_mesh_list *list, struct gltf_file *file,
                     struct gltf_texture *textures);

#endif
