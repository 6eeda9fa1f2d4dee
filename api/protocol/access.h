/*
 * Who may write. With a token file: who sends one of its tokens. Without: a program on this machine that speaks to it
 * directly. A page of another site in a browser on this machine, and whatever a proxy passes on, is not that.
 */
#ifndef POSED_API_PROTOCOL_ACCESS_H
#define POSED_API_PROTOCOL_ACCESS_H

#include "api/protocol/call.h"

/* False with the refusal in the response: 401 without a token, 403 with a wrong one and by the rule without tokens. */
bool access_may_write(struct api_call *call);

#endif
