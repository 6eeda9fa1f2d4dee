/* Which route a request means. */
#ifndef POSED_API_MATCH_H
#define POSED_API_MATCH_H

#include "api/protocol/call.h"

/* The route of the request, looked up on first use. */
const struct api_match *route_match(const struct service *service, const struct api_request *asked);

#endif
