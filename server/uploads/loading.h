/* Adds the uploads of the store to the catalogue when the daemon starts. */
#ifndef POSED_SERVER_UPLOADS_LOADING_H
#define POSED_SERVER_UPLOADS_LOADING_H

#include "server/library/service.h"

/* Called after service_index. */
bool uploads_load(struct service *service, struct store_error *error);

#endif
