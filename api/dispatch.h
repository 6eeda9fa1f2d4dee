/* Routes requests to handlers: the functions that server/http/transport.c calls. user is the struct
 * service. */
#ifndef POSED_API_DISPATCH_H
#define POSED_API_DISPATCH_H

#include "api/protocol/message.h"

enum api_outcome api_handle(void *service, struct api_request *request, struct api_response *response);
bool api_admit(void *service, const struct api_request *request, uint64_t *max_body,
               struct api_response *response);
void api_refuse(void *service, const struct api_request *request, unsigned status, const char *detail,
                struct api_response *response);

/* The distinct templates of the route table, NULL-terminated, for the metrics. */
const char *const *api_route_templates(void);

#endif
