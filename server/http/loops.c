/*
 * libuv: the loops and their threads, and the order of startup and shutdown.
 *
 * A loop watches libmicrohttpd's epoll set. Events only request a turn, which runs once per iteration, after all
 * of its events.
 */
#include "server/http/internal.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum {
    OTHER_FILES = 512, /* files other than connections */
    MIN_TICK_MS = 50,
    MAX_TICK_MS = 500,
    LAST_ACCEPTS = 100, /* turns that empty a listener's queue before it closes */
};

/* ---- turns ---- */

static void on_timer(uv_timer_t *timer);

/* A loop that is stopping and has no connections left is done. */
static void end_if_empty(struct http_loop *loop)
{
    struct http_server *server = loop->server;
    if (!loop->draining || loop->done || loop->connections)
        return;
    loop->done = true;
    uv_poll_stop(&loop->poll);
    uv_check_stop(&loop->check);
    uv_timer_stop(&loop->timer);
    uv_timer_stop(&loop->tick);
    uv_timer_stop(&loop->grace);
    linger_end(&loop->lingering);
    if (atomic_fetch_sub(&server->running, 1) == 1)
        uv_async_send(&server->all_done);
    if (loop->has_thread)
        uv_stop(&loop->uv);
}

static void on_tick(uv_timer_t *tick)
{
    struct http_loop *loop = tick->data;
    connections_sweep(loop);
    linger_sweep(&loop->lingering);
    if (!loop->connections && !loop->lingering.first)
        uv_timer_stop(tick);
}

/* Frequent enough for deadlines, rare enough to cost nothing. */
static void start_tick(struct http_loop *loop)
{
    uint64_t period = loop->server->options.request_timeout_s * UINT64_C(1000) / 8;
    if (period > MAX_TICK_MS || period == 0)
        period = MAX_TICK_MS;
    if (period < MIN_TICK_MS)
        period = MIN_TICK_MS;
    uv_timer_start(&loop->tick, on_tick, period, period);
}

static void turn(struct http_loop *loop)
{
    int64_t wait_ms = transport_turn(loop);
    /* Never 0: libuv runs due timers until none is left, so no event would be processed until
     * libmicrohttpd is done, which a hostile client can delay forever. */
    if (wait_ms == 0)
        wait_ms = 1;
    loop->turn_wanted = false;
    if (wait_ms < 0) {
        uv_timer_stop(&loop->timer);
    } else if (!uv_is_active((uv_handle_t *)&loop->timer) ||
               uv_timer_get_due_in(&loop->timer) > (uint64_t)wait_ms) {
        /* A timer that fires early is cheaper than restarting it for every request. */
        uv_timer_start(&loop->timer, on_timer, (uint64_t)wait_ms, 0);
    }
    if (loop->connections && !uv_is_active((uv_handle_t *)&loop->tick))
        start_tick(loop);
    end_if_empty(loop);
}

static void on_timer(uv_timer_t *timer)
{
    turn(timer->data);
}

static void on_event(uv_poll_t *poll, int status, int events)
{
    struct http_loop *loop = poll->data;
    (void)status;
    (void)events;
    loop->turn_wanted = true;
}

static void on_check(uv_check_t *check)
{
    struct http_loop *loop = check->data;
    if (loop->turn_wanted)
        turn(loop);
}

/* ---- stopping ---- */

static void on_grace(uv_timer_t *grace)
{
    connections_cut(grace->data);
}

/* Accepts the connections that already wait, then closes the listener and the idle connections. */
static void drain(struct http_loop *loop)
{
    for (unsigned i = 0; i < LAST_ACCEPTS && (loop->is_side || !loop->server->shares_socket); i++) {
        struct pollfd listener = {.fd = loop->listen_fd, .events = POLLIN};
        if (poll(&listener, 1, 0) <= 0)
            break;
        turn(loop);
    }
    loop->draining = true;
    close(transport_quiesce(loop));
    loop->listen_fd = -1;
    connections_drain(loop);
    turn(loop);
}

static void on_wake(uv_async_t *wake)
{
    struct http_loop *loop = wake->data;
    struct http_server *server = loop->server;
    work_collect(loop);
    if (!atomic_load(&server->stopping))
        return;
    if (!loop->draining)
        drain(loop);
    if (!loop->done)
        uv_timer_start(&loop->grace, on_grace, atomic_load(&server->grace_s) * UINT64_C(1000), 0);
}

static void on_all_done(uv_async_t *all_done)
{
    uv_stop(all_done->loop);
}

void http_stop(struct http_server *server, unsigned grace_s)
{
    atomic_store(&server->grace_s, grace_s);
    atomic_store(&server->stopping, true);
    for (unsigned i = 0; i < server->loop_count; i++)
        if (server->loops[i].has_loop)
            uv_async_send(&server->loops[i].wake);
}

/* ---- start and end ---- */

/* The usual limit of 1024 files is below the number of connections allowed. */
static void raise_file_limit(const struct http_options *options)
{
    const rlim_t wanted = (rlim_t)options->max_connections + OTHER_FILES;
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < wanted) {
        limit.rlim_cur = limit.rlim_max < wanted ? limit.rlim_max : wanted;
        (void)setrlimit(RLIMIT_NOFILE, &limit);
    }
}

static bool open_loop(struct http_loop *loop, int listen_fd)
{
    loop->listen_fd = listen_fd;
    pthread_mutex_init(&loop->mail_lock, NULL);
    loop->done_end = &loop->done_work;
    if (uv_loop_init(&loop->uv) != 0) {
        close(listen_fd);
        return false;
    }
    loop->has_loop = true;
    uv_check_init(&loop->uv, &loop->check);
    uv_timer_init(&loop->uv, &loop->timer);
    uv_timer_init(&loop->uv, &loop->tick);
    uv_timer_init(&loop->uv, &loop->grace);
    loop->check.data = loop->timer.data = loop->tick.data = loop->grace.data = loop;
    linger_init(&loop->lingering, &loop->uv);
    if (!transport_open(loop, listen_fd)) {
        close(listen_fd);
        return false;
    }
    if (uv_async_init(&loop->uv, &loop->wake, on_wake) != 0)
        return false;
    loop->wake.data = loop;
    loop->has_wake = true;
    if (uv_poll_init(&loop->uv, &loop->poll, transport_epoll_fd(loop)) != 0)
        return false;
    loop->poll.data = loop;
    loop->has_poll = true;
    uv_check_start(&loop->check, on_check);
    loop->turn_wanted = true;
    return uv_poll_start(&loop->poll, UV_READABLE, on_event) == 0;
}

static void close_loop(struct http_loop *loop)
{
    if (!loop->has_loop)
        return;
    if (loop->has_poll)
        uv_close((uv_handle_t *)&loop->poll, NULL);
    if (loop->has_wake)
        uv_close((uv_handle_t *)&loop->wake, NULL);
    uv_close((uv_handle_t *)&loop->check, NULL);
    uv_close((uv_handle_t *)&loop->timer, NULL);
    uv_close((uv_handle_t *)&loop->tick, NULL);
    uv_close((uv_handle_t *)&loop->grace, NULL);
    if (loop->daemon)
        transport_close(loop);
    exchanges_release(loop);
    linger_end(&loop->lingering);
    uv_run(&loop->uv, UV_RUN_NOWAIT); /* runs the close callbacks */
    uv_loop_close(&loop->uv);
    pthread_mutex_destroy(&loop->mail_lock);
    loop->has_loop = false;
}

/* The port of the daemon is what a second one on this machine finds taken first. */
static bool listen_main(const char *address, int *fds, unsigned count, char *error, size_t error_size)
{
    if (listen_open(address, fds, count, error, error_size))
        return true;
    const size_t used = strlen(error);
    if (errno == EADDRINUSE)
        snprintf(error + used, error_size - used, "; choose another with --listen, such as 127.0.0.1:8081");
    return false;
}

/* Opens the listening sockets, one per loop, and gets the bound address. */
static bool open_sockets(struct http_server *server, int *fds, char *error, size_t error_size)
{
    const struct http_options *options = &server->options;
    const bool has_side = options->side_listen != NULL;
    const unsigned count = server->loop_count - has_side;
    server->shares_socket = options->listen_fd >= 0;
    if (server->shares_socket ? !listen_share(options->listen_fd, fds, count, error, error_size)
                              : !listen_main(options->listen, fds, count, error, error_size))
        return false;
    listen_name(fds[0], server->address);
    if (has_side && !listen_open(options->side_listen, fds + count, 1, error, error_size)) {
        for (unsigned i = 0; i < count; i++)
            close(fds[i]);
        return false;
    }
    if (has_side)
        listen_name(fds[count], server->side_address);
    return true;
}

static bool open_loops(struct http_server *server, char *error, size_t error_size)
{
    int *fds = calloc(server->loop_count, sizeof *fds);
    bool opened = false;
    if (!fds) {
        snprintf(error, error_size, "out of memory");
        return false;
    }
    if (open_sockets(server, fds, error, error_size)) {
        opened = true;
        for (unsigned i = 0; i < server->loop_count; i++) {
            struct http_loop *loop = &server->loops[i];
            loop->server = server;
            loop->index = i;
            loop->is_side = server->options.side_listen && i + 1 == server->loop_count;
            if (!opened) {
                close(fds[i]);
            } else if (!open_loop(loop, fds[i])) {
                snprintf(error, error_size, "event loop %u cannot be set up", i);
                opened = false;
            }
        }
    }
    free(fds);
    return opened;
}

struct http_server *http_open(const struct http_options *options, const struct http_application *application,
                              char *error, size_t error_size)
{
    struct http_server *server = calloc(1, sizeof *server);
    raise_file_limit(options);
    if (!server) {
        snprintf(error, error_size, "out of memory");
        return NULL;
    }
    shares_init(&server->shares);
    server->application = *application;
    server->options = *options;
    server->spool_dir = strdup(options->spool_dir ? options->spool_dir : "/tmp");
    server->bodies.threshold = options->spool_threshold;
    server->bodies.max_files = options->max_files;
    server->bodies.directory = server->spool_dir;
    server->loop_count = (options->threads > 0 ? options->threads : 1) + (options->side_listen != NULL);
    server->loops = calloc(server->loop_count, sizeof *server->loops);
    if (!server->spool_dir || !server->loops) {
        snprintf(error, error_size, "out of memory");
    } else if (open_loops(server, error, error_size)) {
        if (uv_async_init(&server->loops[0].uv, &server->all_done, on_all_done) == 0) {
            server->has_all_done = true;
            return server;
        }
        snprintf(error, error_size, "the main event loop cannot be set up");
    }
    http_close(server);
    return NULL;
}

void http_close(struct http_server *server)
{
    if (server->has_all_done)
        uv_close((uv_handle_t *)&server->all_done, NULL);
    for (unsigned i = 0; server->loops && i < server->loop_count; i++)
        close_loop(&server->loops[i]);
    shares_release(&server->shares);
    free(server->loops);
    free(server->spool_dir);
    free(server);
}

static void run_loop(void *loop)
{
    uv_run(&((struct http_loop *)loop)->uv, UV_RUN_DEFAULT);
}

void http_run(struct http_server *server)
{
    atomic_store(&server->running, server->loop_count);
    work_start(server); /* if it fails, requests that need the pool are answered 503 */
    for (unsigned i = 1; i < server->loop_count; i++) {
        struct http_loop *loop = &server->loops[i];
        loop->has_thread = true;
        if (uv_thread_create(&loop->thread, run_loop, loop) != 0) {
            /* Without a thread nobody would accept the connections that the kernel assigns to its socket. */
            loop->has_thread = false;
            atomic_fetch_sub(&server->running, 1);
            close_loop(loop);
        }
    }
    run_loop(&server->loops[0]);
    for (unsigned i = 1; i < server->loop_count; i++)
        if (server->loops[i].has_thread)
            uv_thread_join(&server->loops[i].thread);
    pool_free(atomic_exchange(&server->pool, NULL));
}

/* ---- what others ask ---- */

uv_loop_t *http_main_loop(struct http_server *server)
{
    return &server->loops[0].uv;
}

const char *http_address(const struct http_server *server)
{
    return server->address;
}

const char *http_side_address(const struct http_server *server)
{
    return server->side_address;
}

void http_count(const struct http_server *server, struct http_counters *counters)
{
    counters->connections = atomic_load_explicit(&server->connections, memory_order_relaxed);
    struct pool *pool = atomic_load(&server->pool);
    counters->queue_depth = pool ? pool_depth(pool) : 0;
    counters->queue_rejected = atomic_load_explicit(&server->queue_rejected, memory_order_relaxed);
}
