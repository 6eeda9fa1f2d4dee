/*
 * The systemd interface. Does nothing if the daemon was not started by systemd.
 */
#ifndef POSED_SERVER_DAEMON_SYSTEMD_H
#define POSED_SERVER_DAEMON_SYSTEMD_H

#include <stdbool.h>
#include <stddef.h>
#include <uv.h>

/*
 * The listening socket passed by socket activation, -1 if none. False with one line in error if it is not a
 * listening stream socket, or if there are several. Call it once, before starting threads.
 */
bool systemd_socket(int *fd, char *error, size_t error_size);

/* Notifications: the daemon is serving at that address; it is reloading (followed by ready); it is
 * stopping. */
void systemd_ready(const char *address);
void systemd_reloading(void);
void systemd_stopping(void);

/* Notifies the watchdog twice per interval while the loop runs. */
struct systemd_watchdog {
    uv_timer_t timer;
};

void systemd_watchdog_start(struct systemd_watchdog *watchdog, uv_loop_t *loop);
/* Closes its handle; the loop must run once more. */
void systemd_watchdog_stop(struct systemd_watchdog *watchdog);

#endif
