/*
 * Listening sockets: "127.0.0.1:8080" or "[::1]:0" to sockets, and addresses to text.
 */
#ifndef POSED_SERVER_HTTP_LISTEN_H
#define POSED_SERVER_HTTP_LISTEN_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>

enum {
    LISTEN_NAME_CAPACITY = 136, /* of an address with its port or of a socket's path */
    LISTEN_HOST_CAPACITY = 64,  /* of an address without its port */
};

/*
 * Fills fds with count sockets that listen on one address, so that each event loop accepts from its own queue
 * (SO_REUSEPORT); port 0 takes a free port for all of them. An address that somebody else listens on is an error
 * even when that somebody would share it. False and one line in error when it cannot be done; then no socket is
 * left open. The caller closes the sockets.
 */
bool listen_open(const char *address, int *fds, unsigned count, char *error, size_t error_size);

/* The same from a socket that already listens (systemd hands it over): count duplicates, which share one queue.
 * The socket itself stays the caller's. */
bool listen_share(int fd, int *fds, unsigned count, char *error, size_t error_size);

/* The address that a socket is bound to as text: "127.0.0.1:8080", "[::1]:8080", "unix:/run/posed.sock". */
void listen_name(int fd, char name[LISTEN_NAME_CAPACITY]);

/* A peer's address as text without its port; an IPv4 address inside an IPv6 one is written as IPv4. What is not
 * of the internet (a Unix socket) is "unix". Returns whether the peer is this machine's loopback. */
bool listen_peer(const struct sockaddr *peer, char host[LISTEN_HOST_CAPACITY]);

#endif
