/*
 * The mesh of The Sims family: one body, three encodings. The order of the body:
 *
 *     bone names · faces (a b c) · bindings (bone first count blend_first blend_count) · uvs (u v)
 *     · blends (vertex and weight) · vertices (x y z nx ny nz), each with its count in front
 *
 * R uvs belong to the R real vertices, which come first; B blended vertices follow, one a blend. What stands in front
 * of the body and how a blend is written differ: that is the form of a format. The codecs are sims1_skn.c, sims1_bmf.c
 * and tso_mesh.c. Facts: sections 4 of the notes on The Sims 1 and on The Sims Online, checked on real .skn and .mesh
 * files; .bmf on another decoder's word.
 */
#ifndef POSE_FORMATS_SIMS_MESH_H
#define POSE_FORMATS_SIMS_MESH_H

#include "lib/formats/sims/stream.h"

struct sims_mesh_form {
    const struct sims_encoding *encoding;
    uint32_t version;  /* in front; 0: there is none */
    bool is_named;     /* then the name of the mesh and that of its texture, "x" being none */
    bool weight_first; /* a blend is its weight and then its vertex */
};

/* True when the bytes are such a file to the last one, of at least one bone and one vertex. */
bool sims_mesh_probe(const struct sims_mesh_form *form, struct pose_bytes bytes);
bool sims_mesh_decode(const struct sims_mesh_form *form, struct decode_job *job);
bool sims_mesh_encode(const struct sims_mesh_form *form, struct encode_job *job);

#endif
