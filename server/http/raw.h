/*
 * What is done to a socket beside the HTTP library, where that offers no way.
 */
#ifndef POSED_SERVER_HTTP_RAW_H
#define POSED_SERVER_HTTP_RAW_H

#include "api/protocol/message.h"

#include <stdbool.h>

/* Writes an answer (its body is bytes, not a stream) without waiting, while a request is still arriving. The
 * connection has to be closed afterwards. Returns whether all of it went out. */
bool raw_answer(int fd, const struct api_response *response);

/* What the kernel knows of a TCP socket's other end; zeros where it does not. */
struct raw_peer {
    uint64_t received; /* bytes so far, read or not */
    uint64_t read;     /* of these, by us */
    bool is_tcp;       /* the kernel knows */
    uint64_t taken;    /* bytes of ours that have arrived there */
    bool has_ended;    /* it will send nothing more */
};

struct raw_peer raw_look(int fd);

#endif
