/* Uploads that lists leave out since their bytes could not be read: they come back when these can. */
#ifndef POSED_SERVER_UPLOADS_LACKING_H
#define POSED_SERVER_UPLOADS_LACKING_H

#include "server/library/rows/rows.h"
#include "server/library/service.h"

/* Before rows are brought up to date: what can be read again counts as changed. */
void lacking_renew(struct service *service, struct rows *rows);
/* With the write lock held: sets when to look again. */
void lacking_expect(struct service *service);
/* Looks at some of them, and lists those that can be read; with nothing locked. */
void lacking_look(struct service *service);

#endif
