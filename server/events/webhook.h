/*
 * Tells web servers of changes (--webhook): a POST for each, signed. Every address has a thread and a queue of its own. What cannot be delivered waits,
 * on the disk if there is a folder, and is tried again with growing pauses for a day.
 */
#ifndef POSED_SERVER_EVENTS_WEBHOOK_H
#define POSED_SERVER_EVENTS_WEBHOOK_H

#include "server/events/change.h"
#include "server/ops/metrics/webhooks.h"

struct webhook;

struct webhook_options {
    const char *urls;     /* http or https, between blanks; at least one */
    const char *key_file; /* its first line is the key; NULL: nothing is signed */
    const char *folder;   /* the data folder, NULL: events wait in memory */
};

/* Reads the key and what waits. NULL with one line in error. Starts no thread and leaves the folder alone. */
struct webhook *webhook_open(const struct webhook_options *options, char *error, size_t error_size);
/* Starts to send; false with one line in error. */
bool webhook_start(struct webhook *webhook, char *error, size_t error_size);
/* Gives up what is being sent; what waits stays on the disk. NULL does nothing. */
void webhook_close(struct webhook *webhook);

/* Queues a change. Does not wait for anything. */
void webhook_push(struct webhook *webhook, const struct change *change);
/* Writes to the disk what was queued; by the thread whose request made the change, before it is answered. */
void webhook_settle(struct webhook *webhook);

/* The number of the newest event that waited on the disk when it was started, 0: none did. */
uint64_t webhook_newest(const struct webhook *webhook);
const struct webhook_metrics *webhook_metrics_of(const struct webhook *webhook);

#endif
