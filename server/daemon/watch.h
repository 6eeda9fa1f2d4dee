/*
 * Watches what is served: when a file or folder of the PATHs changes, a new catalogue is built and swapped in. All
 * functions must be called on the loop's thread.
 */
#ifndef POSED_SERVER_DAEMON_WATCH_H
#define POSED_SERVER_DAEMON_WATCH_H

#include "server/library/service.h"

#include <uv.h>

struct watch;

/* Starts watching what service->index lists. on_ready (may be NULL) is not called for the first index. */
struct watch *watch_start(uv_loop_t *loop, struct service *service);
/* Stops; handles close in the next iterations of the loop. */
void watch_stop(struct watch *watch);
/* Runs the loop until no indexing is in progress: that uses the service, which must not be freed before. */
void watch_finish(struct watch *watch);
/* Call it after the last iteration of the loop. */
void watch_free(struct watch *watch);

#endif
