/* Makes the contents of uploads again that have left memory (catalog.h), from their records or else from their bytes. */
#ifndef POSED_SERVER_UPLOADS_RELOAD_H
#define POSED_SERVER_UPLOADS_RELOAD_H

#include "server/library/service.h"

/* From now on contents may leave memory. Only with a store that keeps records; before anything is loaded, with the write
 * lock held. */
void reload_init(struct service *service);

#endif
