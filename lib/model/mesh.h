/*
 * Meshes in the common model: what a codec fills in, and how the rest of the library uses it. The struct itself is
 * in pose.h; zero-initialise it and set the fields that the file has.
 *
 * TWO SPACES. POSE_SPACE_BONE is for The Sims only: bone-local vertices, bindings, blends; it is not described
 * here. All others are POSE_SPACE_BIND: vertices are in model space, in the bind pose, in the file's own axes and
 * units (given by `axes`; nothing is converted while decoding).
 *
 * VERTICES. real_count of them. positions are required; normals, uvs, further_uvs, colors are optional, each
 * [real_count] (UV set 0 is `uvs`, set k is further_uvs[k - 1]). v = 0 is the first row of pose_image.pixels: a
 * format that counts v from the bottom stores 1 - v. Missing normals are computed from the faces. A format that
 * indexes each attribute separately (CMDL) makes one vertex per distinct tuple.
 *
 * FACES. Triangles of vertex indices, each < real_count, counter-clockwise seen from outside (in right-handed axes;
 * only those of The Sims are left-handed). primitives are consecutive ranges of faces with one material each; they
 * share the vertices, and together cover all faces. A mesh of several parts (MLOD's meshes, a VPXY's GEOMs) appends
 * vertices and faces and has one primitive per part. primitive_count 0: all faces use materials[0], if there is
 * one.
 *
 * BONES. bones (names) and bone_ids (Prime's bone ids, The Sims 3's hashes) are the mesh's own list, [bone_count];
 * one of the two suffices. A bone is matched to a joint by id first (for a joint without an id, the FNV-32 of its
 * name), then by name, then by name ignoring case. influences are [real_count] and as stored: up to POSE_WEIGHTS
 * pairs of an index into that list and a weight. Keep what the file has, including zero weights with any bone and
 * sums that are not 1, so that an encoder gives the same bytes; pose_skin_new cleans up a copy without warnings, so
 * warnings about weights are up to the codec. bone_count 0, or influences NULL: a static mesh. inverse_binds NULL
 * (Prime, GEOM): the inverse of the rest matrix of the skeleton's joint, or its pivot where it has pivots (LLM).
 * Set them if the file or the rules differ
 * (SL: scale * translation(-pivot); MLOD's SKIN without a rig): column-major, for column vectors, in `axes`. A bone
 * that the skeleton lacks does not move (its matrix is the identity). Where bones belong to nodes of the file,
 * which may be unnamed (glTF), tree and bone_joints bind them to joints of its own skeleton.
 *
 * MATERIALS. See struct pose_material. image and emissive_image are references as in the format; the family's join
 * resolves them. Set two_sided only where the spec says so. Everything else in a material goes to its extras.
 *
 * MORPHS. Sparse offsets in the mesh's axes: indices are strictly ascending. weight is the default (mostly 0).
 * Factors of the format (SL's 0.65 on normals) are already applied. A sampler's morphs drive them by name or id.
 * Each becomes a morph target in glTF.
 *
 * DATA NEEDED FOR WRITING BACK (tangents, vertex ids, element order, unknown material parameters, tails) goes to
 * extras; long arrays of bytes with value_put_hex. Check counts against the bytes left before allocating, and all
 * indices before the document is returned: the library relies on faces, primitives, morph vertices and UV sets of
 * materials being in range for meshes that it decoded itself; mesh_check checks others.
 *
 * IMAGES are documents of their own: job->document->images, one of struct pose_image with width, height, pixels
 * (from the arena; check width * height * 4 against the spec's limit before allocating), has_alpha
 * (image_has_alpha). Only level 0, or the first level that is small enough. Those inside of a glTF file keep their
 * bytes instead, which may be large and are seldom needed.
 *
 * JOINING (CMDL with CSKR, GEOMs of a VPXY, LLMs with a lad) makes a new pose_mesh that points into the parts'
 * arrays where possible; the parts must then outlive it.
 */
#ifndef POSE_MODEL_MESH_H
#define POSE_MODEL_MESH_H

#include "lib/core/arena.h"

/* Checks that all indices of a mesh (in either space) are in range; needed for meshes not decoded by the
 * library. Returns false with error; k is its index in the content, "meshes[k]" in messages. */
bool mesh_check(const struct pose_mesh *mesh, uint32_t k, struct pose_error *error);

/* The name of a bone in messages: its own, else "joint_ID", written to room. */
enum { MESH_BONE_LABEL = 32 };
const char *mesh_bone_label(const struct pose_mesh *mesh, uint32_t bone, char room[MESH_BONE_LABEL]);

/* Computes vertex normals from the faces, weighted by area; (0, 1, 0) where there is none. */
void mesh_make_normals(const struct pose_mesh *mesh, float (*normals)[3]);

/* True if at least one pixel is not opaque. */
bool image_has_alpha(const uint8_t (*pixels)[4], size_t count);

#endif
