/*
 * What the HTTP transport costs: a constant body from a bare epoll loop, which does nothing but find the end of a
 * request, and the same body through server/http/http.h, side by side. Rounds alternate, and the processor time that the
 * server takes for a request counts as well as the requests per second, since it does not change with who else uses
 * the machine.
 */
#include "server/http/http.h"
#include "tests/bench/bench.h"
#include "tests/bench/load.h"

#include <errno.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS = 5, CONNECTIONS = 64, BODY = 7500, MAX_REQUEST = 4096 };

static const double ROUND_SECONDS = 0.7;
static char body[BODY];

/* Tells the parent where the server listens. */
static void report(int pipe_end, int port)
{
    if (write(pipe_end, &port, sizeof port) != sizeof port)
        _exit(1);
}

/* ---- the bare loop ---- */

static int listen_bare(int pipe_end)
{
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t size = sizeof address;
    if (bind(fd, (struct sockaddr *)&address, size) != 0 || listen(fd, SOMAXCONN) != 0 ||
        getsockname(fd, (struct sockaddr *)&address, &size) != 0)
        _exit(1);
    report(pipe_end, ntohs(address.sin_port));
    return fd;
}

static void watch(int poll, int fd)
{
    struct epoll_event event = {.events = EPOLLIN, .data = {.fd = fd}};
    epoll_ctl(poll, EPOLL_CTL_ADD, fd, &event);
}

static void serve_bare(int pipe_end)
{
    const int listener = listen_bare(pipe_end);
    const int poll = epoll_create1(0);
    struct epoll_event events[256];
    char request[MAX_REQUEST];
    char answer[512 + BODY];
    const int head = snprintf(answer, 512,
                              "HTTP/1.1 200 OK\r\nDate: Thu, 01 Jan 1970 00:00:00 GMT\r\n"
                              "Content-Type: application/octet-stream\r\nContent-Length: %d\r\n\r\n",
                              BODY);
    memcpy(answer + head, body, BODY);
    watch(poll, listener);
    for (;;) {
        const int count = epoll_wait(poll, events, 256, -1);
        for (int i = 0; i < count; i++) {
            const int fd = events[i].data.fd;
            if (fd == listener) {
                watch(poll, accept4(fd, NULL, NULL, SOCK_NONBLOCK));
                continue;
            }
            ssize_t size = recv(fd, request, sizeof request, 0);
            if (size >= 4 && !memcmp(request + size - 4, "\r\n\r\n", 4))
                size = send(fd, answer, (size_t)head + BODY, MSG_NOSIGNAL);
            if (size <= 0 && errno != EAGAIN)
                close(fd);
        }
    }
}

/* ---- the transport ---- */

static bool admit(void *user, const struct api_request *request, uint64_t *max_body,
                  struct api_response *response)
{
    (void)user;
    (void)request;
    (void)max_body;
    (void)response;
    return true;
}

/* "/headers" has as many as a pose. */
static enum api_outcome handle(void *user, struct api_request *request, struct api_response *response)
{
    (void)user;
    if (!strcmp(request->path, "/pool") && !request->may_wait)
        return API_WAIT;
    if (!strcmp(request->path, "/headers")) {
        response_header(response, "ETag", "\"0123456789abcdef0123456789abcdef\"");
        response_header(response, "Cache-Control", "public, max-age=31536000, immutable");
        response_header(response, "Vary", "Accept, Accept-Encoding");
        response_header(response, "Server-Timing", "cache;desc=hit, sample;dur=0.004, write;dur=0.011");
        response_header(response, "X-Request-Id", "0123456789abcdef");
        response_header(response, "Access-Control-Allow-Origin", "*");
        response_header(
            response, "Access-Control-Expose-Headers",
            "ETag, Link, Location, Content-Location, Content-Disposition, Retry-After, Server-Timing");
        response_header(response, "Timing-Allow-Origin", "*");
        response_header(response, "Cross-Origin-Resource-Policy", "cross-origin");
    }
    response_static(response, "application/octet-stream", body, BODY);
    return API_DONE;
}

static void refuse(void *user, const struct api_request *request, unsigned status, const char *detail,
                   struct api_response *response)
{
    (void)user;
    (void)request;
    response->status = status;
    response_static(response, "text/plain", detail, strlen(detail));
}

static void serve_transport(int pipe_end)
{
    const struct http_application application = {.admit = admit, .handle = handle, .refuse = refuse};
    const struct http_options options = {.listen = "127.0.0.1:0",
                                         .listen_fd = -1,
                                         .threads = 1,
                                         .max_connections = 4096,
                                         .idle_timeout_s = 30,
                                         .request_timeout_s = 30,
                                         .queue_limit = 256,
                                         .spool_threshold = 1 << 20};
    char error[256];
    struct http_server *server = http_open(&options, &application, error, sizeof error);
    if (!server) {
        fprintf(stderr, "%s\n", error);
        _exit(1);
    }
    report(pipe_end, atoi(strrchr(http_address(server), ':') + 1));
    http_run(server);
}

/* ---- measuring ---- */

struct contestant {
    const char *title;
    void (*serve)(int pipe_end);
    const char *target;
    pid_t process;
    int port;
    double rate;         /* of the best round */
    double processor_us; /* a request, of the best round */
    double p99_us;
};

static void pin(unsigned processor)
{
    cpu_set_t set;

    CPU_ZERO(&set);
    CPU_SET(processor, &set);
    (void)sched_setaffinity(0, sizeof set, &set);
}

static double processor_seconds(pid_t process)
{
    clockid_t clock;
    struct timespec taken = {0};

    if (clock_getcpuclockid(process, &clock) == 0)
        clock_gettime(clock, &taken);
    return (double)taken.tv_sec + (double)taken.tv_nsec / 1e9;
}

static bool start(struct contestant *contestant)
{
    int ends[2];
    if (pipe(ends) != 0)
        return false;
    contestant->process = fork();
    if (contestant->process == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        pin(0);
        contestant->serve(ends[1]);
        _exit(1);
    }
    close(ends[1]);
    return read(ends[0], &contestant->port, sizeof(int)) == sizeof(int);
}

static bool measure(struct contestant *contestant)
{
    const double before = processor_seconds(contestant->process);
    const struct load load = {.port = contestant->port,
                              .targets = &contestant->target,
                              .target_count = 1,
                              .connections = CONNECTIONS,
                              .seconds = ROUND_SECONDS};
    struct load_result result;
    if (!load_run(&load, &result) || result.errors > 0) {
        fprintf(stderr, "%s: a connection failed\n", contestant->title);
        return false;
    }
    double processor_us =
        (processor_seconds(contestant->process) - before) * 1e6 / (result.rate * ROUND_SECONDS);
    if (result.rate > contestant->rate) {
        contestant->rate = result.rate;
        contestant->p99_us = result.p99_us;
    }
    if (contestant->processor_us == 0 || processor_us < contestant->processor_us)
        contestant->processor_us = processor_us;
    return true;
}

static void compare(struct contestant *contestants, size_t count)
{
    bool measured = true;
    for (size_t i = 0; i < count && measured; i++)
        measured = start(&contestants[i]);
    for (unsigned round = 0; round < ROUNDS; round++)
        for (size_t i = 0; i < count && measured; i++)
            measured = measure(&contestants[i]);
    printf("%-44s %12s %8s %12s %8s %8s\n", "a constant body of 7500 bytes, 64 connections", "requests/s",
           "ratio", "us of CPU", "ratio", "p99 us");
    for (size_t i = 0; i < count; i++) {
        const struct contestant *at = &contestants[i];
        printf("  %-42s %12.0f %8.3f %12.2f %8.3f %8.0f\n", at->title, at->rate,
               at->rate / contestants[0].rate, at->processor_us,
               contestants[0].processor_us / at->processor_us, at->p99_us);
        kill(at->process, SIGKILL);
        waitpid(at->process, NULL, 0);
    }
}

/* In a process of its own, so that nothing else stays on one processor. */
static void run(void)
{
    struct contestant contestants[] = {
        {.title = "bare epoll loop", .serve = serve_bare, .target = "/"},
        {.title = "transport", .serve = serve_transport, .target = "/"},
        {.title = "transport, 9 headers more", .serve = serve_transport, .target = "/headers"},
        {.title = "transport, over the pool", .serve = serve_transport, .target = "/pool"},
    };
    pid_t process;

    fflush(stdout);
    process = fork();
    if (process == 0) {
        memset(body, 'b', sizeof body);
        pin((unsigned)sysconf(_SC_NPROCESSORS_ONLN) - 1);
        compare(contestants, sizeof contestants / sizeof *contestants);
        fflush(stdout);
        _exit(0);
    }
    waitpid(process, NULL, 0);
}

const struct bench_part bench_transport = {"transport", run};
