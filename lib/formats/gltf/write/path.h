/* The way of an engine from one rotation to the next, and how well pieces of it are followed by glTF. */
#ifndef POSE_FORMATS_GLTF_WRITE_PATH_H
#define POSE_FORMATS_GLTF_WRITE_PATH_H

#include "lib/sample/sampler.h"

/* Parts that two keys are divided into at most. */
enum { GLTF_MOST_PIECES = 96 };

/* How an engine blends two keys. */
enum gltf_blending { GLTF_BLEND_ON_ARC, GLTF_BLEND_LINEAR, GLTF_BLEND_OTHERWISE };

/* What two keys are for the engine, and the way between them. */
struct gltf_path {
    lane_kernel *kernel;
    float from[4 * LANES], to[4 * LANES];
    enum gltf_blending blending;
    bool is_symmetric; /* linear between keys of the same length, all but */
    double cosine,
        sine; /* GLTF_BLEND_LINEAR: of the angle between the keys, times the length of the second to the first's */
    double square; /* of that ratio */
};

/* a, b: keys as from key_source_values. */
void gltf_path_init(struct gltf_path *path, enum pose_rules rules, const float *a, const float *b);
/* The engine's rotations at eight fractions of the way. */
void gltf_path_follow(const struct gltf_path *path, const double fractions[LANES], float rotations[LANES][4]);
/* Where the k-th of n pieces begins, as a fraction of the way. */
double gltf_path_piece(const struct gltf_path *path, uint32_t piece, uint32_t pieces);
/* How many pieces the way up to end (0 ... 1) takes, so that glTF is nowhere farther off than tolerance (radians). */
uint32_t gltf_path_pieces(const struct gltf_path *path, double end, float tolerance);

#endif
