/* Problems as HTML pages, for people who followed a link. */
#ifndef POSED_API_PAGES_ERROR_PAGE_H
#define POSED_API_PAGES_ERROR_PAGE_H

#include "api/protocol/reply.h"

/* Replaces the problem in the response by a page if the request prefers text/html; otherwise does nothing. */
void error_page_replace(struct api_call *call);

#endif
