/* Lists with pages: {"items":[…],"next":…,"total":N} and the Link header. */
#ifndef POSED_API_PROTOCOL_LISTS_H
#define POSED_API_PROTOCOL_LISTS_H

#include "api/protocol/reply.h"
#include "server/library/search/listing.h"

/* What a cursor says: where the page before ended. */
struct list_cursor {
    bool is_given;
    struct listing_key key;
    char text[MAX_SORT_TEXT + 1]; /* of the key */
    struct asset_id id;           /* of the last row */
    int sort;                     /* of the list that it is of: SORT_…, negative when it descends */
};

struct page {
    int64_t offset, limit;
    struct list_cursor cursor;
};

/* Reads limit, offset and cursor. */
bool page_read(const struct api_call *call, struct page *page, struct param_error *error);
/* Writes "next" and "total" of a list that knows no cursor, sets Link; the caller has written "items". */
void page_finish(struct api_call *call, struct json_writer *json, const struct page *page, int64_t total);
/* The digest of a list: the catalogue and every parameter. */
struct asset_id list_digest(const struct api_call *call);

/* Which archive a list is narrowed to by archive=: its index, -1 without; false when the id is none. */
bool archive_filter(struct api_call *call, int64_t *archive, struct param_error *error);

/* A word of sort=; "-word" turns it round. newest begins with the highest time. */
struct list_sort {
    const char *word; /* NULL ends them */
    enum listing_sort sort;
};

/* A request for a list of the catalogue, and what came of it. */
struct list_request {
    struct page page;
    struct search search;
    struct listing_filter filter;
    struct listing listing;
    unsigned facets; /* 1 << enum listing_facet */
    uint32_t first;  /* row of the page */
    uint32_t last;   /* the one behind it */
};

/* Reads limit, offset, cursor, q, name, format, archive, source, facets and (one of sorts, NULL: none) sort. The caller may
 * add to the filter before list_run. */
bool list_read(struct api_call *call, enum asset_kind kind, const struct list_sort *sorts,
               struct list_request *request, struct param_error *error);
/* Makes the listing of assets (of archives) and finds the page; false: no memory. list_finish frees it. */
bool list_run(struct api_call *call, struct list_request *request, bool of_archives);
/* Whether making it takes so long that it belongs on the pool. */
bool list_is_long(const struct api_call *call, const struct list_request *request);
/* The item of a row, as the archive has it that the list is narrowed to. */
struct catalog_item *list_item(const struct api_call *call, const struct list_request *request, uint32_t row);
/* Writes "next", "total", "facets", "did_you_mean"; the caller has written "items". */
void list_finish(struct api_call *call, struct json_writer *json, struct list_request *request,
                 bool of_archives);

#endif
