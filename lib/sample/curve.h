/*
 * A single channel, sampled at any time by the rules of its engine, with the samplers' clock, timelines and
 * kernels, eight moments at once.
 */
#ifndef POSE_SAMPLE_CURVE_H
#define POSE_SAMPLE_CURVE_H

#include "lib/sample/sampler.h"

struct curve {
    const struct pose_clip *clip;
    enum pose_part part;
    bool wraps; /* the end leads to the start, if the rules do that */
    struct timeline timeline;
    const float *values; /* in the clip's axes; rotations have unit length except for The Sims */
    struct sample_kernels kernels;
};

/* part may be a morph; channel->count >= 1, its values finite. Returns false if out of memory. */
bool curve_init(struct curve *curve, struct arena *arena, const struct pose_clip *clip, enum pose_part part,
                const struct pose_channel *channel);
/* The values at those times, clamped to the clip: [count][3 | 4 | 3 | 1]. */
void curve_sample(const struct curve *curve, const double *times, uint32_t count, float *values);

/* Interpolates between two values by an engine's rules: values at those fractions, as above. */
void curve_blend(const struct sample_kernels *kernels, enum pose_part part, const float *from,
                 const float *to, const double *fractions, uint32_t count, float *values);
/* The fastest kernels available for those rules. */
struct sample_kernels curve_kernels(enum pose_rules rules);

/* The distance between two values of a part: radians for rotations (ignoring their signs), else a length. */
double curve_distance(enum pose_part part, const float *a, const float *b);

#endif
