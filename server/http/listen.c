/*
 * Listening sockets: one per event loop, all on the same address.
 */
#include "server/http/listen.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/un.h>
#include <unistd.h>

static void set_option(int fd, int level, int option, int value)
{
    (void)setsockopt(fd, level, option, &value, sizeof value);
}

/* Splits "host:port" or "[host]:port"; false for anything else. */
static bool split_address(const char *address, char *host, size_t host_size, const char **port)
{
    const char *colon = strrchr(address, ':');
    if (!colon || colon[1] == '\0')
        return false;
    *port = colon + 1;
    size_t length = (size_t)(colon - address);
    if (length >= 2 && address[0] == '[' && colon[-1] == ']') {
        address++;
        length -= 2;
    } else if (memchr(address, ':', length)) {
        return false; /* an IPv6 address without brackets is ambiguous */
    }
    if (length == 0 || length >= host_size)
        return false;
    memcpy(host, address, length);
    host[length] = '\0';
    return true;
}

static bool parse_address(const char *address, struct sockaddr_storage *result, socklen_t *result_size)
{
    char host[LISTEN_HOST_CAPACITY];
    const char *port;
    const struct addrinfo hints = {.ai_family = AF_UNSPEC,
                                   .ai_socktype = SOCK_STREAM,
                                   .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE};
    struct addrinfo *found;
    /* getaddrinfo would reduce a port of 70000 modulo 65536. */
    if (!split_address(address, host, sizeof host, &port) || strspn(port, "0123456789") != strlen(port) ||
        strlen(port) > 5 || (strlen(port) == 5 && strcmp(port, "65535") > 0) ||
        getaddrinfo(host, port, &hints, &found) != 0)
        return false;
    memcpy(result, found->ai_addr, found->ai_addrlen);
    *result_size = found->ai_addrlen;
    freeaddrinfo(found);
    return true;
}

static in_port_t *port_of(struct sockaddr_storage *address)
{
    return address->ss_family == AF_INET6 ? &((struct sockaddr_in6 *)address)->sin6_port
                                          : &((struct sockaddr_in *)address)->sin_port;
}

/* A bound socket, or -1 with errno set. */
static int bind_socket(const struct sockaddr_storage *address, socklen_t size, bool shared_port)
{
    const int fd = socket(address->ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -1;
    set_option(fd, SOL_SOCKET, SO_REUSEADDR, 1);
    if (shared_port)
        set_option(fd, SOL_SOCKET, SO_REUSEPORT, 1);
    if (address->ss_family == AF_INET6)
        set_option(fd, IPPROTO_IPV6, IPV6_V6ONLY, 0); /* [::] accepts IPv4 too, as users expect */
    if (bind(fd, (const struct sockaddr *)address, size) != 0) {
        const int reason = errno;
        close(fd);
        errno = reason;
        return -1;
    }
    return fd;
}

static void close_all(int *fds, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        close(fds[i]);
}

/* Opens the sockets in order; all use the first one's port. False with errno set. */
static bool open_all(struct sockaddr_storage *address, socklen_t size, int *fds, unsigned count,
                     unsigned *opened)
{
    for (*opened = 0; *opened < count;) {
        const int fd = bind_socket(address, size, count > 1);
        if (fd < 0)
            return false;
        fds[(*opened)++] = fd;
        if (listen(fd, SOMAXCONN) != 0 || getsockname(fd, (struct sockaddr *)address, &size) != 0)
            return false;
    }
    return true;
}

/* Whether nobody listens on the address. SO_REUSEPORT only requires the same user, so a second daemon
 * could silently join our port; a socket without SO_REUSEPORT cannot be bound where anyone listens. */
static bool is_free(const struct sockaddr_storage *address, socklen_t size)
{
    const int fd = bind_socket(address, size, false);
    if (fd >= 0)
        close(fd);
    return fd >= 0;
}

bool listen_open(const char *address, int *fds, unsigned count, char *error, size_t error_size)
{
    struct sockaddr_storage bound;
    socklen_t size = 0;
    unsigned opened = 0;
    memset(&bound, 0, sizeof bound);
    if (!parse_address(address, &bound, &size)) {
        errno = EINVAL;
        snprintf(error, error_size, "%s: not an address of the form 127.0.0.1:8080 or [::1]:8080", address);
        return false;
    }
    if ((*port_of(&bound) != 0 && !is_free(&bound, size)) || !open_all(&bound, size, fds, count, &opened)) {
        const int reason = errno;
        snprintf(error, error_size, "%s: %s", address, strerror(reason));
        close_all(fds, opened);
        errno = reason;
        return false;
    }
    return true;
}

bool listen_share(int fd, int *fds, unsigned count, char *error, size_t error_size)
{
    int listening = 0;
    socklen_t size = sizeof listening;
    const int flags = fcntl(fd, F_GETFL);
    if (getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listening, &size) != 0 || !listening) {
        snprintf(error, error_size, "file descriptor %d: not a listening socket", fd);
        return false;
    }
    if (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) != 0) {
        snprintf(error, error_size, "file descriptor %d: %s", fd, strerror(errno));
        return false;
    }
    for (unsigned i = 0; i < count; i++) {
        fds[i] = fcntl(fd, F_DUPFD_CLOEXEC, 3);
        if (fds[i] < 0) {
            snprintf(error, error_size, "file descriptor %d: %s", fd, strerror(errno));
            close_all(fds, i);
            return false;
        }
    }
    return true;
}

void listen_name(int fd, char name[LISTEN_NAME_CAPACITY])
{
    struct sockaddr_storage address;
    socklen_t size = sizeof address;
    char host[LISTEN_HOST_CAPACITY];
    memset(&address, 0, sizeof address);
    if (getsockname(fd, (struct sockaddr *)&address, &size) != 0)
        address.ss_family = AF_UNSPEC;
    if (address.ss_family == AF_UNIX) {
        snprintf(name, LISTEN_NAME_CAPACITY, "unix:%s", ((const struct sockaddr_un *)&address)->sun_path);
    } else if (address.ss_family == AF_INET || address.ss_family == AF_INET6) {
        inet_ntop(address.ss_family,
                  address.ss_family == AF_INET6 ? (const void *)&((struct sockaddr_in6 *)&address)->sin6_addr
                                                : (const void *)&((struct sockaddr_in *)&address)->sin_addr,
                  host, sizeof host);
        snprintf(name, LISTEN_NAME_CAPACITY, address.ss_family == AF_INET6 ? "[%s]:%u" : "%s:%u", host,
                 ntohs(*port_of(&address)));
    } else {
        snprintf(name, LISTEN_NAME_CAPACITY, "unknown");
    }
}

bool listen_peer(const struct sockaddr *peer, char host[LISTEN_HOST_CAPACITY])
{
    struct in_addr v4;
    if (peer->sa_family == AF_INET6) {
        const struct in6_addr *v6 = &((const struct sockaddr_in6 *)(const void *)peer)->sin6_addr;
        if (!IN6_IS_ADDR_V4MAPPED(v6)) {
            inet_ntop(AF_INET6, v6, host, LISTEN_HOST_CAPACITY);
            return IN6_IS_ADDR_LOOPBACK(v6);
        }
        memcpy(&v4, v6->s6_addr + 12, sizeof v4);
    } else if (peer->sa_family == AF_INET) {
        v4 = ((const struct sockaddr_in *)(const void *)peer)->sin_addr;
    } else {
        snprintf(host, LISTEN_HOST_CAPACITY, "unix");
        return false;
    }
    inet_ntop(AF_INET, &v4, host, LISTEN_HOST_CAPACITY);
    return (ntohl(v4.s_addr) >> 24) == 127;
}
