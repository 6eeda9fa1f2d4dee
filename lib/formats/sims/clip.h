/*
 * Converts between a skill's record and the common clip. online: a file of The Sims Online; otherwise one of The
 * Sims 1, which keeps its keys in a separate file and has no "unknown" field in its motions.
 */
#ifndef POSE_FORMATS_SIMS_CLIP_H
#define POSE_FORMATS_SIMS_CLIP_H

#include "lib/formats/sims/records.h"

/*
 * The clip of a skill; values point into the skill's pools. Oddities become warnings, by the table of
 * tso-anim.md, 2.1. Fails at the limits "joints" and "keys", and if out of memory.
 */
bool sims_clip_build(struct decode_job *job, const struct sims_skill *skill, bool online,
                     struct warning_list *warnings, struct pose_clip *clip);

/*
 * The skill made from any clip: keys converted to the clock and the axes of The Sims; losses are reported with
 * encode_warn.
 */
bool sims_skill_build(struct encode_job *job, const struct pose_clip *clip, bool online,
                      struct sims_skill *skill);

/*
 * A clip's duration in seconds (tso-anim.md, 2.3): the stored milliseconds if they are at least one per frame,
 * else frames / 30 with *implausible set. (FreeSO's tool writes seconds.)
 */
float sims_duration(float duration_ms, uint32_t frame_count, bool *implausible);

/* The largest frame count; only of motions that drive something if there are any, since those counts are
 * verified. */
uint32_t sims_frame_count(const struct sims_skill *skill);

/* The time of key k of count in a clip of that duration. */
static inline float sims_key_time(uint32_t k, double duration, uint32_t count)
{
    return (float)(k * duration / count);
}

#endif
