/* Whether a request is let in at all, before its body is read: for a host of ours, and within the client's rate. */
#ifndef POSED_API_PROTOCOL_ADMISSION_H
#define POSED_API_PROTOCOL_ADMISSION_H

#include "api/protocol/call.h"

/* Whether there is anything to check. */
bool admission_has_rules(const struct service *service);
/*
 * False with the refusal in the response (403 for a foreign host, 429 over --rate-limit). /healthz and /readyz, which
 * watchers ask by address and often, are always let in.
 */
bool admission_check(struct api_call *call);

#endif
