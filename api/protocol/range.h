/* Range requests (RFC 9110) for bytes that are whole in memory. */
#ifndef POSED_API_PROTOCOL_RANGE_H
#define POSED_API_PROTOCOL_RANGE_H

#include "api/protocol/reply.h"

/* 200 with all, 206 with the one range asked for, 416 when it lies outside. Takes the body over (capacity 0: it is
 * borrowed and copied). Several ranges are answered with all. */
enum api_outcome reply_range(struct api_call *call, struct pose_buffer *body);

#endif
