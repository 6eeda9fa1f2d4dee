/*
 * Closes connections whose client is still sending, so that it can read the answer.
 *
 * Closing a socket with unread data resets the connection, and many clients then report the reset instead of the
 * 413 that was sent. So the socket is kept open for a few seconds and incoming data is discarded.
 */
#ifndef POSED_SERVER_HTTP_LINGER_H
#define POSED_SERVER_HTTP_LINGER_H

#include <stdint.h>
#include <uv.h>

struct lingering;

/* The lingering sockets of one event loop. */
struct linger_list {
    uv_loop_t *loop;
    struct lingering *first;
    unsigned count;
};

void linger_init(struct linger_list *list, uv_loop_t *loop);
/* Keeps a duplicate of the socket, whose answer has been written, until the client closes or the time is
 * up. Does nothing if too many sockets linger already. */
void linger_start(struct linger_list *list, int fd);
/* Closes sockets whose time is up; call it a few times a second. */
void linger_sweep(struct linger_list *list);
/* Closes all. Their handles are closed in the next iteration of the loop. */
void linger_end(struct linger_list *list);

#endif
