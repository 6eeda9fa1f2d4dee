#include "server/daemon/systemd.h"

#include "server/ops/clock.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/socket.h>
#include <systemd/sd-daemon.h>

bool systemd_socket(int *fd, char *error, size_t error_size)
{
    int count = sd_listen_fds(1);
    *fd = -1;
    if (count <= 0)
        return true;
    if (count > 1) {
        snprintf(error, error_size, "%d sockets were passed; at most one is supported", count);
        return false;
    }
    if (sd_is_socket(SD_LISTEN_FDS_START, AF_UNSPEC, SOCK_STREAM, 1) <= 0) {
        snprintf(error, error_size, "the passed socket is not listening");
        return false;
    }
    *fd = SD_LISTEN_FDS_START;
    return true;
}

void systemd_ready(const char *address)
{
    sd_notifyf(0, "READY=1\nSTATUS=listening on http://%s", address);
}

/* Type=notify-reload requires the time stamp. */
void systemd_reloading(void)
{
    sd_notifyf(0, "RELOADING=1\nMONOTONIC_USEC=%" PRIu64, clock_us());
}

void systemd_stopping(void)
{
    sd_notify(0, "STOPPING=1\nSTATUS=draining");
}

static void on_timer(uv_timer_t *timer)
{
    (void)timer;
    sd_notify(0, "WATCHDOG=1");
}

void systemd_watchdog_start(struct systemd_watchdog *watchdog, uv_loop_t *loop)
{
    uint64_t limit_us;
    uv_timer_init(loop, &watchdog->timer);
    uv_unref((uv_handle_t *)&watchdog->timer);
    if (sd_watchdog_enabled(0, &limit_us) > 0)
        uv_timer_start(&watchdog->timer, on_timer, 0, limit_us / 2000 > 0 ? limit_us / 2000 : 1);
}

void systemd_watchdog_stop(struct systemd_watchdog *watchdog)
{
    uv_close((uv_handle_t *)&watchdog->timer, NULL);
}
