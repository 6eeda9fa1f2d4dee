/*
 * Closing a connection whose client is still sending, so that it gets to read the answer.
 *
 * A socket that is closed with unread data resets the connection, and many clients then report the reset and not
 * the 413 that came before. So the socket is kept for a few seconds and what arrives is thrown away.
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
/* Keeps a duplicate of the socket, whose answer has been written, until the client closes or the time is over.
 * Does nothing when too many linger already. */
void linger_start(struct linger_list *list, int fd);
/* Ends those whose time is over; to be called a few times a second. */
void linger_sweep(struct linger_list *list);
/* Ends all. Their handles are closed at the loop's next turn. */
void linger_end(struct linger_list *list);

#endif
