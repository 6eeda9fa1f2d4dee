/*
 * Watching what is served: when a file or folder of the PATHs changes, the catalogue is built anew aside and swapped.
 * All functions on the loop's thread.
 */
#ifndef POSED_SERVER_LIBRARY_WATCH_H
#define POSED_SERVER_LIBRARY_WATCH_H

#include "server/library/service.h"

#include <uv.h>

struct watch;

/* Begins to watch what service->index lists. on_ready (may be NULL) is not called for the first index. */
struct watch *watch_start(uv_loop_t *loop, struct service *service);
/* Stops; handles close on the loop's next turns. */
void watch_stop(struct watch *watch);
/* Turns the loop until no index is made any more: that works on the service, which may be freed only then. */
void watch_finish(struct watch *watch);
/* After the loop has turned for the last time. */
void watch_free(struct watch *watch);

#endif
