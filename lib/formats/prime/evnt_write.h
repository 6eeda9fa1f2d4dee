/* Metroid Prime: the four streams of events, in a separate file or in an ANCS (prime-skeleton.md, 3). */
#ifndef POSE_FORMATS_PRIME_EVNT_WRITE_H
#define POSE_FORMATS_PRIME_EVNT_WRITE_H

#include "lib/formats/prime/anim/put.h"

/*
 * Writes no padding. An event's stream is its `kind`, or the usual one of its type; events with neither are left
 * out with a warning. version 1 has no sound events: if there are any, version 2 is written.
 */
void prime_evnt_write(struct prime_put *put, int64_t version, const struct pose_event *events,
                      uint32_t count);

#endif
