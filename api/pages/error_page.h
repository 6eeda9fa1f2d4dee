/* A problem as a page, for people who followed a link. */
#ifndef POSED_API_PAGES_ERROR_PAGE_H
#define POSED_API_PAGES_ERROR_PAGE_H

#include "api/protocol/reply.h"

/* Puts a page in place of the problem that the response is, when the request prefers text/html; nothing otherwise. */
void error_page_replace(struct api_call *call);

#endif
