/*
 * How a mesh lies in the common model: what a codec fills in, and what the rest of the library does with it. The struct
 * itself is in pose.h; zero-initialise it and set what the file has.
 *
 * TWO SPACES. `space` POSE_SPACE_BONE is The Sims alone: bone-local vertices, bindings, blends; nothing below is about it.
 * All others are POSE_SPACE_BIND: vertices stand in the space of the model in its bind pose, in the file's own axes and
 * units (`axes` says which; nothing is converted while decoding).
 *
 * VERTICES. real_count of them. positions are needed; normals, uvs, further_uvs, colors are optional, each [real_count]
 * (set 0 of the texture coordinates is `uvs`, set k is further_uvs[k - 1]). v = 0 is the first row of pose_image.pixels: a
 * format that counts v from below stores 1 - v. Without normals the library makes them from the faces. A format that
 * indexes attributes one by one (CMDL) makes a vertex of each distinct tuple.
 *
 * FACES. Triangles of vertex indices, each < real_count, seen from outside counter-clockwise (in right-handed axes, which
 * all but those of The Sims are). primitives are consecutive ranges of faces with one material each; they share the
 * vertices, and together cover all faces. A mesh of several parts (MLOD's meshes, a VPXY's GEOMs) appends vertices and
 * faces and has a primitive a part. primitive_count 0: all faces look alike, materials[0] if there is one.
 *
 * BONES. bones (names) and bone_ids (Prime's bone ids, The Sims 3's hashes) are the mesh's own list, [bone_count]; one of
 * the two suffices, both is fine. A bone finds its joint in the skeleton by id first, where a joint without an id counts
 * by the FNV-32 of its name, then by name, then by name without case. influences are [real_count] and as stored: up to
 * POSE_WEIGHTS pairs of an index into that list and a weight. Write what the file has, also weights of 0 with any bone and
 * sums that are off 1, so that an encoder gives the same bytes; pose_skin_new cleans a copy, and warns of nothing, so
 * a codec that knows warnings about weights gives them itself. bone_count 0, or influences NULL: a static mesh.
 * inverse_binds NULL (Prime, GEOM): the inverse of where the skeleton's joint rests. Set them where the file or the rules
 * say otherwise (SL: scale * translation(-pivot); MLOD's SKIN without a rig): column-major, of column vectors, in `axes`.
 * A bone that the skeleton lacks does not move (its matrix is the identity).
 *
 * MATERIALS. See struct pose_material. image and emissive_image are references as the format has them; what they find is
 * up to the family's join. two_sided only where the spec says so. Everything else of a material goes to its extras.
 *
 * MORPHS. Sparse differences in the mesh's axes: index lists ascend, each index once. weight is what the shape has when
 * nobody asks (0 mostly). Factors of the format (SL's 0.65 on normals) are in the numbers. A sampler's morphs drive them by
 * name or id. glTF gets each as a target.
 *
 * WHAT IS NEEDED FOR WRITING BACK (tangents, vertex ids, element order, unknown material parameters, tails) goes to
 * extras; long arrays of bytes as value_put_hex. Check counts against the bytes left before allocating, and all indices
 * before the document is returned: the library relies on faces, primitives, morph vertices and uv numbers of materials
 * being in range for meshes that it decoded itself, and mesh_check says so of others.
 *
 * IMAGES are documents of their own: job->document->images, one of struct pose_image with width, height, pixels (from the
 * arena; check width * height * 4 against the limit that the spec names before allocating), has_alpha (image_has_alpha).
 * Level 0 alone, or the first level that is small enough.
 *
 * JOINING (CMDL with CSKR, GEOMs of a VPXY, LLMs with a lad) makes a new pose_mesh that points into the parts' arrays
 * wherever it can; parts must then outlive it.
 */
#ifndef POSE_MODEL_MESH_H
#define POSE_MODEL_MESH_H

#include "lib/core/arena.h"

/* False, with error, when an index of the mesh (any space) leads outside of it; what counts is where it is in the content,
 * "meshes[k]". For content that was not decoded here. */
bool mesh_check(const struct pose_mesh *mesh, uint32_t k, struct pose_error *error);

/* What a bone is called in messages: its name, else "joint_ID" in room. */
enum { MESH_BONE_LABEL = 32 };
const char *mesh_bone_label(const struct pose_mesh *mesh, uint32_t bone, char room[MESH_BONE_LABEL]);

/* Normals of vertices from their faces, each weighing as much as its area; (0, 1, 0) where there is none. */
void mesh_make_normals(const struct pose_mesh *mesh, float (*normals)[3]);

/* True when some pixel is not opaque. */
bool image_has_alpha(const uint8_t (*pixels)[4], size_t count);

#endif
