/* Paged lists: {"items":[…],"next":…,"total":N} and the Link header. */
#ifndef POSED_API_PROTOCOL_LISTS_H
#define POSED_API_PROTOCOL_LISTS_H

#include "api/protocol/reply.h"
#include "server/library/rows/rows.h"

/* A decoded cursor: where the previous page ended. */
struct list_cursor {
    bool is_given;
    struct listing_key key;
    struct asset_id id; /* of the last row */
    int sort;           /* the list's order: SORT_…, negative if descending */
};

struct page {
    int64_t offset, limit;
    struct list_cursor cursor;
};

/* Reads limit, offset and cursor. */
bool page_read(const struct api_call *call, struct page *page, struct param_error *error);
/* Begins the answer of a list in an empty body: the items come next. */
void list_begin(struct json_writer *json, struct pose_buffer *body);
/* Ends the answer of a list without cursors with "next" and "total", and sets Link. */
void page_finish(struct api_call *call, struct json_writer *json, const struct page *page, int64_t total);
/* The digest of a list: the catalogue and every parameter. */
struct asset_id list_digest(const struct api_call *call);

/* A value of sort=; "-word" reverses it. "newest" starts with the latest time. */
struct list_sort {
    const char *word; /* NULL ends the array */
    enum listing_sort sort;
};

/* A list request over the catalogue, and its result. */
struct list_request {
    struct page page;
    struct search search;
    struct listing_filter filter;
    struct listing listing;
    unsigned facets;        /* 1 << enum listing_facet */
    struct asset_id within; /* the archive of the filter, and its index */
    uint32_t archive;
    struct rows_view *view;
    struct rows
        *own; /* of a catalogue that only some see, or of what waits in it; NULL: the service's alone */
    struct own_rows *waits; /* what waits, which is merged into the others */
};

/* Reads limit, offset, cursor, q, name, format, archive, source, facets and sort (one of sorts; NULL: not
 * supported). The caller may add to the filter before list_run. */
bool list_read(struct api_call *call, enum asset_kind kind, const struct list_sort *sorts,
               struct list_request *request, struct param_error *error);
/* Sets the headers of the list and, on the pool, finds its page. False if there is nothing to write: then outcome is what
 * the handler returns. Otherwise it must be freed with list_finish. */
bool list_run(struct api_call *call, struct list_request *request, enum api_outcome *outcome);
/* The item of a row, as seen in the archive that the list is restricted to; NULL: none. */
struct catalog_item *list_item(const struct api_call *call, const struct list_request *request, uint32_t row);
/* Ends the answer with "next", "total", "facets" and "did_you_mean". */
void list_finish(struct api_call *call, struct json_writer *json, struct list_request *request);

#endif
