/*
 * One channel by itself, sampled anywhere by the rules of its engine: the samplers' clock, timelines and kernels, eight
 * moments at a time.
 */
#ifndef POSE_SAMPLE_CURVE_H
#define POSE_SAMPLE_CURVE_H

#include "lib/sample/sampler.h"

struct curve {
    const struct pose_clip *clip;
    enum pose_part part;
    bool wraps; /* the end leads to the start, where the rules have that */
    struct timeline timeline;
    const float *values; /* of the clip's axes; rotations of unit length but for The Sims */
    struct sample_kernels kernels;
};

/* part is no morph, or one; channel->count >= 1, its values finite. False when memory is out. */
bool curve_init(struct curve *curve, struct arena *arena, const struct pose_clip *clip, enum pose_part part,
                const struct pose_channel *channel);
/* The values at those times, which are held within the clip: [count][3 | 4 | 3 | 1]. */
void curve_sample(const struct curve *curve, const double *times, uint32_t count, float *values);

/* The way from one value to another by an engine's rules: values at those fractions, as above. */
void curve_blend(const struct sample_kernels *kernels, enum pose_part part, const float *from,
                 const float *to, const double *fractions, uint32_t count, float *values);
/* The kernels of those rules, the fastest that are there. */
struct sample_kernels curve_kernels(enum pose_rules rules);

/* How far apart two values of a part are: radians for rotations (whatever their signs), else a length. */
double curve_distance(enum pose_part part, const float *a, const float *b);

#endif
