/* Checks that run before a request's body is read: the host must be ours and the client within its rate. */
#ifndef POSED_API_PROTOCOL_ADMISSION_H
#define POSED_API_PROTOCOL_ADMISSION_H

#include "api/protocol/call.h"

/* Whether any check is configured. */
bool admission_has_rules(const struct service *service);
/*
 * False with the refusal in the response (403 for a foreign host, 429 over --rate-limit). /healthz and /readyz are
 * always admitted, because monitors poll them often and by address.
 */
bool admission_check(struct api_call *call);

#endif
