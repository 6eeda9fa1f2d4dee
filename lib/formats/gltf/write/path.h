/* An engine's path from one rotation to the next, and how closely pieces in glTF follow it. */
#ifndef POSE_FORMATS_GLTF_WRITE_PATH_H
#define POSE_FORMATS_GLTF_WRITE_PATH_H

#include "lib/sample/sampler.h"

/* Two keys are divided into at most this many parts. */
enum { GLTF_MOST_PIECES = 96 };

/* How an engine interpolates two keys. */
enum gltf_blending { GLTF_BLEND_ON_ARC, GLTF_BLEND_LINEAR, GLTF_BLEND_OTHERWISE };

/* Two keys as the engine sees them, and the path between them. */
struct gltf_path {
    lane_kernel *kernel;
    float from[4 * LANES], to[4 * LANES];
    enum gltf_blending blending;
    bool is_symmetric;   /* linear between keys of nearly the same length */
    double cosine, sine; /* GLTF_BLEND_LINEAR: sine of the angle between the keys, times their length ratio */
    double square;       /* of that ratio */
};

/* a, b: keys as from key_source_values. */
void gltf_path_init(struct gltf_path *path, enum pose_rules rules, const float *a, const float *b);
/* The engine's rotations at eight fractions of the path. */
void gltf_path_follow(const struct gltf_path *path, const double fractions[LANES], float rotations[LANES][4]);
/* Where the k-th of n pieces begins, as a fraction of the path. */
double gltf_path_piece(const struct gltf_path *path, uint32_t piece, uint32_t pieces);
/* The number of pieces for the path up to end (0 ... 1) that keep glTF within tolerance (radians). */
uint32_t gltf_path_pieces(const struct gltf_path *path, double end, float tolerance);

#endif
