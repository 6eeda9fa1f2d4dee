/* Events of Metroid Prime's clips: the body of an event file, also contained in character sets. */
#ifndef POSE_FORMATS_PRIME_EVENTS_H
#define POSE_FORMATS_PRIME_EVENTS_H

#include "lib/formats/prime/prime.h"

struct prime_events {
    uint32_t version;
    uint32_t count, capacity;
    struct pose_event *items; /* sorted by time, stable */
    uint32_t heads[2];        /* numbers of events marked as the first and as the second game's */
};

/* Reads a body at the reader's position; job NULL: a walk, which stores nothing. False if the reader failed or
 * out of memory. */
bool prime_events_read(struct decode_job *job, struct reader *reader, enum prime_game game,
                       struct prime_events *events);

#endif
