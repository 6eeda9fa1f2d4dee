/*
 * Where the keys of a skill's motions lie in its two pools.
 *
 * The plain layout writes them motion after motion, in order, and holds nothing else. Files may share keys between
 * motions, leave some unused or order them otherwise; that is kept in extras ("first_rotation" of a track,
 * "rotation_pool" of the clip) and written again as long as it fits the clip's keys.
 */
#ifndef POSE_FORMATS_SIMS_POOLS_H
#define POSE_FORMATS_SIMS_POOLS_H

#include "lib/core/value.h"
#include "lib/formats/sims/records.h"

/* Whether a motion drives a part: its flag is set, it has frames, and the pool has them (tso-anim.md, 2.1). */
bool sims_motion_drives(const struct sims_skill *skill, const struct sims_motion *motion, int part);

/* The plain place of the next motion's keys, and whether every place so far was plain. Zero-initialise. */
struct sims_pool_walk {
    int64_t next[SIMS_PARTS];
    bool moved[SIMS_PARTS];
};

/* Decoding: what the track's extras must keep of a motion's fields about keys; call for every motion in order. */
void sims_pools_describe_motion(struct value_list *extras, const struct sims_motion *motion,
                                const struct pose_track *track, struct sims_pool_walk *walk);
/* Decoding: what the clip's extras must keep of the pools, after the last motion. */
void sims_pools_describe(struct value_list *extras, const struct sims_skill *skill,
                         const struct sims_pool_walk *walk);

/*
 * Encoding: fills in pools, flags and first keys of the skill's motions, which stand for the clip's tracks, one for one.
 * keys[track][part] are the track's keys, frame_count of them, NULL when it does not drive the part.
 * The Sims 1 (not online) keeps a pool's count although the keys are missing.
 */
bool sims_pools_fill(struct encode_job *job, const struct pose_clip *clip, bool online,
                     const float *const (*keys)[SIMS_PARTS], struct sims_skill *skill);

#endif
