/* Writes the clips of a file as its animations. */
#ifndef POSE_FORMATS_GLTF_WRITE_CLIPS_H
#define POSE_FORMATS_GLTF_WRITE_CLIPS_H

#include "lib/formats/gltf/write/meshes.h"

/* Writes "animations" with every clip that has keys, and "extras" with those that have none; fps 0: original
 * keys. The meshes' nodes come after the joints'. False on failure. */
bool gltf_clips_put(const struct gltf_joints *joints, const struct gltf_mesh_list *meshes,
                    struct gltf_file *file, float fps);

#endif
