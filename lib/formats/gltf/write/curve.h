/*
 * The keys of one channel as glTF plays them: linear, rotations by slerp on the shorter arc. Where an engine
 * interpolates differently, keys are added along its path.
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
    uint32_t *added; /* [added_count], ascending: keys that are not from the file */
    float *spare;    /* [spare_count][components] room for values, where keys are added */
    uint32_t spare_count;
    bool cut; /* keys of the file were dropped because they lie after the end */
};

/* Makes a rotation valid for glTF: unit length, no component beyond 1 from rounding. */
void gltf_make_unit(float q[4]);
/* Negates a rotation that is in the opposite hemisphere of the previous one. */
void gltf_turn_near(const float last[4], float q[4]);

/* Key times by the clip's rules: the time of each of the keys. */
void gltf_key_times(const struct pose_clip *clip, const struct pose_channel *channel, float *times);
float gltf_last_time(const struct pose_clip *clip, const struct pose_channel *channel);

/*
 * A curve through the keys of a row: times from gltf_key_times, values from key_source_values (modified in
 * place). tolerance: radians; spare_count: more than count. False if out of memory.
 */
bool gltf_curve_rotations(struct gltf_curve *curve, const struct pose_clip *clip, const float *times,
                          float *values, uint32_t count, float tolerance);
bool gltf_curve_vectors(struct gltf_curve *curve, const struct pose_clip *clip, const float *times,
                        float *values, uint32_t count);
/* The componentwise product of two vector curves, within a tolerance. */
bool gltf_curve_product(struct gltf_curve *curve, const struct gltf_curve *a, const struct gltf_curve *b,
                        float tolerance);
/* Reduces a constant curve to one key at 0. */
void gltf_curve_collapse(struct gltf_curve *curve);
/* Appends a key at that time, after the last one and equal to it. */
bool gltf_curve_hold(struct gltf_curve *curve, float time);

#endif
