/*
 * An answer written to a socket by hand, where the HTTP library offers no way: while a request is still being
 * received. The connection has to be closed afterwards.
 */
#ifndef POSED_SERVER_HTTP_RAW_H
#define POSED_SERVER_HTTP_RAW_H

#include "api/message.h"

#include <stdbool.h>

/* Writes the answer (its body is bytes, not a stream) without waiting. Returns whether all of it went out. */
bool raw_answer(int fd, const struct api_response *response);

/* Bytes that a TCP socket has ever received, as far as the kernel counts them; 0 where it does not. */
uint64_t raw_received(int fd);

#endif
