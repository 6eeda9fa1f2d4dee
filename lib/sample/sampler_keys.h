/* The keys of a channel as a sampler needs them: in its axes, finite, rotations near unit length. */
#ifndef POSE_SAMPLE_SAMPLER_KEYS_H
#define POSE_SAMPLE_SAMPLER_KEYS_H

#include "lib/sample/sampler.h"

/* One channel that drives one part of a row (or a morph). */
struct key_source {
    const struct pose_channel *channel;
    enum pose_part part;
    uint32_t row;
    uint32_t place;
    uint64_t times_hash;
    const struct timeline *timeline;
};

/* Writes [channel->count][components] values. */
void key_source_values(const struct pose_sampler *sampler, const struct key_source *source, float *values);
/* Seconds between keys of POSE_RULES_PRIME_FRAMES: from the file, else from the frame rate or the duration. */
double key_frame_interval(const struct pose_clip *clip, uint32_t count);
/* True if all its keys are equal. */
bool key_source_is_constant(const struct key_source *source);
/*
 * Gives every source its timeline; sources with the same key times share one. Sources are sorted so that these are
 * adjacent, otherwise in their old order. Returns false if out of memory.
 */
bool key_sources_share_timelines(const struct pose_sampler *sampler, struct arena *arena,
                                 struct key_source *sources, uint32_t count);

#endif
