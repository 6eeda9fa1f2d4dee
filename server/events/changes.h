/*
 * The last changes, for those who read along (/v1/changes). Thread-safe. A reader that falls behind by more than are kept is
 * told so.
 */
#ifndef POSED_SERVER_EVENTS_CHANGES_H
#define POSED_SERVER_EVENTS_CHANGES_H

#include "server/events/change.h"

enum { CHANGES_KEPT = 1024, CHANGES_READERS = 256, CHANGES_READERS_OF_CLIENT = 16 };

struct changes;

/* since: the number from which on they are known. */
struct changes *changes_new(uint64_t since);
void changes_free(struct changes *changes);

/* Their numbers must ascend. */
void changes_push(struct changes *changes, const struct change *change);
/* The number of the newest, or since; cheap. */
uint64_t changes_newest(const struct changes *changes);
/* The number after which all that are kept come. */
uint64_t changes_floor(struct changes *changes);

enum changes_answer {
    CHANGES_NEXT, /* the first one after that number is in next */
    CHANGES_NONE, /* there is none yet */
    CHANGES_LOST, /* some after that number are no longer known, or the number is not one of ours */
};
enum changes_answer changes_next(struct changes *changes, uint64_t after, struct change *next);

/* Counts one more reader of that client (any number that stands for it); false if there are too many, all together or of it. */
bool changes_enter(struct changes *changes, uint64_t client);
void changes_leave(struct changes *changes, uint64_t client);

#endif
