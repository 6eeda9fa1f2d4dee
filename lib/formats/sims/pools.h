/*
 * Where the keys of a skill's motions are in its two pools.
 *
 * The plain layout stores them motion by motion, in order, and nothing else. Files may share keys between
 * motions, leave some unused or order them differently; that is kept in extras ("first_rotation" of a track,
 * "rotation_pool" of the clip) and written again as long as it fits the clip's keys.
 */
#ifndef POSE_FORMATS_SIMS_POOLS_H
#define POSE_FORMATS_SIMS_POOLS_H

#include "lib/core/value.h"
#include "lib/formats/sims/records.h"

/* Whether a motion drives a part: its flag is set, it has frames, and the pool has them (tso-anim.md, 2.1). */
bool sims_motion_drives(const struct sims_skill *skill, const struct sims_motion *motion, int part);

/* The plain position of the next motion's keys, and whether all positions so far were plain. Zero-initialise. */
struct sims_pool_walk {
    int64_t next[SIMS_PARTS];
    bool moved[SIMS_PARTS];
};

/* Decoding: stores in the track's extras what is needed of a motion's key fields; call for every motion in
 * order. */
void sims_pools_describe_motion(struct value_list *extras, const struct sims_motion *motion,
                                const struct pose_track *track, struct sims_pool_walk *walk);
/* Decoding: stores in the clip's extras what is needed of the pools, after the last motion. */
void sims_pools_describe(struct value_list *extras, const struct sims_skill *skill,
                         const struct sims_pool_walk *walk);

/*
 * Encoding: fills in pools, flags and first keys of the skill's motions, which correspond one to one to the
 * clip's tracks. keys[track][part] are the track's frame_count keys, NULL if it does not drive the part. The
 * Sims 1 (not online) keeps a pool's count even if the keys are missing.
 */
bool sims_pools_fill(struct encode_job *job, const struct pose_clip *clip, bool online,
                     const float *const (*keys)[SIMS_PARTS], struct sims_skill *skill);

#endif
