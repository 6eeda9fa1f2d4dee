/*
 * What systemd hands over and is told. Where the daemon was not started by it, all of this does nothing.
 */
#ifndef POSED_SERVER_OPS_SYSTEMD_H
#define POSED_SERVER_OPS_SYSTEMD_H

#include <stdbool.h>
#include <stddef.h>
#include <uv.h>

/*
 * The listening socket that was passed by socket activation, -1 when none was. False and one line in error when it is
 * no listening stream socket, or several were passed. Once, before any thread starts.
 */
bool systemd_socket(int *fd, char *error, size_t error_size);

/* Notices: the daemon serves at that address; it re-reads its configuration (followed by ready); it ends. */
void systemd_ready(const char *address);
void systemd_reloading(void);
void systemd_stopping(void);

/* Tells the watchdog twice in its time that the loop turns. */
struct systemd_watchdog {
    uv_timer_t timer;
};

void systemd_watchdog_start(struct systemd_watchdog *watchdog, uv_loop_t *loop);
/* Closes its handle; the loop has to turn once more. */
void systemd_watchdog_stop(struct systemd_watchdog *watchdog);

#endif
