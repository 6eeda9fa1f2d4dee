/*
 * Listening sockets: opens "127.0.0.1:8080" or "[::1]:0", and formats addresses.
 */
#ifndef POSED_SERVER_HTTP_LISTEN_H
#define POSED_SERVER_HTTP_LISTEN_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>

enum {
    LISTEN_NAME_CAPACITY = 136, /* an address with its port, or a socket's path */
    LISTEN_HOST_CAPACITY = 64,  /* an address without its port */
};

/*
 * Fills fds with count sockets that listen on one address, so that each event loop has its own accept queue
 * (SO_REUSEPORT); port 0 selects one free port for all. An address already in use is an error, even if its user
 * would share it. False with one line in error and errno set on failure; then no socket is left open. The caller must
 * close the sockets.
 */
bool listen_open(const char *address, int *fds, unsigned count, char *error, size_t error_size);

/* The same for a socket that already listens (passed by systemd): count duplicates that share one queue.
 * The caller keeps the original socket. */
bool listen_share(int fd, int *fds, unsigned count, char *error, size_t error_size);

/* The address that a socket is bound to, as text: "127.0.0.1:8080", "[::1]:8080", "unix:/run/posed.sock". */
void listen_name(int fd, char name[LISTEN_NAME_CAPACITY]);

/* A peer's address as text without its port; an IPv4-mapped IPv6 address is written as IPv4. Other
 * families (a Unix socket) are "unix". Returns whether the peer is on this machine's loopback. */
bool listen_peer(const struct sockaddr *peer, char host[LISTEN_HOST_CAPACITY]);

#endif
