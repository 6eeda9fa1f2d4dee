#include "tests/bench/load.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { BUFFER = 64 * 1024, MAX_SAMPLES = 4 * 1000 * 1000, LAST_CHUNK = 7 };

struct connection {
    int fd;
    bool busy;
    double due;      /* when the request was to be sent */
    size_t received; /* bytes of the answer so far */
    size_t whole;    /* of the answer, 0 while its head is not there or its end unknown */
    size_t body;     /* of a stream in chunks: where it begins */
    char head[4096], last[LAST_CHUNK];
};

struct run {
    const struct load *load;
    struct connection *connections;
    int poll;
    size_t next_target;
    double *samples;
    size_t sample_count;
    struct load_result *result;
};

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static bool open_connection(struct run *run, struct connection *connection)
{
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_port = htons((uint16_t)run->load->port),
                                  .sin_addr = {htonl(INADDR_LOOPBACK)}};
    int on = 1;
    connection->fd = socket(AF_INET, SOCK_STREAM, 0);
    if (connection->fd < 0 || connect(connection->fd, (struct sockaddr *)&address, sizeof address))
        return false;
    setsockopt(connection->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    struct epoll_event event = {.events = EPOLLIN, .data = {.ptr = connection}};
    return epoll_ctl(run->poll, EPOLL_CTL_ADD, connection->fd, &event) == 0;
}

static void send_request(struct run *run, struct connection *connection, double due)
{
    char request[512];
    const char *target = run->load->targets[run->next_target++ % run->load->target_count];
    int size = snprintf(request, sizeof request, "GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n", target);
    connection->busy = true;
    connection->due = due;
    connection->received = connection->whole = connection->body = 0;
    if (send(connection->fd, request, (size_t)size, MSG_NOSIGNAL) != size)
        run->result->errors++;
}

/* Reads the length of head and body from the head, or where a stream begins; nothing while the head is not whole. */
static void read_head(struct run *run, struct connection *connection)
{
    const char *end = strstr(connection->head, "\r\n\r\n");
    if (!end)
        return;
    const size_t head = (size_t)(end + 4 - connection->head);
    const char *length = strcasestr(connection->head, "\r\nContent-Length:");
    if (strncmp(connection->head, "HTTP/1.1 200", 12) != 0)
        run->result->errors++;
    if (!length) {
        connection->body = head;
        return;
    }
    size_t body = strtoul(length + 17, NULL, 10);
    run->result->bytes = (double)body;
    connection->whole = head + body;
}

/* Keeps the last bytes of an answer. */
static void keep_last(struct connection *connection, const char *bytes, size_t size)
{
    const size_t kept = size < LAST_CHUNK ? size : LAST_CHUNK;
    memmove(connection->last, connection->last + kept, LAST_CHUNK - kept);
    memcpy(connection->last + LAST_CHUNK - kept, bytes + size - kept, kept);
}

/* The client asks for nothing before an answer has ended, so the end of a stream is the end of what is received. */
static bool is_whole(struct run *run, const struct connection *connection)
{
    if (connection->whole)
        return connection->received >= connection->whole;
    if (!connection->body || memcmp(connection->last, "\r\n0\r\n\r\n", LAST_CHUNK) != 0)
        return false;
    run->result->bytes = (double)(connection->received - connection->body);
    return true;
}

/* True when the answer is whole. */
static bool receive(struct run *run, struct connection *connection)
{
    static char buffer[BUFFER];
    ssize_t got = recv(connection->fd, buffer, sizeof buffer, MSG_DONTWAIT);
    if (got <= 0) {
        run->result->errors += got == 0 || errno != EAGAIN;
        return false;
    }
    if (connection->received < sizeof connection->head - 1) {
        size_t room = sizeof connection->head - 1 - connection->received;
        size_t kept = (size_t)got < room ? (size_t)got : room;
        memcpy(connection->head + connection->received, buffer, kept);
        connection->head[connection->received + kept] = 0;
    }
    connection->received += (size_t)got;
    run->result->received += (double)got;
    keep_last(connection, buffer, (size_t)got);
    if (!connection->whole && !connection->body)
        read_head(run, connection);
    return is_whole(run, connection);
}

static void note(struct run *run, double latency)
{
    if (run->sample_count < MAX_SAMPLES)
        run->samples[run->sample_count++] = latency;
}

static int compare(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

/* Sends what is due on connections that are free; what finds none waits, and its clock runs. */
static void send_due(struct run *run, double *due, double time, unsigned *free_at)
{
    const struct load *load = run->load;
    for (unsigned tried = 0; *due <= time && tried < load->connections; tried++) {
        struct connection *connection = &run->connections[(*free_at)++ % load->connections];
        if (connection->busy)
            continue;
        send_request(run, connection, *due);
        *due += 1 / load->rate;
    }
}

static void turn(struct run *run, double end)
{
    struct epoll_event events[256];
    double due = now();
    unsigned free_at = 0;
    for (unsigned i = 0; run->load->rate <= 0 && i < run->load->connections; i++)
        send_request(run, &run->connections[i], now());
    for (double time = now(); time < end && run->result->errors < 100; time = now()) {
        if (run->load->rate > 0)
            send_due(run, &due, time, &free_at);
        int count = epoll_wait(run->poll, events, 256, run->load->rate > 0 ? 0 : 100);
        for (int i = 0; i < count; i++) {
            struct connection *connection = events[i].data.ptr;
            if (!connection->busy || !receive(run, connection))
                continue;
            double answered = now();
            note(run, answered - connection->due);
            connection->busy = false;
            if (run->load->rate <= 0)
                send_request(run, connection, answered);
        }
    }
}

bool load_run(const struct load *load, struct load_result *result)
{
    struct run run = {.load = load,
                      .connections = calloc(load->connections, sizeof(struct connection)),
                      .poll = epoll_create1(0),
                      .samples = malloc(MAX_SAMPLES * sizeof(double)),
                      .result = result};
    *result = (struct load_result){0};
    bool opened = run.connections && run.samples;
    unsigned open = 0;
    while (opened && open < load->connections)
        opened = open_connection(&run, &run.connections[open++]);
    double begin = now();
    if (opened)
        turn(&run, begin + load->seconds);
    result->answers = (double)run.sample_count;
    result->rate = result->answers / (now() - begin);
    if (run.sample_count) {
        qsort(run.samples, run.sample_count, sizeof *run.samples, compare);
        result->p50_us = run.samples[run.sample_count / 2] * 1e6;
        result->p99_us = run.samples[run.sample_count - 1 - run.sample_count / 100] * 1e6;
    }
    for (unsigned i = 0; i < open; i++)
        close(run.connections[i].fd);
    close(run.poll);
    free(run.connections);
    free(run.samples);
    return opened;
}
