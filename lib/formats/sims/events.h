/*
 * Events of a clip and the moments of a skill's motions (tso-anim.md, 2.6): each pair of each moment is an event
 * {time, type: key, value, joint: bone}.
 *
 * The plain layout of a motion's moments is what sims_events_assign makes of events alone: no list without events, else
 * one list, a moment for each time. Any other layout is kept in the track's extras ("time_props") and written again
 * as long as it says the same as the clip's events.
 */
#ifndef POSE_FORMATS_SIMS_EVENTS_H
#define POSE_FORMATS_SIMS_EVENTS_H

#include "lib/formats/sims/records.h"

/* Decoding: the clip's events, sorted by time. False when memory is out. */
bool sims_events_build(struct arena *arena, const struct sims_skill *skill, struct pose_clip *clip);

/* Whether a motion's moments have the plain layout. online: each pair in a prop of its own, as TSO files have it;
 * else one prop a moment. is_alone: no other motion is on its bone. */
bool sims_moments_are_plain(const struct sims_motion *motion, bool online, bool is_alone);

/* Encoding: the moments of the skill's motions, which stand for the clip's tracks, one for one. */
bool sims_events_assign(struct encode_job *job, const struct pose_clip *clip, bool online,
                        struct sims_skill *skill);

#endif
