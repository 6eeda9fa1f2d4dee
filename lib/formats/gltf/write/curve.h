/*
 * The keys of one channel as glTF plays them: linear, rotations spherical on the shorter arc. Where an engine goes
 * another way between two keys, further keys are put on its way.
 */
#ifndef POSE_FORMATS_GLTF_WRITE_CURVE_H
#define POSE_FORMATS_GLTF_WRITE_CURVE_H

#include "lib/core/arena.h"

struct gltf_curve {
    struct arena *arena;
    unsigned components;
    uint32_t count, capacity;
    float *times;  /* [count] seconds, ascending */
    float *values; /* [count][components] */
    uint32_t added_count, added_capacity;
    uint32_t *added; /* [added_count], ascending: keys that are not the file's */
    float *spare;    /* [spare_count][components] room for values, where keys are added */
    uint32_t spare_count;
    bool cut; /* keys of the file are left out, as they lie behind the end */
};

/* A rotation as glTF wants it: unit length, and no component beyond 1, as rounding may leave it. */
void gltf_make_unit(float q[4]);
/* Turns a rotation over when it is in the other hemisphere than the last one. */
void gltf_turn_near(const float last[4], float q[4]);

/* Key times by the rules of the clip: where the k-th of count keys is. */
void gltf_key_times(const struct pose_clip *clip, const struct pose_channel *channel, float *times);
float gltf_last_time(const struct pose_clip *clip, const struct pose_channel *channel);

/*
 * A curve through keys of a row: times as from gltf_key_times, values as from key_source_values (they are changed).
 * tolerance: radians; spare_count: more than count. False when memory is out.
 */
bool gltf_curve_rotations(struct gltf_curve *curve, const struct pose_clip *clip, const float *times,
                          float *values, uint32_t count, float tolerance);
bool gltf_curve_vectors(struct gltf_curve *curve, const struct pose_clip *clip, const float *times,
                        float *values, uint32_t count);
/* The product of two curves of vectors, component by component, within a tolerance. */
bool gltf_curve_product(struct gltf_curve *curve, const struct gltf_curve *a, const struct gltf_curve *b,
                        float tolerance);
/* A curve that never changes as its one key, at 0. */
void gltf_curve_collapse(struct gltf_curve *curve);
/* A key at that time, which is after the last one, equal to that. */
bool gltf_curve_hold(struct gltf_curve *curve, float time);

#endif
