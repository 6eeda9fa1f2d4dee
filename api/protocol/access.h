/*
 * Write access. With a token file: clients that send one of its tokens. Without: programs on this machine that
 * connect directly, which excludes pages of other sites in a local browser and anything forwarded by a proxy.
 */
#ifndef POSED_API_PROTOCOL_ACCESS_H
#define POSED_API_PROTOCOL_ACCESS_H

#include "api/protocol/call.h"

/* Whether the client may do what the route does; sets the call's grant. False with the refusal in the response: 401
 * without a token, 403 with a wrong one, one without the scope, or if the rule without tokens refuses. */
bool access_may_write(struct api_call *call);
/* Sets the call's grant for a read, which nothing refuses. */
void access_identify(struct api_call *call);

#endif
