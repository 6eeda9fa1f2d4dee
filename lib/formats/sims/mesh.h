/*
 * The mesh of The Sims family: one body, three encodings. The order of the body:
 *
 *     bone names · faces (a b c) · bindings (bone first count blend_first blend_count) · uvs (u v)
 *     · blends (vertex and weight) · vertices (x y z nx ny nz), each preceded by its count
 *
 * The R uvs belong to the R real vertices, which come first; B blended vertices follow, one per blend. The
 * header before the body and the encoding of a blend differ: that is the form of a format. The codecs are
 * sims1/skn.c, sims1/bmf.c and tso/mesh.c. Facts: sections 4 of the notes on The Sims 1 and on The Sims Online,
 * checked on real .skn and .mesh files; .bmf only against another decoder.
 */
#ifndef POSE_FORMATS_SIMS_MESH_H
#define POSE_FORMATS_SIMS_MESH_H

#include "lib/formats/sims/stream.h"

struct sims_mesh_form {
    const struct sims_encoding *encoding;
    uint32_t version;  /* at the start; 0: no version */
    bool is_named;     /* followed by the name of the mesh and of its texture, "x" meaning none */
    bool weight_first; /* a blend is its weight, then its vertex */
};

/* True if the bytes are exactly such a file, with at least one bone and one vertex. */
bool sims_mesh_probe(const struct sims_mesh_form *form, struct pose_bytes bytes);
bool sims_mesh_decode(const struct sims_mesh_form *form, struct decode_job *job);
bool sims_mesh_encode(const struct sims_mesh_form *form, struct encode_job *job);

#endif
