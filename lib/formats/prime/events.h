/* Events of Metroid Prime's clips: the body of a file of events, which lies in sets of characters too. */
#ifndef POSE_FORMATS_PRIME_EVENTS_H
#define POSE_FORMATS_PRIME_EVENTS_H

#include "lib/formats/prime/prime.h"

struct prime_events {
    uint32_t version;
    uint32_t count, capacity;
    struct pose_event *items; /* sorted by time, stable */
    uint32_t heads[2]; /* events that say of themselves that they are of the first and of the second game */
};

/* Reads a body where the reader stands; job NULL: a walk, which keeps nothing. False when the reader failed or memory
 * is out. */
bool prime_events_read(struct decode_job *job, struct reader *reader, enum prime_game game,
                       struct prime_events *events);

#endif
