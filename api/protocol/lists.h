/* Lists with pages: {"items":[…],"next":…,"total":N} and the Link header. */
#ifndef POSED_API_PROTOCOL_LISTS_H
#define POSED_API_PROTOCOL_LISTS_H

#include "api/protocol/reply.h"

struct page {
    int64_t offset, limit;
};

/* Reads limit and offset. */
bool page_read(const struct api_call *call, struct page *page, struct param_error *error);
/* Writes "next" and "total", sets Link; the caller has written "items". */
void page_finish(struct api_call *call, struct json_writer *json, const struct page *page, int64_t total);
/* The digest of a list: the catalogue and every parameter. */
struct asset_id list_digest(const struct api_call *call);

/* Which archive a list is narrowed to by archive=: its index, -1 without; false when the id is none. */
bool archive_filter(struct api_call *call, int64_t *archive, struct param_error *error);

/* Whether q= finds a name: its letters of ASCII count without case. */
bool name_holds(const char *name, const char *wanted);

#endif
