/*
 * Lists as queries: what of the catalogue passes a filter, in an order in which every row has a place of its own, so that
 * a walk can go on behind a row that is not there any more. Everything here reads one snapshot and takes no lock.
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

/* Names are compared up to here: so much of one fits into a cursor. */
enum { MAX_SORT_TEXT = 200 };

/* Where a row stands: by text or value, whichever the order has, then by number. */
struct listing_key {
    const char *text; /* NULL: by value */
    double value;
    uint64_t number;
};

struct listing_row {
    struct listing_key key;
    uint32_t index; /* in the catalogue's list, or of an archive */
};

struct listing_filter {
    enum asset_kind kind;
    const struct search *search; /* NULL: all */
    const char *name, *format;   /* NULL: any */
    const char *source;          /* "path", "upload", NULL: any */
    int64_t archive;             /* its index, -1: any */
    /* What else is asked of an item; NULL: nothing. */
    bool (*passes)(const void *user, const struct catalog_item *item);
    const void *user;
};

struct listing {
    enum listing_sort sort;
    bool is_descending;
    uint32_t count;
    struct listing_row *rows; /* from malloc; NULL: the whole of plain, as it is */
    const struct catalog_list *plain;
};

/* What passes, in order: sort and is_descending are set by the caller, the rows filled in. False: no memory. */
bool listing_assets(const struct catalog *catalog, const struct listing_filter *filter,
                    struct listing *listing);
/* The same of archives, of which search looks at names. */
bool listing_archives(const struct catalog *catalog, const struct listing_filter *filter,
                      struct listing *listing);
/* A list without filter and order: its pages are cut straight out. */
bool listing_is_plain(const struct catalog_list *list, const struct listing_filter *filter,
                      const struct listing *listing);
void listing_release(struct listing *listing);

struct listing_row listing_row_at(const struct listing *listing, uint32_t row);

/* The first row behind a place. */
uint32_t listing_after(const struct listing *listing, const struct listing_key *key);

/* When an item came: of an upload the upload, else when its file was last written to. Milliseconds since 1970. */
int64_t item_created(const struct catalog *catalog, const struct catalog_item *item);

/* --------------------------------------------------------------------------------------------- counting -- */

enum listing_facet { FACET_FORMAT, FACET_ARCHIVE, FACET_LOOP, FACET_EVENTS, FACET_COUNT };

struct facet_value {
    const char *text; /* of the catalogue; the bytes of an archive's id */
    size_t length;
    uint64_t count;
};

/* How many of the rows have each value, from malloc, the most frequent first; at most MAX_FACET_VALUES. NULL: no memory. */
enum { MAX_FACET_VALUES = 100 };
struct facet_value *listing_count(const struct catalog *catalog, enum asset_kind kind,
                                  const struct listing *listing, enum listing_facet facet, uint32_t *count);

/* Names of the catalogue that q may have meant, the nearest first; borrowed. */
enum { MAX_SUGGESTIONS = 5 };
unsigned listing_suggest(const struct catalog *catalog, enum asset_kind kind, const struct search *search,
                         const char *names[MAX_SUGGESTIONS]);

#endif
