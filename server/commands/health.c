/* `posed health`: checks whether a daemon is up and ready, for scripts and containers. */
#include "server/commands/commands.h"

#include <errno.h>
#include <netdb.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

enum { TIMEOUT_S = 5 };

/* "http://host:port/prefix", split. */
struct target {
    char host[256];
    char port[8];
    char prefix[512]; /* without a trailing slash */
};

/* Copies length characters; false if they do not fit. */
static bool copy(char *to, size_t capacity, const char *from, size_t length)
{
    if (length >= capacity)
        return false;
    memcpy(to, from, length);
    to[length] = '\0';
    return true;
}

static bool parse_authority(const char *text, size_t length, struct target *target)
{
    const char *host = text, *end = text + length, *port = NULL;
    size_t host_length = length;
    if (length && *text == '[') {
        const char *bracket = memchr(text, ']', length);
        if (!bracket || (bracket + 1 != end && bracket[1] != ':'))
            return false;
        host++;
        host_length = (size_t)(bracket - host);
        port = bracket + 1 == end ? NULL : bracket + 2;
    } else {
        const char *colon = memchr(text, ':', length);
        host_length = colon ? (size_t)(colon - text) : length;
        port = colon ? colon + 1 : NULL;
    }
    if (!port) {
        port = "80";
        end = port + 2;
    }
    size_t port_length = (size_t)(end - port);
    return host_length && port_length && strspn(port, "0123456789") >= port_length &&
           copy(target->host, sizeof target->host, host, host_length) &&
           copy(target->port, sizeof target->port, port, port_length);
}

/* Parses a URL, or an address in the syntax of --listen. */
static bool parse_url(const char *url, struct target *target)
{
    static const char scheme[] = "http://";
    if (!strncasecmp(url, scheme, sizeof scheme - 1))
        url += sizeof scheme - 1;
    else if (strstr(url, "://"))
        return false;
    size_t authority = strcspn(url, "/?#"), rest = strcspn(url + authority, "?#");
    if (url[authority + rest] || strpbrk(url, " \t\r\n"))
        return false;
    while (rest && url[authority + rest - 1] == '/')
        rest--;
    return parse_authority(url, authority, target) &&
           copy(target->prefix, sizeof target->prefix, url + authority, rest);
}

/* A connected socket with read and write timeouts; -1 with an error message. */
static int connect_to(const struct target *target, const char **reason)
{
    const struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM};
    const struct timeval patience = {.tv_sec = TIMEOUT_S};
    struct addrinfo *found;
    int failure = getaddrinfo(target->host, target->port, &hints, &found);
    if (failure) {
        *reason = gai_strerror(failure);
        return -1;
    }
    int fd = -1;
    for (const struct addrinfo *at = found; at && fd < 0; at = at->ai_next) {
        fd = socket(at->ai_family, at->ai_socktype | SOCK_CLOEXEC, at->ai_protocol);
        if (fd < 0)
            continue;
        setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
        setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
        if (connect(fd, at->ai_addr, at->ai_addrlen)) {
            int kept = errno;
            close(fd);
            errno = kept;
            fd = -1;
        }
    }
    *reason = errno == EINPROGRESS ? "nobody answered in time" : strerror(errno);
    freeaddrinfo(found);
    return fd;
}

/* Sends the request and reads the whole answer, or as much as fits. */
static bool ask(int fd, const struct target *target, char *answer, size_t capacity)
{
    char request[1024];
    bool is_ipv6 = strchr(target->host, ':');
    int length = snprintf(request, sizeof request,
                          "GET %s/readyz HTTP/1.1\r\nHost: %s%s%s:%s\r\nConnection: close\r\n\r\n",
                          target->prefix, is_ipv6 ? "[" : "", target->host, is_ipv6 ? "]" : "", target->port);
    size_t used = 0;
    ssize_t got = send(fd, request, (size_t)length, MSG_NOSIGNAL);
    while (got > 0 && used < capacity - 1) {
        got = recv(fd, answer + used, capacity - 1 - used, 0);
        used += got > 0 ? (size_t)got : 0;
    }
    answer[used] = '\0';
    return got >= 0;
}

/* The status code of an answer, 0 if it is not HTTP. */
static int status_of(const char *answer)
{
    int status;
    return sscanf(answer, "HTTP/1.%*1[01] %3d", &status) == 1 ? status : 0;
}

static int run_health(const struct command *command, int argc, char **argv)
{
    struct operands operands;
    struct target target;
    char answer[4096];
    const char *reason;
    if (!command_parse(command, NULL, argc, argv, 0, 1, &operands))
        return COMMAND_BAD_USAGE;
    const char *listen = getenv("POSED_LISTEN");
    const char *url = operands.count      ? operands.items[0]
                      : listen && *listen ? listen
                                          : "http://127.0.0.1:8080";
    if (!parse_url(url, &target))
        return command_misused("%s: not a URL such as http://127.0.0.1:8080", url);
    int fd = connect_to(&target, &reason);
    if (fd < 0)
        return command_failed(url, "%s", reason);
    bool answered = ask(fd, &target, answer, sizeof answer);
    close(fd);
    int status = answered ? status_of(answer) : 0;
    if (status == 200)
        return COMMAND_DONE;
    const char *body = strstr(answer, "\r\n\r\n");
    if (!status)
        return command_failed(url, answered ? "not an HTTP answer" : "no answer in time");
    return command_failed(url, "not ready: %d %s", status, body ? body + 4 : "");
}

const struct command command_health = {
    .name = "health",
    .operands = "[URL]",
    .summary = "exits with 0 if a daemon is running and ready",
    .description = "Asks a daemon whether it is ready. Without a URL, the one at POSED_LISTEN, else at\n"
                   "http://127.0.0.1:8080.\n",
    .run = run_health,
};
