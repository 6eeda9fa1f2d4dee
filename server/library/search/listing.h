/*
 * Lists as queries: the items of the catalogue that pass a filter, in a total order, so that paging can continue
 * after a row that no longer exists. Reads one snapshot; lock-free.
 */
#ifndef POSED_SERVER_LIBRARY_SEARCH_LISTING_H
#define POSED_SERVER_LIBRARY_SEARCH_LISTING_H

#include "server/library/catalog.h"
#include "server/library/search/words.h"

enum listing_sort {
    SORT_ARRIVAL,
    SORT_NAME,
    SORT_DURATION,
    SORT_FORMAT,
    SORT_NEWEST,
    SORT_BYTES,
    SORT_MATCH
};

/* Names are compared up to this length, so that they fit into a cursor. */
enum { MAX_SORT_TEXT = 200 };

/* The sort position of a row: by text or value, depending on the order, then by number. */
struct listing_key {
    const char *text; /* NULL: by value */
    double value;
    uint64_t number;
};

struct listing_row {
    struct listing_key key;
    uint32_t index; /* in the catalogue's list, or an archive's */
};

struct listing_filter {
    enum asset_kind kind;
    const struct search *search; /* NULL: all */
    const char *name, *format;   /* NULL: any */
    const char *source;          /* "path", "upload", NULL: any */
    int64_t archive;             /* its index, -1: any */
    /* A further condition on items; NULL: none. */
    bool (*passes)(const void *user, const struct catalog_item *item);
    const void *user;
};

struct listing {
    enum listing_sort sort;
    bool is_descending;
    uint32_t count;
    struct listing_row *rows; /* from malloc; NULL: all of plain, unchanged */
    const struct catalog_list *plain;
};

/* Filters and sorts assets: sort and is_descending are set by the caller, the rows filled in. False if out
 * of memory. */
bool listing_assets(const struct catalog *catalog, const struct listing_filter *filter,
                    struct listing *listing);
/* The same for archives, where search only matches names. */
bool listing_archives(const struct catalog *catalog, const struct listing_filter *filter,
                      struct listing *listing);
/* Whether a list has neither filter nor order, so that pages can be taken from it directly. */
bool listing_is_plain(const struct catalog_list *list, const struct listing_filter *filter,
                      const struct listing *listing);
void listing_release(struct listing *listing);

struct listing_row listing_row_at(const struct listing *listing, uint32_t row);

/* The first row after a position. */
uint32_t listing_after(const struct listing *listing, const struct listing_key *key);

/* The time of an item: of its upload, or of its file's last modification. Milliseconds since 1970. */
int64_t item_created(const struct catalog *catalog, const struct catalog_item *item);

/* --------------------------------------------------------------------------------------------- counting -- */

enum listing_facet { FACET_FORMAT, FACET_ARCHIVE, FACET_LOOP, FACET_EVENTS, FACET_COUNT };

struct facet_value {
    const char *text; /* borrowed from the catalogue; the bytes of an archive's id */
    size_t length;
    uint64_t count;
};

/* How many rows have each value, from malloc, the most frequent first; at most MAX_FACET_VALUES. NULL if
 * out of memory. */
enum { MAX_FACET_VALUES = 100 };
struct facet_value *listing_count(const struct catalog *catalog, enum asset_kind kind,
                                  const struct listing *listing, enum listing_facet facet, uint32_t *count);

/* Names of the catalogue similar to q, the most similar first; borrowed. */
enum { MAX_SUGGESTIONS = 5 };
unsigned listing_suggest(const struct catalog *catalog, enum asset_kind kind, const struct search *search,
                         const char *names[MAX_SUGGESTIONS]);

#endif
