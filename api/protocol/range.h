/* Range requests (RFC 9110) for bodies that are entirely in memory. */
#ifndef POSED_API_PROTOCOL_RANGE_H
#define POSED_API_PROTOCOL_RANGE_H

#include "api/protocol/reply.h"

/* 200 with all bytes, 206 with the one range requested, 416 if it lies outside. Takes over the body
 * (capacity 0: it is borrowed and gets copied). A request for several ranges gets all bytes. */
enum api_outcome reply_range(struct api_call *call, struct pose_buffer *body);

#endif
