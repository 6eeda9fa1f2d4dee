/* What waits to be sent to one address, in memory and, if there is a folder, on the disk. Its owner locks it. */
#ifndef POSED_SERVER_EVENTS_EVENT_QUEUE_H
#define POSED_SERVER_EVENTS_EVENT_QUEUE_H

#include "server/events/change.h"
#include "server/ops/metrics/webhooks.h"

struct event {
    struct event *next;
    uint64_t number;
    uint64_t due_ms; /* by clock_ms; 0: at once */
    unsigned tries;
    bool is_kept; /* may be sent: it is on the disk, or need not be */
    bool is_sent; /* being sent: only that thread frees it */
    size_t size;
    char body[];
};

struct event_queue {
    char *folder; /* from malloc; NULL: in memory alone */
    struct webhook_metrics *metrics;
    struct event *first, *last; /* by number */
    struct event *unkept;       /* the first that is not on the disk; NULL: all are */
    size_t count;
    uint64_t newest; /* number of what was on the disk */
};

/* The event that tells of a change; NULL: out of memory, or it is too large. */
struct event *event_of(const struct change *change);

/* Reads what waits on the disk. */
void event_queue_load(struct event_queue *queue);
void event_queue_release(struct event_queue *queue);

/* Puts an event at the end. If too many wait, the oldest is given up. */
void event_queue_push(struct event_queue *queue, struct event *event);
/* Takes it out of the list, and its file off the disk. */
void event_queue_drop(struct event_queue *queue, struct event *event);
/* The same of one that was not sent, which is logged and counted. */
void event_queue_give_up(struct event_queue *queue, struct event *event, const char *why);

/* The first that is not on the disk yet and that no other thread has taken, marked; NULL: none. */
struct event *event_queue_take_unkept(struct event_queue *queue);
/* It is on the disk now, or cannot be. */
void event_queue_set_kept(struct event_queue *queue, struct event *event);
/* The one to send next: the oldest of those that are due first; NULL: none. */
struct event *event_queue_next(const struct event_queue *queue);

#endif
