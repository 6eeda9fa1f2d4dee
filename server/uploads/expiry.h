/* Removes the uploads whose time has passed. */
#ifndef POSED_SERVER_UPLOADS_EXPIRY_H
#define POSED_SERVER_UPLOADS_EXPIRY_H

#include "server/library/service.h"

struct expiry;

/* Starts a thread that sleeps until the next upload expires; NULL if it cannot be started. */
struct expiry *expiry_start(struct service *service);
/* Ends it; NULL is allowed. */
void expiry_stop(struct expiry *expiry);

#endif
