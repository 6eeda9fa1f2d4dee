/* Metroid Prime: the four streams of events, in a file of their own or in an ANCS (prime-skeleton.md, 3). */
#ifndef POSE_FORMATS_PRIME_EVNT_WRITE_H
#define POSE_FORMATS_PRIME_EVNT_WRITE_H

#include "lib/formats/prime/anim/put.h"

/*
 * Without padding. An event's stream is its `kind`, or what its type lies in by custom; events that have neither are
 * left out, with a warning. version 1 has no sound events: with one it becomes 2.
 */
void prime_evnt_write(struct prime_put *put, int64_t version, const struct pose_event *events,
                      uint32_t count);

#endif
