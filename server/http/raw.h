/*
 * Socket operations that bypass the HTTP library where it has no function for them.
 */
#ifndef POSED_SERVER_HTTP_RAW_H
#define POSED_SERVER_HTTP_RAW_H

#include "api/protocol/message.h"

#include <stdbool.h>

/* Writes an answer (with a body of bytes, not a stream) without blocking, while a request is still
 * arriving. The connection must be closed afterwards. Returns whether everything was sent. */
bool raw_answer(int fd, const struct api_response *response);

/* What the kernel knows about a TCP peer; zeros if unknown. */
struct raw_peer {
    uint64_t received; /* bytes received so far, read or not */
    uint64_t read;     /* how many of these we have read */
    bool is_tcp;       /* the kernel knows */
    uint64_t taken;    /* our bytes that the peer has acknowledged */
    bool has_ended;    /* it will send no more, or has reset the connection */
};

struct raw_peer raw_look(int fd);

#endif
