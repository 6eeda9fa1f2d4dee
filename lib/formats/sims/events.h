/*
 * Events of a clip and the moments of a skill's motions (tso-anim.md, 2.6): each pair of each moment is an event
 * {time, type: key, value, joint: bone}.
 *
 * The plain layout of a motion's moments is the one that sims_events_assign makes from events alone: no list if
 * there are no events, otherwise one list with one moment per time. Any other layout is kept in the track's
 * extras ("time_props") and written again as long as it matches the clip's events.
 */
#ifndef POSE_FORMATS_SIMS_EVENTS_H
#define POSE_FORMATS_SIMS_EVENTS_H

#include "lib/formats/sims/records.h"

/* Decoding: the clip's events, sorted by time. False if out of memory. */
bool sims_events_build(struct arena *arena, const struct sims_skill *skill, struct pose_clip *clip);

/* Whether a motion's moments have the plain layout. online: one prop per pair, as TSO files have it; otherwise
 * one prop per moment. is_alone: no other motion is on its bone. */
bool sims_moments_are_plain(const struct sims_motion *motion, bool online, bool is_alone);

/* Encoding: the moments of the skill's motions, which correspond one to one to the clip's tracks. */
bool sims_events_assign(struct encode_job *job, const struct pose_clip *clip, bool online,
                        struct sims_skill *skill);

#endif
